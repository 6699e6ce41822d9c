// The published programs ([G] §3.4, §4.2, in the book's list of sources) with beadwork's noise. Each move recomputes
// the whole energy, and the energy before the move is kept.

#include "monte_carlo/chain.cuh"
#include "monte_carlo/trial_move.cuh"

constexpr u32 MOST_THREADS = 64, MOST_MONOMERS = 256;

struct Round {
    // For each replica: positions, two words of its key, its rung, accepted moves and its energy in units of 4ε.
    real4 *positions;
    const u32 *keys;
    const u32 *rungs;
    u32 *accepted;
    real *energies;
    // For each rung: T/4ε, and the largest displacement.
    const real *temperatures, *displacements;
    u64 sweep;
    Chain chain;
    u32 replicas, monomers, sweeps, padding;
};

// The struct of the host has the same size (`src/kernels/whole_energy.rs`).
static_assert(sizeof(Round) == 104, "Round");

#define ROUND const __grid_constant__ Round round

// The energy of a thread's pairs and bonds; each pair and each bond belongs to one thread.
__device__ __forceinline__ real share(const Chain &chain, const real4 *at, u32 monomers)
{
    real energy = 0;
    for (u32 bead = threadIdx.x; bead + 1 < monomers; bead += MOST_THREADS) {
        energy += bond(chain, square_distance(at[bead], at[bead + 1]));
    }
    // Pairs i, j with j − i = 1, 2, … along a closed chain: each pair once.
    const u32 pairs = monomers * (monomers - 1) / 2;
    for (u32 number = threadIdx.x; number < pairs; number += MOST_THREADS) {
        const u32 i = number % monomers, j = (i + number / monomers + 1) % monomers;
        energy += pair(chain, square_distance(at[i], at[j]));
    }
    return energy;
}

// The sum of all threads' shares: each pass adds the upper half to the lower.
__device__ __forceinline__ real reduced(real *shares, real share)
{
    __syncthreads();
    shares[threadIdx.x] = share;
    __syncthreads();
    for (u32 half = MOST_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shares[threadIdx.x] += shares[threadIdx.x + half];
        __syncthreads();
    }
    return shares[0];
}

// Makes the sweeps of a replica with monomers at `at`; its threads share the work as `group` says.
template <typename Group> __device__ __forceinline__ void sample(const Round &round, u32 replica, real4 *at, Group group)
{
    const u32 monomers = round.monomers, rung = round.rungs[replica];
    const u32 key[2] = {round.keys[2 * replica], round.keys[2 * replica + 1]};
    const real displacement = round.displacements[rung], temperature = round.temperatures[rung];
    real energy = group.energy(round.chain, at, monomers);
    u32 accepted = 0;
    for (u32 sweep = 0; sweep < round.sweeps; ++sweep) {
        for (u32 number = 0; number < monomers; ++number) {
            real4 move;
            const u32 monomer = propose(move, key, round.sweep + sweep, number, monomers, displacement, temperature);
            const real4 before = at[monomer];
            group.meet();
            if (group.writes()) at[monomer] = {before.x + move.x, before.y + move.y, before.z + move.z, 0};
            group.meet();
            const real after = group.energy(round.chain, at, monomers);
            if (after - energy <= move.w) {
                energy = after;
                ++accepted;
            } else if (group.writes()) {
                at[monomer] = before;
            }
            group.meet();
        }
    }
    if (group.writes()) {
        round.accepted[replica] = accepted;
        round.energies[replica] = energy;
    }
}

// The improved program: a replica has a block, whose threads share the pairs.
struct Block {
    real *shares;

    __device__ __forceinline__ bool writes() const { return threadIdx.x == 0; }
    __device__ __forceinline__ void meet() const { __syncthreads(); }
    __device__ __forceinline__ real energy(const Chain &chain, const real4 *at, u32 monomers) const
    {
        return reduced(shares, share(chain, at, monomers));
    }
};

extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_whole_energy_improved(ROUND)
{
    __shared__ real4 at[MOST_MONOMERS];
    __shared__ real shares[MOST_THREADS];
    const u32 replica = blockIdx.x, monomers = round.monomers;
    real4 *const state = round.positions + static_cast<u64>(replica) * monomers;
    for (u32 j = threadIdx.x; j < monomers; j += MOST_THREADS) at[j] = state[j];
    __syncthreads();
    sample(round, replica, at, Block{shares});
    for (u32 j = threadIdx.x; j < monomers; j += MOST_THREADS) state[j] = at[j];
}

// The naive program: a replica has a thread.
struct Thread {
    __device__ __forceinline__ bool writes() const { return true; }
    __device__ __forceinline__ void meet() const {}
    __device__ __forceinline__ real energy(const Chain &chain, const real4 *at, u32 monomers) const
    {
        real energy = 0;
        for (u32 j = 1; j < monomers; ++j) {
            for (u32 i = 0; i < j; ++i) energy += pair(chain, square_distance(at[i], at[j]));
            energy += bond(chain, square_distance(at[j - 1], at[j]));
        }
        return energy;
    }
};

extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_whole_energy_naive(ROUND)
{
    const u32 replica = blockIdx.x * blockDim.x + threadIdx.x;
    if (replica >= round.replicas) return;
    sample(round, replica, round.positions + static_cast<u64>(replica) * round.monomers, Thread{});
}
