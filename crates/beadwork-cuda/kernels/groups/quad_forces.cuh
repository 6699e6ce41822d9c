// Forces with four lanes for each bead, one for each of its partial sums: the sum of a slot, its neighbours, and the
// reduction over the four lanes.
#pragma once

#include "forces.cuh"
#include "chosen.cuh"

// Whether lists are pruned from outer lists (`cell_lists.cuh`), and whether the positions of the next neighbours are fetched while
// these are computed: in device memory they are hundreds of cycles away. A pair takes more registers in a box, which leaves none
// for that.
constexpr bool PRUNES = GRID, FETCHES_AHEAD = GRID && !BOXED, FETCHES_EARLY = FETCHES_AHEAD && THREADS <= 512;
// The first fours of a list that stay in registers.
constexpr u32 KEPT_FOURS = FETCHES_EARLY && SEARCH == Search::LIST && SLOTS == 1 ? 2 : 0;
// Whether lists have a quarter of each number, because all partners of a slot have the same rest: more beads then
// have numbers of 16 bits.
constexpr bool LISTS_QUARTERS = PRUNES && !Space::WRAPS;

// Lanes of a bead: `SLOT_LANES` for each of its slots. All lanes of a slot know the same of it, and each computes a share of its pairs, so
// that members with few beads for each multiprocessor wait less. Four lanes side by side have the four slots of a bead.
constexpr u32 LANES_OF_BEAD = PARTIAL_SUMS * SLOT_LANES;
static_assert(SLOT_LANES == 1 || (PRUNES && !Space::WRAPS && SEARCH == Search::LIST && SLOTS == 1), "lanes that share lists in open space");

// The number of this lane among those of its slot.
__device__ __forceinline__ u32 lane_of_slot() { return SLOT_LANES == 1 ? 0 : threadIdx.x / PARTIAL_SUMS % SLOT_LANES; }

// A value of one of the lanes of this lane's slot. All lanes of the warp take part.
template <typename Value> __device__ __forceinline__ Value of_slot_lane(Value value, u32 number)
{
    if constexpr (SLOT_LANES == 1) return value;
    return __shfl_sync(0xffffffffu, value, PARTIAL_SUMS * number + threadIdx.x % PARTIAL_SUMS, LANES_OF_BEAD);
}

// Beads of which a warp has the slots.
constexpr u32 BEADS_OF_WARP = 32 / LANES_OF_BEAD;

// Positions of a member in rows of four numbers, the last of which is the type.
struct RowPositions {
    const real4 *rows;

    __device__ __forceinline__ Vector operator[](u32 bead) const
    {
        const real4 at = rows[bead];
        return {at.x, at.y, at.z};
    }

    // The bead of an entry in the list of a slot.
    __device__ __forceinline__ Particle particle(u32 part, u32 entry) const
    {
        // The offset is a product of 64 bits, one instruction.
        return LISTS_QUARTERS ? of_row(rows[part + PARTIAL_SUMS * static_cast<u64>(entry)], PARTIAL_SUMS * entry + part) : particle(entry);
    }

    __device__ __forceinline__ Particle particle(u32 bead) const { return of_row(rows[bead], bead); }

    static __device__ __forceinline__ Particle of_row(const real4 &at, u32 bead)
    {
        return {{at.x, at.y, at.z}, TYPED ? static_cast<u32>(bits_of(at.w)) : 0, bead, bead};
    }
};

// The coordinate of rows that belong to no bead: beyond any cutoff, and small enough for finite squares.
constexpr real NOWHERE = 1e15f;

// A neighbour in a list, and four of them that are loaded together.
#if WIDE
typedef u32 Neighbour;

struct alignas(16) Four {
    u32 words[4];

    static __device__ __forceinline__ Four of(u32 bead) { return {{bead, bead, bead, bead}}; }
    __device__ __forceinline__ u32 operator[](u32 k) const { return words[k]; }
    __device__ __forceinline__ Four of_lane(u32 number) const
    {
        return {{of_slot_lane(words[0], number), of_slot_lane(words[1], number), of_slot_lane(words[2], number), of_slot_lane(words[3], number)}};
    }

    // Puts an entry behind the last three.
    __device__ __forceinline__ void push(u32 entry)
    {
        words[0] = words[1];
        words[1] = words[2];
        words[2] = words[3];
        words[3] = entry;
    }
};
#else
typedef u16 Neighbour;

