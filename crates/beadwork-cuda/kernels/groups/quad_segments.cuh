// The ends of segments where four lanes have a bead: soundness, samples, errors.
#pragma once

#include "externals/laws.cuh"
#include "groups/quad_forces.cuh"
#include "groups/quad_slots.cuh"

// Checks bonds at the end of a segment: a sample must be sound, and only a later step would find a broken bond.
template <typename Terms, typename Quad> __device__ __forceinline__ void check_segment(Quad &quad, u32 iteration, bool ends)
{
    quad.each([&](u32 turn) {
        if (!quad.writes(turn) || !ends) return;
        const u32 time = 2 * (iteration + 1);
        const RowPositions positions = {quad.here + quad.now};
        const Vector at = positions[quad.me(turn).bead];
        if (!Space::WRAPS && !is_finite(at)) quad.error.report(time, NOT_FINITE | quad.me(turn).bead, 0);
        Terms::Bonded::verify(quad.system, quad.me(turn), positions, at, time, quad.error);
    });
    if (quad.error.time != NO_TIME) atomicMin(&quad.flags->errors[quad.my_member], quad.error.order());
    if (ends && quad.square_displacements != 0) atomicAdd(&quad.sums->square_displacements, quad.square_displacements);
    if (ends) quad.square_displacements = 0;
}

template <typename Quad> __device__ __forceinline__ void write_sample(Quad &quad, Outcome &outcome, bool reports)
{
    const Launch &launch = quad.launch;
    const Member &member = quad.member;
    const u32 segment = quad.segment, number = member.first_sample + segment, beads = quad.system.beads;
    quad.each([&](u32 turn) {
        if (!quad.writes(turn)) return;
        const Slot slot = quad.me(turn);
        if (slot.part < 3) {
            const u64 at = static_cast<u64>(segment) * 3 * beads + 3 * slot.bead + slot.part;
            member.sample_positions[at] = quad.position(turn);
            if constexpr (Scheme::HAS_VELOCITIES) {
                member.sample_velocities[at] = quad.slots.velocity[turn];
                member.sample_forces[at] = quad.slots.force[turn];
            }
        }
#if HYBRID_TAUS
        if (slot.part == 0) rewind(quad.slots.noise[turn], member.sample_noise_states + (static_cast<u64>(segment) * beads + slot.bead) * 4);
#endif
    });
    if constexpr (Quad::PULLS) {
        if (quad.puller.has && quad.rank == 0 && quad.puller.axis == 0 && threadIdx.x % PARTIAL_SUMS == 0) {
            launch.sample_externals[static_cast<u64>(number) * launch.externals_per_member + quad.puller.external] = Laws::sampled(quad.externals[quad.puller.external]);
        }
    }
    const bool begins_row = launch.segments[member.first_segment + segment].row;
    if (begins_row) quad.barrier.begin_sums(quad.sums);
    if (reports) {
        Sums all = *quad.sums;
        if (SEVERAL_BLOCKS) all.square_displacements = quad.flags->squares_of_all;
        launch.sample_sums[number] = all;
        if (begins_row) *quad.sums = {0, 0, 0, 0};
        outcome.segments = segment + 1;
#if MINIMISES
        const auto &control = quad.minimiser.control;
        outcome.timestep = control.timestep;
        outcome.mixing = control.mixing;
        outcome.downhill = control.downhill;
        outcome.made = quad.minimiser.made;
#endif
    }
}

// Writes samples of members whose segment ended, and errors; returns whether any member continues.
template <typename Quad> __device__ __forceinline__ bool settle_segment(Quad &quad, u32 iteration, bool ends)
{
    const u64 first_error = quad.flags->first_error(quad.my_member);
    Outcome &outcome = quad.launch.outcomes[quad.first_member + quad.my_member];
    const bool reports = !Quad::PULLS && quad.writes(0) && quad.slot_number(0) == 0;
    if (LISTED && quad.flags->wanted()) {
        if (reports) outcome.overflow = quad.flags->wanted();
        return false;
    }
    if (quad.running && first_error != NO_ERROR) {
        // The thread that found the error writes the length; both ends of the bond have the same one.
        if (quad.error.order() == first_error) outcome.fail(quad.error, quad.first_step);
        quad.running = false;
    } else if (ends) {
        write_sample(quad, outcome, reports);
        ++quad.segment;
        quad.running = quad.segment < quad.member.segments;
        if (quad.running) quad.segment_end += quad.launch.segments[quad.member.first_segment + quad.segment].steps;
    }
    if (quad.running) atomicMin(&quad.flags->nearest, quad.segment_end);
    if (!__syncthreads_or(quad.running)) return false;
    if constexpr (DEALS) {
        if (iteration + 1 >= quad.next_deal) {
            quad.deal();
            quad.next_deal = iteration + 1 + DEAL_EVERY;
        }
    }
    quad.end = quad.idles ? quad.segment_end : min(quad.flags->nearest, quad.next_deal);
    return true;
}
