// Fills the words of noise for the steps of a launch, with generators whose states the kernels of steps do not keep. At the end
// of each segment the state goes to where the member's sample is.
//
// Fixed beads draw nothing where each bead has a generator; at T = 0 nothing is drawn.
#pragma once

#include "groups/clustered.cuh"
#include "random/generators.cuh"
#include "random/sequences.cuh"
#include "system.cuh"

struct Filling {
    const Member *members;
    const Segment *segments;
    u32 blocks_per_member, padding;
};

// The host has the same size (`src/random/fill.rs`).
static_assert(sizeof(Filling) == 24, "Filling");

// The steps of a member's segment that draw words.
__device__ __forceinline__ u32 steps_that_draw(const Filling &filling, const Member &member, u32 segment)
{
    return member.amplitude == 0 ? 0 : filling.segments[member.first_segment + segment].steps;
}

#if LAGGED_FIBONACCI
// The numbers that a thread reads from the ring before it writes them, so that it waits once for all of them.
constexpr u32 AT_ONCE = 4;

// A block or a cluster for each member. The ring of a segment is where its sample is; the ring's place follows its words.
extern "C" __global__ void CLUSTERED __launch_bounds__(THREADS) beadwork_fill(const __grid_constant__ Filling filling)
{
    constexpr u32 all = CLUSTER * THREADS;
    const u32 thread = rank_in_cluster() * THREADS + threadIdx.x;
    const Member &member = filling.members[blockIdx.x / CLUSTER];
    const u32 short_lag = member.short_lag, long_lag = member.long_lag, each = member.system->beads * WORDS;
    const u32 side_by_side = min(short_lag, long_lag - short_lag);
    const u32 *before = member.noise_states;
    u32 *words = member.words;
    for (u32 segment = 0; segment < member.segments; ++segment) {
        u32 *const ring = member.sample_noise_states + static_cast<u64>(segment) * (long_lag + 1);
        for (u32 k = thread; k <= long_lag; k += all) ring[k] = before[k];
        meet_all_blocks();
        u32 position = ring[long_lag];
        const u64 count = static_cast<u64>(steps_that_draw(filling, member, segment)) * each;
        for (u64 first = 0; first < count; first += side_by_side) {
            const u32 now = static_cast<u32>(min(count - first, static_cast<u64>(side_by_side)));
            for (u32 begin = thread; begin < now; begin += AT_ONCE * all) {
                u32 made[AT_ONCE], here[AT_ONCE];
#pragma unroll
                for (u32 k = 0; k < AT_ONCE; ++k) {
                    const u32 n = begin + k * all;
                    if (n < now) made[k] = lagged_fibonacci(ring, short_lag, long_lag, position, n, here[k]);
                }
#pragma unroll
                for (u32 k = 0; k < AT_ONCE; ++k) {
                    const u32 n = begin + k * all;
                    if (n < now) ring[here[k]] = words[first + n] = made[k];
                }
            }
            position = (position + now) % long_lag;
            meet_all_blocks();
        }
        if (thread == 0) ring[long_lag] = position;
        meet_all_blocks();
        words += count;
        before = ring;
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