struct alignas(8) Four {
    u32 words[2];

    static __device__ __forceinline__ Four of(u32 bead) { return {{bead | bead << 16, bead | bead << 16}}; }
    __device__ __forceinline__ u32 operator[](u32 k) const { return k & 1 ? words[k / 2] >> 16 : words[k / 2] & 0xffff; }
    __device__ __forceinline__ Four of_lane(u32 number) const { return {{of_slot_lane(words[0], number), of_slot_lane(words[1], number)}}; }

    // Puts an entry behind the last three.
    __device__ __forceinline__ void push(u32 entry)
    {
        words[0] = words[0] >> 16 | words[1] << 16;
        words[1] = words[1] >> 16 | entry << 16;
    }
};
#endif

// The fours in the list of a slot, or in two lists one above the other; where there is no room for them, the room that they want, else 0.
struct Listed {
    u32 fours, wanted;
};

// The list of a slot while it is built. If there are too many neighbours, it counts those beyond its room. The last entries stay in
// registers until they are a four. Where warps share lists, entries go to memory one by one, and a second list grows from the end of
// the room.
struct GrowingList {
    Four *list;
    u32 found = 0, found_last = 0;
    Four last = {};

    __device__ __forceinline__ explicit GrowingList(Four *list) : list(list) {}

    __device__ __forceinline__ Neighbour &at(const Slot &me, u32 k) { return reinterpret_cast<Neighbour *>(&list[k / 4 * me.count + me.number])[k % 4]; }
    __device__ __forceinline__ Neighbour &at_end(const System &system, const Slot &me, u32 k)
    {
        return reinterpret_cast<Neighbour *>(&list[row(system, k / 4, true) * me.count + me.number])[k % 4];
    }

    // The row of a four of the first or the second list.
    static __device__ __forceinline__ u32 row(const System &system, u32 four, bool second) { return second ? system.list_capacity / 4 - 1 - four : four; }

    // Writes a four behind which so many entries are complete.
    __device__ __forceinline__ void write(const System &system, const Slot &me, const Four &four, u32 complete) const
    {
        if (lane_of_slot() == 0 && complete <= system.list_capacity) list[(complete - 1) / 4 * me.count + me.number] = four;
    }

    // Adds the entry of a bead.
    __device__ __forceinline__ void add(const System &system, const Slot &me, u32 entry)
    {
        last.push(entry);
        if (++found % 4 == 0) write(system, me, last, found);
    }

    // Adds some entries of a four, each of which has a bit. Lanes differ in what they add, so none of this branches but one store.
    __device__ __forceinline__ void add(const System &system, const Slot &me, const Four &entries, u32 bits)
    {
        const u32 before = found / 4;
        Four full = {};
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            if (!(bits >> k & 1)) continue;
            last.push(entries[k]);
            if (++found % 4 == 0) full = last;
        }
        if (found / 4 > before) write(system, me, full, found & ~3u);
    }

    __device__ __forceinline__ void add_bead(const System &system, const Slot &me, u32 bead)
    {
        add(system, me, LISTS_QUARTERS ? bead / PARTIAL_SUMS : bead);
    }

    // Adds the entry of a bead to the first or the second list.
    __device__ __forceinline__ void add_to(const System &system, const Slot &me, u32 entry, bool second)
    {
        if (found + found_last < system.list_capacity) (second ? at_end(system, me, found_last) : at(me, found)) = static_cast<Neighbour>(entry);
        (second ? found_last : found) += 1;
    }

    // Pads both lists; returns the numbers of their fours, or none if there is no room for both.
    __device__ __forceinline__ Listed finish_both(const System &system, const Slot &me)
    {
        const u32 fours = (found + 3) / 4, fours_last = (found_last + 3) / 4;
        if (4 * (fours + fours_last) > system.list_capacity) {
            return {0, 4 * (fours + fours_last)};
        }
        for (; found % 4; ++found) at(me, found) = static_cast<Neighbour>(system.beads);
        for (; found_last % 4; ++found_last) at_end(system, me, found_last) = static_cast<Neighbour>(system.beads);
        return {fours | fours_last << 16, 0};
    }

    // Pads the last four with a row that belongs to no bead.
    __device__ __forceinline__ Listed finish(const System &system, const Slot &me)
    {
        if (found > system.list_capacity) return {system.list_capacity / 4, found};
        const u32 padding = LISTS_QUARTERS ? (system.beads + PARTIAL_SUMS - 1) / PARTIAL_SUMS : system.beads;
        u32 padded = found;
        for (; padded % 4; ++padded) last.push(padding);
        if (padded > found) write(system, me, last, padded);
        return {padded / 4, 0};
    }
};

