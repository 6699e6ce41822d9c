// Generators whose one sequence serves all beads ([C] of the book's list of sources, §III C).
#pragma once

#include "arithmetic.cuh"

#if LAGGED_FIBONACCI
// Additive lagged Fibonacci: x_n = x_{n−short} + x_{n−long}, n numbers after the one at `position` of the ring. It belongs at
// `here`, where x_{n−long} was; so up to `short` and up to `long` − `short` numbers can be made in parallel, none of which reads a
// place where another belongs.
__device__ __forceinline__ u32 lagged_fibonacci(const u32 *ring, u32 short_lag, u32 long_lag, u32 position, u32 n, u32 &here)
{
    const u32 sum = position + n;
    here = sum < long_lag ? sum : sum - long_lag;
    const u32 earlier = here >= short_lag ? here - short_lag : here + long_lag - short_lag;
    return ring[here] + ring[earlier];
}
#else
constexpr u32 TWISTER_WORDS = 624, TWISTER_PLACES = TWISTER_WORDS + 1;
// The number of consecutive numbers that do not depend on each other.
constexpr u32 TWISTER_STRIDE = 227;

// Mersenne Twister MT19937: calls `write(n, word)` for the next `count` numbers. `state` is in shared memory, with the
// position last. All threads of the block take part, at least TWISTER_STRIDE of them. Begins and ends with a barrier.
template <typename Write> __device__ __forceinline__ void mersenne_twister(u32 *state, u64 count, Write write)
{
    __syncthreads();
    u32 position = state[TWISTER_WORDS];
    for (u64 first = 0; first < count; first += TWISTER_STRIDE) {
        const u32 now = static_cast<u32>(count - first < TWISTER_STRIDE ? count - first : TWISTER_STRIDE);
        const bool works = threadIdx.x < now;
        const u32 here = (position + threadIdx.x) % TWISTER_WORDS;
        u32 word = 0;
        if (works) {
            const u32 y = (state[here] & 0x80000000u) | (state[(here + 1) % TWISTER_WORDS] & 0x7fffffffu);
            word = state[(here + 397) % TWISTER_WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        // The next thread has read its neighbour's word before it is replaced.
        __syncthreads();
        if (works) {
            state[here] = word;
            word ^= word >> 11;
            word ^= (word << 7) & 0x9d2c5680u;
            word ^= (word << 15) & 0xefc60000u;
            write(first + threadIdx.x, word ^ (word >> 18));
        }
        position = (position + now) % TWISTER_WORDS;
        __syncthreads();
    }
    if (threadIdx.x == 0) state[TWISTER_WORDS] = position;
    __syncthreads();
}
#endif
