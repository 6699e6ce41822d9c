// The beginning and end of a launch of the graph plan: initialises members, takes samples, reports errors.
#pragma once

#include "graph/words.cuh"

// Initialises members with the data from the host.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_begin(STEP)
{
    const GraphBatch &batch = step.batch;
    const Share share = share_of(batch.system.beads);
    const Member &record = batch.records[share.member];
    if (!share.has || record.steps == 0) return;
    const u64 row = static_cast<u64>(share.member) * batch.system.beads + share.index;
    const real *const at = record.positions + 3 * share.index;
    batch.positions[row] = row_of({at[0], at[1], at[2]}, TYPED ? static_cast<real>(batch.system.type_of[share.index]) : real(0));
    batch.square_displacements[row] = 0;
    if constexpr (Scheme::HAS_VELOCITIES) {
        const real *const v = record.velocities + 3 * share.index, *const f = record.forces + 3 * share.index;
        batch.velocities[row] = row_of({v[0], v[1], v[2]}, 0);
        if (record.forces != nullptr) batch.first_forces[row] = row_of({f[0], f[1], f[2]}, 0);
    }
#if HYBRID_TAUS
    batch.noise_states[row] = reinterpret_cast<const uint4 *>(record.noise_states)[share.index];
#endif
#if DRAWN
    u32 *const kept = batch.generator_states + static_cast<u64>(share.member) * batch.state_words;
    const u32 *const given = reinterpret_cast<const u32 *>(record.noise_states);
    for (u32 k = share.index; k < batch.state_words; k += batch.system.beads) kept[k] = given[k];
#endif
}

// Checks bonds at the ends of segments: a sample must be sound, and only the next step would find a broken bond.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_verify(STEP)
{
    const GraphBatch &batch = step.batch;
    const System &system = batch.system;
    const Share share = share_of(PARTIAL_SUMS * system.beads);
    const u32 iteration = *batch.iteration;
    if (!share.has || batch.progress[share.member].end != iteration) return;
    const Slot me = slot_of(system, share.index);
    const GlobalPositions positions = positions_of(step, share.member);
    const Vector at = positions[me.bead];
    StepError error = {NO_TIME, NO_TIME, 0};
    if (!is_finite(at)) error.report(2 * iteration, NOT_FINITE | me.bead, 0);
    Terms::Bonded::verify(system, me, positions, at, 2 * iteration, error);
    if (error.time != NO_TIME) report(batch, share.member, 2 * iteration, error.what);
    if (me.part == 0) {
        u64 &squares = batch.square_displacements[static_cast<u64>(share.member) * system.beads + me.bead];
        atomicAdd(&batch.sums[share.member].square_displacements, squares);
        squares = 0;
    }
}

// The length of the broken bond, from the thread that found the error; both ends of the bond have the same one.
__device__ __forceinline__ void write_length(const GraphBatch &batch, const Share &share, u64 found)
{
    const u64 first = static_cast<u64>(share.member) * batch.system.beads;
    const GlobalPositions positions = {(found >> 32 & 1 ? batch.ahead : batch.positions) + first};
    for (u32 part = 0; part < PARTIAL_SUMS; ++part) {
        StepError error = {NO_TIME, NO_TIME, 0};
        const Slot slot = slot_of(batch.system, PARTIAL_SUMS * share.index + part);
        Terms::Bonded::verify(batch.system, slot, positions, positions[share.index], 0, error);
        if (error.time == 0 && error.what == static_cast<u32>(found)) batch.orders->outcomes[share.member].length = error.length;
    }
}

__device__ __forceinline__ void write_row(real *rows, u64 row, const real4 &value)
{
    rows[3 * row] = value.x;
    rows[3 * row + 1] = value.y;
    rows[3 * row + 2] = value.z;
}

// At the ends of segments, writes the sample, or the length of the broken bond.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_sample(STEP)
{
    const GraphBatch &batch = step.batch;
    const Share share = share_of(batch.system.beads);
    const Progress progress = batch.progress[share.member];
    if (!share.has || progress.end != *batch.iteration) return;
    if (progress.error != NO_ERROR) {
        if (Terms::Bonded::BREAK) write_length(batch, share, progress.error);
        return;
    }
    const Member &record = batch.records[share.member];
    const u32 beads = batch.system.beads;
    const u64 first = static_cast<u64>(share.member) * beads;
    const u64 sample = static_cast<u64>(progress.segment) * beads + share.index;
    write_row(record.sample_positions, sample, batch.positions[first + share.index]);
    if constexpr (Scheme::HAS_VELOCITIES) {
        write_row(record.sample_velocities, sample, batch.velocities[first + share.index]);
        write_row(record.sample_forces, sample, batch.first_forces[first + share.index]);
    }
#if HYBRID_TAUS
    uint4 *const states = reinterpret_cast<uint4 *>(record.sample_noise_states);
    states[sample] = batch.noise_states[first + share.index];
#endif
#if DRAWN
    const u32 *const kept = batch.generator_states + static_cast<u64>(share.member) * batch.state_words;
    u32 *const sampled = record.sample_noise_states + static_cast<u64>(progress.segment) * batch.state_words;
    for (u32 k = share.index; k < batch.state_words; k += beads) sampled[k] = kept[k];
#if LAGGED_FIBONACCI
    // The stored position is that at the beginning of the launch.
    if (batch.long_lag % beads == share.index) sampled[batch.long_lag] = position_after(batch, share.member, *batch.iteration);
#endif
#endif
    if (share.index > 0) return;
    const u64 number = record.first_sample + progress.segment;
    batch.orders->sample_sums[number] = batch.sums[share.member];
    const u32 externals = batch.externals_per_member;
    for (u32 d = 0; d < record.externals; ++d) batch.orders->sample_externals[number * externals + d] = batch.externals[share.member * externals + d];
}

// At the ends of segments, one thread for each member writes its outcome and begins its next segment.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_settle(STEP)
{
    const GraphBatch &batch = step.batch;
    const u32 number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= batch.members) return;
    Progress &progress = batch.progress[number];
    if (progress.end != *batch.iteration) return;
    const Member &record = batch.records[number];
    Outcome &outcome = batch.orders->outcomes[number];
    if (progress.error != NO_ERROR) {
        const u32 time = progress.error >> 32;
        outcome.what = static_cast<u32>(progress.error);
        outcome.ahead = time & 1;
        outcome.step = record.step + time / 2;
        progress.end = NO_TIME;
        return;
    }
    const Segment *const segment = batch.orders->segments + record.first_segment + progress.segment;
    if (segment->row) batch.sums[number] = {0, 0, 0, 0};
    ++progress.segment;
    outcome.segments = progress.segment;
    progress.end = progress.segment < record.segments ? progress.end + segment[1].steps : NO_TIME;
}
