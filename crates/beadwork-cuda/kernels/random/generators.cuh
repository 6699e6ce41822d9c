// The generator of a bead, which macros choose. `beadwork-random` on the host cites sources and has the seeding.
//
// Generators with a state (LCG, RAN2, HYBRID_TAUS, XORWOW, and SARU with ONE_PER_THREAD) are loaded, draw words in any
// number of steps, and are stored: word k of bead b is at k · beads + b. Others (Philox, and the micro-streams SARU and
// SARU_TEA, in their published form with PUBLISHED) begin anew for each bead and step. A kernel that loads, begins in
// every step and stores suits all generators. A kernel that begins anew for each pair of beads i < j suits all, too: a
// generator with a state goes on.
#pragma once

#include "random/keyed.cuh"

template <u32 COUNT> __device__ __forceinline__ void load_state(u32 (&state)[COUNT], const u32 *states, u32 bead, u32 beads)
{
#pragma unroll
    for (u32 k = 0; k < COUNT; ++k) state[k] = states[static_cast<u64>(k) * beads + bead];
}

template <u32 COUNT> __device__ __forceinline__ void store_state(const u32 (&state)[COUNT], u32 *states, u32 bead, u32 beads)
{
#pragma unroll
    for (u32 k = 0; k < COUNT; ++k) states[static_cast<u64>(k) * beads + bead] = state[k];
}

// Members that all generators with a `state` have in common.
#define KEPT_STATE(COUNT)                                                                                                \
    static constexpr u32 STATE_WORDS = COUNT;                                                                            \
    u32 state[COUNT];                                                                                                    \
    __device__ __forceinline__ void load(const u32 *states, u32 bead, u32 beads) { load_state(state, states, bead, beads); } \
    __device__ __forceinline__ void store(u32 *states, u32 bead, u32 beads) const { store_state(state, states, bead, beads); } \
    __device__ __forceinline__ void begin(u32, u32, u64, u32) {}                                                         \
    __device__ __forceinline__ void begin_pair(u32, u32, u64, u32, u32) {}

// Members that all generators without a state have in common.
#define NO_STATE                                                                   \
    static constexpr u32 STATE_WORDS = 0;                                          \
    __device__ __forceinline__ void load(const u32 *, u32, u32) {}                 \
    __device__ __forceinline__ void store(u32 *, u32, u32) const {}

#if LCG
struct Generator {
    KEPT_STATE(1)

    __device__ __forceinline__ u32 next() { return state[0] = state[0] * 1664525u + 1013904223u; }
};
#elif HYBRID_TAUS
struct Generator {
    KEPT_STATE(4)

    __device__ __forceinline__ u32 next() { return hybrid_taus(state); }
};
#elif XORWOW
// x, y, z, w, v, d in Marsaglia's notation.
struct Generator {
    KEPT_STATE(6)

    __device__ __forceinline__ u32 next()
    {
        const u32 t = state[0] ^ (state[0] >> 2), v = state[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) state[k] = state[k + 1];
        state[4] = v ^ (v << 4) ^ t ^ (t << 1);
        state[5] += 362437u;
        return state[4] + state[5];
    }
};
#elif RAN2
// L'Ecuyer's two generators, the last number, and the table of Bays and Durham. A random number indexes the table, so it is
// no matter of registers. In local memory the threads of a warp read as many lines; here each thread has its own bank. A thread
// has one table: a second generator of its own would take it over.
struct Generator {
    static constexpr u32 PLACES = 32, STATE_WORDS = 3 + PLACES;
    u32 state[3];

    static __device__ __forceinline__ u32 &entry_of_thread(u32 entry)
    {
        __shared__ u32 tables[PLACES][THREADS];
        return tables[entry][threadIdx.x];
    }

    __device__ __forceinline__ void load(const u32 *states, u32 bead, u32 beads)
    {
        load_state(state, states, bead, beads);
        for (u32 k = 0; k < PLACES; ++k) entry_of_thread(k) = states[(3ull + k) * beads + bead];
    }

    __device__ __forceinline__ void store(u32 *states, u32 bead, u32 beads) const
    {
        store_state(state, states, bead, beads);
        for (u32 k = 0; k < PLACES; ++k) states[(3ull + k) * beads + bead] = entry_of_thread(k);
    }

    __device__ __forceinline__ void begin(u32, u32, u64, u32) {}
    __device__ __forceinline__ void begin_pair(u32, u32, u64, u32, u32) {}

    // a x modulo m without overflow (Schrage).
    static __device__ __forceinline__ int multiply(int x, int modulus, int multiplier, int quotient, int remainder)
    {
        const int times = x / quotient;
        const int product = multiplier * (x - times * quotient) - times * remainder;
        return product < 0 ? product + modulus : product;
    }

