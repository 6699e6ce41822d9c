// Measurements of samples, each by a warp: what `beadwork_model` measures of all beads, pairs and velocities.
//
// Everything is computed in double precision, each operation rounded as the host rounds it. Lanes compute values side by
// side; then every lane adds them one after another in the host's order. So the results have the host's bits.

constexpr u32 WARPS = THREADS / 32, ALL_LANES = 0xffffffffu;
// A square beyond all cutoffs.
constexpr double FAR = 1e300;
// The largest number of terms of a shape.
constexpr u32 MOST_TERMS = 12;

template <typename A, typename B> struct SameType {
    static constexpr bool value = false;
};
template <typename A> struct SameType<A, A> {
    static constexpr bool value = true;
};

#if DOUBLE_SAMPLES
typedef double sampled;
typedef long long Fraction;
constexpr double FRACTIONS = 18446744073709551616.0;
__device__ __forceinline__ Fraction fraction_of(sampled coordinate) { return __double_as_longlong(coordinate); }
#else
typedef float sampled;
typedef int Fraction;
constexpr double FRACTIONS = 4294967296.0;
__device__ __forceinline__ Fraction fraction_of(sampled coordinate) { return static_cast<int>(__float_as_uint(coordinate)); }
#endif

// A pair of a bonded term.
template <typename Formula, typename Energy> struct alignas(16) ListedPair {
    u32 i, j;
    Formula formula;
    Energy own;
};

// The potential between beads of two types.
template <typename Formula, typename Energy> struct alignas(16) TypePair {
    Formula formula;
    Energy own;
    double square_cutoff;
};

template <typename Formula> struct alignas(16) Triple {
    u32 beads[3], padding;
    Formula formula;
};

// A field on a bead, and where it belongs in a box.
template <typename Formula> struct alignas(16) Field {
    u32 bead, padding;
    Vector anchor;
    Formula formula;
};

// A list of terms: entries, one after another.
struct TermList {
    const void *entries;
    u64 count;
};

// A molecule of several beads.
struct Molecule {
    u32 first, end;
};

// A system (`src/observables/tables.rs` writes it).
struct ObservedSystem {
    u32 beads, types, molecule_count, padding;
    // A bit for each pair i < j between which pair terms may act: rows of i, each a whole number of words.
    const u32 *allowed;
    const u16 *type_of;
    TermList bonded[MOST_TERMS], angles[MOST_TERMS], singles[MOST_TERMS];
    // Tables by pair of types, row after row.
    const void *pairs[MOST_TERMS];
    const Molecule *molecules;
    // The part of each bead in the mass of its molecule, and the mass.
    const double *weights, *masses;
    Vector sides;
};

// A member of a launch. The first number of each array belongs to its first sample.
struct ObservedMember {
    const ObservedSystem *system;
    const sampled *positions, *velocities;
    // In a box: the sides that each bead was away before the launch, those that it crossed before each sample, and room for
    // positions without wrap-around.
    const int *images, *crossings;
    double *unwrapped;
    u32 first_sample, samples;
};

// What is measured of a sample (`src/observables/mod.rs` reads it).
struct Observed {
    double bonds, contacts, angles, pairs, charges, singles, virial;
    double native_contacts, radius_of_gyration, radius_of_gyration_by_mass, end_to_end;
    // Σ m v².
    double twice_kinetic_energy;
    // Whether all positions are finite, and no bond is so near its limit that precision decides whether it holds. If not, the
    // host measures the sample.
    u64 sound;
    u64 padding;
};

struct Observation {
    const ObservedMember *members;
    Observed *observed;
    // The first word of a member's outcome is the number of samples that it reached.
    const u32 *outcomes;
    u32 outcome_words, members_count, most_samples, blocks_per_member;
};

// The beads of a sample.
struct Positions {
#if BOXED
    const double *first;
#else
    const sampled *first;
#endif

    __device__ __forceinline__ Vector operator[](u32 bead) const
    {
        return {static_cast<double>(first[3 * bead]), static_cast<double>(first[3 * bead + 1]), static_cast<double>(first[3 * bead + 2])};
    }
};

