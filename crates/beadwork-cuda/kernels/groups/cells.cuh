// The neighbour search of the grid plan: the blocks sort the beads by cells whose sides are not shorter than the radius of
// lists, and each slot tests the beads of the cells around it. Cells wrap around: in open space, cells far from each other
// may be one, whose beads the test of the distance tells apart.

// The number of the cell along an axis.
__device__ __forceinline__ u32 cell_along(real coordinate, u32 sides, [[maybe_unused]] double per_length)
{
#if BOXED && DOUBLE
    return static_cast<u32>(__umul64hi(bits_of(coordinate), sides));
#elif BOXED
    return __umulhi(bits_of(coordinate), sides);
#else
    return static_cast<u32>(__double2int_rd(coordinate * per_length)) & (sides - 1);
#endif
}

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

// Sums of values of the threads before this one; `total` becomes the sum over the block. All threads take part.
__device__ __forceinline__ u32 sum_before(u32 value, SharedFlags *flags, u32 &total)
{
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 sum = value;
    for (u32 apart = 1; apart < 32; apart *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, sum, apart);
        if (lane >= apart) sum += other;
    }
    __syncthreads();
    if (lane == 31) flags->warps[warp] = sum;
    __syncthreads();
    u32 before = 0;
    total = 0;
    for (u32 other = 0; other < blockDim.x / 32; ++other) {
        if (other < warp) before += flags->warps[other];
        total += flags->warps[other];
    }
    return before + sum - value;
}

struct NeighbourSearch {
    const GridMember &grid;
    SharedFlags *flags;
    const u32 *order;

    __device__ __forceinline__ u32 bead(const System &, u32 place) const { return __ldg(order + place); }

    __device__ __forceinline__ u32 cell_of(const real4 &at) const
    {
        const Cells &cells = grid.cells;
        const u32 x = cell_along(at.x, cells.sides[0], cells.per_length), y = cell_along(at.y, cells.sides[1], cells.per_length);
        return (cell_along(at.z, cells.sides[2], cells.per_length) * cells.sides[1] + y) * cells.sides[0] + x;
    }

    // The first of the beads of a cell among those sorted. Behind the last cell there is an empty one.
    __device__ __forceinline__ u32 start_of(u32 cell) const { return beads_before(flags)[cell >> grid.cells.bits] + grid.cells.starts[cell]; }

    // Calls `act` for the beads of this thread, each in one of its lanes.
    template <typename Group, typename Act> static __device__ __forceinline__ void each_bead(Group &group, Act act)
    {
        group.each([&](u32 turn) {
            const Slot slot = group.me(turn);
            if (group.has(turn) && slot.part == 0) act(slot.bead);
        });
    }

    // Sorts the beads at these positions by cells. All blocks take part.
    template <typename Group> __device__ __forceinline__ void sort(Group &group, const real4 *rows) const
    {
        const Cells &cells = grid.cells;
        each_bead(group, [&](u32 bead) { cells.ranks[bead] = atomicAdd(cells.counts + cell_of(rows[bead]), 1u); });
        group.barrier.meet();
        sum_up_cells(group.rank);
        group.barrier.meet();
        find_beads_before(group.barrier.blocks);
        each_bead(group, [&](u32 bead) {
            real4 row = rows[bead];
            const u32 to = start_of(cell_of(row)) + cells.ranks[bead];
            row.w = of_bits(bead);
            cells.sorted[to] = row;
        });
        group.barrier.meet();
    }

    // Sums up the beads in the cells of this block, and clears their counts for the next search.
    __device__ __forceinline__ void sum_up_cells(u32 rank) const
    {
        const Cells &cells = grid.cells;
        const u32 share = 1u << cells.bits, each = (share + blockDim.x - 1) / blockDim.x;
        const u32 begin = min(threadIdx.x * each, share), end = min(begin + each, share), first = rank << cells.bits;
        u32 count = 0, total;
        for (u32 cell = first + begin; cell < first + end; ++cell) count += cells.counts[cell];
        u32 before = sum_before(count, flags, total);
        for (u32 cell = first + begin; cell < first + end; ++cell) {
            cells.starts[cell] = before;
            before += cells.counts[cell];
            cells.counts[cell] = 0;
        }
        if (threadIdx.x == 0) cells.totals[rank] = total;
    }

    // Sums up the beads of the blocks before each block.
    __device__ __forceinline__ void find_beads_before(u32 blocks) const
    {
        u32 before = 0;
        for (u32 first = 0; first < blocks; first += blockDim.x) {
            const u32 block = first + threadIdx.x;
            u32 total;
            const u32 sum = sum_before(block < blocks ? grid.cells.totals[block] : 0, flags, total);
            if (block < blocks) beads_before(flags)[block] = before + sum;
            before += total;
        }
        __syncthreads();
    }

    // Lists the neighbours of a slot within the list's radius, ascending in open space; returns the number of fours.
    __device__ __forceinline__ u32 find(const System &system, const Slot &me, const RowPositions &positions, Four *list, u32 *most) const
    {
        if constexpr (SEARCH != Search::LIST) return 0;
        const Cells &cells = grid.cells;
        const real4 row = positions.rows[me.bead];
        const Vector here = {row.x, row.y, row.z};
        // The table may be in shared memory.
        const real *const radii = system.square_lists + (TYPED ? positions.particle(me.bead).type * system.types : 0);
        GrowingList growing = {list, 0};
        const auto test = [&](u32 begin, u32 end) {
            // In a box, where sums have no order, the four slots of a bead share its neighbours evenly.
            const u32 step = Space::WRAPS ? PARTIAL_SUMS : 1;
            for (u32 k = begin + (Space::WRAPS ? me.part : 0); k < end; k += step) {
                const real4 other = cells.sorted[k];
                const u32 bead = static_cast<u32>(bits_of(other.w));
                if (!Space::WRAPS && bead % PARTIAL_SUMS != me.part) continue;
                const real square = space_of(system).separation(here, Vector{other.x, other.y, other.z}, true).r2;
                if (!(square < system.square_list) || bead == me.bead) continue;
                if (TYPED && !(square < radii[system.type_of[bead]])) continue;
                if (!is_excluded(system, me, bead)) growing.add(system, me, bead);
            }
        };
        const u32 *const sides = cells.sides;
        const CellRuns x = cells_around(cell_along(row.x, sides[0], cells.per_length), sides[0]);
        const CellRuns y = cells_around(cell_along(row.y, sides[1], cells.per_length), sides[1]);
        const CellRuns z = cells_around(cell_along(row.z, sides[2], cells.per_length), sides[2]);
        each_cell(z, [&](u32 plane) {
            each_cell(y, [&](u32 line) {
                const u32 first = (plane * sides[1] + line) * sides[0];
                for (u32 run = 0; run < 2; ++run) {
                    if (x.begins[run] < x.ends[run]) test(start_of(first + x.begins[run]), start_of(first + x.ends[run]));
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

    static __device__ __forceinline__ bool is_excluded(const System &system, const Slot &me, u32 partner)
    {
        const u32 slot = PARTIAL_SUMS * me.bead + partner % PARTIAL_SUMS;
        const u32 *const entries = static_cast<const u32 *>(system.excluded.entries);
        bool found = false;
        for (u32 k = 0, count = system.excluded.counts[slot]; k < count; ++k) found |= entries[k * me.count + slot] == partner;
        return found;
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

__device__ __forceinline__ NeighbourSearch search_of(const Launch &launch, SharedFlags *flags) { return {grid_of(launch), flags, grid_of(launch).order}; }
