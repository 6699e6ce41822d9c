// Lists of neighbours in the grid plan: each slot tests the beads of the cells around it. Cells have sides not shorter than the
// radius of lists.

// The cells along an axis in the neighbourhood of one: a run and, where that wraps around, a second one.
struct CellRuns {
    u32 begins[2], ends[2];
};

__device__ __forceinline__ CellRuns cells_around(u32 cell, u32 sides)
{
    if (sides < 4) return {{0, 0}, {sides, 0}};
    const u32 begin = cell > 0 ? cell - 1 : 0, end = min(cell + 2, sides);
    if (cell == 0) return {{begin, sides - 1}, {end, sides}};
    if (cell == sides - 1) return {{begin, 0}, {end, 1}};
    return {{begin, 0}, {end, 0}};
}

struct NeighbourSearch : BeadOrder {
    template <typename Group> __device__ __forceinline__ void sort(Group &group, const real4 *rows) const
    {
        CellSort<false>{grid.cells, flags}.sort(group, rows, [&](u32 place, u32 bead, real4 row) {
            row.w = of_bits(bead);
            grid.cells.sorted[place] = row;
        });
    }

    // Lists the neighbours of a slot within the list's radius, ascending in open space; returns the number of fours.
    __device__ __forceinline__ u32 find(const System &system, const Slot &me, const RowPositions &positions, Four *list, u32 *most) const
    {
        if constexpr (SEARCH != Search::LIST) return 0;
        const CellSort<false> cells = {grid.cells, flags};
        const Vector here = positions[me.bead];
        // The table may be in shared memory.
        const real *const radii = system.square_lists + (TYPED ? system.type_of[me.bead] * system.types : 0);
        GrowingList growing = {list, 0};
        const auto test = [&](u32 begin, u32 end) {
            // In a box, where sums have no order, the four slots of a bead share its neighbours evenly.
            const u32 step = Space::WRAPS ? PARTIAL_SUMS : 1;
            for (u32 k = begin + (Space::WRAPS ? me.part : 0); k < end; k += step) {
                const real4 other = grid.cells.sorted[k];
                const u32 bead = static_cast<u32>(bits_of(other.w));
                if (!Space::WRAPS && bead % PARTIAL_SUMS != me.part) continue;
                const real square = square_distance(system, here, other);
                if (!(square < system.square_list) || bead == me.bead) continue;
                if (TYPED && !(square < radii[system.type_of[bead]])) continue;
                if (!is_excluded(system, me, bead)) growing.add(system, me, bead);
            }
        };
        const u32 *const sides = grid.cells.sides;
        const CellRuns x = cells_around(cells.along(here.x, 0), sides[0]);
        const CellRuns y = cells_around(cells.along(here.y, 1), sides[1]);
        const CellRuns z = cells_around(cells.along(here.z, 2), sides[2]);
        each_cell(z, [&](u32 plane) {
            each_cell(y, [&](u32 line) {
                const u32 first = cells.number(0, line, plane);
                for (u32 run = 0; run < 2; ++run) {
                    if (x.begins[run] < x.ends[run]) test(cells.start_of(first + x.begins[run]), cells.start_of(first + x.ends[run]));
                }
            });
        });
        if constexpr (!Space::WRAPS) put_in_order(growing, system, me);
        return growing.finish(system, me, most);
    }

    template <typename Act> static __device__ __forceinline__ void each_cell(const CellRuns &runs, Act act)
    {
#pragma unroll 1
        for (u32 run = 0; run < 2; ++run) {
#pragma unroll 1
            for (u32 cell = runs.begins[run]; cell < runs.ends[run]; ++cell) act(cell);
        }
    }

    // Sorts a list by insertion: lists are short, and seldom made where their order counts.
    static __device__ __forceinline__ void put_in_order(GrowingList &growing, const System &system, const Slot &me)
    {
        const u32 kept = min(growing.found, system.list_capacity);
        for (u32 k = 1; k < kept; ++k) {
            const Neighbour partner = growing.at(me, k);
            u32 to = k;
            for (; to > 0 && growing.at(me, to - 1) > partner; --to) growing.at(me, to) = growing.at(me, to - 1);
            growing.at(me, to) = partner;
        }
    }
};

__device__ __forceinline__ NeighbourSearch search_of(const Launch &launch, SharedFlags *flags) { return {grid_of(launch), flags, nullptr}; }