// `beadwork_model::Boundary::separation`.
__device__ __forceinline__ Vector apart(const ObservedSystem &system, const Vector &a, const Vector &b)
{
    const Vector apart = a - b;
#if BOXED
    const Vector &sides = system.sides;
    return {apart.x - sides.x * round(apart.x / sides.x), apart.y - sides.y * round(apart.y / sides.y), apart.z - sides.z * round(apart.z / sides.z)};
#else
    return apart;
#endif
}

__device__ __forceinline__ double squared_distance(const ObservedSystem &system, const Vector &a, const Vector &b)
{
    const Vector between = apart(system, a, b);
    return dot(between, between);
}

__device__ __forceinline__ double square(double x) { return x * x; }

// A warp that measures a sample.
struct Warp {
    const ObservedSystem &system;
    Positions positions;
    u32 lane;
    // Room for three values of each lane.
    double *room;
    Observed sums;

    // Adds the values of those lanes that have one, in the order of lanes.
    __device__ __forceinline__ void add(bool has, double value, double &sum) const
    {
        const u32 lanes = __ballot_sync(ALL_LANES, has);
        if (lanes == 0) return;
        if (has) room[__popc(lanes & ((1u << lane) - 1))] = value;
        __syncwarp();
        const u32 count = __popc(lanes);
#pragma unroll 4
        for (u32 k = 0; k < count; ++k) sum += room[k];
        __syncwarp();
    }

    // Stores a vector for each of the first `count` lanes.
    __device__ __forceinline__ void share(u32 count, const Vector &value) const
    {
        if (lane < count) {
            room[3 * lane] = value.x;
            room[3 * lane + 1] = value.y;
            room[3 * lane + 2] = value.z;
        }
        __syncwarp();
    }

    // The same with the sums of all axes, side by side.
    __device__ __forceinline__ void add(u32 count, const Vector &value, Vector &sum) const
    {
        share(count, value);
#pragma unroll 4
        for (u32 k = 0; k < count; ++k) sum = sum + Vector{room[3 * k], room[3 * k + 1], room[3 * k + 2]};
        __syncwarp();
    }

    // The same with one sum, component after component.
    __device__ __forceinline__ void add(u32 count, const Vector &value, double &sum) const
    {
        share(count, value);
#pragma unroll 4
        for (u32 k = 0; k < 3 * count; ++k) sum += room[k];
        __syncwarp();
    }

    // Calls `act` with the number of each of `count` things, 32 at a time; lanes beyond the last one have `has` false and
    // another's number.
    template <typename Act> __device__ __forceinline__ void each(u32 count, Act act) const
    {
        for (u32 first = 0; first < count; first += 32) {
            const bool has = first + lane < count;
            act(has ? first + lane : first, has, min(count - first, 32u));
        }
    }

    // The sum of an energy that counts as this.
    template <EnergyKind KIND> __device__ __forceinline__ double &energy()
    {
        if constexpr (KIND == EnergyKind::BOND) return sums.bonds;
        if constexpr (KIND == EnergyKind::CONTACT) return sums.contacts;
        if constexpr (KIND == EnergyKind::PAIR) return sums.pairs;
        return sums.charges;
    }

    // A bonded term. Its bonds hold for sure if they do at a distance somewhat longer and shorter: single precision and the
    // double precision here differ by less.
    template <typename Formula, typename Energy> __device__ __forceinline__ void measure_bonded(u32 term)
    {
        const TermList &list = system.bonded[term];
        const ListedPair<Formula, Energy> *const entries = static_cast<const ListedPair<Formula, Energy> *>(list.entries);
        double energy_sum = -0.0, virial = -0.0;
        u32 held = 0;
        bool holds = true;
        each(static_cast<u32>(list.count), [&](u32 number, bool has, u32) {
            const ListedPair<Formula, Energy> &pair = entries[number];
            const double r2 = squared_distance(system, positions[pair.i], positions[pair.j]);
            add(has, pair.own.energy(r2), energy_sum);
            if constexpr (BOXED) add(has, r2 * pair.formula.force_over_distance(r2), virial);
            if constexpr (Formula::BREAKS) holds &= pair.formula.holds(r2 * 1.00001) && pair.formula.holds(r2 * 0.99999);
            if constexpr (SameType<Energy, CountedContact>::value) held += __popc(__ballot_sync(ALL_LANES, has && is_held(sqrt(r2), pair.own.length)));
        });
        energy<Energy::KIND>() += energy_sum;
        if constexpr (BOXED) sums.virial += virial;
        if constexpr (SameType<Energy, CountedContact>::value) sums.native_contacts = held;
        if (!holds) sums.sound = 0;
    }

