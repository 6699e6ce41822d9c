// Outer lists of the grid plan: each slot tests the beads of the cells around it.
#pragma once

#include "groups/cells.cuh"

// The cells along an axis in which a search finds beads: a run and, where that wraps around, a second one.
struct CellRuns {
    u32 begins[2], ends[2];
};

// The runs from cell `first` to cell `last`, both included.
__device__ __forceinline__ CellRuns runs_of(u32 first, u32 last, u32 sides)
{
    if (first <= last) return {{first, 0}, {last + 1, 0}};
    return {{first, 0}, {sides, last + 1}};
}

// The search of a slot.
struct OuterSearch {
    const System &system;
    const GridMember &grid;
    SharedFlags *flags;
    const real4 *rows;
    const Slot me;

    // Lists the neighbours of a slot within the radius of outer lists, ascending in open space; returns the number of fours.
    __device__ __forceinline__ u32 find() const
    {
        const CellSort<false> cells = {grid.cells, flags};
        const Vector here = RowPositions{rows}[me.bead];
        const real *const radii = system.square_lists + (TYPED ? system.type_of[me.bead] * system.types : 0);
        GrowingList growing(reinterpret_cast<Four *>(grid.cells.outer));
        // In a box, where sums have no order, the four slots of a bead share its neighbours evenly.
        constexpr u32 APART = Space::WRAPS ? PARTIAL_SUMS : 1, LOADED = 4;
        // Tests sorted beads: first all distances, without branches, then what is left, because the lanes of a warp find neighbours at
        // different candidates.
        const auto test_all = [&](u32 begin, u32 end, real farthest) {
            for (u32 first = begin + (Space::WRAPS ? me.part : 0); first < end; first += 32 * APART) {
                u32 near = 0;
#pragma unroll 1
                for (u32 k = 0; k < 32 && first + k * APART < end; k += LOADED) {
                    real4 others[LOADED];
#pragma unroll
                    for (u32 one = 0; one < LOADED; ++one) others[one] = grid.cells.sorted[min(first + (k + one) * APART, end - 1)];
                    u32 bits = 0;
#pragma unroll
                    for (u32 one = 0; one < LOADED; ++one) {
                        const bool is_near = square_distance(system, here, others[one]) < farthest && first + (k + one) * APART < end;
                        bits |= static_cast<u32>(is_near) << one;
                    }
                    near |= bits << k;
                }
                for (; near != 0; near &= near - 1) {
                    const real4 other = grid.cells.sorted[first + (__ffs(near) - 1) * APART];
                    const u32 bead = static_cast<u32>(bits_of(other.w));
                    if (bead == me.bead || (TYPED && !(square_distance(system, here, other) < radii[system.type_of[bead]]))) continue;
                    if (!is_excluded(system, me, bead)) growing.add_bead(system, me, bead);
                }
            }
        };
        // Searches the cells of a kind of beads, of which none is a neighbour beyond `farthest`, the square of a distance.
        const auto search = [&](u32 kind, real farthest) {
            if (!(real(0) < farthest)) return;
            // Slightly more, against rounding.
            const real radius = real(1.001f) * root(farthest);
            const CellRuns x = cells_around(here, 0, radius), y = cells_around(here, 1, radius), z = cells_around(here, 2, radius);
            each_cell(z, [&](u32 plane) {
                each_cell(y, [&](u32 line) {
                    const u32 first = cells.number(0, line, plane, kind);
                    for (u32 run = 0; run < 2; ++run) {
                        if (x.begins[run] < x.ends[run]) test_all(cells.start_of(first + x.begins[run]), cells.start_of(first + x.ends[run]), farthest);
                    }
                });
            });
        };
        if constexpr (TYPED) {
#pragma unroll 1
            for (u32 kind = 0; kind < (Space::WRAPS ? cells.KINDS : 1); ++kind) {
                real farthest = 0;
                for (u32 type = 0; type < system.types; ++type) {
                    if (!Space::WRAPS || cells.kind_of_type(system, type) == kind) farthest = max(farthest, radii[type]);
                }
                search(Space::WRAPS ? kind : me.part, farthest);
            }
        } else {
            search(Space::WRAPS ? 0 : me.part, system.square_list);
        }
        const Listed listed = growing.finish(system, me);
        if (listed.wanted) atomicMax(&flags->overflow, listed.wanted);
#ifdef __CUDACC_RTC__
        // Fours were written as words, and are read as entries.
        asm volatile("" ::: "memory");
#endif
        if constexpr (!Space::WRAPS) put_in_order(growing);
        return listed.fours;
    }

    // The cells along an axis that are not farther than a radius from a position.
    __device__ __forceinline__ CellRuns cells_around(const Vector &here, u32 axis, real radius) const
    {
        const u32 sides = grid.cells.sides[axis];
        const real at = component(here, axis);
#if BOXED
        const BoxAxis along = space_of(system).axis(axis);
        const real reach = radius * along.parts, all = real(4) * along.quarter;
        if (!(real(2) * reach < all - all / static_cast<real>(sides))) return {{0, 0}, {sides, 0}};
        const CellSort<false> cells = {grid.cells, flags};
        const Bits parts = rounded(reach);
        return runs_of(cells.along(of_bits(bits_of(at) - parts), axis), cells.along(of_bits(bits_of(at) + parts), axis), sides);
#else
        const double middle = at, reach = radius, per_length = grid.cells.per_length;
        const int first = __double2int_rd((middle - reach) * per_length), last = __double2int_rd((middle + reach) * per_length);
        if (last - first + 1 >= static_cast<int>(sides)) return {{0, 0}, {sides, 0}};
        return runs_of(first & (sides - 1), last & (sides - 1), sides);
#endif
    }

    template <typename Act> static __device__ __forceinline__ void each_cell(const CellRuns &runs, Act act)
    {
#pragma unroll 1
        for (u32 run = 0; run < 2; ++run) {
#pragma unroll 1
            for (u32 cell = runs.begins[run]; cell < runs.ends[run]; ++cell) act(cell);
        }
    }

    // Sorts a list by Shell's method with the gaps of M. Ciura, Fundamentals of Computation Theory (2001), 106.
    __device__ __forceinline__ void put_in_order(GrowingList &growing) const
    {
        const u32 kept = min(growing.found, system.list_capacity);
#pragma unroll 1
        for (u32 gap : {132u, 57u, 23u, 10u, 4u, 1u}) {
            for (u32 k = gap; k < kept; ++k) {
                const Neighbour partner = growing.at(me, k);
                u32 to = k;
                for (; to >= gap && growing.at(me, to - gap) > partner; to -= gap) growing.at(me, to) = growing.at(me, to - gap);
                growing.at(me, to) = partner;
            }
        }
    }
};

// Lists the neighbours of a slot; returns the number of fours. It is seldom called, and by itself takes no registers from steps.
__device__ __noinline__ u32 find_outer(const System *system, const GridMember *grid, SharedFlags *flags, const real4 *rows, Slot me)
{
    return OuterSearch{*system, *grid, flags, rows, me}.find();
}
