// Metropolis moves of elastic chains: `beadwork_cpu::monte_carlo::ChainSampler`, with exchange between replicas.
//
// LANES lanes of a warp share a replica. Lane l has the SLOTS monomers l, l + LANES, …, and the partial sums l, l +
// LANES, … of a change of energy, so the order of the sum is the reference path's for any number of lanes. Positions
// are in shared memory; slots without a monomer have a position far away.
//
// By disassembly for compute capability 9.0, a warp makes four moves of the 55-mer in 8 lanes with 352 instructions, 31
// of them for each slot and some 60 for the bonds, and 21 for the proposals; eight in 4 lanes with 616, eight of the
// 13-mer in 4 lanes with 295. An H200 issues 132 × 4 × 1.98e9 a second: at most 1.1e10, 1.4e10 and 2.8e10 moves. A
// single replica waits for each operation in turn; with 32 lanes there are 186.
#pragma once

#include "monte_carlo/chain.cuh"
#include "monte_carlo/exchange.cuh"
#include "monte_carlo/trial_move.cuh"

constexpr u32 PARTIALS = 32;
// Partial sums of a lane, except those to which nothing is added.
constexpr u32 OF_LANE = PARTIALS / LANES;
constexpr u32 SUMS = SLOTS < OF_LANE ? SLOTS : OF_LANE;
// The length of a replica's row, with which neighbouring replicas use different banks.
constexpr u32 ROW = LANES == 4 ? LANES * (SLOTS | 1) : LANES * SLOTS;

constexpr u32 SAMPLE = 1, EXCHANGE = 2, TUNE = 4, ENERGY = 8;

// A number of sweeps, and the actions after them.
struct Segment {
    u32 sweeps, what;
    // The numbers of its sample and its exchange in the launch.
    u32 sample, exchange;
};

// Moves since displacements were last fitted.
struct AcceptanceCount {
    u64 accepted, attempted;
};

struct Launch {
    // For each replica: positions, two words of its key, and its rung.
    real4 *positions;
    const u32 *keys;
    u32 *rungs;
    // For each rung of each ladder: T/4ε, 1/T, the largest displacement, and counts of moves.
    const real *temperatures;
    const double *inverse_temperatures;
    double *displacements;
    AcceptanceCount *acceptance;
    // Two words of the key of each ladder.
    const u32 *ladder_keys;
    const Segment *segments;
    // For each segment and replica.
    u32 *accepted;
    double *energies;
    // For each exchange and replica: its rung afterwards.
    u32 *passed;
    // For each sample, replica and monomer: three numbers.
    real *samples;
    // MESSAGE_SLOTS messages for each rung of each ladder.
    Message *messages;
    u32 *lost;
    u64 sweep, attempt;
    // 4ε and r₀, as the host has them.
    double unit, length;
    Chain chain;
    // Replicas of all ladders; those of this launch, `first` up to `end`; replicas of a ladder; monomers; segments.
    u32 replicas, first, end, ladder, monomers, count;
};

// The host has the same size (`src/monte_carlo/chain_samplers/launch.rs`).
static_assert(sizeof(Launch) == 152 + 6 * sizeof(real) + 24, "Launch");

#define LAUNCH const __grid_constant__ Launch launch

// A replica's rows in shared memory.
struct Rows {
    real4 *positions, *moves;
    u32 *monomers;
};

// The sum of a replica's partial sums, returned in all of its lanes.
__device__ __forceinline__ real together(real partials[SUMS])
{
#pragma unroll
    for (u32 half = OF_LANE / 2; half > 0; half /= 2) {
#pragma unroll
        for (u32 sum_number = 0; sum_number < half; ++sum_number) {
            if (sum_number + half < SUMS) partials[sum_number] += partials[sum_number + half];
        }
    }
    real sum = partials[0];
#pragma unroll
    for (u32 half = LANES / 2; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, half);
    return sum;
}

// The energy of a replica in units of ε, the same in all of its lanes.
__device__ __forceinline__ double energy_of(const Launch &launch, const real4 *at, u32 lane)
{
    const Chain &chain = launch.chain;
    real partials[SUMS];
#pragma unroll
    for (u32 sum_number = 0; sum_number < SUMS; ++sum_number) {
        real partial = 0;
#pragma unroll 1
        for (u32 j = lane + LANES * sum_number; j < launch.monomers; j += PARTIALS) {
            const real4 here = at[j];
#pragma unroll 1
            for (u32 i = 0; i < j; ++i) partial += pair(chain, square_distance(at[i], here));
            if (j > 0) partial += bond(chain, square_distance(at[j - 1], here));
        }
        partials[sum_number] = partial;
    }
    return launch.unit * static_cast<double>(together(partials));
}

