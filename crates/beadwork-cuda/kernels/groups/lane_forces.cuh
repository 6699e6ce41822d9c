// Forces for blocks in which a lane has a member: positions of all members, and the bonded terms of a bead.
#pragma once

#include "forces.cuh"

constexpr u32 BEAD_BYTES = 3 * LANE_MEMBERS * sizeof(real);

// Positions of one member. Its neighbours in memory are the same numbers of other members.
struct Column {
    const real *first;

    __device__ __forceinline__ Vector at_byte(u32 byte) const
    {
        const real *const at = reinterpret_cast<const real *>(reinterpret_cast<const u8 *>(first) + byte);
        return {at[0], at[LANE_MEMBERS], at[2 * LANE_MEMBERS]};
    }

    __device__ __forceinline__ Vector operator[](u32 bead) const { return at_byte(bead * BEAD_BYTES); }
};

__device__ __forceinline__ void store(real *column, u32 bead, const Vector &value)
{
    real *const at = column + bead * (3 * LANE_MEMBERS);
    at[0] = value.x;
    at[LANE_MEMBERS] = value.y;
    at[2 * LANE_MEMBERS] = value.z;
}

// The coordinate of padding, to which unused entries of a list point: beyond any cutoff.
constexpr real NOWHERE = static_cast<real>(1e9);

// A round of a bead's list: one neighbour for each of its partial sums, as offsets in bytes within a column.
struct alignas(16) Round {
    u32 at[PARTIAL_SUMS];
};

// The offset in bytes of a bead's entries in a bonded term, and the entries of each partial sum, one byte each.
struct alignas(8) RowHead {
    u32 first, counts;
};

// The bonded terms of a bead, with its entries stored consecutively.
template <typename... Terms> struct BondedRows {
    static constexpr u32 TERMS = 0;

    static __device__ __forceinline__ void copy(const System &, u32, u8 *) {}
    __device__ __forceinline__ void begin(const RowHead *, const u8 *) {}
    template <u32 PART> __device__ __forceinline__ void add(const System &, u32, const Column &, const Vector &, bool, u32, Space::Sum &, StepError &) {}
};

template <typename Term, typename... Others> struct BondedRows<Term, Others...> {
    typedef typename Term::Formula Formula;
    static constexpr u32 TERMS = 1 + sizeof...(Others);

    const Entry<Formula> *entry;
    u32 counts;
    BondedRows<Others...> others;

    // Copies the entries of all beads, term after term; converts partners to offsets in bytes, as neighbours have them.
    static __device__ __forceinline__ void copy(const System &system, u32 from, u8 *entries)
    {
        const Entry<Formula> *const source = reinterpret_cast<const Entry<Formula> *>(system.row_entries + from);
        Entry<Formula> *const to = reinterpret_cast<Entry<Formula> *>(entries + 16 * from);
        const u32 count = system.row_counts[Term::TERM];
        for (u32 k = threadIdx.x; k < count; k += blockDim.x) {
            Entry<Formula> entry = load(source + k);
            entry.partner *= BEAD_BYTES;
            to[k] = entry;
        }
        BondedRows<Others...>::copy(system, from + count * sizeof(Entry<Formula>) / 16, entries);
    }

    __device__ __forceinline__ void begin(const RowHead *heads, const u8 *entries)
    {
        entry = reinterpret_cast<const Entry<Formula> *>(entries + heads->first);
        counts = heads->counts;
        others.begin(heads + 1, entries);
    }

    // Adds the entries of a partial sum, which are consecutive.
    template <u32 PART>
    __device__ __forceinline__ void add(const System &system, u32 bead, const Column &positions, const Vector &at, bool running, u32 time, Space::Sum &sum,
                                        StepError &error)
    {
        for (const Entry<Formula> *const last = entry + (counts >> 8 * PART & 0xff); entry != last; ++entry) {
            const Entry<Formula> here = load<Memory::SHARED>(entry);
            const u32 partner = here.partner / BEAD_BYTES;
            const Separation pair = space_of(system).separation(at, positions.at_byte(here.partner), bead < partner);
            if (Formula::BREAKS && running & !here.formula.holds(pair.r2)) report_bond(error, time, here.number, pair);
            space_of(system).add(sum, here.formula.force_over_distance(pair.r2), pair.apart, min(bead, partner));
        }
        others.template add<PART>(system, bead, positions, at, running, time, sum, error);
    }
};

// The type of the rows that hold the same terms as the columns `Bonded`.
template <typename Bonded> struct RowsOf;
template <typename... Terms> struct RowsOf<Bonded<Terms...>> {
    typedef BondedRows<Terms...> Rows;
};
