// Lists of neighbours in the grid plan. Outer lists reach far beyond the cutoff and are seldom made (`outer_lists.cuh`). The inner lists
// that steps read are pruned from them whenever a bead has moved by half of what inner lists reach beyond the cutoff.
#pragma once

#include "groups/bead_order.cuh"
#include "groups/outer_lists.cuh"

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
            grid.cells.outer_counts[slot.number] = find_outer(group.member.system, &grid, flags, rows, slot);
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
                // Padding belongs to no bead. In open space it lies beyond any cutoff, in a box its nearest image may be near.
                if (Space::WRAPS && !(four[k] < system.beads)) continue;
                const real radius = TYPED ? radii[others[k].type] : system.square_inner;
                if (!(space_of(system).separation(here.at, others[k].at, true).r2 < radius)) continue;
                if constexpr (SHARED_LISTS) {
                    // Whether terms after the first may act on the pair.
                    growing.add_to(system, me, four[k], (system.acting[here.type] & system.acting[others[k].type]) > 1);
                } else {
                    growing.add(system, me, four[k]);
                }
            }
        });
        if constexpr (SHARED_LISTS) {
            const u32 fours = growing.finish_both(system, me, most);
            // A four of several terms takes almost twice as long as one of the first term, and the rest of a step as long as three fours.
            if (me.part == 0) grid.weights[me.bead] = 2 * (fours & 0xffff) + 3 * (fours >> 16) + 6;
            return fours;
        }
        return growing.finish(system, me, most);
    }
};

__device__ __forceinline__ NeighbourSearch search_of(const Launch &launch, SharedFlags *flags) { return {{grid_of(launch), flags, nullptr}, false}; }
