// The neighbour search of the block plan: each slot tests all beads of its member.
#pragma once

#include "groups/cluster.cuh"
#include "groups/quad_forces.cuh"

struct NeighbourSearch {
    __device__ __forceinline__ bool has(const System &system, u32 place) const { return place < system.beads; }

    // Beads on which the same pair terms act share warps.
    __device__ __forceinline__ u32 bead(const System &system, u32 place) const { return TYPED ? system.bead_order[place] : place; }

    template <typename Group> __device__ __forceinline__ void prepare(Group &, const real4 *) const {}

    __device__ __forceinline__ bool is_outdated(const System &, u32, const RowPositions &) const { return false; }

    // Lists the neighbours of a slot within the list's radius, ascending.
    template <typename Group> __device__ __forceinline__ Listed find(const Group &group, const Slot &me, bool, const RowPositions &positions) const
    {
        if constexpr (SEARCH != Search::LIST) return {0, 0};
        const System &system = group.system;
        const Particle here = positions.particle(me.bead);
        const u32 *const entries = static_cast<const u32 *>(system.excluded.entries);
        const u32 excluded = system.excluded.counts[me.number];
        GrowingList growing(group.list);
        u32 passed = 0;
        u32 next = passed < excluded ? entries[me.number] : 0xffffffffu;
        for (u32 j = me.part; j < system.beads; j += PARTIAL_SUMS) {
            if (j == next) {
                ++passed;
                next = passed < excluded ? entries[passed * me.count + me.number] : 0xffffffffu;
                continue;
            }
            if (j == me.bead) continue;
            const Particle other = positions.particle(j);
            const real square = TYPED ? system.square_lists[here.type * system.types + other.type] : system.square_list;
            if (space_of(system).separation(here.at, other.at, true).r2 < square) growing.add_bead(system, me, j);
        }
        return growing.finish(system, me);
    }
};

__device__ __forceinline__ NeighbourSearch search_of(const Launch &, const SharedFlags *) { return {}; }
