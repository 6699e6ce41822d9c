// Lists of neighbours in the grid plan. Outer lists reach far beyond the cutoff and are seldom made (`outer_lists.cuh`). The inner lists
// that steps read are pruned from them whenever a bead has moved by half of what inner lists reach beyond the cutoff.
#pragma once

#include "groups/bead_order.cuh"
#include "groups/outer_lists.cuh"

// Tables by types, of which a block has its own copies.
struct InnerTables {
    const real *squares;
    const u32 *acting;
};

// A function of its own keeps the registers of steps free, which in the largest systems saves a tenth of a step. Where something presses,
// other code is short of registers too, and calls cost more than they save (benchmarks/README.md).
#if PRESSED
#define FIND_INNER __forceinline__
#else
#define FIND_INNER __noinline__
#endif

// Prunes the outer list of a slot, which the thread may not have. It reads the system from the card's memory, since the block's copy is in
// registers. Where lanes share slots, all lanes of the warp take part.
__device__ FIND_INNER Listed find_inner(const System *of, const GridMember *grid, InnerTables tables, const real4 *rows, Four *list, Slot me, bool exists)
{
    const System &system = *of;
    const RowPositions positions = {rows};
    const Particle here = positions.particle(me.bead);
    const real *const radii = tables.squares + here.type * system.types;
    GrowingList growing(list);
    const u32 outer = with_turns(exists ? grid->cells.outer_counts[me.number] : 0);
    const Four *const fours = reinterpret_cast<const Four *>(grid->cells.outer);
    ListedBeads listed(positions, me, fours, fours_of(outer), kept_of(me, fours, fours_of(outer)));
    listed.each(turns_of(outer), [&](const Four &four, const Particle *others, bool has) {
        u32 near = 0;
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            const real radius = TYPED ? radii[others[k].type] : system.square_inner;
            const bool is_near = space_of(system).separation(here.at, others[k].at, true).r2 < radius;
            near |= static_cast<u32>(is_near) << k;
        }
        // Padding belongs to no bead. In open space it lies beyond any cutoff, in a box its nearest image may be near.
        if constexpr (Space::WRAPS) near &= bits_of_beads(four, system.beads);
        if constexpr (SHARED_LISTS) {
#pragma unroll
            for (u32 k = 0; k < 4; ++k) {
                // Whether terms after the first may act on the pair.
                if (near >> k & 1) growing.add_to(system, me, four[k], (tables.acting[here.type] & tables.acting[others[k].type]) > 1);
            }
        } else {
            near = has ? near : 0;
            // The lanes of a slot keep the same list, and one of them writes it.
#pragma unroll
            for (u32 lane = 0; lane < SLOT_LANES; ++lane) growing.add(system, me, four.of_lane(lane), of_slot_lane(near, lane));
        }
    });
    if constexpr (SHARED_LISTS) {
        const Listed listed = growing.finish_both(system, me);
        // A four of several terms takes almost twice as long as one of the first term, and the rest of a step as long as three fours.
        if (me.part == 0) grid->weights[me.bead] = 2 * (listed.fours & 0xffff) + 3 * (listed.fours >> 16) + 6;
        return listed;
    }
    return growing.finish(system, me);
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
            if (!group.find_writes(turn)) return;
            const Slot slot = group.find_me(turn);
            grid.cells.outer_counts[slot.number] = find_outer(group.member.system, &grid, flags, rows, slot);
        });
        // Other lanes of a slot read what one of them wrote.
        if constexpr (SLOT_LANES > 1) __syncwarp();
    }

    template <typename Group> __device__ __forceinline__ bool are_outdated(Group &group, const real4 *rows) const
    {
        bool outdated = false;
        each_bead(group, [&](u32 bead) { outdated |= is_outdated(group.system, bead, RowPositions{rows}); });
        return outdated;
    }

    // Whether a bead has moved too far for the outer lists.
    __device__ __forceinline__ bool is_outdated(const System &system, u32 bead, const RowPositions &positions) const
    {
        return square_distance(system, positions[bead], grid.cells.references[bead]) > system.square_shift;
    }

    // Lists the neighbours of a slot within the radius of inner lists, in the order of its outer list.
    template <typename Group>
    __device__ __forceinline__ Listed find(const Group &group, const Slot &me, bool exists, const RowPositions &positions) const
    {
        if constexpr (SEARCH != Search::LIST) return {0, 0};
        return find_inner(group.member.system, &grid, {group.system.square_inners, group.system.acting}, positions.rows, group.list, me, exists);
    }
};

__device__ __forceinline__ NeighbourSearch search_of(const Launch &launch, SharedFlags *flags) { return {{grid_of(launch), flags, nullptr}, false}; }
