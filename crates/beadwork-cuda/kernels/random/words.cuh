// Words of all beads in device memory, in the order of `beadwork_random::Streams`: step after step, bead after bead.
#pragma once

#include "random/generators.cuh"
#include "random/sequences.cuh"

struct Drawing {
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
static_assert(sizeof(Drawing) == 72, "Drawing");

#define DRAWING const __grid_constant__ Drawing drawing

#if LAGGED_FIBONACCI
__device__ __forceinline__ Sequence sequence_of(const Drawing &drawing)
{
    return {drawing.states, drawing.words, drawing.short_lag, drawing.long_lag, drawing.position};
}

// A thread for each number of a round.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_words(DRAWING)
{
    sequence_of(drawing).make(blockIdx.x * blockDim.x + threadIdx.x, drawing.first, drawing.depth, drawing.count);
}

// Behind the last round: a thread for each place of the ring.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_keep(DRAWING)
{
    const u32 place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place <= drawing.long_lag) sequence_of(drawing).keep(drawing.states, place, drawing.count);
}
#elif MT19937
// One block for the whole sequence.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_words(DRAWING)
{
    __shared__ u32 state[TWISTER_PLACES];
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += blockDim.x) state[k] = drawing.states[k];
    u32 *const words = drawing.words;
    mersenne_twister(state, drawing.count, [words](u64 n, u32 word) { words[n] = word; });
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += blockDim.x) drawing.states[k] = state[k];
}
#else
// One thread for each bead; without states, one for each bead and step.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_words(DRAWING)
{
    const u64 thread = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
    Generator generator;
    if (Generator::STATE_WORDS == 0) {
        const u64 step = thread / drawing.beads;
        const u32 bead = static_cast<u32>(thread % drawing.beads);
        if (step >= drawing.steps) return;
        generator.begin(drawing.key0, drawing.key1, drawing.step + step, bead);
        write_words(generator, drawing.words + thread * drawing.each, drawing.each);
        return;
    }
    if (thread >= drawing.beads) return;
    const u32 bead = static_cast<u32>(thread);
    generator.load(drawing.states, bead, drawing.beads);
    for (u32 step = 0; step < drawing.steps; ++step) {
        write_words(generator, drawing.words + (static_cast<u64>(step) * drawing.beads + bead) * drawing.each, drawing.each);
    }
    generator.store(drawing.states, bead, drawing.beads);
}
#endif