// Adds the force of a pair, of which `lowest` is the lower bead.
__device__ __forceinline__ void add_pair(const System &system, Space::Sum &sum, real over_distance, const Vector &apart, u32 lowest)
{
    space_of(system).add(sum, over_distance, apart, lowest);
}

// The vectors and forces over the distance of the pairs that `act` (one bit each) and are within the cutoff. If `FIRST`, only the first
// pair term may act.
template <u32 COUNT, bool FIRST, typename Pairs, typename Thermal>
__device__ __forceinline__ void compute_pairs(const System &system, const Pairs &pairs, const Thermal &thermal, u32 types, const Particle &here,
                                              const Particle *others, u32 act, Vector *apart, real *factors)
{
#pragma unroll
    for (u32 k = 0; k < COUNT; ++k) {
        const Separation pair = space_of(system).separation(here.at, others[k].at, here.bead < others[k].bead);
        apart[k] = pair.apart;
        real factor;
        bool near = pairs.template evaluate<FIRST>(pair.r2, types + others[k].type, factor);
        near = thermal.add(near, factor, pair, types + others[k].type, here, others[k], spread_bit(act, k));
        factors[k] = masked(factor, spread_bit(act, k) & (near ? ~0u : 0u));
    }
}

// Adds these pairs. All are computed before the first is added, to hide latency. Where lanes share the neighbours of a slot, they add
// their pairs in turn, so that the sum has its order.
template <u32 COUNT, bool FIRST, typename Pairs, typename Thermal, typename Sum>
__device__ __forceinline__ void add_pairs(const System &system, const Pairs &pairs, const Thermal &thermal, u32 types, const Particle &here,
                                          const Particle *others, u32 act, Sum &sum)
{
    Vector apart[COUNT];
    real factors[COUNT];
    compute_pairs<COUNT, FIRST>(system, pairs, thermal, types, here, others, act, apart, factors);
#pragma unroll
    for (u32 turn = 0; turn < SLOT_LANES; ++turn) {
#pragma unroll
        for (u32 k = 0; k < COUNT; ++k) add_pair(system, sum, factors[k], apart[k], min(here.bead, others[k].bead));
        if constexpr (SLOT_LANES > 1) sum = {of_slot_lane(sum.x, turn), of_slot_lane(sum.y, turn), of_slot_lane(sum.z, turn)};
    }
}

// The bits of the neighbours in a four that are beads: in a box no row is beyond the cutoff of all others.
__device__ __forceinline__ u32 bits_of_beads(const Four &four, u32 beads)
{
    u32 bits = 0;
#pragma unroll
    for (u32 k = 0; k < 4; ++k) bits |= (four[k] < beads) << k;
    return bits;
}

// The first fours of a slot's list that its lane keeps in registers, where there are enough: positions can then be asked for as soon as
// they are there.
struct KeptFours {
    Four fours[KEPT_FOURS > 0 ? KEPT_FOURS : 1];
};

// The four of this lane in a turn, in a list of so many. Lanes beyond the end have four beads that are not asked for.
__device__ __forceinline__ u32 number_of_four(u32 turn) { return turn * SLOT_LANES + lane_of_slot(); }
__device__ __forceinline__ Four four_of(const Slot &me, const Four *list, u32 fours, u32 turn)
{
    return number_of_four(turn) < fours ? list[number_of_four(turn) * me.count + me.number] : Four{};
}

__device__ __forceinline__ KeptFours kept_of(const Slot &me, const Four *list, u32 fours)
{
    KeptFours kept = {};
#pragma unroll
    for (u32 turn = 0; turn < KEPT_FOURS; ++turn) kept.fours[turn] = four_of(me, list, fours, turn);
    return kept;
}

// The beads of a slot's list, four by four, in turn for each lane of the slot. Where they are in device memory, the first are fetched
// when this is made, and the next while the present ones are computed.
struct ListedBeads {
    const RowPositions &positions;
    const Slot &me;
    const Four *list;
    const u32 fours;
    Four four, next;
    Particle others[4];

