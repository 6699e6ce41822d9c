// Forces on a bead, one loop for each shape, for any formula. The sum has the order of `beadwork_cpu::reference`.
//
// `Positions` returns the beads of one member by their numbers: a vector, and a type for pairs.
#pragma once

#include "externals/laws.cuh"
#include "system.cuh"

// A bead and one of its four partial sums.
struct Slot {
    u32 bead, part, number, count;
};

// If the partner in a broken bond is not finite, that bead has the error instead.
__device__ __forceinline__ void report_bond(StepError &error, u32 time, u32 number, const Separation &pair)
{
    if (is_finite(pair.apart)) error.report(time, BROKEN | number, root(pair.r2));
}

// The address of entry k of a slot.
template <typename Formula> __device__ __forceinline__ const Entry<Formula> *entries_of(const Columns &columns, const Slot &me, u32 k)
{
    return static_cast<const Entry<Formula> *>(columns.entries) + k * me.count + me.number;
}

enum class Memory : u32 { GLOBAL, SHARED };

// Loads an entry with the widest loads that fit its words; from global memory through the read-only cache.
template <Memory MEMORY = Memory::GLOBAL, typename Formula> __device__ __forceinline__ Entry<Formula> load(const Entry<Formula> *entry)
{
    constexpr u32 PARTS = sizeof(Entry<Formula>) / 16;
    union {
        uint4 words[PARTS];
        Entry<Formula> entry;
    } parts;
#pragma unroll
    for (u32 k = 0; k < PARTS; ++k) {
        const uint4 *const words = reinterpret_cast<const uint4 *>(entry) + k;
        parts.words[k] = MEMORY == Memory::GLOBAL ? __ldg(words) : *words;
    }
    return parts.entry;
}

// A bonded term: a formula, the number of the term, and how many entries of a slot a thread keeps in registers.
template <typename Formula_, u32 TERM_, u32 KEPT_> struct BondedTerm {
    typedef Formula_ Formula;
    static constexpr u32 TERM = TERM_, KEPT = KEPT_;
};

// A thread's data on the partners of a slot in some bonded terms.
template <typename... Terms> struct Bonded {
    static constexpr u32 TERMS = 0;
    static constexpr bool BREAK = false;

    __device__ __forceinline__ void find(const System &, const Slot &, bool, bool) {}
    template <typename Positions> __device__ __forceinline__ void add(const System &, const Slot &, const Positions &, const Vector &, Space::Sum &, u32 &) const {}
    template <typename Positions> static __device__ __forceinline__ void verify(const System &, const Slot &, const Positions &, const Vector &, u32, StepError &) {}
    template <typename Positions> static __device__ __forceinline__ void add_all(const System &, const Slot &, const Positions &, const Vector &, u32, Space::Sum &, StepError &) {}
};

