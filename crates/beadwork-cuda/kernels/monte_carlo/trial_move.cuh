// Metropolis moves made of random words, as in `beadwork_cpu::monte_carlo::Proposal`.
#pragma once

#include "random/keyed.cuh"

// Four random words of a counter.
struct Words {
    u32 of[4];
};

__device__ __forceinline__ Words words_of(u32 key0, u32 key1, u64 step, u32 number)
{
    Words words = {{static_cast<u32>(step), static_cast<u32>(step >> 32), number, 0}};
    philox(words.of, key0, key1);
    return words;
}

// (n + ½) 2⁻³², exact.
__device__ __forceinline__ double uniform_of_word(u32 word) { return (static_cast<double>(word) + 0.5) * (1.0 / 4294967296.0); }

// Draws a move and returns its monomer. `move`: the displacement, then the largest accepted rise of energy, unit 4ε.
__device__ __forceinline__ u32 propose(real4 &move, const u32 key[2], u64 sweep, u32 number, u32 monomers, real displacement,
                                       real temperature)
{
    const Words words = words_of(key[0], key[1], sweep, number);
    real direction[3];
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
        // 2(n + ½)2⁻²³ − 1, exact.
        const int odd = static_cast<int>(2 * (words.of[1 + axis] >> 9) + 1) - (1 << 23);
        direction[axis] = static_cast<real>(odd) * real(1.0 / (1 << 23));
    }
    const u32 low = words.of[3] & 255, middle = words.of[2] & 255, high = words.of[1] & 255;
    const u32 bits = (high << 16) | (middle << 8) | low;
    const real threshold = -natural_logarithm(static_cast<real>(uniform_of_word(words.of[0])));
    move = {displacement * direction[0], displacement * direction[1], displacement * direction[2], temperature * threshold};
    return static_cast<u32>(static_cast<u64>(bits) * monomers >> 24);
}
