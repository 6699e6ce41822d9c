// The ends of segments where a lane has a member: soundness, samples, errors.
#pragma once

#include "externals/laws.cuh"
#include "groups/lane_forces.cuh"
#include "chosen.cuh"

// Checks bonds at the end of a segment: a sample must be sound, and only a later step would find a broken bond.
template <typename Terms, typename Lane> __device__ __forceinline__ void check_segment(Lane &group, u32 iteration, bool ends)
{
    const System &system = group.system;
    for (u32 bead = group.first_bead; ends && bead < system.beads; bead += group.bead_stride) {
        const u32 time = 2 * (iteration + 1);
        const Column here = group.positions(group.now);
        const Vector at = here[bead];
        if (!Space::WRAPS && !is_finite(at)) group.error.report(time, NOT_FINITE | bead, 0);
        for (u32 part = 0; part < PARTIAL_SUMS; ++part) {
            const Slot slot = {bead, part, PARTIAL_SUMS * bead + part, PARTIAL_SUMS * system.beads};
            Terms::Bonded::verify(system, slot, here, at, time, group.error);
        }
    }
    if (group.error.time != NO_TIME) atomicMin(&group.shared.errors[group.lane], group.error.order());
    if (ends) {
        atomicAdd(&group.shared.sums[group.lane].square_displacements, group.square_displacements);
        group.square_displacements = 0;
    }
}

template <typename Lane> __device__ __forceinline__ void write_sample(Lane &group, Outcome &outcome)
{
    const Launch &launch = group.launch;
    const Member &member = group.member;
    const u32 lane = group.lane, segment = group.segment, number = member.first_sample + segment, beads = group.system.beads;
    for (u32 bead = group.first_bead; bead < beads; bead += group.bead_stride) {
        for (u32 axis = 0; axis < 3; ++axis) {
            const u64 to = (static_cast<u64>(segment) * beads + bead) * 3 + axis;
            const u32 from = (3 * bead + axis) * LANE_MEMBERS + lane;
            member.sample_positions[to] = group.buffer[group.now + from];
            if constexpr (Scheme::HAS_VELOCITIES) {
                member.sample_velocities[to] = group.velocities[from];
                member.sample_forces[to] = group.first_forces[from];
            }
        }
#if HYBRID_TAUS
        for (u32 k = 0; k < 4; ++k) {
            member.sample_noise_states[(static_cast<u64>(segment) * beads + bead) * 4 + k] = group.states[(4 * bead + k) * LANE_MEMBERS + lane];
        }
#endif
    }
    if (threadIdx.x != lane) return;
    External *const sampled = launch.sample_externals + static_cast<u64>(number) * launch.externals_per_member;
    for (u32 d = 0; PULLED && d < member.externals; ++d) sampled[d] = Laws::sampled(group.externals()[d]);
    launch.sample_sums[number] = group.shared.sums[lane];
    if (launch.segments[member.first_segment + segment].row) group.shared.sums[lane] = {0, 0, 0, 0};
    outcome.segments = segment + 1;
}

// Writes samples of members whose segment ended, and errors; returns whether any member continues.
template <typename Lane> __device__ __forceinline__ bool settle_segment(Lane &group, u32 iteration, bool ends)
{
    const Member &member = group.member;
    const u64 first_error = group.shared.errors[group.lane];
    Outcome &outcome = group.launch.outcomes[group.first_member + group.lane];
    if (group.running && first_error != NO_ERROR) {
        if (group.error.order() == first_error) outcome.fail(group.error, group.first_step);
        group.running = false;
    } else if (ends) {
        write_sample(group, outcome);
        ++group.segment;
        group.running = group.segment < member.segments;
        if (group.running) group.segment_end += group.launch.segments[member.first_segment + group.segment].steps;
    }
    if (group.running) atomicMin(&group.shared.nearest, group.segment_end);
    if (!__syncthreads_or(group.running)) return false;
    group.end = group.shared.nearest;
    return true;
}
