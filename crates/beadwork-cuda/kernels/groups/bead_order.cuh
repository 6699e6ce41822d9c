// The order in which threads have beads. At first it is that of their numbers. In boxes beads wander, so from time to time they are
// dealt out anew, in the order of bricks of cells: threads side by side then have beads near each other, and read the same rows. Where
// warps share lists, each warp gets beads until it has its share of all listed neighbours, so that dense and thin regions take the same
// time.
#pragma once

#include "groups/cells.cuh"

struct BeadOrder {
    const GridMember &grid;
    SharedFlags *flags;
    // The bead at each place of the threads; null if bead and place have the same number. Where warps have shares, places without a bead
    // have `NO_BEAD`, but place 0 always has one: nothing weighs before the first of the sorted beads.
    const u32 *order;

    __device__ __forceinline__ bool has(const System &system, u32 place) const
    {
        return SHARED_LISTS && order != nullptr ? order[place] != NO_BEAD : place < system.beads;
    }

    __device__ __forceinline__ u32 bead(const System &, u32 place) const { return DEALS && order != nullptr ? order[place] : place; }

    template <typename Group> __device__ __forceinline__ void deal(Group &group, const real4 *rows)
    {
        // Threads read the order before this one while they write.
        u32 *const sorted = order == grid.order ? grid.order + group.system.beads : grid.order;
        CellSort<true>{grid.cells, flags}.sort(group, rows, [&](u32 place, u32 bead, const real4 &) { sorted[place] = bead; });
        order = sorted;
        if constexpr (SHARED_LISTS) order = share_out(group, sorted, grid.order + group.system.beads);
    }

    // Gives each warp its share of the weight of all beads; returns their places.
    template <typename Group> __device__ __forceinline__ const u32 *share_out(Group &group, const u32 *sorted, u32 *places) const
    {
        const u32 blocks = group.barrier.blocks, warps = blocks * SLOTS * (group.stepping / 32), share = (warps + blocks - 1) / blocks;
        for (u32 warp = group.rank * share + threadIdx.x; warp < min((group.rank + 1) * share, warps); warp += blockDim.x) {
            grid.taken[warp] = 0;
            for (u32 k = 0; k < BEADS_OF_WARP; ++k) places[BEADS_OF_WARP * warp + k] = NO_BEAD;
        }
        // Each bead counts at least `floor`, so that no warp gets more than `BEADS_OF_WARP`: of n beads in a share, n - 1 weigh less than the
        // share. A higher floor raises the total too, so this repeats. It ends because there are a quarter more places than beads
        // (`spare` in `plans/shape.rs`).
        const auto floor_for = [&](u32 total) { return total / (BEADS_OF_WARP * warps) + 1; };
        u32 floor = 1, total = weigh(group, sorted, floor);
        while (floor_for(total) > floor) {
            floor = floor_for(total) + floor_for(total) / 16;
            // All blocks have read the sums of the last pass.
            group.barrier.meet();
            total = weigh(group, sorted, floor);
        }
        each_place(group, [&](u32 place, u32 before) {
            const u32 warp = static_cast<u32>(static_cast<u64>(before + grid.cells.ranks[place]) * warps / total);
            places[BEADS_OF_WARP * warp + atomicAdd(grid.taken + warp, 1u)] = sorted[place];
        });
        group.barrier.meet();
        return places;
    }

    // Calls `act` for the places of the sorted beads that this block has, with what the blocks before it weigh.
    template <typename Group, typename Act> __device__ __forceinline__ void each_place(Group &group, Act act) const
    {
        const u32 share = (group.system.beads + group.barrier.blocks - 1) / group.barrier.blocks;
        const u32 end = min((group.rank + 1) * share, group.system.beads), before = beads_before(flags)[group.rank];
        for (u32 place = group.rank * share + threadIdx.x; place < end; place += blockDim.x) act(place, before);
    }

    // Adds up the weights of the sorted beads, at least `floor` each; returns the sum. Ranks become sums within a block.
    template <typename Group> __device__ __forceinline__ u32 weigh(Group &group, const u32 *sorted, u32 floor) const
    {
        const u32 beads = group.system.beads, share = (beads + group.barrier.blocks - 1) / group.barrier.blocks, begin = group.rank * share;
        u32 sum = 0;
        for (u32 first = begin; first < min(begin + share, beads); first += blockDim.x) {
            const u32 place = first + threadIdx.x;
            const bool exists = place < min(begin + share, beads);
            u32 total;
            const u32 before = sum_before(exists ? max(grid.weights[sorted[place]], floor) : 0, flags, total);
            if (exists) grid.cells.ranks[place] = sum + before;
            sum += total;
        }
        if (threadIdx.x == 0) grid.cells.totals[group.rank] = sum;
        group.barrier.meet();
        return CellSort<true>{grid.cells, flags}.find_beads_before(group.barrier.blocks);
    }
};