    // `beadwork_model::observables::native_contacts_held`.
    static __device__ __forceinline__ bool is_held(double r, double length) { return r < 8.0 || fabs(r - length) <= 2.0; }

    // A pair term between bead i and beads beyond it.
    template <typename Formula, typename Energy> __device__ __forceinline__ void measure_row(u32 term, u32 i, const Vector &here)
    {
        typedef TypePair<Formula, Energy> Entry;
        const Entry *const table = static_cast<const Entry *>(system.pairs[term]);
        const u32 words = (system.beads + 31) / 32;
        const Entry *const row = TYPED ? table + system.type_of[i] * system.types : table;
        for (u32 first = (i + 1) / 32; first < words; first += 2) {
            // The distances of two words together, so that a load does not wait for another.
            double r2[2];
            const Entry *entries[2];
            bool any = false;
#pragma unroll
            for (u32 k = 0; k < 2; ++k) {
                const u32 word = first + k, allowed = word < words ? system.allowed[i * words + word] : 0;
                const bool acts = allowed >> lane & 1;
                const u32 j = acts ? 32 * word + lane : i;
                entries[k] = TYPED ? row + system.type_of[j] : row;
                const double square = squared_distance(system, here, positions[j]);
                r2[k] = acts && square < entries[k]->square_cutoff ? square : FAR;
                any |= r2[k] < FAR;
            }
            if (!__any_sync(ALL_LANES, any)) continue;
            // One text for both: formulas are long.
#pragma unroll 1
            for (u32 k = 0; k < 2; ++k) {
                const double square = k == 0 ? r2[0] : r2[1];
                const Entry &entry = k == 0 ? *entries[0] : *entries[1];
                const bool near = square < FAR;
                if (!__any_sync(ALL_LANES, near)) continue;
                add(near, near ? entry.own.energy(square) : 0.0, energy<Energy::KIND>());
                if constexpr (BOXED) add(near, near ? square * entry.formula.force_over_distance(square) : 0.0, sums.virial);
            }
        }
    }

    template <typename Formula> __device__ __forceinline__ void measure_angles(u32 term)
    {
        const TermList &list = system.angles[term];
        double sum = -0.0;
        each(static_cast<u32>(list.count), [&](u32 number, bool has, u32) {
            const Triple<Formula> &triple = static_cast<const Triple<Formula> *>(list.entries)[number];
            const Vector middle = positions[triple.beads[1]];
            const Vector a = apart(system, positions[triple.beads[0]], middle), b = apart(system, positions[triple.beads[2]], middle);
            add(has, triple.formula.energy(dot(a, b) / sqrt(dot(a, a) * dot(b, b))), sum);
        });
        sums.angles += sum;
    }

    template <typename Formula> __device__ __forceinline__ void measure_singles(u32 term)
    {
        const TermList &list = system.singles[term];
        double sum = 0.0;
        each(static_cast<u32>(list.count), [&](u32 number, bool has, u32) {
            const Field<Formula> &field = static_cast<const Field<Formula> *>(list.entries)[number];
            const Vector at = positions[field.bead];
            add(has, field.formula.energy(BOXED ? field.anchor + apart(system, at, field.anchor) : at), sum);
        });
        sums.singles += sum;
    }

