// The graph plan's neighbour lists, rebuilt for members in which a bead moved too far.
#pragma once

#include "graph/step.cuh"

#if PAIRED

// Whether the list of a member must be rebuilt at the positions of this time.
__device__ __forceinline__ bool is_due(const GraphBatch &batch, u32 member, u32 time)
{
    const Progress &progress = batch.progress[member];
    return progress.far == time && has_forces_at(progress, time) && progress.error == NO_ERROR;
}

// The list of a slot while it is built.
struct GraphList {
    Neighbour *list;
    const u32 *entries;
    u32 found, passed, excluded, next;

    __device__ __forceinline__ GraphList(const GraphBatch &batch, u32 member, const Slot &me)
        : list(neighbours_of(batch, member) + me.number), entries(static_cast<const u32 *>(batch.system.excluded.entries)), found(0), passed(0),
          excluded(batch.system.excluded.counts[me.number]), next(excluded > 0 ? entries[me.number] : 0xffffffffu)
    {
    }

    // Whether a partner is excluded; partners ascend.
    __device__ __forceinline__ bool passes(const Slot &me, u32 partner)
    {
        if (partner != next) return false;
        ++passed;
        next = passed < excluded ? entries[passed * me.count + me.number] : 0xffffffffu;
        return true;
    }

    // The same for partners in any order.
    __device__ __forceinline__ bool is_excluded(const Slot &me, u32 partner) const
    {
        bool found = false;
        for (u32 k = 0; k < excluded; ++k) found |= entries[k * me.count + me.number] == partner;
        return found;
    }

    __device__ __forceinline__ Neighbour &at(const Slot &me, u32 k) { return list[static_cast<u64>(k) * me.count]; }

    __device__ __forceinline__ void add(const System &system, const Slot &me, u32 partner)
    {
        if (found < system.list_capacity) at(me, found) = static_cast<Neighbour>(partner);
        ++found;
    }

    __device__ __forceinline__ void sort(const System &system, const Slot &me)
    {
        const u32 kept = min(found, system.list_capacity);
        for (u32 k = 1; k < kept; ++k) {
            const Neighbour partner = at(me, k);
            u32 to = k;
            for (; to > 0 && at(me, to - 1) > partner; --to) at(me, to) = at(me, to - 1);
            at(me, to) = partner;
        }
    }

    __device__ __forceinline__ void finish(const GraphBatch &batch, u32 member, const Slot &me, const Vector &here)
    {
        if (found > batch.system.list_capacity) {
            atomicMax(batch.overflow, found);
            found = batch.system.list_capacity;
        }
        batch.neighbour_counts[static_cast<u64>(member) * me.count + me.number] = found;
        if (me.part == 0) batch.references[static_cast<u64>(member) * batch.system.beads + me.bead] = row_of(here, 0);
    }
};

#if !CELLS

// The number of beads in shared memory at a time.
constexpr u32 TILE = 256;

// Finds the partners of each slot within the list's radius, ascending; loads all beads tile by tile.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_neighbours(STEP)
{
    __shared__ real4 tile[TILE];
    const GraphBatch &batch = step.batch;
    const System &system = batch.system;
    const Share share = share_of(PARTIAL_SUMS * system.beads);
    // All threads of a block have the same member.
    if (!is_due(batch, share.member, time_of(step))) return;
    const Slot me = slot_of(system, share.has ? share.index : 0);
    const GlobalPositions positions = positions_of(step, share.member);
    const Vector here = positions[me.bead];
    GraphList growing(batch, share.member, me);
    for (u32 first = 0; first < system.beads; first += TILE) {
        const u32 count = min(TILE, system.beads - first);
        __syncthreads();
        for (u32 k = threadIdx.x; k < count; k += blockDim.x) tile[k] = positions.row(first + k);
        __syncthreads();
        if (!share.has) continue;
        for (u32 k = me.part; k < count; k += PARTIAL_SUMS) {
            const u32 j = first + k;
            if (growing.passes(me, j)) continue;
            if (separation(here, vector_of(tile[k])).r2 < square_list(system, me.bead, j) && j != me.bead) growing.add(system, me, j);
        }
    }
    if (share.has) growing.finish(batch, share.member, me, here);
}

#else

// Cells slightly longer than the list's radius; the beads of a cell are linked from its hash bucket.
struct Cell {
    int x, y, z;

    __device__ __forceinline__ u32 bucket(u32 mask) const
    {
        return (static_cast<u32>(x) * 73856093u ^ static_cast<u32>(y) * 19349663u ^ static_cast<u32>(z) * 83492791u) & mask;
    }

    __device__ __forceinline__ bool operator==(const Cell &other) const { return x == other.x && y == other.y && z == other.z; }
};

__device__ __forceinline__ Cell cell_of(const GraphBatch &batch, const Vector &at)
{
    const double scale = batch.cells_per_angstrom;
    return {__double2int_rd(at.x * scale), __double2int_rd(at.y * scale), __double2int_rd(at.z * scale)};
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_clear_cells(STEP)
{
    const GraphBatch &batch = step.batch;
    const Share share = share_of(batch.cell_mask + 1);
    if (!share.has || !is_due(batch, share.member, time_of(step))) return;
    batch.cell_heads[static_cast<u64>(share.member) * (batch.cell_mask + 1) + share.index] = 0xffffffffu;
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_fill_cells(STEP)
{
    const GraphBatch &batch = step.batch;
    const u32 beads = batch.system.beads;
    const Share share = share_of(beads);
    if (!share.has || !is_due(batch, share.member, time_of(step))) return;
    u32 *const heads = batch.cell_heads + static_cast<u64>(share.member) * (batch.cell_mask + 1);
    const u32 bucket = cell_of(batch, positions_of(step, share.member)[share.index]).bucket(batch.cell_mask);
    batch.cell_links[static_cast<u64>(share.member) * beads + share.index] = atomicExch(heads + bucket, share.index);
}

// Finds the partners of each slot within the list's radius in the 27 cells around it, and sorts them.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_neighbours(STEP)
{
    const GraphBatch &batch = step.batch;
    const System &system = batch.system;
    const Share share = share_of(PARTIAL_SUMS * system.beads);
    if (!share.has || !is_due(batch, share.member, time_of(step))) return;
    const Slot me = slot_of(system, share.index);
    const GlobalPositions positions = positions_of(step, share.member);
    const Vector here = positions[me.bead];
    const Cell mine = cell_of(batch, here);
    const u32 *const heads = batch.cell_heads + static_cast<u64>(share.member) * (batch.cell_mask + 1);
    const u32 *const links = batch.cell_links + static_cast<u64>(share.member) * system.beads;
    GraphList growing(batch, share.member, me);
    for (u32 number = 0; number < 27; ++number) {
        const Cell cell = {mine.x + static_cast<int>(number % 3) - 1, mine.y + static_cast<int>(number / 3 % 3) - 1,
                           mine.z + static_cast<int>(number / 9) - 1};
        for (u32 j = heads[cell.bucket(batch.cell_mask)]; j != 0xffffffffu; j = links[j]) {
            if (j % PARTIAL_SUMS != me.part || j == me.bead) continue;
            const Vector other = positions[j];
            // Two cells may share a bucket.
            if (!(separation(here, other).r2 < square_list(system, me.bead, j)) || !(cell_of(batch, other) == cell)) continue;
            if (!growing.is_excluded(me, j)) growing.add(system, me, j);
        }
    }
    growing.sort(system, me);
    growing.finish(batch, share.member, me, here);
}

#endif

#endif