template <typename Term, typename... Others> struct Bonded<Term, Others...> {
    typedef typename Term::Formula Formula;
    static constexpr u32 TERMS = 1 + sizeof...(Others), KEPT = Term::KEPT;
    static constexpr bool BREAK = Formula::BREAKS || Bonded<Others...>::BREAK;

    // The number of entries, and the largest number of any lane of the warp, so that all lanes make the same rounds.
    u32 count, rounds;
    Entry<Formula> kept[KEPT > 0 ? KEPT : 1];
    Bonded<Others...> others;

    // With `by_warp` all lanes of the warp take part; `has` is false for lanes without a slot.
    __device__ __forceinline__ void find(const System &system, const Slot &me, bool has, bool by_warp)
    {
        const Columns &columns = system.bonded[Term::TERM];
        count = has ? columns.counts[me.number] : 0;
        rounds = by_warp ? most_of_warp(count) : count;
#pragma unroll
        for (u32 k = 0; k < KEPT; ++k) {
            const bool exists = k < count;
            kept[k] = load(entries_of<Formula>(columns, me, exists ? k : 0));
            if (!exists) kept[k].partner = me.bead;
        }
        others.find(system, me, has, by_warp);
    }

    // Adds one entry if `acts` is a full mask, nothing if it is empty.
    template <typename Positions>
    static __device__ __forceinline__ void add_one(const System &system, const Slot &me, const Entry<Formula> &entry, u32 acts, const Positions &positions,
                                                   const Vector &at, Space::Sum &sum, u32 &broken)
    {
        const Separation pair = space_of(system).separation(at, positions[entry.partner], me.bead < entry.partner);
        space_of(system).add(sum, masked(entry.formula.force_over_distance(pair.r2), acts), pair.apart, min(me.bead, entry.partner));
        if (Formula::BREAKS) broken |= acts & (entry.formula.holds(pair.r2) ? 0u : ~0u);
    }

    // Lanes without a partner compute along and add nothing. The common case has no branches, so the operations of one
    // partner hide the latency of another's. `broken` reports that a bond is broken; the caller must find out which.
    template <typename Positions>
    __device__ __forceinline__ void add(const System &system, const Slot &me, const Positions &positions, const Vector &at, Space::Sum &sum, u32 &broken) const
    {
#pragma unroll
        for (u32 k = 0; k < KEPT; ++k) add_one(system, me, kept[k], mask_below(k, count), positions, at, sum, broken);
        const Entry<Formula> *entry = entries_of<Formula>(system.bonded[Term::TERM], me, KEPT);
#pragma unroll 2
        for (u32 k = KEPT; k < rounds; ++k, entry += me.count) add_one(system, me, load(entry), mask_below(k, count), positions, at, sum, broken);
        others.add(system, me, positions, at, sum, broken);
    }

    // Adds all entries of a slot, and reports broken bonds.
    template <typename Positions>
    static __device__ __forceinline__ void add_all(const System &system, const Slot &me, const Positions &positions, const Vector &at, u32 time, Space::Sum &sum, StepError &error)
    {
        const Columns &columns = system.bonded[Term::TERM];
        for (u32 k = 0, count = columns.counts[me.number]; k < count; ++k) {
            const Entry<Formula> entry = load(entries_of<Formula>(columns, me, k));
            const Separation pair = space_of(system).separation(at, positions[entry.partner], me.bead < entry.partner);
            if (Formula::BREAKS && !entry.formula.holds(pair.r2)) report_bond(error, time, entry.number, pair);
            space_of(system).add(sum, entry.formula.force_over_distance(pair.r2), pair.apart, min(me.bead, entry.partner));
        }
        Bonded<Others...>::add_all(system, me, positions, at, time, sum, error);
    }

    // Reports the broken bonds of a slot.
    template <typename Positions>
    static __device__ __forceinline__ void verify(const System &system, const Slot &me, const Positions &positions, const Vector &at, u32 time, StepError &error)
    {
        if (Formula::BREAKS) {
            const Columns &columns = system.bonded[Term::TERM];
            for (u32 k = 0, count = columns.counts[me.number]; k < count; ++k) {
                const Entry<Formula> entry = load(entries_of<Formula>(columns, me, k));
                const Separation pair = space_of(system).separation(at, positions[entry.partner], me.bead < entry.partner);
                if (!entry.formula.holds(pair.r2)) report_bond(error, time, entry.number, pair);
            }
        }
        Bonded<Others...>::verify(system, me, positions, at, time, error);
    }
};

// An angle's forces on its outer beads; on the middle one acts the opposite of their sum.
struct AngleForces {
    Vector on_i, on_k;
};

template <typename Formula> __device__ __forceinline__ AngleForces angle_forces(const Formula &formula, const Vector &a, const Vector &b)
{
    const real square_a = dot(a, a), square_b = dot(b, b);
    const real inverse = quotient(real(1), root(square_a * square_b));
    const real cosine = dot(a, b) * inverse;
    const real minus_slope = -formula.slope(cosine);
    const real across = minus_slope * inverse;
    const real along_a = quotient(minus_slope * cosine, square_a), along_b = quotient(minus_slope * cosine, square_b);
    return {multiply_add(b, across, a * -along_a), multiply_add(a, across, b * -along_b)};
}

// The force on the bead of a role, in open space.
__device__ __forceinline__ Vector force_of_role(const AngleForces &forces, u32 role)
{
    const Vector both = forces.on_i + forces.on_k;
    return role == 0 ? forces.on_i : role == 2 ? forces.on_k : Vector{-both.x, -both.y, -both.z};
}

// The angles of a bead, term after term.
template <typename... Formulas> struct Angles {
    static constexpr u32 TERMS = 0;
    template <u32 STRIDE = 1, typename Positions, typename Add>
    static __device__ __forceinline__ void visit(const System &, u32, const Positions &, Add, u32 = 0) {}
};