    __device__ __forceinline__ ListedBeads(const RowPositions &positions, const Slot &me, const Four *list, u32 fours, const KeptFours &kept)
        : positions(positions), me(me), list(list), fours(fours), four(KEPT_FOURS > 0 ? kept.fours[0] : load(0)),
          next(KEPT_FOURS > 1 ? kept.fours[1] : FETCHES_AHEAD ? load(1) : Four{})
    {
        if (FETCHES_AHEAD) fetch(four, others);
    }

    __device__ __forceinline__ Four load(u32 turn) const { return four_of(me, list, fours, turn); }
    __device__ __forceinline__ bool has(u32 turn) const { return number_of_four(turn) < fours; }

    __device__ __forceinline__ void fetch(const Four &these, Particle *beads) const
    {
#pragma unroll
        for (u32 one = 0; one < 4; ++one) beads[one] = positions.particle(me.part, these[one]);
    }

    // Calls `act` with each four, its beads, and whether this lane has the four: where lanes share a slot, those of a warp make `turns`
    // turns together.
    template <typename Act> __device__ __forceinline__ void each(u32 turns, Act act)
    {
        for (u32 k = 0; k < turns; ++k) {
            if constexpr (FETCHES_AHEAD) {
                const Four after = load(k + 2);
                Particle fetched[4];
                fetch(next, fetched);
                act(four, others, SLOT_LANES == 1 || has(k));
#pragma unroll
                for (u32 one = 0; one < 4; ++one) others[one] = fetched[one];
                four = next;
                next = after;
            } else {
                next = load(k + 1);
                fetch(four, others);
                act(four, others, true);
                four = next;
            }
        }
    }
};

// What a slot keeps of its list: the fours, and, where lanes share slots, the most turns of a slot of the warp above them. All lanes of
// the warp take part.
__device__ __forceinline__ u32 with_turns(u32 fours)
{
    return SLOT_LANES == 1 ? fours : fours | most_of_warp((fours + SLOT_LANES - 1) / SLOT_LANES) << 16;
}
__device__ __forceinline__ u32 fours_of(u32 neighbours) { return SLOT_LANES == 1 ? neighbours : neighbours & 0xffff; }
__device__ __forceinline__ u32 turns_of(u32 neighbours) { return SLOT_LANES == 1 ? neighbours : neighbours >> 16; }

// Adds the pairs of a slot. `neighbours` is the mask of the partners that act, or what the slot keeps of its list.
template <bool FIRST, typename Pairs, typename Thermal>
__device__ __forceinline__ void add_neighbours(const System &system, const Slot &me, const Pairs &pairs, const Thermal &thermal,
                                               const RowPositions &positions, const Particle &here, u32 neighbours, ListedBeads &listed, Space::Sum &sum)
{
    const u32 types = TYPED ? here.type * system.types : 0;
    if constexpr (SEARCH == Search::MASK) {
        // Rows beyond the last bead exist, but their bits are not set.
        Particle others[4];
        constexpr u32 REST = QUADS % 4;
#pragma unroll
        for (u32 first = 0; first + 4 <= QUADS; first += 4) {
#pragma unroll
            for (u32 k = 0; k < 4; ++k) others[k] = positions.particle(4 * (first + k) + me.part);
            add_pairs<4, FIRST>(system, pairs, thermal, types, here, others, neighbours >> first, sum);
        }
        if constexpr (REST > 0) {
#pragma unroll
            for (u32 k = 0; k < REST; ++k) others[k] = positions.particle(4 * (QUADS - REST + k) + me.part);
            add_pairs<REST, FIRST>(system, pairs, thermal, types, here, others, neighbours >> (QUADS - REST), sum);
        }
    }
    if constexpr (SEARCH == Search::LIST) {
        listed.each(turns_of(neighbours), [&](const Four &four, const Particle *others, bool has) {
            const u32 act = Space::WRAPS ? bits_of_beads(four, system.beads) : has ? 15 : 0;
            add_pairs<4, FIRST>(system, pairs, thermal, types, here, others, act, sum);
        });
    }
}

