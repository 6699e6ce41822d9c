// The kernels that measure the samples of large systems (`beadwork_model::sums` has the order of their sums).
//
// Beads are entered into cells; warps add the pairs of a bead each and find the size of a molecule each; warps add a run of
// things each; and a warp adds the runs of a sample.
#pragma once

#include "observables/near.cuh"
#include "observables/terms.cuh"
#include "observables/unwrap.cuh"

// The member and the sample to which a thread or a warp belongs, and its number among those of the sample. Each sample has whole
// blocks.
struct Share {
    u32 member, sample, number;
};

__device__ __forceinline__ Share share_of(const Observation &task, u32 number_in_block, u32 of_block, u32 of_sample)
{
    const u32 blocks = (of_sample + of_block - 1) / of_block, of_all = blockIdx.x / blocks;
    return {of_all / task.most_samples, of_all % task.most_samples, blockIdx.x % blocks * of_block + number_in_block};
}

__device__ __forceinline__ Share thread_share(const Observation &task, u32 of_sample) { return share_of(task, threadIdx.x, THREADS, of_sample); }
__device__ __forceinline__ Share warp_share(const Observation &task, u32 of_sample) { return share_of(task, threadIdx.x / 32, WARPS, of_sample); }

// Whether the member reached the sample.
__device__ __forceinline__ bool is_reached(const Observation &task, const Share &share)
{
    if (share.member >= task.members_count) return false;
    return share.sample < task.outcomes[share.member * task.outcome_words] && share.sample < task.members[share.member].samples;
}

// Clears the cells.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_clear(const __grid_constant__ Observation task)
{
    const Share share = thread_share(task, task.most_cells);
    if (!is_reached(task, share)) return;
    const ObservedMember &member = task.members[share.member];
    const Workspace workspace = workspace_of(member, share.sample);
    const u32 *const cells = member.system->search.cells;
    if (share.number < cells[0] * cells[1] * cells[2]) workspace.heads[share.number] = NO_BEAD;
    if (share.number == 0) *workspace.unsound = *workspace.held = 0;
}

// Enters each bead into its cell.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_enter(const __grid_constant__ Observation task)
{
    const Share share = thread_share(task, task.most_beads);
    if (!is_reached(task, share)) return;
    const ObservedMember &member = task.members[share.member];
    const u32 bead = share.number;
    if (bead >= member.system->beads) return;
    const Workspace workspace = workspace_of(member, share.sample);
    if (!BOXED && !is_finite(positions_of(member, share.sample)[bead])) *workspace.unsound = 1;
    const sampled *const at = member.positions + 3 * (static_cast<u64>(share.sample) * member.system->beads + bead);
    const Search &search = member.system->search;
    const u32 cell = number_of(search, place(search, 0, at[0]), place(search, 1, at[1]), place(search, 2, at[2]));
    workspace.nexts[bead] = atomicExch(&workspace.heads[cell], bead);
}

// Adds a pair term between bead i and some beads in ascending order.
template <typename Formula, typename Energy>
__device__ __forceinline__ void add_partners(const Warp &warp, u32 term, u32 i, const u32 *partners, u32 count, Vector &sums)
{
    typedef TypePair<Formula, Energy> Entry;
    const ObservedSystem &system = warp.system;
    const Entry *const table = static_cast<const Entry *>(system.pairs[term]);
    const Entry *const row = TYPED ? table + system.type_of[i] * system.types : table;
    const Vector here = warp.positions[i];
    warp.each(0, count, [&](u32 number, bool has, u32) {
        const u32 j = partners[number];
        const Entry &entry = TYPED ? row[system.type_of[j]] : *row;
        const double square = squared_distance(system, here, warp.positions[j]);
        const bool near = has && square < entry.square_cutoff;
        if (__any_sync(ALL_LANES, near)) warp.add_pairs(near, square, entry, sums);
    });
}

template <typename... T> __device__ __forceinline__ Vector sum_of_row(Pairs<T...>, const Warp &warp, u32 i, const u32 *partners, u32 count)
{
    Vector sum = nothing();
    u32 term = 0;
    (add_partners<typename T::Formula, typename T::Energy>(warp, term++, i, partners, count, sum), ...);
    return sum;
}

template <typename... T> __device__ constexpr bool has_terms(Pairs<T...>) { return sizeof...(T) > 0; }

