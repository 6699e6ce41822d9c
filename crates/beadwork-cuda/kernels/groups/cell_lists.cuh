// Lists of neighbours in the grid plan. Outer lists reach far beyond the cutoff and are seldom made: each slot tests the beads of
// the cells around it. The inner lists that steps read are pruned from them whenever a bead has moved by half of what inner lists
// reach beyond the cutoff. Cells have sides not shorter than the radius of outer lists.

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
    // Whether there are outer lists.
    bool has_outer;

    // Finds outer lists anew if a bead has moved too far for them. All threads of the member take part.
    template <typename Group> __device__ __forceinline__ void prepare(Group &group, const real4 *rows)
    {
        if (has_outer && !group.barrier.wait(are_outdated(group, rows))) return;
        has_outer = true;
        CellSort<false>{grid.cells, flags}.sort(group, rows, [&](u32 place, u32 bead, real4 row) {
            row.w = of_bits(bead);
            grid.cells.sorted[place] = row;
            grid.cells.references[bead] = row;
        });
        group.each([&](u32 turn) {
            if (!group.find_has(turn)) return;
            const Slot slot = group.find_me(turn);
            grid.cells.outer_counts[slot.number] = find_outer(group.system, slot, RowPositions{rows}, &flags->overflow);
        });
    }

    template <typename Group> __device__ __forceinline__ bool are_outdated(Group &group, const real4 *rows) const
    {
        bool outdated = false;
        each_bead(group, [&](u32 bead) { outdated |= square_distance(group.system, RowPositions{grid.cells.references}[bead], rows[bead]) > group.system.square_shift; });
        return outdated;
    }

    __device__ __forceinline__ Four *outer() const { return reinterpret_cast<Four *>(grid.cells.outer); }

    // Lists the neighbours of a slot within the radius of inner lists, in the order of its outer list; returns the number of fours.
    __device__ __forceinline__ u32 find(const System &system, const Slot &me, const RowPositions &positions, Four *list, u32 *most) const
    {
        if constexpr (SEARCH != Search::LIST) return 0;
        const Particle here = positions.particle(me.bead);
        const real *const radii = system.square_inners + here.type * system.types;
        GrowingList growing = {list, 0};
        ListedBeads(positions, me, outer(), grid.cells.outer_counts[me.number]).each([&](const Four &four, const Particle *others) {
#pragma unroll
            for (u32 k = 0; k < 4; ++k) {
                // In a box, rows that belong to no bead are not beyond any cutoff.
                if (Space::WRAPS && !(four[k] < system.beads)) continue;
                const real radius = TYPED ? radii[others[k].type] : system.square_inner;
                if (space_of(system).separation(here.at, others[k].at, true).r2 < radius) growing.add(system, me, four[k]);
            }
        });
        return growing.finish(system, me, most);
    }

    // Lists the neighbours of a slot within the radius of outer lists, ascending in open space; returns the number of fours.
    __device__ __forceinline__ u32 find_outer(const System &system, const Slot &me, const RowPositions &positions, u32 *most) const
    {
        if constexpr (SEARCH != Search::LIST) return 0;
        const CellSort<false> cells = {grid.cells, flags};
        const Vector here = positions[me.bead];
        const real *const radii = system.square_lists + (TYPED ? system.type_of[me.bead] * system.types : 0);
        GrowingList growing = {outer(), 0};
        const auto test = [&](const real4 &other) {
            const u32 bead = static_cast<u32>(bits_of(other.w));
            const real square = square_distance(system, here, other);
            if (!(square < system.square_list) || bead == me.bead) return;
            if (TYPED && !(square < radii[system.type_of[bead]])) return;
            if (!is_excluded(system, me, bead)) growing.add_bead(system, me, bead);
        };
        const auto test_all = [&](u32 begin, u32 end) {
            // In a box, where sums have no order, the four slots of a bead share its neighbours evenly.
            constexpr u32 APART = Space::WRAPS ? PARTIAL_SUMS : 1, LOADED = 4;
            for (u32 first = begin + (Space::WRAPS ? me.part : 0); first < end; first += LOADED * APART) {
                real4 others[LOADED];
#pragma unroll
                for (u32 k = 0; k < LOADED; ++k) others[k] = grid.cells.sorted[min(first + k * APART, end - 1)];
#pragma unroll
                for (u32 k = 0; k < LOADED; ++k) {
                    if (first + k * APART < end) test(others[k]);
                }
            }
        };
        const u32 *const sides = grid.cells.sides;
        const CellRuns x = cells_around(cells.along(here.x, 0), sides[0]);
        const CellRuns y = cells_around(cells.along(here.y, 1), sides[1]);
        const CellRuns z = cells_around(cells.along(here.z, 2), sides[2]);
        each_cell(z, [&](u32 plane) {
            each_cell(y, [&](u32 line) {
                const u32 first = cells.number(0, line, plane, me.part);
                for (u32 run = 0; run < 2; ++run) {
                    if (x.begins[run] < x.ends[run]) test_all(cells.start_of(first + x.begins[run]), cells.start_of(first + x.ends[run]));
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

    // Sorts a list by Shell's method with the gaps of M. Ciura, Fundamentals of Computation Theory (2001), 106.
    static __device__ __forceinline__ void put_in_order(GrowingList &growing, const System &system, const Slot &me)
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

__device__ __forceinline__ NeighbourSearch search_of(const Launch &launch, SharedFlags *flags) { return {{grid_of(launch), flags, nullptr}, false}; }
