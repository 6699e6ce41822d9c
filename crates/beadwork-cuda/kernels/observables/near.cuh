// The search for near pairs in a sample of a large system, by lists of the beads in cells.
#pragma once

#include "observables/warp.cuh"

// In place of a bead.
constexpr u32 NO_BEAD = 0xffffffffu;
// The most partners of a bead, and the most beads within the largest cutoff of it, for which a warp has room. The host measures
// samples with more.
constexpr u32 MOST_PARTNERS = 512, MOST_NEAR = 1024;

// The memory for measurements of a sample.
struct Workspace {
    // Whether the host must measure the sample; native contacts that hold.
    u32 *unsound, *held;
    // The last bead that was entered into each cell, and the one before each bead.
    u32 *heads, *nexts;
    // The sums of each bead's pairs, the size of each molecule, the sums of runs.
    Vector *rows, *molecules, *sums;
};

__device__ __forceinline__ Workspace workspace_of(const ObservedMember &member, u32 sample)
{
    const Search &search = member.system->search;
    char *const first = member.workspace + sample * search.bytes;
    const auto vectors = [&](u64 offset) { return reinterpret_cast<Vector *>(first + offset); };
    const auto numbers = [&](u64 offset) { return reinterpret_cast<u32 *>(first + offset); };
    return {numbers(0), numbers(4), numbers(search.heads), numbers(search.nexts), vectors(search.rows), vectors(search.molecules), vectors(search.sums)};
}

// The place of a cell along an axis in which a coordinate lies.
__device__ __forceinline__ u32 place(const Search &search, u32 axis, sampled coordinate)
{
    const u32 count = search.cells[axis];
#if BOXED
    // Whole cells of the upper bits of a fraction: adjacent cells are adjacent beyond the side of the box too.
    return __umulhi(static_cast<u32>(static_cast<u64>(fraction_of(coordinate)) >> (8 * sizeof(Fraction) - 32)), count);
#else
    const double cell = floor(static_cast<double>(coordinate) * search.inverse_edge);
    // Far cells share places; those of what is not a number do not matter.
    return static_cast<u32>(static_cast<long long>(fmax(fmin(cell, 4e18), -4e18))) & (count - 1);
#endif
}

__device__ __forceinline__ u32 number_of(const Search &search, u32 x, u32 y, u32 z) { return (x * search.cells[1] + y) * search.cells[2] + z; }

// Whether two beads may be within the largest cutoff. A product in place of the quotient in `apart` gives another image only
// where both are half a side away.
__device__ __forceinline__ bool may_be_near(const ObservedSystem &system, const Vector &a, const Vector &b)
{
    Vector apart = a - b;
#if BOXED
    const Vector &sides = system.sides, &inverse = system.search.inverse_sides;
    apart = {apart.x - sides.x * rint(apart.x * inverse.x), apart.y - sides.y * rint(apart.y * inverse.y), apart.z - sides.z * rint(apart.z * inverse.z)};
#endif
    return dot(apart, apart) < system.search.square_edge;
}

// Whether a pair term acts between a bead and another one at the square of a distance.
template <typename Formula, typename Energy> __device__ __forceinline__ bool acts(const ObservedSystem &system, u32 term, u32 i, u32 j, double square)
{
    const TypePair<Formula, Energy> *const table = static_cast<const TypePair<Formula, Energy> *>(system.pairs[term]);
    return square < (TYPED ? table + system.type_of[i] * system.types + system.type_of[j] : table)->square_cutoff;
}

template <typename... T> __device__ __forceinline__ bool any_acts(Pairs<T...>, const ObservedSystem &system, u32 i, u32 j, double square)
{
    u32 term = 0;
    bool any = false;
    ((any |= acts<typename T::Formula, typename T::Energy>(system, term++, i, j, square)), ...);
    return any;
}

__device__ __forceinline__ bool is_excluded(const Search &search, u32 i, u32 j)
{
    bool excluded = false;
#pragma unroll 1
    for (u32 at = search.excluded_starts[i]; at < search.excluded_starts[i + 1]; ++at) excluded |= search.excluded[at] == j;
    return excluded;
}

// The list in which a lane searches: that of a cell around a bead; of fewer than three cells along a side none is searched
// twice.
__device__ __forceinline__ u32 first_of_cell(const Warp &warp, const Workspace &workspace, const sampled *at)
{
    const Search &search = warp.system.search;
    const u32 steps[3] = {warp.lane / 9, warp.lane / 3 % 3, warp.lane % 3};
    u32 places[3];
    bool searches = warp.lane < 27;
    for (u32 axis = 0; axis < 3; ++axis) {
        const u32 count = search.cells[axis];
        searches &= steps[axis] < count;
        const u32 near = place(search, axis, at[axis]) + steps[axis] + count - 1;
        places[axis] = near >= count ? near - count >= count ? near - 2 * count : near - count : near;
    }
    return searches ? workspace.heads[number_of(search, places[0], places[1], places[2])] : NO_BEAD;
}

// Puts the values of those lanes that have one behind the first `count` values, as long as they are fewer than `most`.
__device__ __forceinline__ void append(const Warp &warp, bool has, u32 value, u32 *values, u32 &count, u32 most)
{
    const u32 lanes = __ballot_sync(ALL_LANES, has), place = count + __popc(lanes & ((1u << warp.lane) - 1));
    if (has && place < most) values[place] = value;
    count += __popc(lanes);
}

// Finds the beads j > i on which pair terms act with bead i, and puts them in ascending order. `found` has room for MOST_NEAR
// beads, `ordered` for MOST_PARTNERS. Returns their number, or a larger number than MOST_PARTNERS if there is no room.
template <typename Terms> __device__ __forceinline__ u32 partners_of(Terms terms, const Warp &warp, const Workspace &workspace, const sampled *at, u32 i, u32 *found, u32 *ordered)
{
    const ObservedSystem &system = warp.system;
    const Vector here = warp.positions[i];
    u32 near = 0, j = first_of_cell(warp, workspace, at);
    while (__any_sync(ALL_LANES, j != NO_BEAD)) {
        const u32 next = j != NO_BEAD ? workspace.nexts[j] : NO_BEAD;
        const bool is_near = j != NO_BEAD && j > i && may_be_near(system, here, warp.positions[j]);
        append(warp, is_near, j, found, near, MOST_NEAR);
        j = next;
    }
    __syncwarp();
    if (near > MOST_NEAR) return near;
    u32 count = 0;
    warp.each(0, near, [&](u32 number, bool has, u32) {
        const u32 other = found[number];
        const bool is_partner = has && any_acts(terms, system, i, other, squared_distance(system, here, warp.positions[other])) && !is_excluded(system.search, i, other);
        // Those that stay take places of beads that all lanes have read.
        __syncwarp();
        append(warp, is_partner, other, found, count, MOST_NEAR);
        __syncwarp();
    });
    if (count > MOST_PARTNERS) return count;
    for (u32 k = warp.lane; k < count; k += 32) {
        const u32 bead = found[k];
        u32 before = 0;
#pragma unroll 4
        for (u32 other = 0; other < count; ++other) before += found[other] < bead;
        ordered[before] = bead;
    }
    __syncwarp();
    return count;
}