// The things with a warp of their own: molecules, then beads with their pairs.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_things(const __grid_constant__ Observation task)
{
    __shared__ double rooms[WARPS][3 * 32];
    __shared__ u32 found[WARPS][MOST_NEAR], ordered[WARPS][MOST_PARTNERS];
    const u32 own = threadIdx.x / 32;
    const Share share = warp_share(task, task.most_things);
    if (!is_reached(task, share)) return;
    const ObservedMember &member = task.members[share.member];
    const ObservedSystem &system = *member.system;
    const Workspace workspace = workspace_of(member, share.sample);
    const Warp warp = {system, positions_of(member, share.sample), threadIdx.x % 32, rooms[own], 0, true};
    const u32 molecules = BY_MOLECULES ? system.molecule_count : 1;
    if (share.number < molecules) {
        const Vector size = BY_MOLECULES ? warp.size(system.molecules[share.number].first, system.molecules[share.number].end)
                                         : Vector{warp.radius_of_gyration(0, system.beads), 0, 0};
        if (warp.lane == 0) workspace.molecules[share.number] = size;
        return;
    }
    if constexpr (has_terms(Terms::Pairs())) {
        const u32 i = share.number - molecules;
        if (i >= system.beads) return;
        const sampled *const at = member.positions + 3 * (static_cast<u64>(share.sample) * system.beads + i);
        const u32 count = partners_of(Terms::Pairs(), warp, workspace, at, i, found[own], ordered[own]);
        if (count > MOST_PARTNERS) {
            if (warp.lane == 0) *workspace.unsound = 1;
            return;
        }
        const Vector sum = sum_of_row(Terms::Pairs(), warp, i, ordered[own], count);
        if (warp.lane == 0) workspace.rows[i] = sum;
    }
}

// The runs of lists of things, one list after another.
struct Runs {
    // The number of a run, in the first list at first.
    u32 number;
    // Its things.
    u32 first, end;

    // Whether the run is in the next list, of `count` things.
    __device__ __forceinline__ bool are_of(u64 count)
    {
        const u32 runs = static_cast<u32>((count + RUN - 1) / RUN);
        if (number >= runs) {
            number -= runs;
            return false;
        }
        first = RUN * number;
        end = min(static_cast<u32>(count), first + RUN);
        return true;
    }
};

__device__ __forceinline__ Vector add_vectors(const Warp &warp, const Vector *vectors, u32 first, u32 end, Vector sum)
{
    warp.each(first, end, [&](u32 number, bool, u32 count) { warp.add(count, vectors[number], sum); });
    return sum;
}

template <typename... T> __device__ __forceinline__ bool add_run(Bonded<T...>, Warp &warp, Runs &runs, Vector &sum)
{
    u32 term = 0;
    const auto is_here = [&] { return runs.are_of(warp.system.bonded[term++].count); };
    return (false || ... || (is_here() && (sum = warp.bonded<typename T::Formula, typename T::Energy>(term - 1, runs.first, runs.end), true)));
}

template <typename... T> __device__ __forceinline__ bool add_run(Angles<T...>, const Warp &warp, Runs &runs, Vector &sum)
{
    u32 term = 0;
    const auto is_here = [&] { return runs.are_of(warp.system.angles[term++].count); };
    return (false || ... || (is_here() && (sum.x = warp.angles<T>(term - 1, runs.first, runs.end), true)));
}

template <typename... T> __device__ __forceinline__ bool add_run(Singles<T...>, const Warp &warp, Runs &runs, Vector &sum)
{
    u32 term = 0;
    const auto is_here = [&] { return runs.are_of(warp.system.singles[term++].count); };
    return (false || ... || (is_here() && (sum.x = warp.singles<T>(term - 1, runs.first, runs.end), true)));
}