    __device__ __forceinline__ u32 next()
    {
        const int first = multiply(static_cast<int>(state[0]), 2147483563, 40014, 53668, 12211);
        const int second = multiply(static_cast<int>(state[1]), 2147483399, 40692, 52774, 3791);
        u32 &entry = entry_of_thread(state[2] / 67108862u);
        int last = static_cast<int>(entry) - second;
        if (last < 1) last += 2147483562;
        entry = state[0] = static_cast<u32>(first);
        state[1] = static_cast<u32>(second);
        state[2] = static_cast<u32>(last);
        // ⌊2³² n/m⌋ with m = 2³¹ − 85 is 2 n + ⌊170 n/m⌋; 170 n = 2³¹ t + r = m t + (r + 85 t).
        const u64 product = 170ull * state[2];
        const u32 t = static_cast<u32>(product >> 31), r = static_cast<u32>(product) & 0x7fffffffu;
        return 2 * state[2] + t + (r + 85 * t >= 2147483563u ? 1 : 0);
    }
};
#elif SARU && ONE_PER_THREAD
struct Generator {
    static constexpr u32 STATE_WORDS = 2;
    Saru stream;

    __device__ __forceinline__ void load(const u32 *states, u32 bead, u32 beads)
    {
        stream = {states[bead], states[static_cast<u64>(beads) + bead]};
    }

    __device__ __forceinline__ void store(u32 *states, u32 bead, u32 beads) const
    {
        states[bead] = stream.s;
        states[static_cast<u64>(beads) + bead] = stream.w;
    }

    __device__ __forceinline__ void begin(u32, u32, u64, u32) {}
    __device__ __forceinline__ void begin_pair(u32, u32, u64, u32, u32) {}
    __device__ __forceinline__ u32 next() { return stream.next(); }
};
#elif SARU || SARU_TEA
struct Generator {
    NO_STATE
    Saru stream;

    __device__ __forceinline__ void begin(u32 key0, u32 key1, u64 step, u32 bead)
    {
#if PUBLISHED && SARU_TEA
        // The key is the published program's scrambled seed.
        stream = saru_of_tea8(bead, static_cast<u32>(step), key0, 0xc8013ea4u, 0xad90777du, 0x7e95761eu);
#elif PUBLISHED
        u32 a = bead, b = static_cast<u32>(step) + key0;
        b += a << 16;
        a += b << 11;
        b += shift_signed(a, 7);
        a ^= shift_signed(b, 3);
        b *= 0xa5366b4du;
        b ^= b >> 10;
        b ^= shift_signed(b, 19);
        a += b ^ 0x6d2d4e11u;
        stream = saru_of_mixed(a, b);
#else
        stream = micro_stream(key0, key1, step, bead);
#endif
    }

    __device__ __forceinline__ void begin_pair(u32 key0, u32 key1, u64 step, u32 i, u32 j)
    {
#if PUBLISHED && SARU_TEA
        stream = saru_of_tea8(i, j, static_cast<u32>(step), key0, 0xad90777du, 0x7e95761eu);
#elif PUBLISHED
        stream = saru_of_three(i, j, static_cast<u32>(step) + key0);
#else
        stream = micro_stream(key0, key1, step, i, j);
#endif
    }

    __device__ __forceinline__ u32 next() { return stream.next(); }
};
#else
// Philox: the words of draws 0, 1, … one after another.
struct Generator {
    NO_STATE
    u32 key0, key1, low, high, bead, partner;
    u32 words[4], left;

    __device__ __forceinline__ void begin(u32 first_key, u32 second_key, u64 step, u32 number)
    {
        begin_pair(first_key, second_key, step, number, 0);
    }

    __device__ __forceinline__ void begin_pair(u32 first_key, u32 second_key, u64 step, u32 i, u32 j)
    {
        key0 = first_key;
        key1 = second_key;
        low = static_cast<u32>(step);
        high = static_cast<u32>(step >> 32);
        bead = i;
        partner = j;
        left = 0;
    }

    __device__ __forceinline__ u32 next()
    {
        if (left == 0) {
            words[0] = low;
            words[1] = high;
            words[2] = bead;
            words[3] = partner;
            philox(words, key0, key1);
            // The number of the draw is stored above the bits of the step.
            high += 1u << 16;
            left = 4;
        }
        const u32 word = words[0];
        words[0] = words[1];
        words[1] = words[2];
        words[2] = words[3];
        --left;
        return word;
    }
};
#endif

// Writes the next `each` words.
__device__ __forceinline__ void write_words(Generator &generator, u32 *to, u32 each)
{
    if (each % 4 == 0) {
        for (u32 k = 0; k < each; k += 4) {
            const u32 a = generator.next(), b = generator.next(), c = generator.next(), d = generator.next();
            *reinterpret_cast<uint4 *>(to + k) = make_uint4(a, b, c, d);
        }
    } else {
        for (u32 k = 0; k < each; ++k) to[k] = generator.next();
    }
}
