// Fills the words of noise for the steps of a launch, with generators whose states the kernels of steps do not keep. At the end
// of each segment the state goes to where the member's sample is.
//
// Fixed beads draw nothing where each bead has a generator; at T = 0 nothing is drawn.
#pragma once

#include "random/generators.cuh"
#include "random/sequences.cuh"
#include "system.cuh"

struct Filling {
    const Member *members;
    const Segment *segments;
    u32 blocks_per_member;
    // Of a round of Lagged Fibonacci (`src/random/rounds.rs`).
    u32 first, depth, padding;
};

// The host has the same size (`src/random/fill.rs`).
static_assert(sizeof(Filling) == 32, "Filling");

// The steps of a member's segment that draw words.
__device__ __forceinline__ u32 steps_that_draw(const Filling &filling, const Member &member, u32 segment)
{
    return member.amplitude == 0 ? 0 : filling.segments[member.first_segment + segment].steps;
}

#if LAGGED_FIBONACCI
__device__ __forceinline__ Sequence sequence_of(const Member &member)
{
    const u32 *ring = member.noise_states;
    return {ring, member.words, member.short_lag, member.long_lag, ring[member.long_lag]};
}

// A thread for each number of a round.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_fill(const __grid_constant__ Filling filling)
{
    const Member &member = filling.members[blockIdx.x / filling.blocks_per_member];
    const u32 thread = blockIdx.x % filling.blocks_per_member * THREADS + threadIdx.x;
    const u32 steps = member.amplitude == 0 ? 0 : member.steps;
    sequence_of(member).make(thread, filling.first, filling.depth, static_cast<u64>(steps) * member.system->beads * WORDS);
}

// Behind the last round: a thread for each place of a ring.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_keep(const __grid_constant__ Filling filling)
{
    const Member &member = filling.members[blockIdx.x / filling.blocks_per_member];
    const u32 place = blockIdx.x % filling.blocks_per_member * THREADS + threadIdx.x;
    if (place > member.long_lag) return;
    const Sequence sequence = sequence_of(member);
    u64 count = 0;
    for (u32 segment = 0; segment < member.segments; ++segment) {
        count += static_cast<u64>(steps_that_draw(filling, member, segment)) * member.system->beads * WORDS;
        sequence.keep(member.sample_noise_states + static_cast<u64>(segment) * (member.long_lag + 1), place, count);
    }
}
#elif MT19937
// A block for each member.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_fill(const __grid_constant__ Filling filling)
{
    __shared__ u32 state[TWISTER_PLACES];
    const Member &member = filling.members[blockIdx.x];
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += THREADS) state[k] = member.noise_states[k];
    u32 *words = member.words;
    for (u32 segment = 0; segment < member.segments; ++segment) {
        const u64 count = static_cast<u64>(steps_that_draw(filling, member, segment)) * member.system->beads * WORDS;
        mersenne_twister(state, count, [words](u64 n, u32 word) { words[n] = word; });
        u32 *const sampled = member.sample_noise_states + static_cast<u64>(segment) * TWISTER_PLACES;
        for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += THREADS) sampled[k] = state[k];
        words += count;
    }
}
#else
// A thread for each bead.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_fill(const __grid_constant__ Filling filling)
{
    const Member &member = filling.members[blockIdx.x / filling.blocks_per_member];
    const u32 beads = member.system->beads, bead = blockIdx.x % filling.blocks_per_member * THREADS + threadIdx.x;
    if (bead >= beads || member.segments == 0) return;
    const bool moves = !(member.flags[bead] & FIXED);
    Generator generator;
    generator.load(member.noise_states, bead, beads);
    u32 *words = member.words + static_cast<u64>(bead) * WORDS;
    for (u32 segment = 0; segment < member.segments; ++segment) {
        const u32 steps = moves ? steps_that_draw(filling, member, segment) : 0;
        for (u32 step = 0; step < steps; ++step, words += static_cast<u64>(beads) * WORDS) write_words(generator, words, WORDS);
        generator.store(member.sample_noise_states + static_cast<u64>(segment) * beads * Generator::STATE_WORDS, bead, beads);
    }
}
#endif