template <typename Formula, typename... Others> struct Angles<Formula, Others...> {
    static constexpr u32 TERMS = 1 + sizeof...(Others);

    // Calls `add` with the forces of each angle and its entry: of the first one and each `STRIDE`-th after it. The terms are
    // a recursive list, of which `ALL` is the full length.
    template <u32 STRIDE = 1, u32 ALL = TERMS, typename Positions, typename Add>
    static __device__ __forceinline__ void visit(const System &system, u32 bead, const Positions &positions, Add add, u32 first = 0)
    {
        const Rows &rows = system.angles[ALL - TERMS];
        for (u32 k = rows.starts[bead] + first; k < rows.starts[bead + 1]; k += STRIDE) {
            const AngleEntry<Formula> &angle = static_cast<const AngleEntry<Formula> *>(rows.entries)[k];
            const Vector middle = positions[angle.beads[1]];
            const Vector a = space_of(system).apart(positions[angle.beads[0]], middle), b = space_of(system).apart(positions[angle.beads[2]], middle);
            add(angle_forces(angle.formula, a, b), angle.beads, angle.role);
        }
        if constexpr (TERMS > 1) Angles<Others...>::template visit<STRIDE, ALL>(system, bead, positions, add, first);
    }
};

// The fields on a bead, term after term.
template <typename... Formulas> struct Singles {
    static constexpr u32 TERMS = 0;
};

template <typename Formula, typename... Others> struct Singles<Formula, Others...> {
    static constexpr u32 TERMS = 1 + sizeof...(Others);

    // Calls `add` with the force of each field: of the first one and each `STRIDE`-th after it.
    template <u32 STRIDE = 1, u32 ALL = TERMS, typename Add>
    static __device__ __forceinline__ void visit(const System &system, u32 bead, const Vector &at, Add add, u32 first = 0)
    {
        const Rows &rows = system.singles[ALL - TERMS];
        for (u32 k = rows.starts[bead] + first; k < rows.starts[bead + 1]; k += STRIDE) {
            const SingleEntry<Formula> &field = static_cast<const SingleEntry<Formula> *>(rows.entries)[k];
            add(field.formula.force(field.near(space_of(system), at)));
        }
        if constexpr (TERMS > 1) Singles<Others...>::template visit<STRIDE, ALL>(system, bead, at, add, first);
    }
};

// The same for a thread that keeps the first field of each term in registers, since most beads have no second one.
template <typename... Formulas> struct KeptSingles {
    __device__ __forceinline__ void find(const System &, u32) {}
    __device__ __forceinline__ void add(const System &, const Vector &, Vector &) const {}
};

template <typename Formula, typename... Others> struct KeptSingles<Formula, Others...> {
    Formula first;
    u32 next, last;
    bool has;
    KeptSingles<Others...> others;

    template <u32 ALL = 1 + sizeof...(Others)> __device__ __forceinline__ void find(const System &system, u32 bead)
    {
        const Rows &rows = system.singles[ALL - 1 - sizeof...(Others)];
        next = rows.starts[bead];
        last = rows.starts[bead + 1];
        has = next < last;
        if (has) first = static_cast<const SingleEntry<Formula> *>(rows.entries)[next++].formula;
        if constexpr (sizeof...(Others) > 0) others.template find<ALL>(system, bead);
    }

    template <u32 ALL = 1 + sizeof...(Others)> __device__ __forceinline__ void add(const System &system, const Vector &at, Vector &force) const
    {
        if (has) force = force + first.force(at);
        const Rows &rows = system.singles[ALL - 1 - sizeof...(Others)];
#pragma unroll 1
        for (u32 k = next; k < last; ++k) force = force + static_cast<const SingleEntry<Formula> *>(rows.entries)[k].formula.force(at);
        if constexpr (sizeof...(Others) > 0) others.template add<ALL>(system, at, force);
    }
};

template <typename Singles> struct KeptOf;
template <typename... Formulas> struct KeptOf<Singles<Formulas...>> {
    typedef KeptSingles<Formulas...> Kept;
};

// The pair terms. A system of one type keeps its parameters in registers; other systems look them up.
template <typename... Formulas> struct Pairs {
    static constexpr u32 TERMS = 0;
    static __device__ __forceinline__ u32 shared_bytes(u32) { return 0; }
    template <u32 = 0> static __device__ __forceinline__ void share(const System &, System &, u8 *) {}
    __device__ __forceinline__ void find(const System &) {}
    template <bool = false> __device__ __forceinline__ bool evaluate(real, u32, real &) const { return false; }
    __device__ __forceinline__ bool add(real, u32, real &) const { return false; }
};

