// Words of generators whose one sequence serves all beads of a member, made before each move.
#pragma once

#include "graph/step.cuh"
#include "random/sequences.cuh"

#if LAGGED_FIBONACCI || MT19937
__device__ __forceinline__ u32 *states_of(const GraphBatch &batch, u32 member)
{
    return batch.generator_states + static_cast<u64>(member) * batch.state_words;
}

__device__ __forceinline__ u32 *words_of(const GraphBatch &batch, u32 member)
{
    return batch.words + static_cast<u64>(member) * batch.system.beads * WORDS;
}

// Whether a member draws words in the step of this time: nothing is drawn at T = 0.
__device__ __forceinline__ bool draws(const GraphBatch &batch, u32 member, u32 time)
{
    return is_running(batch, member, time) && batch.records[member].amplitude != 0;
}
#endif

#if LAGGED_FIBONACCI
// The position in the ring after a number of steps of a launch.
__device__ __forceinline__ u32 position_after(const GraphBatch &batch, u32 member, u32 steps)
{
    if (batch.records[member].amplitude == 0) steps = 0;
    const u64 drawn = static_cast<u64>(steps) * (batch.system.beads * WORDS) % batch.long_lag;
    return static_cast<u32>((states_of(batch, member)[batch.long_lag] + drawn) % batch.long_lag);
}

// One thread for each number. If a step has more numbers than can be made in parallel, they are made in rounds, whose
// number is in `is_ahead`: words are drawn once a step, so predictions do not need that field.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_words(STEP)
{
    const GraphBatch &batch = step.batch;
    const u32 all = batch.system.beads * WORDS, first = step.is_ahead * batch.side_by_side;
    const u32 count = min(all - first, batch.side_by_side);
    const Share share = share_of(min(all, batch.side_by_side));
    const u32 made = *batch.iteration + step.ahead;
    if (share.index >= count || !draws(batch, share.member, 2 * made)) return;
    const u32 position = (position_after(batch, share.member, made) + first) % batch.long_lag;
    u32 *const ring = states_of(batch, share.member);
    words_of(batch, share.member)[first + share.index] = lagged_fibonacci(ring, batch.short_lag, batch.long_lag, position, share.index);
}
#elif MT19937
// One block for each member.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_words(STEP)
{
    __shared__ u32 state[TWISTER_PLACES];
    const GraphBatch &batch = step.batch;
    const u32 member = blockIdx.x;
    if (!draws(batch, member, time_of(step))) return;
    u32 *const kept = states_of(batch, member), *const words = words_of(batch, member);
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += blockDim.x) state[k] = kept[k];
    mersenne_twister(state, batch.system.beads * WORDS, [words](u64 n, u32 word) { words[n] = word; });
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += blockDim.x) kept[k] = state[k];
}
#endif
