// cuRAND's generators, measured as beadwork's are in `kernels/throughput.cuh`: `beadwork bench random --peer curand`.
#include <curand_kernel.h>

typedef unsigned int u32;
typedef unsigned long long u64;

struct Round {
    // The states of XORWOW's threads: x, y, z, w, v, d; word k of thread t is at k · threads + t.
    u32 *states;
    float *sums;
    float4 *numbers;
    u32 key0, key1, rounds, padding;
};

#define ROUND const __grid_constant__ Round round

constexpr u32 MOST_THREADS = 256;

struct Place {
    u32 thread, threads;
};

__device__ __forceinline__ Place place() { return {blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x}; }

// cuRAND's words of the counters (round, 0, thread, 0) and the key; beadwork has these counters at draw 0.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) curand_philox_words(ROUND)
{
    const Place me = place();
    for (u32 number = 0; number < round.rounds; ++number) {
        const uint4 words = curand_Philox4x32_10(make_uint4(number, 0, me.thread, 0), make_uint2(round.key0, round.key1));
        reinterpret_cast<uint4 *>(round.numbers)[static_cast<u64>(number) * me.threads + me.thread] = words;
    }
}

__device__ __forceinline__ curandStateXORWOW_t xorwow_of(const Round &round, Place me)
{
    curandStateXORWOW_t state = {};
    for (u32 k = 0; k < 5; ++k) state.v[k] = round.states[static_cast<u64>(k) * me.threads + me.thread];
    state.d = round.states[5ull * me.threads + me.thread];
    return state;
}

// cuRAND's words from beadwork's states.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) curand_xorwow_words(ROUND)
{
    const Place me = place();
    curandStateXORWOW_t state = xorwow_of(round, me);
    for (u32 number = 0; number < round.rounds; ++number) {
        const u32 a = curand(&state), b = curand(&state), c = curand(&state), d = curand(&state);
        reinterpret_cast<uint4 *>(round.numbers)[static_cast<u64>(number) * me.threads + me.thread] = make_uint4(a, b, c, d);
    }
}

// Adds up the four numbers that `draw` makes in each round, and keeps the sum, so that the compiler removes none.
template <typename Draw> __device__ __forceinline__ void add_up(const Round &round, Place me, Draw draw)
{
    float first = 0, second = 0;
#pragma unroll 4
    for (u32 number = 0; number < round.rounds; ++number) {
        const float4 numbers = draw();
        first += numbers.x;
        second += numbers.y;
        first += numbers.z;
        second += numbers.w;
    }
    round.sums[me.thread] = first + second;
}

__device__ __forceinline__ curandStatePhilox4_32_10_t philox_of(const Round &round, Place me)
{
    curandStatePhilox4_32_10_t state;
    curand_init(round.key0, me.thread, 0, &state);
    return state;
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) curand_philox_uniforms(ROUND)
{
    const Place me = place();
    curandStatePhilox4_32_10_t state = philox_of(round, me);
    add_up(round, me, [&] { return curand_uniform4(&state); });
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) curand_philox_normals(ROUND)
{
    const Place me = place();
    curandStatePhilox4_32_10_t state = philox_of(round, me);
    add_up(round, me, [&] { return curand_normal4(&state); });
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) curand_xorwow_uniforms(ROUND)
{
    const Place me = place();
    curandStateXORWOW_t state = xorwow_of(round, me);
    add_up(round, me, [&] {
        const float a = curand_uniform(&state), b = curand_uniform(&state), c = curand_uniform(&state);
        return make_float4(a, b, c, curand_uniform(&state));
    });
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) curand_xorwow_normals(ROUND)
{
    const Place me = place();
    curandStateXORWOW_t state = xorwow_of(round, me);
    add_up(round, me, [&] {
        const float2 a = curand_normal2(&state), b = curand_normal2(&state);
        return make_float4(a.x, a.y, b.x, b.y);
    });
}