// The change of energy when a monomer moves, in units of 4ε, the same in all lanes of the replica.
__device__ __forceinline__ real change_of(const Launch &launch, const real4 *at, u32 lane, u32 monomer, const real4 &from, const real4 &to)
{
    const Chain &chain = launch.chain;
    real partials[SUMS];
    // Lanes from the monomer's on to this one.
    const u32 beyond = (lane - monomer) % LANES;
    const u32 own = beyond == 0 ? monomer / LANES : SLOTS;
#pragma unroll
    for (u32 slot = 0; slot < SLOTS; ++slot) {
        const real4 other = at[lane + LANES * slot];
        const real change = pair_change(chain, square_distance(to, other), square_distance(from, other));
        if (slot < SUMS) {
            partials[slot] = slot == own ? real(0) : change;
        } else if (slot != own) {
            partials[slot % OF_LANE] += change;
        }
    }
    // The lanes of the monomers after and before compute the bonds; other lanes discard their results.
    const bool after = beyond == 1 && monomer + 1 < launch.monomers, before = beyond == LANES - 1 && monomer > 0;
    const u32 neighbour = after ? monomer + 1 : before ? monomer - 1 : lane;
    const real4 other = at[neighbour];
    const real change = bond_change(chain, square_distance(to, other), square_distance(from, other));
    const u32 sum_number = after || before ? neighbour / LANES % OF_LANE : SUMS;
#pragma unroll
    for (u32 one = 0; one < SUMS; ++one) {
        if (one == sum_number) partials[one] += change;
    }
    return together(partials);
}

// Makes a number of moves of a sweep, beginning with `first`; returns how many were accepted.
__device__ __forceinline__ u32 make_moves(const Launch &launch, const Rows &rows, u32 lane, const u32 key[2], u64 sweep, u64 moves,
                                    real displacement, real temperature)
{
    u32 accepted = 0;
    const u32 monomers = launch.monomers;
    u32 number = lane % monomers;
    sweep += lane / monomers;
    for (u64 done = 0; done < moves; done += LANES) {
        // Proposes one move for each lane in parallel; the moves are then made one after another.
        rows.monomers[lane] = propose(rows.moves[lane], key, sweep, number, monomers, displacement, temperature);
        number += LANES % monomers;
        sweep += LANES / monomers;
        if (number >= monomers) {
            number -= monomers;
            ++sweep;
        }
        __syncwarp();
        const u32 count = static_cast<u32>(min(moves - done, static_cast<u64>(LANES)));
        real4 next = rows.moves[0];
        u32 chosen = rows.monomers[0];
#pragma unroll 1
        for (u32 turn = 1; turn <= count; ++turn) {
            // Loads the next move before it is needed.
            const real4 move = next;
            const u32 monomer = chosen;
            next = rows.moves[turn % LANES];
            chosen = rows.monomers[turn % LANES];
            const real4 from = rows.positions[monomer];
            const real4 to = {from.x + move.x, from.y + move.y, from.z + move.z, 0};
            // The comparison refuses NaN.
            const bool is_accepted = change_of(launch, rows.positions, lane, monomer, from, to) <= move.w;
            if (is_accepted) {
                ++accepted;
                if (monomer % LANES == lane) rows.positions[monomer] = to;
            }
            __syncwarp();
        }
    }
    return accepted;
}

