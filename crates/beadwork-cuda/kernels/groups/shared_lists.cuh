// Pairs from lists in boxes, where sums have no order: the lanes of a warp share the lists of its beads evenly, since some beads have
// several times as many neighbours as others. A batch is 16 neighbours of a bead, four from the list of each slot. Four lanes take a
// batch at a time, of whichever bead. Pairs on which more than the first pair term may act, such as those of charges, take almost twice
// as long, so they have lists of their own.
#pragma once

#include "groups/pair_sums.cuh"
#include "groups/quad_forces.cuh"

#if SHARED_LISTS

// The sums of pair forces on the beads of a warp: in halves of 32 bits, and in 64 bits those that are too large or too many for that.
struct WarpSums {
    SharedPairSum sums[BEADS_OF_WARP];
    u64 rest[BEADS_OF_WARP][3];
};

static_assert(sizeof(WarpSums) == 384, "WarpSums");

__device__ __forceinline__ void add_pair(const System &, PairSum &sum, real over_distance, const Vector &apart, u32) { sum.add(over_distance, apart); }

template <typename Pairs, typename Thermal> struct SharedLists {
    const System &system;
    const Pairs &pairs;
    const Thermal &thermal;
    const RowPositions &positions;
    const Four *list;
    // The slot and the bead of this thread.
    const Slot &mine;
    const Particle &at;
    WarpSums &sums;

    // Adds all pairs of the warp's beads; `neighbours` has the fours in both lists of this slot. All lanes take part.
    template <typename Terms> __device__ __forceinline__ void add(u32 neighbours, Space::Sum &sum) const
    {
        u32 *const words = reinterpret_cast<u32 *>(&sums);
        // Other lanes have read the sums of the slot before; they have written the lists that this lane reads.
        __syncwarp();
        for (u32 k = threadIdx.x % 32; k < sizeof(WarpSums) / sizeof(u32); k += 32) words[k] = 0;
        __syncwarp();
        add_list<true>(neighbours & 0xffff, sum);
        if constexpr (Terms::Pairs::TERMS > 1) add_list<false>(neighbours >> 16, sum);
        __syncwarp();
        if (mine.part > 0) return;
        const u32 own = threadIdx.x % 32 / PARTIAL_SUMS;
        sum.x += sums.sums[own].total(0) + static_cast<i64>(sums.rest[own][0]);
        sum.y += sums.sums[own].total(1) + static_cast<i64>(sums.rest[own][1]);
        sum.z += sums.sums[own].total(2) + static_cast<i64>(sums.rest[own][2]);
    }

    // Adds the pairs of the first or the second lists. `length` has the fours in that of this slot.
    template <bool FIRST> __device__ __forceinline__ void add_list(u32 length, Space::Sum &sum) const
    {
        constexpr u32 ALL = 0xffffffffu;
        const u32 lane = threadIdx.x % 32;
        u32 batches = max(length, __shfl_xor_sync(ALL, length, 1));
        batches = max(batches, __shfl_xor_sync(ALL, batches, 2));
        // The batches of the beads up to this one, and the share of these four lanes.
        u32 end = batches;
#pragma unroll
        for (u32 apart = PARTIAL_SUMS; apart < 32; apart *= 2) {
            const u32 before = __shfl_up_sync(ALL, end, apart);
            if (lane >= apart) end += before;
        }
        const u32 total = __shfl_sync(ALL, end, 31), share = (total + BEADS_OF_WARP - 1) / BEADS_OF_WARP;
        const u32 first = min(lane / PARTIAL_SUMS * share, total), last = min(first + share, total);
        for (u32 done = 0; done < share;) {
            const u32 place = first + done;
            u32 bead = 0;
#pragma unroll
            for (u32 step = BEADS_OF_WARP / 2; step > 0; step /= 2) {
                if (__shfl_sync(ALL, end, PARTIAL_SUMS * (bead + step - 1)) <= place) bead += step;
            }
            const u32 from = PARTIAL_SUMS * bead, left = __shfl_sync(ALL, end, from) - place;
            // All lanes make the same rounds, until four of them must change their bead.
            u32 until = place < last && place + left < last ? left : share - done;
#pragma unroll
            for (u32 apart = PARTIAL_SUMS; apart < 32; apart *= 2) until = min(until, __shfl_xor_sync(ALL, until, apart));
            const Reader reader = reader_of(from, length, __shfl_sync(ALL, batches, from) - left, place < last ? last - place : 0);
            add_batches<FIRST>(reader, until, bead, __shfl_sync(ALL, batches, from), sum);
            done += until;
        }
    }

    // A bead whose list these lanes read, from a batch on to another one.
    struct Reader {
        Slot slot;
        Particle here;
        u32 begin, end;
    };

    // The reader for the bead that lane `from` has.
    __device__ __forceinline__ Reader reader_of(u32 from, u32 length, u32 begin, u32 most) const
    {
        constexpr u32 ALL = 0xffffffffu;
        const u32 number = __shfl_sync(ALL, mine.bead, from), type = TYPED ? __shfl_sync(ALL, at.type, from) : 0;
        const Vector here = {__shfl_sync(ALL, at.at.x, from), __shfl_sync(ALL, at.at.y, from), __shfl_sync(ALL, at.at.z, from)};
        const u32 fours = __shfl_sync(ALL, length, from + mine.part);
        return {{number, mine.part, PARTIAL_SUMS * number + mine.part, mine.count}, {here, type, number, number}, begin, min(fours, begin + most)};
    }

    // Neighbours of a batch in the list of this lane's slot.
    template <bool FIRST> __device__ __forceinline__ Four load(const Reader &reader, u32 batch) const
    {
        if (batch < reader.end) return list[GrowingList::row(system, batch, !FIRST) * reader.slot.count + reader.slot.number];
        return Four::of(system.beads);
    }

    template <bool FIRST, typename Sum> __device__ __forceinline__ void add_batch(const Reader &reader, const Four &four, Sum &sum) const
    {
        Particle others[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) others[k] = positions.particle(four[k]);
        const u32 types = TYPED ? reader.here.type * system.types : 0;
        add_pairs<4, FIRST>(system, pairs, thermal, types, reader.here, others, bits_of_beads(four, system.beads), sum);
    }

    // Adds some batches of a bead that has `batches` of them. All lanes make the same rounds.
    template <bool FIRST>
    __device__ __forceinline__ void add_batches(const Reader &reader, u32 rounds, u32 bead, u32 batches, Space::Sum &sum) const
    {
        // A bead has two lists, and a shared sum has room for so many.
        if (4 * PARTIAL_SUMS * batches <= MOST_SHARED / 2) {
            PairSum all(space_of(system));
            Four next = load<FIRST>(reader, reader.begin);
#pragma unroll 1
            for (u32 k = 0; k < rounds; ++k) {
                const Four four = next;
                next = load<FIRST>(reader, reader.begin + k + 1);
                add_batch<FIRST>(reader, four, all);
            }
            if (all.fits_shared()) {
                if (reader.begin < reader.end) all.add_to(sums.sums[bead], 4 * rounds);
                return;
            }
        }
        Space::Sum whole = Space::no_force();
#pragma unroll 1
        for (u32 k = reader.begin; k < min(reader.end, reader.begin + rounds); ++k) add_batch<FIRST>(reader, load<FIRST>(reader, k), whole);
        atomicAdd(&sums.rest[bead][0], static_cast<u64>(whole.x));
        atomicAdd(&sums.rest[bead][1], static_cast<u64>(whole.y));
        atomicAdd(&sums.rest[bead][2], static_cast<u64>(whole.z));
        sum.too_large = min(sum.too_large, whole.too_large);
    }
};
#endif
