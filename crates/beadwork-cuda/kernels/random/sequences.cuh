// Generators whose one sequence serves all beads ([C] of the book's list of sources, §III C).
#pragma once

#include "arithmetic.cuh"

#if LAGGED_FIBONACCI
// Additive lagged Fibonacci, x_n = x_{n−short} + x_{n−long}. Numbers from the first one of a launch on are in `words`, those before
// it in `ring`, the earliest at `position`.
struct Sequence {
    const u32 *ring;
    u32 *words;
    u32 short_lag, long_lag, position;

    // A number that was made before.
    __device__ __forceinline__ u32 at(long long n) const
    {
        if (n >= 0) return words[n];
        const long long place = position + n;
        return ring[place >= 0 ? place : place + long_lag];
    }

    // The next number by the rule applied to its own terms, DEPTH times: x_n is the sum of C(DEPTH, j) x_{n − (DEPTH − j) short −
    // j long}. The nearest of these is DEPTH short lags before it, so that so many numbers can be made in parallel. The farthest must
    // be one that the ring has.
    template <u32 DEPTH> __device__ __forceinline__ u32 next(long long n) const
    {
        u32 sum = 0, ways = 1;
#pragma unroll
        for (u32 j = 0; j <= DEPTH; ++j) {
            sum += ways * at(n - static_cast<long long>(DEPTH - j) * short_lag - static_cast<long long>(j) * long_lag);
            ways = ways * (DEPTH - j) / (j + 1);
        }
        return sum;
    }

    // Makes number `thread` of a round that begins `first` short lags behind the first number, if there are more than that.
    __device__ __forceinline__ void make(u32 thread, u64 first, u32 depth, u64 count) const
    {
        const long long n = static_cast<long long>(first * short_lag + thread);
        if (thread >= depth * short_lag || n >= static_cast<long long>(count)) return;
        switch (depth) {
        case 1: words[n] = next<1>(n); break;
        case 2: words[n] = next<2>(n); break;
        case 4: words[n] = next<4>(n); break;
        default: words[n] = next<8>(n); break;
        }
    }

    // Writes a place of the ring as it is behind `count` numbers; `kept` may be `ring`. The place `long_lag` has the position.
    __device__ __forceinline__ void keep(u32 *kept, u32 place, u64 count) const
    {
        const u32 end = static_cast<u32>((position + count) % long_lag);
        if (place == long_lag) {
            kept[place] = end;
            return;
        }
        const u32 back = place < end ? end - place : end + long_lag - place;
        const long long n = static_cast<long long>(count) - back;
        kept[place] = n >= 0 ? words[n] : ring[place];
    }
};
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