// `beadwork_cpu::monte_carlo::tuned`.
__device__ __forceinline__ double tuned(double displacement, const AcceptanceCount &count, double length)
{
    if (count.attempted == 0) return displacement;
    const double share = static_cast<double>(count.accepted) / static_cast<double>(count.attempted);
    const double factor = (share + 0.1) / (0.4 + 0.1);
    const double next = displacement * (factor < 0.8 ? 0.8 : factor > 1.25 ? 1.25 : factor);
    const double least = 1e-4 * length;
    return next < least ? least : next > length ? length : next;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_monte_carlo(LAUNCH)
{
    extern __shared__ __align__(16) u64 memory[];
    const u32 lane = threadIdx.x % LANES, group = threadIdx.x / LANES, groups = blockDim.x / LANES;
    const u32 monomers = launch.monomers;
    Rows rows;
    rows.positions = reinterpret_cast<real4 *>(memory) + group * ROW;
    rows.moves = reinterpret_cast<real4 *>(memory) + groups * ROW + group * LANES;
    rows.monomers = reinterpret_cast<u32 *>(reinterpret_cast<real4 *>(memory) + groups * (ROW + LANES)) + group * LANES;

    // Lanes without a replica copy the last one, and write nothing.
    const u32 number_here = launch.first + blockIdx.x * groups + group;
    const bool counts = number_here < launch.end;
    const u32 replica = counts ? number_here : launch.end - 1;
    const bool writes = counts && lane == 0;
    const u32 ladder = replica / launch.ladder * launch.ladder;
    const u32 key[2] = {launch.keys[2 * replica], launch.keys[2 * replica + 1]};
    u32 rung = launch.rungs[replica];
    double displacement = launch.displacements[ladder + rung];
    AcceptanceCount count = launch.acceptance[ladder + rung];
    u64 sweep = launch.sweep, attempt = launch.attempt;

    const real4 *const state = launch.positions + static_cast<u64>(replica) * monomers;
    const real far = real(1e6);
#pragma unroll 1
    for (u32 j = lane; j < LANES * SLOTS; j += LANES) rows.positions[j] = j < monomers ? state[j] : real4{far, far, far, 0};
    __syncwarp();

#pragma unroll 1
    for (u32 number = 0; number < launch.count; ++number) {
        const Segment segment = launch.segments[number];
        const u64 moves = static_cast<u64>(segment.sweeps) * monomers;
        const u32 accepted = make_moves(launch, rows, lane, key, sweep, moves, static_cast<real>(displacement),
                                  launch.temperatures[ladder + rung]);
        sweep += segment.sweeps;
        count.accepted += accepted;
        count.attempted += moves;
        const u64 entry = static_cast<u64>(number) * launch.replicas + replica;
        if (writes) launch.accepted[entry] = accepted;
        double energy = 0;
        if (segment.what & (SAMPLE | EXCHANGE | ENERGY)) {
            energy = energy_of(launch, rows.positions, lane);
            if (writes) launch.energies[entry] = energy;
        }
        if (segment.what & SAMPLE && counts) {
            real *const sample = launch.samples + 3 * (static_cast<u64>(segment.sample) * launch.replicas + replica) * monomers;
            for (u32 j = lane; j < monomers; j += LANES) {
                const real4 here = rows.positions[j];
                sample[3 * j] = here.x;
                sample[3 * j + 1] = here.y;
                sample[3 * j + 2] = here.z;
            }
        }
        if (segment.what & TUNE) {
            displacement = tuned(displacement, count, launch.length);
            count = {0, 0};
        }
        if (segment.what & EXCHANGE) {
            // Pairs begin at rungs with the parity of the attempt.
            const bool is_lower = (rung ^ static_cast<u32>(attempt)) % 2 == 0;
            const u32 lower = is_lower ? rung : rung - 1, other = is_lower ? rung + 1 : rung - 1;
            const bool meets = counts && (is_lower ? other < launch.ladder : rung > 0);
            Message *const messages = launch.messages + MESSAGE_SLOTS * static_cast<u64>(ladder) + attempt % MESSAGE_SLOTS * launch.ladder;
            if (writes) send(messages + rung, {energy, displacement, count.accepted, count.attempted, attempt + 1});
            __syncwarp();
            const Message *const partner = messages + (meets ? other : rung);
            if (!has_come(partner, meets, attempt, launch.lost)) return;
            if (meets) {
                const volatile Message *const received = partner;
                const double theirs = received->energy, difference = is_lower ? energy - theirs : theirs - energy;
                const double *const inverse = launch.inverse_temperatures + ladder + lower;
                const u32 *const ladder_key = launch.ladder_keys + 2 * (replica / launch.ladder);
                if (is_swapped(ladder_key[0], ladder_key[1], attempt, lower, difference * (inverse[0] - inverse[1]))) {
                    displacement = received->displacement;
                    count = {received->accepted, received->attempted};
                    rung = other;
                }
            }
            ++attempt;
            if (writes) launch.passed[static_cast<u64>(segment.exchange) * launch.replicas + replica] = rung;
        }
    }
    if (!counts) return;
    for (u32 j = lane; j < monomers; j += LANES) launch.positions[static_cast<u64>(replica) * monomers + j] = rows.positions[j];
    if (lane == 0) {
        launch.rungs[replica] = rung;
        launch.displacements[ladder + rung] = displacement;
        launch.acceptance[ladder + rung] = count;
    }
}
