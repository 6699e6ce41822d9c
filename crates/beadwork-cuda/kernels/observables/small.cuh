// The kernel that measures the samples of small systems, a warp each.
#pragma once

#include "observables/terms.cuh"
#include "observables/unwrap.cuh"
#include "observables/warp.cuh"

// A square beyond all cutoffs.
constexpr double FAR = 1e300;

// A pair term between bead i and beads beyond it.
template <typename Formula, typename Energy>
__device__ __forceinline__ void add_row(const Warp &warp, u32 term, u32 i, const Vector &here, Vector &sums)
{
    typedef TypePair<Formula, Energy> Entry;
    const ObservedSystem &system = warp.system;
    const Entry *const table = static_cast<const Entry *>(system.pairs[term]);
    const u32 words = (system.beads + 31) / 32;
    const Entry *const row = TYPED ? table + system.type_of[i] * system.types : table;
    for (u32 first = (i + 1) / 32; first < words; first += 2) {
        // The distances of two words together, so that a load does not wait for another.
        double r2[2];
        const Entry *entries[2];
        bool any = false;
#pragma unroll
        for (u32 k = 0; k < 2; ++k) {
            const u32 word = first + k, allowed = word < words ? system.allowed[i * words + word] : 0;
            const bool acts = allowed >> warp.lane & 1;
            const u32 j = acts ? 32 * word + warp.lane : i;
            entries[k] = TYPED ? row + system.type_of[j] : row;
            const double square = squared_distance(system, here, warp.positions[j]);
            r2[k] = acts && square < entries[k]->square_cutoff ? square : FAR;
            any |= r2[k] < FAR;
        }
        if (!__any_sync(ALL_LANES, any)) continue;
        // One text for both: formulas are long.
#pragma unroll 1
        for (u32 k = 0; k < 2; ++k) {
            const double square = k == 0 ? r2[0] : r2[1];
            const Entry &entry = k == 0 ? *entries[0] : *entries[1];
            const bool near = square < FAR;
            if (__any_sync(ALL_LANES, near)) warp.add_pairs(near, square, entry, sums);
        }
    }
}

template <typename... T> __device__ __forceinline__ void measure(Bonded<T...>, Warp &warp, Observed &sums)
{
    u32 term = 0;
    const auto add = [&](const Vector &of_term, double &energy) {
        energy += of_term.x;
        if constexpr (BOXED) sums.virial += of_term.y;
        ++term;
    };
    const auto count = [&] { return static_cast<u32>(warp.system.bonded[term].count); };
    (add(warp.bonded<typename T::Formula, typename T::Energy>(term, 0, count()), energy_of<T::KIND>(sums)), ...);
}

// All terms act in a row of pairs before the next row.
template <typename... T> __device__ __forceinline__ void measure(Pairs<T...>, const Warp &warp, Observed &sums)
{
    if constexpr (sizeof...(T) > 0) {
        Vector of_pairs = {sums.pairs, sums.charges, sums.virial};
        for (u32 i = 0; i + 1 < warp.system.beads; ++i) {
            const Vector here = warp.positions[i];
            u32 term = 0;
            (add_row<typename T::Formula, typename T::Energy>(warp, term++, i, here, of_pairs), ...);
        }
        sums.pairs = of_pairs.x;
        sums.charges = of_pairs.y;
        sums.virial = of_pairs.z;
    }
}

template <typename... T> __device__ __forceinline__ void measure(Angles<T...>, const Warp &warp, Observed &sums)
{
    u32 term = 0;
    const auto add = [&](double of_term) {
        sums.angles += of_term;
        ++term;
    };
    const auto count = [&] { return static_cast<u32>(warp.system.angles[term].count); };
    (add(warp.angles<T>(term, 0, count())), ...);
}

template <typename... T> __device__ __forceinline__ void measure(Singles<T...>, const Warp &warp, Observed &sums)
{
    u32 term = 0;
    const auto add = [&](double of_term) {
        sums.singles += of_term;
        ++term;
    };
    const auto count = [&] { return static_cast<u32>(warp.system.singles[term].count); };
    (add(warp.singles<T>(term, 0, count())), ...);
}

// The means over molecules.
__device__ __forceinline__ void measure_molecules(const Warp &warp, Observed &sums)
{
    Vector sizes = {0, 0, 0};
    const u32 molecules = warp.system.molecule_count;
    for (u32 number = 0; number < molecules; ++number) {
        const Molecule molecule = warp.system.molecules[number];
        sizes = sizes + warp.size(molecule.first, molecule.end);
    }
    sums.radius_of_gyration = sizes.x / molecules;
    sums.radius_of_gyration_by_mass = sizes.y / molecules;
    sums.end_to_end = sizes.z / molecules;
}

extern "C" __global__ void __launch_bounds__(THREADS) beadwork_observe(const __grid_constant__ Observation task)
{
    __shared__ double rooms[WARPS][3 * 32];
    const u32 number = blockIdx.x * WARPS + threadIdx.x / 32;
    const u32 of_member = number / task.most_samples, sample = number % task.most_samples;
    if (of_member >= task.members_count) return;
    const ObservedMember &member = task.members[of_member];
    if (sample >= task.outcomes[of_member * task.outcome_words] || sample >= member.samples) return;
    Warp warp = {*member.system, positions_of(member, sample), threadIdx.x % 32, rooms[threadIdx.x / 32], 0, true};
    Observed sums = no_sums();
    const u32 beads = member.system->beads;
    if constexpr (!BOXED) {
        warp.each(0, beads, [&](u32 bead, bool, u32) { warp.sound &= is_finite(warp.positions[bead]); });
    }
    measure(Terms::Bonded(), warp, sums);
    measure(Terms::Pairs(), warp, sums);
    measure(Terms::Angles(), warp, sums);
    measure(Terms::Singles(), warp, sums);
    if constexpr (BY_MOLECULES) {
        measure_molecules(warp, sums);
    } else {
        sums.radius_of_gyration = warp.radius_of_gyration(0, beads);
    }
    if constexpr (MOVING) sums.twice_kinetic_energy = warp.twice_kinetic_energy(velocities_of(member, sample), 0, beads);
    sums.native_contacts = warp.held;
    sums.sound = !__any_sync(ALL_LANES, !warp.sound);
    if (warp.lane == 0) task.observed[member.first_sample + sample] = sums;
}
