// The noise of a slot for four steps, one step in each lane of a bead; and the data that a thread keeps of its slots.
#pragma once

#include "forces.cuh"
#include "groups/blocks.cuh"
#include "groups/quad_forces.cuh"
#include "random/filled.cuh"
#include "random/keyed.cuh"
#include "chosen.cuh"

struct Noise {
    real x, y, z;
    u32 used;
#if HYBRID_TAUS
    u32 state[4];
    // The state at the beginning of the batch of four steps.
    u32 before[4];
#endif
};

__device__ __forceinline__ void begin_noise(Noise &noise, const Member &member, const Slot &me)
{
    noise.x = noise.y = noise.z = 0;
    noise.used = PARTIAL_SUMS;
#if HYBRID_TAUS
#pragma unroll
    for (u32 k = 0; k < 4; ++k) noise.before[k] = noise.state[k] = member.noise_states[4 * me.bead + k];
#endif
}

// Makes the noise of the next four steps.
__device__ __forceinline__ void make_noise(Noise &noise, const Member &member, const Slot &me, u64 first_step, u32 iteration)
{
    u32 words[WORDS];
#if HYBRID_TAUS
    for (u32 k = 0; k < 4; ++k) noise.before[k] = noise.state[k];
#pragma unroll
    for (u32 turn = 0; turn < PARTIAL_SUMS; ++turn) {
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) {
            const u32 word = hybrid_taus(noise.state);
            words[k] = turn == me.part ? word : words[k];
        }
    }
#elif FILLED
    filled_words(words, member, me.count / PARTIAL_SUMS, iteration + me.part, me.bead);
#else
    keyed_words(words, member.key0, member.key1, first_step + iteration + me.part, me.bead);
#endif
    normals(words, noise.x, noise.y, noise.z);
    noise.used = 0;
}

// The normal number of this lane's axis at the next step. All lanes of the warp take part.
__device__ __forceinline__ real next_normal(const Noise &noise, u32 part)
{
    const u32 from = noise.used & 3;
    const real x = __shfl_sync(0xffffffffu, noise.x, from, PARTIAL_SUMS);
    const real y = __shfl_sync(0xffffffffu, noise.y, from, PARTIAL_SUMS);
    const real z = __shfl_sync(0xffffffffu, noise.z, from, PARTIAL_SUMS);
    return part == 0 ? x : part == 1 ? y : z;
}

#if HYBRID_TAUS
// The state of a generator after the steps made; the batch may be ahead of it.
__device__ __forceinline__ void rewind(const Noise &noise, u32 state[4])
{
    u32 words[4];
    for (u32 k = 0; k < 4; ++k) words[k] = noise.used == PARTIAL_SUMS ? noise.state[k] : noise.before[k];
    for (u32 k = 0, drawn = noise.used == PARTIAL_SUMS ? 0 : noise.used * WORDS; k < drawn; ++k) hybrid_taus(words);
    for (u32 k = 0; k < 4; ++k) state[k] = words[k];
}
#endif

// Whether the slots of a member are distributed over threads in rounds.
constexpr bool SPREAD = SLOTS > 1 || SEVERAL_BLOCKS;
// Whether a thread keeps the data of its slots in registers. A thread with many slots computes them again, since local
// memory for all of it would not fit into the cache.
constexpr bool KEEPS = SLOTS <= 2;
constexpr u32 KEPT_SLOTS = KEEPS ? SLOTS : 1;

// The data that a thread keeps for each of its slots. It is separate from the group, so the group stays in registers if
// this is in local memory.
template <typename Terms, bool LOOKS_AHEAD> struct QuadSlots {
    Slot me[KEPT_SLOTS];
    typename Terms::Bonded bonded[KEPT_SLOTS];
    bool has[KEPT_SLOTS], several[KEPT_SLOTS];
    u32 flags[KEPT_SLOTS];
    // The position along the lane's axis.
    real mine[KEPT_SLOTS];
    u32 neighbours[SLOTS];
    KeptFours kept[KEPT_SLOTS];
    real reference[SLOTS], force[SLOTS];
    real first_force[LOOKS_AHEAD ? SLOTS : 1], kick[LOOKS_AHEAD ? SLOTS : 1];
    Noise noise[SLOTS];
    // For schemes with velocities: the velocity along the lane's axis, and the constants of the bead's type.
    real velocity[Scheme::HAS_VELOCITIES ? SLOTS : 1];
    TypeInertia inertia[Scheme::HAS_VELOCITIES ? KEPT_SLOTS : 1];
};
