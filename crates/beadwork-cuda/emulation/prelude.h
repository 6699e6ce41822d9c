// CUDA's language on the host: each thread is a fiber, and one block runs at a time.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <setjmp.h>
#include <ucontext.h>
#include <vector>

using std::fma;
using std::max;
using std::min;

#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
// One block or cluster runs at a time. Blocks of a cluster declare no shared memory except the array, of which each has
// its own.
#define __shared__ static
#define __cluster_dims__(...)

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
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) double2 {
    double x, y;
};
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

static const unsigned MOST_BLOCKS = 16, MOST_WARPS = 32;
static uint64_t emulated_shared_memory[MOST_BLOCKS][1 << 15];
// The rank of the running thread's block in its cluster.
static unsigned emulated_rank;

enum State { RUNNING, AT_BARRIER, AT_CLUSTER, AT_WARP, DONE };

struct Fiber {
    jmp_buf place;
    char *stack = nullptr;
    State state;
    unsigned exchanges, barriers, meetings;
};

static jmp_buf scheduler;
// The fibers of all threads of a cluster, block after block.
static std::vector<Fiber> fibers;
// Words that the lanes of a warp exchange, and the predicates at a barrier. There are two of each, since the next
// exchange may begin before all lanes have read the last one.
static uint64_t words[MOST_BLOCKS][MOST_WARPS][2][32];
static unsigned predicates[MOST_BLOCKS][2];

// Messages to other blocks that have not arrived. With EMULATION_FUZZ=NUMBER they arrive late and in any order, and
// warps sleep at random; each number gives another schedule.
struct Late {
    unsigned block;
    int due;
    std::function<void()> arrive;
};
static std::vector<Late> late;
static const char *const fuzz = getenv("EMULATION_FUZZ");
static unsigned long long dice_state = fuzz ? 2 * strtoull(fuzz, nullptr, 10) + 1 : 1;

static int dice(int sides)
{
    dice_state = dice_state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int>((dice_state >> 33) % sides);
}

static void send_late(unsigned block, std::function<void()> arrive)
{
    if (fuzz) {
        late.push_back({block, dice(40), arrive});
    } else {
        arrive();
    }
}

static Fiber &this_fiber() { return fibers[emulated_rank * blockDim.x + threadIdx.x]; }

static void wait_as(State state)
{
    Fiber &me = this_fiber();
    me.state = state;
    // The code that resumes a thread sets its index.
    if (_setjmp(me.place) == 0) _longjmp(scheduler, 1);
}

static void __syncthreads()
{
    ++this_fiber().barriers;
    wait_as(AT_BARRIER);
}

// Arrivals of the threads of each block that meet some of the others.
static unsigned arrivals[MOST_BLOCKS];

// Waits for so many threads of a block, which are the same each time.
static void emulated_meet(unsigned threads)
{
    const unsigned rank = emulated_rank, all = ++this_fiber().meetings * threads;
    ++arrivals[rank];
    while (arrivals[rank] < all) wait_as(RUNNING);
}

static unsigned __clusterRelativeBlockRank() { return emulated_rank; }

static void *__cluster_map_shared_rank(void *mine, unsigned rank)
{
    return static_cast<char *>(mine) + (static_cast<int>(rank) - static_cast<int>(emulated_rank)) * static_cast<int>(sizeof emulated_shared_memory[0]);
}

static void __cluster_barrier_arrive() {}

static void __cluster_barrier_wait() { wait_as(AT_CLUSTER); }

static int __syncthreads_or(int predicate)
{
    const unsigned turn = this_fiber().barriers++ & 1;
    predicates[emulated_rank][turn] |= predicate != 0;
    wait_as(AT_BARRIER);
    return predicates[emulated_rank][turn];
}

// The values of all lanes of the warp.
template <typename T> static const uint64_t *exchange(T value)
{
    const unsigned turn = this_fiber().exchanges++ & 1;
    uint64_t(&lanes)[32] = words[emulated_rank][threadIdx.x / 32][turn];
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    lanes[threadIdx.x % 32] = word;
    wait_as(AT_WARP);
    return lanes;
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

template <typename T> static T __shfl_up_sync(unsigned, T value, unsigned apart, int width = 32)
{
    const unsigned lane = threadIdx.x % 32;
    return from_word<T>(exchange(value)[lane % width >= apart ? lane - apart : lane]);
}

static int __dp4a(int a, int b, int sum)
{
    for (int shift = 0; shift < 32; shift += 8) sum += static_cast<signed char>(a >> shift) * static_cast<signed char>(b >> shift);
    return sum;
}
static int __popc(unsigned bits) { return __builtin_popcount(bits); }

static unsigned __ballot_sync(unsigned, int predicate)
{
    const uint64_t *const lanes = exchange(predicate != 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) bits |= static_cast<unsigned>(lanes[lane] & 1) << lane;
    return bits;
}

static void __trap()
{
    fprintf(stderr, "a wait was given up in block %u\n", blockIdx.x);
    abort();
}

static int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }

static void __syncwarp() { exchange(0); }

static void __threadfence() {}

template <typename T> static T __ldg(const T *place) { return *place; }

template <typename T> static T __ldcg(const T *place) { return *static_cast<const volatile T *>(place); }

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
static int __float2int_rn(float x)
{
    // The nearest whole number, halves to even, within the range; 0 for what is not a number.
    return std::isnan(x) ? 0 : static_cast<int>(std::max(-2147483648.0, std::min(2147483647.0, static_cast<double>(std::nearbyint(x)))));
}
static long long __double2ll_rn(double x)
{
    if (std::isnan(x)) return 0;
    return x >= 9223372036854775808.0 ? INT64_MAX : x < -9223372036854775808.0 ? INT64_MIN : static_cast<long long>(std::nearbyint(x));
}
static int __double2int_rd(double x) { return static_cast<int>(std::floor(x)); }
static unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32); }
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64); }
static int __ffs(unsigned x) { return __builtin_ffs(x); }
static int __clz(unsigned x) { return x ? __builtin_clz(x) : 32; }
static unsigned min(unsigned a, unsigned long long b) { return a < b ? a : static_cast<unsigned>(b); }
