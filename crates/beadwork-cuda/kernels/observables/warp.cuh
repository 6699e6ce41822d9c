// A warp that measures a sample, or a part of one: what `beadwork_model` measures of all beads, pairs and velocities.
//
// Everything is computed in double precision, each operation rounded as the host rounds it. Lanes compute values side by
// side; then every lane adds them one after another in the host's order. So the results have the host's bits.
#pragma once

#include "observables/records.cuh"
#include "potentials/bonded/native_contact.cuh"

__device__ __forceinline__ double square(double x) { return x * x; }

template <typename A, typename B> struct SameType {
    static constexpr bool value = false;
};
template <typename A> struct SameType<A, A> {
    static constexpr bool value = true;
};

// A pair formula or a bonded one, with the parameters of its energy, and what that counts as: the energy of pairs within a cutoff says
// so itself, that of listed pairs is told by their term.
template <typename Formula_, typename Energy_, EnergyKind KIND_ = Energy_::KIND> struct WithEnergy {
    typedef Formula_ Formula;
    typedef Energy_ Energy;
    static constexpr EnergyKind KIND = KIND_;
};

// The terms of a system by shape, in the order in which they add up.
template <typename... Terms> struct Bonded {};
template <typename... Terms> struct Pairs {};
template <typename... Formulas> struct Angles {};
template <typename... Formulas> struct Singles {};

// Sums of nothing begin at −0, as those of the host do.
__device__ __forceinline__ Vector nothing() { return {-0.0, -0.0, -0.0}; }

struct Warp {
    const ObservedSystem &system;
    Positions positions;
    u32 lane;
    // Room for three values of each lane.
    double *room;
    // Native contacts that hold, and whether this lane found nothing that only the host can decide.
    u32 held;
    bool sound;

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

    // Calls `act` with the numbers of things, 32 at a time; lanes beyond the last one have `has` false and another's number.
    template <typename Act> __device__ __forceinline__ void each(u32 first, u32 end, Act act) const
    {
        for (; first < end; first += 32) {
            const bool has = first + lane < end;
            act(has ? first + lane : first, has, min(end - first, 32u));
        }
    }

    // The energy of entries of a bonded term, and in a box r·F. Bonds hold for sure if they do at a distance somewhat longer
    // and shorter: single precision and the double precision here differ by less.
    template <typename Formula, typename Energy> __device__ __forceinline__ Vector bonded(u32 term, u32 first, u32 end)
    {
        const ListedPair<Formula, Energy> *const entries = static_cast<const ListedPair<Formula, Energy> *>(system.bonded[term].entries);
        Vector sum = nothing();
        each(first, end, [&](u32 number, bool has, u32) {
            const ListedPair<Formula, Energy> &pair = entries[number];
            const double r2 = squared_distance(system, positions[pair.i], positions[pair.j]);
            add(has, pair.own.energy(r2), sum.x);
            if constexpr (BOXED) add(has, r2 * pair.formula.force_over_distance(r2), sum.y);
            if constexpr (Formula::BREAKS) sound &= pair.formula.holds(r2 * 1.00001) && pair.formula.holds(r2 * 0.99999);
            if constexpr (SameType<Energy, NativeContactEnergy>::value) held += __popc(__ballot_sync(ALL_LANES, has && is_held(sqrt(r2), pair.own.length)));
        });
        return sum;
    }

    // `beadwork_model::observables::native_contacts_held`.
    static __device__ __forceinline__ bool is_held(double r, double length) { return r < 8.0 || fabs(r - length) <= 2.0; }

    // Adds what those lanes contribute whose pair is near: the energy of pairs to x, of charges to y, in a box r·F to z.
    template <typename Formula, typename Energy>
    __device__ __forceinline__ void add_pairs(bool near, double square, const TypePair<Formula, Energy> &entry, Vector &sums) const
    {
        static_assert(Energy::KIND == EnergyKind::PAIR || Energy::KIND == EnergyKind::CHARGE, "energies of pairs within a cutoff");
        double &energy = Energy::KIND == EnergyKind::PAIR ? sums.x : sums.y;
        add(near, near ? entry.own.energy(square) : 0.0, energy);
        if constexpr (BOXED) add(near, near ? square * entry.formula.force_over_distance(square) : 0.0, sums.z);
    }

    template <typename Formula> __device__ __forceinline__ double angles(u32 term, u32 first, u32 end) const
    {
        const Triple<Formula> *const entries = static_cast<const Triple<Formula> *>(system.angles[term].entries);
        double sum = -0.0;
        each(first, end, [&](u32 number, bool has, u32) {
            const Triple<Formula> &triple = entries[number];
            const Vector middle = positions[triple.beads[1]];
            const Vector a = apart(system, positions[triple.beads[0]], middle), b = apart(system, positions[triple.beads[2]], middle);
            add(has, triple.formula.energy(dot(a, b) / sqrt(dot(a, a) * dot(b, b))), sum);
        });
        return sum;
    }