    // `beadwork_model::observables::radius_of_gyration`.
    __device__ __forceinline__ double radius_of_gyration(u32 first, u32 end) const
    {
        const double beads = end - first;
        Vector centre = {0, 0, 0};
        each(end - first, [&](u32 number, bool, u32 count) {
            const Vector at = positions[first + number];
            add(count, Vector{at.x / beads, at.y / beads, at.z / beads}, centre);
        });
        double sum = 0;
        each(end - first, [&](u32 number, bool, u32 count) {
            const Vector from = positions[first + number] - centre;
            add(count, Vector{square(from.x), square(from.y), square(from.z)}, sum);
        });
        return sqrt(sum / beads);
    }

    // `beadwork_model::observables::radius_of_gyration_by_mass`.
    __device__ __forceinline__ double radius_by_mass(u32 first, u32 end) const
    {
        Vector centre = {-0.0, -0.0, -0.0};
        each(end - first, [&](u32 number, bool, u32 count) {
            const double weight = system.weights[first + number];
            const Vector at = positions[first + number];
            add(count, Vector{weight * at.x, weight * at.y, weight * at.z}, centre);
        });
        double sum = -0.0;
        each(end - first, [&](u32 number, bool has, u32) {
            const Vector from = positions[first + number] - centre;
            add(has, system.weights[first + number] * dot(from, from), sum);
        });
        return sqrt(sum);
    }

    // The means over molecules.
    __device__ __forceinline__ void measure_molecules()
    {
        double radii = 0, by_mass = 0, ends = 0;
        for (u32 number = 0; number < system.molecule_count; ++number) {
            const Molecule molecule = system.molecules[number];
            radii += radius_of_gyration(molecule.first, molecule.end);
            by_mass += radius_by_mass(molecule.first, molecule.end);
            const Vector along = positions[molecule.end - 1] - positions[molecule.first];
            ends += sqrt(dot(along, along));
        }
        const double count = system.molecule_count;
        sums.radius_of_gyration = radii / count;
        sums.radius_of_gyration_by_mass = by_mass / count;
        sums.end_to_end = ends / count;
    }

    __device__ __forceinline__ void measure_velocities(const sampled *velocities)
    {
        double sum = -0.0;
        each(system.beads, [&](u32 bead, bool has, u32) {
            const sampled *const of_bead = velocities + 3 * bead;
            const Vector velocity = {static_cast<double>(of_bead[0]), static_cast<double>(of_bead[1]), static_cast<double>(of_bead[2])};
            add(has, system.masses[bead] * dot(velocity, velocity), sum);
        });
        sums.twice_kinetic_energy = sum;
    }

    __device__ __forceinline__ void check_positions()
    {
        bool finite = true;
        each(system.beads, [&](u32 bead, bool, u32) { finite &= is_finite(positions[bead]); });
        if (!finite) sums.sound = 0;
    }
};

// The terms of a system by shape, in the order in which they add up.
template <typename Formula_, typename Energy_> struct WithEnergy {
    typedef Formula_ Formula;
    typedef Energy_ Energy;
};

template <typename... Terms> struct Bonded {
    static __device__ __forceinline__ void measure(Warp &warp)
    {
        u32 term = 0;
        (warp.template measure_bonded<typename Terms::Formula, typename Terms::Energy>(term++), ...);
    }
};

// All terms act in a row of pairs before the next row.
template <typename... Terms> struct Pairs {
    static __device__ __forceinline__ void measure(Warp &warp)
    {
        if constexpr (sizeof...(Terms) > 0) {
            for (u32 i = 0; i + 1 < warp.system.beads; ++i) {
                const Vector here = warp.positions[i];
                u32 term = 0;
                (warp.template measure_row<typename Terms::Formula, typename Terms::Energy>(term++, i, here), ...);
            }
        }
    }
};

template <typename... Formulas> struct Angles {
    static __device__ __forceinline__ void measure(Warp &warp)
    {
        u32 term = 0;
        (warp.template measure_angles<Formulas>(term++), ...);
    }
};

template <typename... Formulas> struct Singles {
    static __device__ __forceinline__ void measure(Warp &warp)
    {
        u32 term = 0;
        (warp.template measure_singles<Formulas>(term++), ...);
    }
};
