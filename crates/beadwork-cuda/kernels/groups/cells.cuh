// Cells in which the blocks of the grid plan sort the beads of a member. Their sides are about the radius of the search, or half of it
// where cells are crowded. Cells wrap around: in open space, cells far from each other may be one, whose beads the test of the distance tells apart.
#pragma once

#include "groups/grid.cuh"
#include "groups/quad_forces.cuh"

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

// The sum of values of the lanes of a warp up to this one. All lanes take part.
__device__ __forceinline__ u32 sum_up_to_lane(u32 value)
{
#pragma unroll
    for (u32 apart = 1; apart < 32; apart *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, value, apart);
        if (threadIdx.x % 32 >= apart) value += other;
    }
    return value;
}

// Sums of values of the threads before this one; `total` becomes the sum over the block. All threads take part.
__device__ __forceinline__ u32 sum_before(u32 value, SharedFlags *flags, u32 &total)
{
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u32 sum = sum_up_to_lane(value);
    __syncthreads();
    if (lane == 31) flags->warps[warp] = sum;
    __syncthreads();
    const u32 warps = sum_up_to_lane(lane < blockDim.x / 32 ? flags->warps[lane] : 0);
    total = __shfl_sync(0xffffffffu, warps, 31);
    const u32 before = __shfl_sync(0xffffffffu, warps, max(warp, 1u) - 1);
    return (warp > 0 ? before : 0) + sum - value;
}

// Calls `act` for the beads of this thread, each in one of its lanes.
template <typename Group, typename Act> __device__ __forceinline__ void each_bead(Group &group, Act act)
{
    group.each([&](u32 turn) {
        const Slot slot = group.find_me(turn);
        if (group.find_writes(turn) && slot.part == 0) act(slot.bead);
    });
}

// Cells of a brick along y and z.
constexpr u32 BRICK = 4;

// Beads sorted by cells: for lists row after row of cells, or brick after brick, so that beads next to each other in this
// order are also near each other along all axes.
template <bool IN_BRICKS> struct CellSort {
    const Cells &cells;
    SharedFlags *flags;

    __device__ __forceinline__ u32 along(real coordinate, u32 axis) const { return cell_along(coordinate, cells.sides[axis], cells.per_length); }

    // For lists, beads of several kinds have cells of their own. In open space these are the beads that add to the same partial sum,
    // because a slot searches only those. In a box they are beads on which only the first pair term acts, and the others, as those with
    // charges: their cutoffs may differ much.
    static constexpr u32 KINDS = !Space::WRAPS ? PARTIAL_SUMS : TYPED && SEARCH == Search::LIST ? 2 : 1;

    static __device__ __forceinline__ u32 kind_of_type(const System &system, u32 type) { return system.acting[type] > 1; }
    static __device__ __forceinline__ u32 kind_of(const System &system, u32 bead)
    {
        if constexpr (!Space::WRAPS) return bead % PARTIAL_SUMS;
        return KINDS > 1 ? kind_of_type(system, system.type_of[bead]) : 0;
    }

    __device__ __forceinline__ u32 number(u32 x, u32 y, u32 z, u32 kind = 0) const
    {
        if constexpr (!IN_BRICKS) return (((KINDS > 1 ? kind : 0) * cells.sides[2] + z) * cells.sides[1] + y) * cells.sides[0] + x;
        const u32 bricks = (cells.sides[1] + BRICK - 1) / BRICK;
        return ((z / BRICK * bricks + y / BRICK) * cells.sides[0] + x) * (BRICK * BRICK) + z % BRICK * BRICK + y % BRICK;
    }

    __device__ __forceinline__ u32 cell_of(const real4 &at, u32 kind = 0) const
    {
        return number(along(at.x, 0), along(at.y, 1), along(at.z, 2), kind);
    }

    // The first of the beads of a cell among those sorted. Behind the last cell there is an empty one.
    __device__ __forceinline__ u32 start_of(u32 cell) const { return beads_before(flags)[cell >> cells.bits] + cells.starts[cell]; }

    // Calls `put` with the place of each bead and its position. All blocks take part.
    template <typename Group, typename Put> __device__ __forceinline__ void sort(Group &group, const real4 *rows, Put put) const
    {
        each_bead(group, [&](u32 bead) {
            cells.ranks[bead] = atomicAdd(cells.counts + cell_of(rows[bead], kind_of(group.system, bead)), 1u);
        });
        group.barrier.meet();
        sum_up_cells(group.rank);
        group.barrier.meet();
        find_beads_before(group.barrier.blocks);
        each_bead(group, [&](u32 bead) {
            const real4 row = rows[bead];
            put(start_of(cell_of(row, kind_of(group.system, bead))) + cells.ranks[bead], bead, row);
        });
        group.barrier.meet();
    }

    // Sums up the beads in the cells of this block, and clears their counts for the next search.
    __device__ __forceinline__ void sum_up_cells(u32 rank) const
    {
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

    // Sums up the beads of the blocks before each block; returns those of all.
    __device__ __forceinline__ u32 find_beads_before(u32 blocks) const
    {
        u32 before = 0;
        for (u32 first = 0; first < blocks; first += blockDim.x) {
            const u32 block = first + threadIdx.x;
            u32 total;
            const u32 sum = sum_before(block < blocks ? cells.totals[block] : 0, flags, total);
            if (block < blocks) beads_before(flags)[block] = before + sum;
            before += total;
        }
        __syncthreads();
        return before;
    }
};

// Whether a listed pair term or a bond excludes a pair.
__device__ __forceinline__ bool is_excluded(const System &system, const Slot &me, u32 partner)
{
    const u32 slot = PARTIAL_SUMS * me.bead + partner % PARTIAL_SUMS;
    const u32 *const entries = static_cast<const u32 *>(system.excluded.entries);
    bool found = false;
#pragma unroll 1
    for (u32 k = 0, count = system.excluded.counts[slot]; k < count; ++k) found |= entries[k * me.count + slot] == partner;
    return found;
}

__device__ __forceinline__ real square_distance(const System &system, const Vector &here, const real4 &other)
{
    return space_of(system).separation(here, Vector{other.x, other.y, other.z}, true).r2;
}
