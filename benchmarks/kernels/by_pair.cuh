// The parallelisation by interacting pairs of [A] in the book's list of sources (algorithms 4 and 5). Each pair has a
// thread, which writes its force to a slot of each of its beads; then a thread for each bead adds up its slots.
//
// A slot holds the separation and the force over the distance, not their product: fused sums of products then have the
// bits of the crate's own kernels. A bead has four partial sums, partner j in sum j mod 4.

#include "geometry.cuh"
#include "potentials/bonded/fene_bond.cuh"
#include "potentials/bonded/native_contact.cuh"
#include "potentials/pair/sixth_power_repulsion.cuh"
#include "random/keyed.cuh"

constexpr u32 MOST_THREADS = 128;
constexpr u32 PARTIAL_SUMS = 4;

// The beads of a pair, and the slot of each bead to which the pair writes.
struct PairSlots {
    u32 i, j, at_i, at_j;
};

struct Counters {
    // Steps made; the step before which lists are rebuilt; pairs in them; the length needed if a list was too short.
    u32 steps, due, pairs, wanted;
};

// Row k of partial sum s (4 bead + partner mod 4) is at [k · sums + s]: listed pairs first, then neighbour pairs.
struct Step {
    real4 *positions, *references, *rows;
    const PairSlots *bonds, *contacts;
    const FeneBond *bond_formulas;
    const NativeContact *contact_formulas;
    const u32 *listed_counts, *excluded_starts, *excluded;
    u32 *neighbour_counts, *neighbours;
    PairSlots *pairs;
    Counters *counters;
    u64 first_step;
    u32 key0, key1, beads, listed_rows, capacity, bond_count, contact_count;
    // The number of earlier steps in the graph.
    u32 ahead;
    float mobility, amplitude, square_list, square_shift, square_cutoff;
    SixthPowerRepulsion repulsion;
};

// The struct of the host has the same size (`src/kernels/by_pair.rs`).
static_assert(sizeof(Step) == 15 * 8 + 8 * 4 + 6 * 4, "Step");

#define STEP const __grid_constant__ Step step
#define KERNEL extern "C" __global__ void __launch_bounds__(MOST_THREADS)

__device__ __forceinline__ u32 thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u32 now(const Step &step) { return step.counters->steps + step.ahead; }
__device__ __forceinline__ Vector position(const Step &step, u32 bead)
{
    const real4 at = step.positions[bead];
    return {at.x, at.y, at.z};
}

template <typename Formula> __device__ __forceinline__ void write_pair(const Step &step, const PairSlots &pair, const Formula &formula, float square_cutoff)
{
    const Separation apart = separation(position(step, pair.i), position(step, pair.j));
    const real factor = apart.r2 < square_cutoff ? formula.force_over_distance(apart.r2) : real(0);
    const Vector &r = apart.apart;
    step.rows[pair.at_i] = {r.x, r.y, r.z, factor};
    step.rows[pair.at_j] = {-r.x, -r.y, -r.z, factor};
}

constexpr float ANYWHERE = 3e38f;

KERNEL beadwork_pair_bonds(STEP)
{
    const u32 number = thread_number();
    if (number < step.bond_count) write_pair(step, step.bonds[number], step.bond_formulas[number], ANYWHERE);
}

KERNEL beadwork_pair_contacts(STEP)
{
    const u32 number = thread_number();
    if (number < step.contact_count) write_pair(step, step.contacts[number], step.contact_formulas[number], ANYWHERE);
}

KERNEL beadwork_pair_repulsion(STEP)
{
    const u32 count = min(step.counters->pairs, step.capacity * PARTIAL_SUMS / 2 * step.beads);
    for (u32 k = thread_number(); k < count; k += gridDim.x * blockDim.x) write_pair(step, step.pairs[k], step.repulsion, step.square_cutoff);
}

