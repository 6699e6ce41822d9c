// Words and numbers of the noise, as in `beadwork-random` on the host, which documents the layout of keys and counters.
#pragma once

#include "arithmetic.cuh"

// Philox4x32 (Salmon, Moraes, Dror and Shaw, SC11), of 10 or of 7 rounds.
template <u32 ROUNDS = PHILOX_ROUNDS> __device__ __forceinline__ void philox(u32 words[4], u32 key0, u32 key1)
{
#pragma unroll
    for (u32 number = 0; number < ROUNDS; ++number) {
        const u64 a = static_cast<u64>(words[0]) * 0xd2511f53u, c = static_cast<u64>(words[2]) * 0xcd9e8d57u;
        const u32 first = static_cast<u32>(c >> 32) ^ words[1] ^ (key0 + number * 0x9e3779b9u);
        const u32 third = static_cast<u32>(a >> 32) ^ words[3] ^ (key1 + number * 0xbb67ae85u);
        words[0] = first;
        words[1] = static_cast<u32>(c);
        words[2] = third;
        words[3] = static_cast<u32>(a);
    }
}

// The next word of a Hybrid Taus generator ([A] and [C] of the book's list of sources; GPU Gems 3, chapter 37). One
// shift is written as a product with 2¹³, since the hardware's multipliers have less to do here than its shifters.
__device__ __forceinline__ u32 hybrid_taus(u32 state[4])
{
    state[0] = ((state[0] & 0xfffffffeu) << 12) ^ __umulhi((state[0] << 13) ^ state[0], 1u << 13);
    state[1] = ((state[1] & 0xfffffff8u) << 4) ^ (((state[1] << 2) ^ state[1]) >> 25);
    state[2] = ((state[2] & 0xfffffff0u) << 17) ^ (((state[2] << 3) ^ state[2]) >> 11);
    state[3] = state[3] * 1664525u + 1013904223u;
    return state[0] ^ state[1] ^ state[2] ^ state[3];
}

#if DOUBLE
constexpr u32 WORDS = 8;
// The middle of one of 2⁵² cells, exact: with the bits of 1 as exponent the number is 1 + n 2⁻⁵².
__device__ __forceinline__ real uniform(u32 high, u32 low)
{
    const u64 top = (static_cast<u64>(high) << 20) | (low >> 12);
    return __longlong_as_double(top | 0x3ff0000000000000ull) - 0.99999999999999988898;
}
#else
constexpr u32 WORDS = 4;
// The middle of one of 2²³ cells, exact: with the bits of 1 as exponent the number is 1 + n 2⁻²³.
__device__ __forceinline__ real uniform(u32 word) { return __uint_as_float((word >> 9) | 0x3f800000u) - 0.99999994f; }
#endif

// Two standard normal numbers from two uniform ones (Box and Muller).
__device__ __forceinline__ void box_muller(real a, real b, real &x, real &y)
{
    real sine, cosine;
    const real radius = root(real(-2) * natural_logarithm(a));
    sine_cosine_of_turns(b, sine, cosine);
    x = radius * cosine;
    y = radius * sine;
}

// Three standard normal numbers; a fourth one is discarded.
__device__ __forceinline__ void normals(const u32 words[WORDS], real &x, real &y, real &z)
{
#if DOUBLE
    const real a = uniform(words[0], words[1]), b = uniform(words[2], words[3]);
    const real c = uniform(words[4], words[5]), d = uniform(words[6], words[7]);
#else
    const real a = uniform(words[0]), b = uniform(words[1]), c = uniform(words[2]), d = uniform(words[3]);
#endif
    real dropped;
    box_muller(a, b, x, y);
    box_muller(c, d, z, dropped);
}

__device__ __forceinline__ u32 shift_signed(u32 word, u32 bits) { return static_cast<u32>(static_cast<int>(word) >> bits); }

// Saru (Afshar, Schmid, Pishevar and Worley 2013).
struct Saru {
    u32 s, w;

    __device__ __forceinline__ u32 next()
    {
        s = s * 0x4beb5d59u + 0x2600e1f7u;
        w = w + 0x8009d14bu + (shift_signed(w, 31) & 0xda879addu);
        const u32 v = (s ^ (s >> 26)) + w;
        return (v ^ (v >> 20)) * 0x6957f5a7u;
    }
};

// The last steps of Saru's hashes.
__device__ __forceinline__ Saru saru_of_mixed(u32 a, u32 b)
{
    const u32 s = 0x79dedea3u * (a ^ shift_signed(a, 14));
    const u32 w = (s + b) ^ shift_signed(s, 8);
    return {s + w * (w ^ 0xdddf97f5u), 0xabcb96f7u + (w >> 1)};
}

// Saru's hash of three words.
__device__ __forceinline__ Saru saru_of_three(u32 a, u32 b, u32 c)
{
    c ^= (a << 7) ^ (b >> 6);
    b += (a >> 4) ^ (c >> 15);
    a ^= (b << 9) + (c << 8);
    c ^= 0xa5366b4du * ((b >> 11) ^ (a << 1));
    b += 0x72be1579u * ((a << 4) ^ (c >> 16));
    a ^= 0x3f38a6edu * ((c >> 5) ^ shift_signed(b, 22));
    b += a * c;
    a += c ^ (b >> 2);
    b ^= shift_signed(b, 17);
    return saru_of_mixed(a, b);
}

// Saru's state from eight rounds of TEA (Zafar, Olano and Curtis, HPG 2010).
__device__ __forceinline__ Saru saru_of_tea8(u32 a, u32 b, u32 key0, u32 key1, u32 key2, u32 key3)
{
    u32 sum = 0;
#pragma unroll
    for (u32 round = 0; round < 8; ++round) {
        sum += 0x9e3779b9u;
        a += ((b << 4) + key0) ^ (b + sum) ^ ((b >> 5) + key1);
        b += ((a << 4) + key2) ^ (a + sum) ^ ((a >> 5) + key3);
    }
    return {a, b};
}

// A micro-stream ([5] of the book's page on random numbers): it serves one bead, or one pair of beads i < j, and one step.
__device__ __forceinline__ Saru micro_stream(u32 key0, u32 key1, u64 step, u32 i, u32 j = 0)
{
    const u32 low = static_cast<u32>(step), high = static_cast<u32>(step >> 32);
#if SARU_TEA
    return saru_of_tea8(i, j, key0, key1, 0xad90777du ^ low, 0x7e95761eu ^ high);
#else
    return saru_of_three(key0 ^ i, key1 ^ j ^ (high << 16), low);
#endif
}

// The words of a bead at a step: draw 0 of Philox, in double precision also draw 1; the first words of a micro-stream.
__device__ __forceinline__ void keyed_words(u32 words[WORDS], u32 key0, u32 key1, u64 step, u32 bead)
{
#if SARU || SARU_TEA
    Saru stream = micro_stream(key0, key1, step, bead);
#pragma unroll
    for (u32 k = 0; k < WORDS; ++k) words[k] = stream.next();
#else
#pragma unroll
    for (u32 draw = 0; draw < WORDS / 4; ++draw) {
        words[4 * draw] = static_cast<u32>(step);
        words[4 * draw + 1] = static_cast<u32>(step >> 32) | (draw << 16);
        words[4 * draw + 2] = bead;
        words[4 * draw + 3] = 0;
        philox(words + 4 * draw, key0, key1);
    }
#endif
}
