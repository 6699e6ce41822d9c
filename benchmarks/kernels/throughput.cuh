// How many numbers a card makes, in registers and into memory: `beadwork bench random`.
//
// Each thread has a generator and makes rounds of four numbers. A generator without a state begins anew each round, as
// in each step of a simulation. Sums are kept, so that the compiler removes no number.

#include "random/generators.cuh"

struct Round {
    // The states of each thread.
    u32 *states;
    real *sums;
    // Four numbers of each thread in each round.
    real4 *numbers;
    u32 key0, key1, rounds, padding;
};

// The struct of the host has the same size (`src/kernels/throughput.rs`).
static_assert(sizeof(Round) == 40, "Round");

#define ROUND const __grid_constant__ Round round

// Passes the words of each round to `use`.
template <typename Use> __device__ __forceinline__ void go_through(const Round &round, Use use)
{
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    Generator generator;
    generator.load(round.states, thread, threads);
#pragma unroll UNROLLED
    for (u32 number = 0; number < round.rounds; ++number) {
        generator.begin(round.key0, round.key1, number, thread);
        const u32 a = generator.next(), b = generator.next(), c = generator.next(), d = generator.next();
        use(static_cast<u64>(number) * threads + thread, uniform(a), uniform(b), uniform(c), uniform(d));
    }
    generator.store(round.states, thread, threads);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_uniforms(ROUND)
{
    real first = 0, second = 0;
    go_through(round, [&](u64, real a, real b, real c, real d) {
        first += a;
        second += b;
        first += c;
        second += d;
    });
    round.sums[blockIdx.x * blockDim.x + threadIdx.x] = first + second;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_normals(ROUND)
{
    real first = 0, second = 0;
    go_through(round, [&](u64, real a, real b, real c, real d) {
        real x, y;
        box_muller(a, b, x, y);
        first += x;
        second += y;
        box_muller(c, d, x, y);
        first += x;
        second += y;
    });
    round.sums[blockIdx.x * blockDim.x + threadIdx.x] = first + second;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_into_memory(ROUND)
{
    real4 *const numbers = round.numbers;
    go_through(round, [=](u64 place, real a, real b, real c, real d) { numbers[place] = {a, b, c, d}; });
}
