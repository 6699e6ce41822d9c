// What kernels that measure samples read and write.
#pragma once

#include "geometry.cuh"

constexpr u32 WARPS = THREADS / 32, ALL_LANES = 0xffffffffu;
// The largest number of terms of a shape.
constexpr u32 MOST_TERMS = 12;
// `beadwork_model::sums`.
constexpr u32 MOST_WITHOUT_RUNS = 1024, RUN = 256;

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

// The search for near pairs in a large system, and the memory for measurements of a sample.
struct Search {
    // Cells along each axis: of a box; in open space powers of two, and space repeats beyond them.
    u32 cells[3];
    // The runs of all lists of things.
    u32 runs;
    // In open space 1 over the edge of a cell. The square of the edge, which is slightly longer than the largest cutoff.
    double inverse_edge, square_edge;
    // In a box 1 over its sides.
    Vector inverse_sides;
    // Excluded partners j > i, ascending: those of bead i begin at starts[i].
    const u32 *excluded_starts, *excluded;
    // Offsets in the memory of a sample, and its size, in bytes.
    u64 heads, nexts, rows, molecules, sums, bytes;
};

// A system (`src/observables/tables.rs` writes it).
struct ObservedSystem {
    u32 beads, types, molecule_count, padding;
    // In a small system: a bit for each pair i < j between which pair terms may act: rows of i, each a whole number of words.
    const u32 *allowed;
    const u16 *type_of;
    TermList bonded[MOST_TERMS], angles[MOST_TERMS], singles[MOST_TERMS];
    // Tables by pair of types, row after row.
    const void *pairs[MOST_TERMS];
    const Molecule *molecules;
    // The part of each bead in the mass of its molecule, and the mass.
    const double *weights, *masses;
    Vector sides;
    Search search;
};

// A member of a launch. The first number of each array belongs to its first sample.
struct ObservedMember {
    const ObservedSystem *system;
    const sampled *positions, *velocities;
    // In a box: the sides that each bead was away before the launch, those that it crossed before each sample, and room for
    // positions without wrap-around.
    const int *images, *crossings;
    double *unwrapped;
    // In a large system: memory for measurements.
    char *workspace;
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
    u32 outcome_words, members_count, most_samples;
    // The most beads, things with a warp of their own, cells and runs of any member's system.
    u32 most_beads, most_things, most_cells, most_runs;
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

// A sample of a member.
__device__ __forceinline__ Positions positions_of(const ObservedMember &member, u32 sample)
{
    const u64 before = 3ull * sample * member.system->beads;
#if BOXED
    return {member.unwrapped + before};
#else
    return {member.positions + before};
#endif
}

__device__ __forceinline__ const sampled *velocities_of(const ObservedMember &member, u32 sample)
{
    return member.velocities + 3ull * sample * member.system->beads;
}