extern "C" __global__ void __launch_bounds__(THREADS) beadwork_runs(const __grid_constant__ Observation task)
{
    __shared__ double rooms[WARPS][3 * 32];
    const Share share = warp_share(task, task.most_runs);
    if (!is_reached(task, share)) return;
    const ObservedMember &member = task.members[share.member];
    const ObservedSystem &system = *member.system;
    const Workspace workspace = workspace_of(member, share.sample);
    Warp warp = {system, positions_of(member, share.sample), threadIdx.x % 32, rooms[threadIdx.x / 32], 0, true};
    Runs runs = {share.number, 0, 0};
    Vector sum = nothing();
    if (!add_run(Terms::Bonded(), warp, runs, sum) && !add_run(Terms::Angles(), warp, runs, sum) && !add_run(Terms::Singles(), warp, runs, sum)) {
        if (has_terms(Terms::Pairs()) && runs.are_of(system.beads)) {
            sum = add_vectors(warp, workspace.rows, runs.first, runs.end, sum);
        } else if (runs.are_of(BY_MOLECULES ? system.molecule_count : 1)) {
            sum = add_vectors(warp, workspace.molecules, runs.first, runs.end, sum);
        } else if (MOVING && runs.are_of(system.beads)) {
            sum.x = warp.twice_kinetic_energy(velocities_of(member, share.sample), runs.first, runs.end);
        } else {
            return;
        }
    }
    const bool sound = !__any_sync(ALL_LANES, !warp.sound);
    if (warp.lane > 0) return;
    workspace.sums[share.number] = sum;
    if (!sound) *workspace.unsound = 1;
    if (warp.held > 0) atomicAdd(workspace.held, warp.held);
}

// Adds the runs of lists, one list after another.
struct ListSums {
    const Warp &warp;
    const Vector *sums;
    u32 first;

    // Adds those of the next list, of `count` things.
    __device__ __forceinline__ Vector add(u64 count, Vector sum)
    {
        const u32 end = first + static_cast<u32>((count + RUN - 1) / RUN);
        sum = add_vectors(warp, sums, first, end, sum);
        first = end;
        return sum;
    }
};

template <typename... T> __device__ __forceinline__ void measure(Bonded<T...>, ListSums &lists, Observed &sums)
{
    u32 term = 0;
    const auto add = [&](double &energy) {
        const Vector of_term = lists.add(lists.warp.system.bonded[term++].count, nothing());
        energy += of_term.x;
        if constexpr (BOXED) sums.virial += of_term.y;
    };
    (add(energy_of<T::KIND>(sums)), ...);
}

template <typename... T> __device__ __forceinline__ void measure(Angles<T...>, ListSums &lists, Observed &sums)
{
    for (u32 term = 0; term < sizeof...(T); ++term) sums.angles += lists.add(lists.warp.system.angles[term].count, nothing()).x;
}

template <typename... T> __device__ __forceinline__ void measure(Singles<T...>, ListSums &lists, Observed &sums)
{
    for (u32 term = 0; term < sizeof...(T); ++term) sums.singles += lists.add(lists.warp.system.singles[term].count, nothing()).x;
}

// Adds the runs of a sample.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_observe(const __grid_constant__ Observation task)
{
    __shared__ double rooms[WARPS][3 * 32];
    const Share share = warp_share(task, 1);
    if (share.number > 0 || !is_reached(task, share)) return;
    const ObservedMember &member = task.members[share.member];
    const ObservedSystem &system = *member.system;
    const Workspace workspace = workspace_of(member, share.sample);
    const Warp warp = {system, positions_of(member, share.sample), threadIdx.x % 32, rooms[threadIdx.x / 32], 0, true};
    Observed sums = no_sums();
    ListSums lists = {warp, workspace.sums, 0};
    measure(Terms::Bonded(), lists, sums);
    measure(Terms::Angles(), lists, sums);
    measure(Terms::Singles(), lists, sums);
    if constexpr (has_terms(Terms::Pairs())) {
        const Vector of_pairs = lists.add(system.beads, Vector{sums.pairs, sums.charges, sums.virial});
        sums.pairs = of_pairs.x;
        sums.charges = of_pairs.y;
        sums.virial = of_pairs.z;
    }
    const double molecules = BY_MOLECULES ? system.molecule_count : 1;
    const Vector sizes = lists.add(BY_MOLECULES ? system.molecule_count : 1, nothing());
    sums.radius_of_gyration = sizes.x / molecules;
    sums.radius_of_gyration_by_mass = sizes.y / molecules;
    sums.end_to_end = sizes.z / molecules;
    if constexpr (MOVING) sums.twice_kinetic_energy = lists.add(system.beads, nothing()).x;
    sums.native_contacts = *workspace.held;
    sums.sound = *workspace.unsound == 0;
    if (warp.lane == 0) task.observed[member.first_sample + share.sample] = sums;
}