template <typename Formula, typename... Others> struct Pairs<Formula, Others...> {
    static constexpr u32 TERMS = 1 + sizeof...(Others);
    // The numbers of an entry. In shared memory numbers 0 to 3 of all entries are one table, 4 to 7 the next. A rest of three is
    // padded to four; a rest of one or two numbers has a table each. So threads that read different entries meet in few banks.
    static constexpr u32 NUMBERS = sizeof(Formula) / sizeof(real) + 1, FOURS = (NUMBERS + 1) / 4, REST = NUMBERS < 4 * FOURS ? 0 : NUMBERS % 4;

    PairEntry<Formula> entry;
    const PairEntry<Formula> *table;
    // Pairs of types.
    u32 squares;
    Pairs<Others...> others;

    // The host has room for as many bytes as its own entries take.
    static_assert(sizeof(real) * (4 * FOURS + REST) <= sizeof(PairEntry<Formula>), "entries in shared memory");

    // The bytes that copies of this table, and of all tables, take in shared memory.
    static __device__ __forceinline__ u32 own_bytes(u32 squares) { return (sizeof(real) * (4 * FOURS + REST) * squares + 15) / 16 * 16; }
    static __device__ __forceinline__ u32 shared_bytes(u32 squares) { return own_bytes(squares) + Pairs<Others...>::shared_bytes(squares); }

    // Copies the tables of all terms to shared memory, and points a record of the system to them.
    template <u32 ALL = TERMS> static __device__ __forceinline__ void share(const System &system, System &record, u8 *memory)
    {
        const u32 squares = system.types * system.types;
        const void *const table = system.pairs[ALL - TERMS];
        real *const to = reinterpret_cast<real *>(memory);
        for (u32 k = threadIdx.x; k < NUMBERS * squares; k += blockDim.x) {
            const u32 one = k / NUMBERS, number = k % NUMBERS;
            const real *const from = reinterpret_cast<const real *>(static_cast<const PairEntry<Formula> *>(table) + one);
            to[number < 4 * FOURS ? (number / 4 * squares + one) * 4 + number % 4 : number * squares + one] = from[number];
        }
        record.pairs[ALL - TERMS] = memory;
        Pairs<Others...>::template share<ALL>(system, record, memory + own_bytes(squares));
    }

    // The entry of a pair of types.
    __device__ __forceinline__ PairEntry<Formula> look_up(u32 types) const
    {
        if constexpr (!TYPED) return entry;
        if constexpr (!SHARED_TABLES) return table[types];
        const real4 *const fours = reinterpret_cast<const real4 *>(table);
        const real *const rest = reinterpret_cast<const real *>(fours);
        real numbers[4 * FOURS + REST];
#pragma unroll
        for (u32 k = 0; k < FOURS; ++k) {
            const real4 four = fours[k * squares + types];
            numbers[4 * k] = four.x;
            numbers[4 * k + 1] = four.y;
            numbers[4 * k + 2] = four.z;
            numbers[4 * k + 3] = four.w;
        }
#pragma unroll
        for (u32 k = 4 * FOURS; k < 4 * FOURS + REST; ++k) numbers[k] = rest[k * squares + types];
        PairEntry<Formula> found;
        memcpy(&found.formula, numbers, sizeof(Formula));
        found.square_cutoff = numbers[NUMBERS - 1];
        return found;
    }

    template <u32 ALL = TERMS> __device__ __forceinline__ void find(const System &system)
    {
        table = static_cast<const PairEntry<Formula> *>(system.pairs[ALL - TERMS]);
        squares = system.types * system.types;
        if (!TYPED) entry = *table;
        if constexpr (TERMS > 1) others.template find<ALL>(system);
    }

    // Adds up the terms' forces over the distance; returns whether any term acts. `types` is the pair of types. If `FIRST`,
    // only the first term may act.
    template <bool FIRST = false> __device__ __forceinline__ bool evaluate(real r2, u32 types, real &over_distance) const
    {
        const PairEntry<Formula> here = look_up(types);
        const real factor = here.formula.force_over_distance(r2);
        const bool near = r2 < here.square_cutoff;
        if constexpr (TERMS == 1 || FIRST) {
            over_distance = factor;
            return near;
        } else {
            over_distance = near ? factor : real(0);
            const bool others_near = others.add(r2, types, over_distance);
            return near || others_near;
        }
    }

    // The same for terms after the first: sums run from the first term to the last, as on the reference path.
    __device__ __forceinline__ bool add(real r2, u32 types, real &over_distance) const
    {
        const PairEntry<Formula> here = look_up(types);
        const real factor = here.formula.force_over_distance(r2);
        const bool near = r2 < here.square_cutoff;
        over_distance = over_distance + (near ? factor : real(0));
        const bool others_near = others.add(r2, types, over_distance);
        return near || others_near;
    }
};

