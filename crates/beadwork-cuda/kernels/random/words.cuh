// Words of all beads in device memory, in the order of `beadwork_random::Streams`: step after step, bead after bead.
#pragma once

#include "random/generators.cuh"
#include "random/sequences.cuh"

struct Round {
    u32 *states, *words;
    u64 step;
    // The numbers of all steps, where one sequence serves all beads.
    u64 count;
    u32 key0, key1, beads, each, steps;
    u32 short_lag, long_lag, position;
    // Of a round of Lagged Fibonacci (`src/random/rounds.rs`).
    u32 first, depth;
};

// The host has the same size (`src/random/words.rs`).
static_assert(sizeof(Round) == 72, "Round");

#define ROUND const __grid_constant__ Round round

#if LAGGED_FIBONACCI
__device__ __forceinline__ Sequence sequence_of(const Round &round)
{
    return {round.states, round.words, round.short_lag, round.long_lag, round.position};
}

// A thread for each number of a round.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_words(ROUND)
{
    sequence_of(round).make(blockIdx.x * blockDim.x + threadIdx.x, round.first, round.depth, round.count);
}

// Behind the last round: a thread for each place of the ring.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_keep(ROUND)
{
    const u32 place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place <= round.long_lag) sequence_of(round).keep(round.states, place, round.count);
}
#elif MT19937
// One block for the whole sequence.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_words(ROUND)
{
    __shared__ u32 state[TWISTER_PLACES];
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += blockDim.x) state[k] = round.states[k];
    u32 *const words = round.words;
    mersenne_twister(state, round.count, [words](u64 n, u32 word) { words[n] = word; });
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += blockDim.x) round.states[k] = state[k];
}
#else
// One thread for each bead; without states, one for each bead and step.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_words(ROUND)
{
    const u64 thread = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
    Generator generator;
    if (Generator::STATE_WORDS == 0) {
        const u64 step = thread / round.beads;
        const u32 bead = static_cast<u32>(thread % round.beads);
        if (step >= round.steps) return;
        generator.begin(round.key0, round.key1, round.step + step, bead);
        write_words(generator, round.words + thread * round.each, round.each);
        return;
    }
    if (thread >= round.beads) return;
    const u32 bead = static_cast<u32>(thread);
    generator.load(round.states, bead, round.beads);
    for (u32 step = 0; step < round.steps; ++step) {
        write_words(generator, round.words + (static_cast<u64>(step) * round.beads + bead) * round.each, round.each);
    }
    generator.store(round.states, bead, round.beads);
}
#endif