    template <typename Formula> __device__ __forceinline__ double singles(u32 term, u32 first, u32 end) const
    {
        const Field<Formula> *const entries = static_cast<const Field<Formula> *>(system.singles[term].entries);
        double sum = -0.0;
        each(first, end, [&](u32 number, bool has, u32) {
            const Field<Formula> &field = entries[number];
            const Vector at = positions[field.bead];
            add(has, field.formula.energy(BOXED ? field.anchor + apart(system, at, field.anchor) : at), sum);
        });
        return sum;
    }

    // The sums over beads of a molecule: `value` adds what a bead contributes. Of many beads a lane adds a run.
    template <typename Value> __device__ __forceinline__ Vector over_runs(u32 first, u32 end, Value value) const
    {
        Vector sum = nothing();
        each(0, (end - first + RUN - 1) / RUN, [&](u32 run, bool, u32 count) {
            Vector of_run = nothing();
            const u32 begin = first + RUN * run, stop = min(end, begin + RUN);
            for (u32 bead = begin; bead < stop; ++bead) value(bead, of_run);
            add(count, of_run, sum);
        });
        return sum;
    }

    // `beadwork_model::observables::radius_of_gyration`.
    __device__ __forceinline__ double radius_of_gyration(u32 first, u32 end) const
    {
        const double beads = end - first;
        const auto part = [&](u32 bead) {
            const Vector at = positions[bead];
            return Vector{at.x / beads, at.y / beads, at.z / beads};
        };
        Vector centre = nothing();
        const auto squares = [&](u32 bead) {
            const Vector from = positions[bead] - centre;
            return Vector{square(from.x), square(from.y), square(from.z)};
        };
        double sum = 0;
        if (LARGE && end - first > MOST_WITHOUT_RUNS) {
            centre = over_runs(first, end, [&](u32 bead, Vector &sum) { sum = sum + part(bead); });
            const auto add_squares = [&](u32 bead, Vector &sum) {
                const Vector of_bead = squares(bead);
                sum.x = sum.x + of_bead.x + of_bead.y + of_bead.z;
            };
            sum = over_runs(first, end, add_squares).x;
        } else {
            each(first, end, [&](u32 bead, bool, u32 count) { add(count, part(bead), centre); });
            each(first, end, [&](u32 bead, bool, u32 count) { add(count, squares(bead), sum); });
        }
        return sqrt(sum / beads);
    }

    // `beadwork_model::observables::radius_of_gyration_by_mass`.
    __device__ __forceinline__ double radius_by_mass(u32 first, u32 end) const
    {
        const auto part = [&](u32 bead) { return positions[bead] * system.weights[bead]; };
        Vector centre = nothing();
        const auto weighted = [&](u32 bead) {
            const Vector from = positions[bead] - centre;
            return system.weights[bead] * dot(from, from);
        };
        double sum = -0.0;
        if (LARGE && end - first > MOST_WITHOUT_RUNS) {
            centre = over_runs(first, end, [&](u32 bead, Vector &sum) { sum = sum + part(bead); });
            sum = over_runs(first, end, [&](u32 bead, Vector &sum) { sum.x += weighted(bead); }).x;
        } else {
            each(first, end, [&](u32 bead, bool, u32 count) { add(count, part(bead), centre); });
            each(first, end, [&](u32 bead, bool has, u32) { add(has, weighted(bead), sum); });
        }
        return sqrt(sum);
    }

    // The size of a molecule: both radii and the distance of its ends.
    __device__ __forceinline__ Vector size(u32 first, u32 end) const
    {
        const Vector along = positions[end - 1] - positions[first];
        return {radius_of_gyration(first, end), radius_by_mass(first, end), sqrt(dot(along, along))};
    }

    // Σ m v² of some beads.
    __device__ __forceinline__ double twice_kinetic_energy(const sampled *velocities, u32 first, u32 end) const
    {
        double sum = -0.0;
        each(first, end, [&](u32 bead, bool has, u32) {
            const sampled *const of_bead = velocities + 3 * bead;
            const Vector velocity = {static_cast<double>(of_bead[0]), static_cast<double>(of_bead[1]), static_cast<double>(of_bead[2])};
            add(has, system.masses[bead] * dot(velocity, velocity), sum);
        });
        return sum;
    }
};

// The sum of an energy that counts as this.
template <EnergyKind KIND> __device__ __forceinline__ double &energy_of(Observed &sums)
{
    if constexpr (KIND == EnergyKind::BOND) return sums.bonds;
    if constexpr (KIND == EnergyKind::CONTACT) return sums.contacts;
    if constexpr (KIND == EnergyKind::PAIR) return sums.pairs;
    return sums.charges;
}

// Sums of nothing: those of bonded terms begin at −0, as those of the host do.
__device__ __forceinline__ Observed no_sums() { return {-0.0, -0.0, 0, 0, 0, 0, -0.0, 0, 0, 0, 0, 0, 1, 0}; }