// The partial sum of a slot. If not `several`, only the first pair term may act.
template <typename Terms, typename Thermal>
__device__ __forceinline__ Space::Sum partial_sum(const System &system, const Slot &me, const typename Terms::Bonded &bonded,
                                                  const typename Terms::Pairs &pairs, const Thermal &thermal, const RowPositions &positions,
                                                  const Particle &here, bool several, u32 neighbours, const KeptFours &kept, const Four *list, u32 time,
                                                  StepError &error)
{
    u32 broken = 0;
    Space::Sum sum = Space::no_force();
    const u32 fours = SEARCH == Search::LIST && !SHARED_LISTS ? fours_of(neighbours) : 0;
    // Where registers suffice, the first neighbours are on their way while bonds are computed.
    if constexpr (!FETCHES_EARLY) bonded.add(system, me, positions, here.at, sum, broken);
    ListedBeads listed(positions, me, list, fours, kept);
    if constexpr (FETCHES_EARLY) bonded.add(system, me, positions, here.at, sum, broken);
    if constexpr (SHARED_LISTS) {
        // Pairs are added by all lanes of the warp together.
    } else if (!TYPED || Terms::Pairs::TERMS < 2 || several) {
        add_neighbours<false>(system, me, pairs, thermal, positions, here, neighbours, listed, sum);
    } else {
        add_neighbours<true>(system, me, pairs, thermal, positions, here, neighbours, listed, sum);
    }
#if BOXED
    add_outer_forces<Terms, PARTIAL_SUMS>(sum, system, me.bead, positions, here.at, me.part);
#endif
    if (Terms::Bonded::BREAK && broken) Terms::Bonded::verify(system, me, positions, here.at, time, error);
    return sum;
}

// Bytes of a table of the pair thermostat.
__device__ __forceinline__ u32 thermostat_bytes([[maybe_unused]] u32 squares)
{
#if HEATED
    return squares * sizeof(PairEntry<Thermostat>);
#else
    return 0;
#endif
}

// Copies tables by types to shared memory, where each thread of a warp finds its own entry sooner, and points a record of the
// system to them.
template <typename Terms> __device__ __forceinline__ void share_tables(const System &system, System &record, u8 *entries)
{
    const u32 squares = system.types * system.types;
    u32 *const thermostat = reinterpret_cast<u32 *>(entries + Terms::Pairs::shared_bytes(squares));
    const u32 *const from = static_cast<const u32 *>(system.thermostat);
    for (u32 k = threadIdx.x; k < thermostat_bytes(squares) / sizeof(u32); k += blockDim.x) thermostat[k] = from[k];
    if (HEATED) record.thermostat = thermostat;
    real *const lists = reinterpret_cast<real *>(thermostat + thermostat_bytes(squares) / sizeof(u32));
    // Steps of the grid plan read radii of inner lists alone.
    const real *const radii = PRUNES ? system.square_inners : system.square_lists;
    for (u32 k = threadIdx.x; k < squares; k += blockDim.x) lists[k] = radii[k];
    (PRUNES ? record.square_inners : record.square_lists) = lists;
    u32 *const acting = reinterpret_cast<u32 *>(lists + squares);
    for (u32 k = threadIdx.x; k < system.types; k += blockDim.x) acting[k] = system.acting[k];
    record.acting = acting;
    Terms::Pairs::share(system, record, entries);
}

// (p₀ + p₁) + (p₂ + p₃) over the four lanes of a bead; lane a returns axis a. All lanes of the warp take part.
template <typename Sum> __device__ __forceinline__ auto gather(const Sum &sum, u32 part)
{
    const bool odd = part & 1;
    const auto first = __shfl_xor_sync(0xffffffffu, odd ? sum.x : sum.y, 1);
    const auto second = __shfl_xor_sync(0xffffffffu, sum.z, 1);
    // Of a pair of lanes, the even one has x and z, the odd one y.
    const auto here = (odd ? sum.y : sum.x) + first;
    const auto z = sum.z + second;
    const auto other = __shfl_xor_sync(0xffffffffu, part == 0 ? z : here, 2);
    return (part == 2 ? z : here) + other;
}

// The square of a bead's displacement, of which each of its first three lanes has an axis. All lanes of the warp take part; the
// lanes of a bead agree.
__device__ __forceinline__ real square_of_shift(real shift, u32 part)
{
    real square = part < 3 ? shift * shift : real(0);
    square += __shfl_xor_sync(0xffffffffu, square, 1);
    square += __shfl_xor_sync(0xffffffffu, square, 2);
    return square;
}

__device__ __forceinline__ real &axis_of(real4 &at, u32 part) { return (&at.x)[part]; }

__device__ __forceinline__ real axis_of(const real4 &at, u32 part) { return part == 0 ? at.x : part == 1 ? at.y : at.z; }