// Lists the partners of each partial sum within the list's radius, ascending.
KERNEL beadwork_pair_neighbours(STEP)
{
    const u32 sum = thread_number(), sums = PARTIAL_SUMS * step.beads, bead = sum / PARTIAL_SUMS;
    if (sum >= sums || step.counters->due != now(step)) return;
    if (sum == 0) step.counters->pairs = 0;
    const Vector here = position(step, bead);
    u32 found = 0, passed = step.excluded_starts[bead];
    const u32 last = step.excluded_starts[bead + 1];
    for (u32 j = sum % PARTIAL_SUMS; j < step.beads; j += PARTIAL_SUMS) {
        while (passed < last && step.excluded[passed] < j) ++passed;
        if (j == bead || (passed < last && step.excluded[passed] == j)) continue;
        if (!(separation(here, position(step, j)).r2 < step.square_list)) continue;
        if (found < step.capacity) step.neighbours[static_cast<u64>(found) * sums + sum] = j;
        ++found;
    }
    if (found > step.capacity) atomicMax(&step.counters->wanted, found);
    step.neighbour_counts[sum] = min(found, step.capacity);
    if (sum % PARTIAL_SUMS == 0) step.references[bead] = step.positions[bead];
}

// Lists each pair of neighbours once, in any order: its slots fix where its force goes.
KERNEL beadwork_pair_list(STEP)
{
    const u32 sum = thread_number(), sums = PARTIAL_SUMS * step.beads, bead = sum / PARTIAL_SUMS;
    if (sum >= sums || step.counters->due != now(step)) return;
    const auto partner_of = [&](u32 row, u32 of) { return step.neighbours[static_cast<u64>(row) * sums + of]; };
    // Partners ascend, so those with a larger number than this bead come last.
    const u32 count = step.neighbour_counts[sum];
    u32 first = count;
    while (first > 0 && partner_of(first - 1, sum) > bead) --first;
    const u32 begin = atomicAdd(&step.counters->pairs, count - first);
    const u32 room = step.capacity * PARTIAL_SUMS / 2 * step.beads;
    for (u32 row = first; row < count && begin + row - first < room; ++row) {
        // Searches this bead among the partners of its partner. Distances are equal from both ends, so it is there.
        const u32 partner = partner_of(row, sum), there = PARTIAL_SUMS * partner + bead % PARTIAL_SUMS;
        u32 low = 0, high = step.neighbour_counts[there];
        while (low + 1 < high) {
            const u32 middle = (low + high) / 2;
            (partner_of(middle, there) > bead ? high : low) = middle;
        }
        step.pairs[begin + row - first] = {bead, partner, (step.listed_rows + row) * sums + sum, (step.listed_rows + low) * sums + there};
    }
}

// Adds up the slots of a bead, and moves the bead.
KERNEL beadwork_pair_move(STEP)
{
    const u32 bead = thread_number(), sums = PARTIAL_SUMS * step.beads;
    if (bead >= step.beads) return;
    Vector parts[PARTIAL_SUMS] = {};
#pragma unroll
    for (u32 part = 0; part < PARTIAL_SUMS; ++part) {
        const u32 sum = PARTIAL_SUMS * bead + part;
        const auto add_rows = [&](u32 first, u32 count) {
            for (u32 k = 0; k < count; ++k) {
                const real4 row = step.rows[static_cast<u64>(first + k) * sums + sum];
                // A force of 0 marks a pair beyond the cutoff.
                if (row.w != 0) add_force(parts[part], row.w, {row.x, row.y, row.z});
            }
        };
        add_rows(0, step.listed_counts[sum]);
        add_rows(step.listed_rows, step.neighbour_counts[sum]);
    }
    const Vector force = (parts[0] + parts[1]) + (parts[2] + parts[3]);
    Vector kick = {0, 0, 0};
    if (step.amplitude != 0) {
        u32 words[WORDS];
        keyed_words(words, step.key0, step.key1, step.first_step + now(step), bead);
        normals(words, kick.x, kick.y, kick.z);
        kick = kick * step.amplitude;
    }
    const Vector to = position(step, bead) + multiply_add(force, step.mobility, kick);
    step.positions[bead] = {to.x, to.y, to.z, 0};
    const real4 from = step.references[bead];
    if (separation(to, {from.x, from.y, from.z}).r2 > step.square_shift) step.counters->due = now(step) + 1;
}

KERNEL beadwork_pair_count(STEP) { step.counters->steps += step.ahead; }