// The terms of a system, by shape.
template <typename Bonded_, typename Pairs_, typename Angles_, typename Singles_> struct TermsOf {
    typedef Bonded_ Bonded;
    typedef Pairs_ Pairs;
    typedef Angles_ Angles;
    typedef Singles_ Singles;
    // Whether any angle, field or external may act on a bead.
    static constexpr bool OUTER = PULLED || Angles::TERMS > 0 || Singles::TERMS > 0;
    // Whether they follow the sums, as in open space, or are added to them in any order.
    static constexpr bool FOLLOWS = OUTER && !Space::WRAPS;
};

// Sets the component along an axis, or all three.
template <typename Number> __device__ __forceinline__ void set_along(u32 axis, Number number, real &value) { value = number(axis); }
template <typename Number> __device__ __forceinline__ void set_along(u32, Number number, Vector &value)
{
    value = {number(0), number(1), number(2)};
}

template <typename Value, typename Number> __device__ __forceinline__ Value along(u32 axis, Number number)
{
    Value value;
    set_along(axis, number, value);
    return value;
}

// The force on a bead of an external that does not pull: along one axis, or all three. What is pushed back is so along these. `time` is twice the steps since the first one of
// the launch, less one where positions are predicted. Reports a bead where it cannot act.
template <typename Value>
__device__ __forceinline__ Value force_on_bead(const External &external, u32 number, u32 axis, u32 bead, const Vector &at, u64 first_step, u32 time, StepError &error)
{
    double force[3];
    Laws::on_bead(external, first_step + (time + 1) / 2, bead, at, force, axis);
    return along<Value>(axis, [&](u32 k) {
        const double one = k == 0 ? force[0] : k == 1 ? force[1] : force[2];
        if (!(one == one) && is_finite(at)) error.report(time, external_error(number, bead), 0);
        return static_cast<real>(one);
    });
}

// Adds angles, fields and externals after the pairs, in the order of the sum: all axes, or one of them. `of_external` returns the
// force of an external on the bead.
template <typename Terms, typename Value, typename Positions, typename OfExternal>
__device__ __forceinline__ Value outer_forces(Value force, u32 axis, const System &system, u32 bead, u32 flags, const Positions &positions,
                                              const Vector &at, OfExternal of_external)
{
    const auto add = [&](const Vector &one) { force = force + along<Value>(axis, [&](u32 k) { return component(one, k); }); };
    const auto add_angle = [&](const AngleForces &forces, const u32 *, u32 role) { add(force_of_role(forces, role)); };
    if constexpr (Terms::Angles::TERMS > 0) Terms::Angles::visit(system, bead, positions, add_angle);
    if constexpr (Terms::Singles::TERMS > 0) Terms::Singles::visit(system, bead, at, add);
    if constexpr (PULLED) {
        u32 acting = flags & ~FIXED;
        while (acting) {
            const u32 number = __ffs(acting) - 1;
            acting &= acting - 1;
            force = force + of_external(number);
        }
    }
    return force;
}

#if BOXED
// Adds angles and fields to the sum of a bead in a box: the first one and each `STRIDE`-th after it.
template <typename Terms, u32 STRIDE, typename Positions>
__device__ __forceinline__ void add_outer_forces(Space::Sum &sum, const System &system, u32 bead, const Positions &positions, const Vector &at, u32 first)
{
    const auto &space = space_of(system);
    const auto add_angle = [&](const AngleForces &forces, const u32 *beads, u32 role) {
        const u32 lowest = min(min(beads[0], beads[1]), beads[2]);
        if (role == 1) {
            space.subtract(sum, forces.on_i, forces.on_k, lowest);
        } else {
            space.add(sum, role == 0 ? forces.on_i : forces.on_k, lowest);
        }
    };
    if constexpr (Terms::Angles::TERMS > 0) Terms::Angles::template visit<STRIDE>(system, bead, positions, add_angle, first);
    const auto add_field = [&](const Vector &force) { space.add(sum, force, bead); };
    if constexpr (Terms::Singles::TERMS > 0) Terms::Singles::template visit<STRIDE>(system, bead, at, add_field, first);
}
#endif
