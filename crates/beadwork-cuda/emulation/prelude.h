// CUDA's words for the host: a fiber a thread, one block at a time.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

using std::fma;
using std::max;
using std::min;

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
// One block runs at a time.
#define __shared__ static

struct Index {
    unsigned x, y, z;
};
static Index threadIdx, blockIdx, blockDim, gridDim;

struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

static uint64_t emulated_shared_memory[1 << 16];

enum State { RUNNING, AT_BARRIER, AT_WARP, DONE };

struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    State state;
    unsigned exchanges, barriers;
};

static ucontext_t scheduler;
static std::vector<Fiber> fibers;
// Words that the lanes of a warp exchange, and what a barrier has been told; two of each, since the next exchange may
// begin before all have read the last.
static uint64_t words[64][2][32];
static unsigned told[2];

static void wait_as(State state)
{
    const unsigned me = threadIdx.x;
    fibers[me].state = state;
    swapcontext(&fibers[me].context, &scheduler);
    threadIdx.x = me;
}

static void __syncthreads()
{
    ++fibers[threadIdx.x].barriers;
    wait_as(AT_BARRIER);
}

static int __syncthreads_or(int predicate)
{
    const unsigned turn = fibers[threadIdx.x].barriers++ & 1;
    told[turn] |= predicate != 0;
    wait_as(AT_BARRIER);
    return told[turn];
}

// What each lane of the warp gives.
template <typename T> static const uint64_t *exchange(T value)
{
    const unsigned me = threadIdx.x, turn = fibers[me].exchanges++ & 1;
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    words[me / 32][turn][me % 32] = word;
    wait_as(AT_WARP);
    return words[me / 32][turn];
}

template <typename T> static T from_word(uint64_t word)
{
    T value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

template <typename T> static T __shfl_sync(unsigned, T value, int from, int width = 32)
{
    const unsigned lane = threadIdx.x % 32;
    return from_word<T>(exchange(value)[lane / width * width + from % width]);
}

template <typename T> static T __shfl_xor_sync(unsigned, T value, int mask, int = 32)
{
    const unsigned lane = threadIdx.x % 32;
    return from_word<T>(exchange(value)[lane ^ mask]);
}

static unsigned __ballot_sync(unsigned, int predicate)
{
    const uint64_t *const lanes = exchange(predicate != 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) bits |= static_cast<unsigned>(lanes[lane] & 1) << lane;
    return bits;
}

static void __syncwarp() { exchange(0); }

template <typename T> static T __ldg(const T *place) { return *place; }

template <typename T> static T atomicMin(T *place, T value)
{
    const T old = *place;
    *place = std::min(old, value);
    return old;
}

template <typename T> static T atomicMax(T *place, T value)
{
    const T old = *place;
    *place = std::max(old, value);
    return old;
}

template <typename T> static T atomicAdd(T *place, T value)
{
    const T old = *place;
    *place = old + value;
    return old;
}

template <typename T> static T atomicExch(T *place, T value)
{
    const T old = *place;
    *place = value;
    return old;
}

template <typename To, typename From> static To same_bits(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "sizes");
    std::memcpy(&to, &from, sizeof to);
    return to;
}

static unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
static float __uint_as_float(unsigned x) { return same_bits<float>(x); }
static long long __double_as_longlong(double x) { return same_bits<long long>(x); }
static double __longlong_as_double(long long x) { return same_bits<double>(x); }
static int __double2loint(double x) { return static_cast<int>(same_bits<unsigned long long>(x)); }
static int __double2int_rd(double x) { return static_cast<int>(std::floor(x)); }
static int __ffs(unsigned x) { return __builtin_ffs(x); }
static int __clz(unsigned x) { return x ? __builtin_clz(x) : 32; }
static unsigned min(unsigned a, unsigned long long b) { return a < b ? a : static_cast<unsigned>(b); }
