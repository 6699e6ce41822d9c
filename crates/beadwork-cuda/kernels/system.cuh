// Data of the members of a launch: addresses in device memory, written by `src/batch/records.rs`.
//
// A *slot* is a bead and one of its four partial sums: slot = 4 bead + (partner mod 4), but lists of the grid plan in boxes deal a
// bead's partners out evenly. Columns of partners have one
// column for each slot: entry k of a slot is at [k · slots + slot], so neighbouring lanes read neighbouring entries.
#pragma once

#include "space.cuh"

// The number of partial sums of a bead.
constexpr u32 PARTIAL_SUMS = 4;
// The largest number of terms of a shape.
constexpr u32 MOST_TERMS = 12;

// A partner in a listed pair: the number of the pair among breakable ones, and the formula of the pair.
template <typename Formula> struct alignas(16) Entry {
    u32 partner, number;
    Formula formula;
};

// An angle in the list of a bead: its three beads, the middle one second, and the index of that bead among them.
template <typename Formula> struct alignas(16) AngleEntry {
    u32 beads[3], role;
    Formula formula;
};

// Where a field belongs.
#if BOXED
struct Anchor {
    // The point, and its coordinates in the box.
    Vector point, place;

    // The image of a bead that is nearest to the point.
    __device__ __forceinline__ Vector near(const BoxSpace &space, const Vector &at) const { return point + space.apart(at, place); }
};
#else
struct Anchor {
    static __device__ __forceinline__ const Vector &near(const OpenSpace &, const Vector &at) { return at; }
};
#endif

// A field on a bead.
template <typename Formula> struct alignas(16) SingleEntry : Anchor {
    Formula formula;
};

// The potential between beads of two types.
template <typename Formula> struct alignas(16) PairEntry {
    Formula formula;
    real square_cutoff;
};

struct Columns {
    const u16 *counts;
    const void *entries;
};

// The entries of bead b are those from starts[b] up to starts[b + 1].
struct Rows {
    const u32 *starts;
    const void *entries;
};

struct System {
    u32 beads, list_capacity;
    // The bytes of all rows (below), and the types of beads.
    u32 row_bytes, types;
    Columns bonded[MOST_TERMS];
    // The same in rows, term after term, with the entries of a partial sum side by side. Heads by bead and term: the
    // offset of the row in bytes, and the entries of each partial sum in one byte each; then all entries by term.
    const uint2 *row_heads;
    const uint4 *row_entries;
    u32 row_counts[MOST_TERMS];
    Columns excluded;
    // A mask for each slot, for up to 128 beads. Slot 4 i + s has partial sum s of bead i; bit k is set if a term may act between beads i
    // and 4 k + s.
    const u32 *masks;
    const u16 *type_of;
    // All beads, sorted so that beads on which the same pair terms act are neighbours.
    const u16 *bead_order;
    // Squares of the radii of lists and of inner lists by pair of types, row after row; and the pair terms that may act on each
    // type, by bits.
    const real *square_lists, *square_inners;
    const u32 *acting;
    const void *pairs[MOST_TERMS];
    Rows angles[MOST_TERMS], singles[MOST_TERMS];
    // The table of the pair thermostat, as those of pair terms.
    const void *thermostat;
    // Squares of the largest radius of lists (cutoff plus skin), and of the displacement at which lists are rebuilt.
    real square_list, square_shift;
    // In the grid plan, of inner lists and of the displacement at which outer lists are pruned to new ones (`groups/cell_lists.cuh`).
    real square_inner, square_inner_shift;
    // Zeros in open space.
    BoxSpace sides;
};

// The host has the same sizes (`src/batch/records.rs`).
static_assert(sizeof(System) == 16 + (MOST_TERMS + 1) * 16 + MOST_TERMS * (4 + 8 + 32) + 9 * 8 + 4 * sizeof(real) + sizeof(BoxSpace), "System");
static_assert(sizeof(BoxSpace) == 8 * sizeof(real) + 2 * 8, "BoxSpace");

#if BOXED
__device__ __forceinline__ const BoxSpace &space_of(const System &system) { return system.sides; }
#else
__device__ __forceinline__ OpenSpace space_of(const System &) { return {}; }
#endif

// The square of the radius within which a list has the pair of two beads; 0 if no term acts between their types.
__device__ __forceinline__ real square_list(const System &system, u32 bead, u32 partner)
{
    if constexpr (!TYPED) return system.square_list;
    return __ldg(system.square_lists + __ldg(system.type_of + bead) * system.types + __ldg(system.type_of + partner));
}

constexpr u32 FIXED = 0x80000000u;
// What an error is, in the upper bits of its number, in the order in which a step finds errors. A position in open space may
// be not finite; one in a box always is a point, but moves before and after the forces may be too long, and forces too large.
constexpr u32 NOT_FINITE = 0x80000000u;
constexpr u32 BROKEN = BOXED ? 0x40000000u : 0;
constexpr u32 TOO_FAR_BEFORE_FORCES = 0, TOO_LARGE = 0x80000000u, TOO_FAR_AFTER_FORCES = 0xc0000000u;
// In open space, an external that cannot act: its number, and a bead plus one, or 0 for the external itself.
constexpr u32 EXTERNAL = 0x40000000u, EXTERNAL_BEADS = 1u << 25;
__device__ __forceinline__ u32 external_error(u32 number) { return EXTERNAL | number * EXTERNAL_BEADS; }
__device__ __forceinline__ u32 external_error(u32 number, u32 bead) { return external_error(number) + bead + 1; }
constexpr u64 NO_ERROR = ~0ull;
constexpr u32 NO_TIME = 0xffffffffu;
constexpr u64 NEVER = ~0ull;

// The first error that a thread found, ordered by time and number: at the positions of an iteration (even times) or at
// predicted positions (odd times), the number of a bond or of a bead.
struct StepError {
    u32 time, what;
    float length;

    __device__ __forceinline__ void report(u32 now, u32 number, real distance)
    {
        if (now > time || (now == time && number > what)) return;
        time = now;
        what = number;
        length = static_cast<float>(distance);
    }

    __device__ __forceinline__ u64 order() const { return static_cast<u64>(time) << 32 | what; }
};

// In place of an axis: all three.
constexpr u32 ALL_AXES = 3;

// An external of a stage and its state: `beadwork_model::externals::{External, ExternalState}`.
struct External {
    // Its place in the list of laws, and the beads that it pulls.
    u32 kind, pulled_count;
    const u32 *pulled;
    // What a law has in memory: more numbers, then the anchor of each bead, or points.
    double *numbers;
    double parameters[5];
    double origin[3], direction[3], held[3], work;
    double last_force[3], last_centre[3];
    u64 last_step;
};

struct Sums {
    double force;
    u64 force_steps;
    // Σ|Δr|² as an integer in the member's unit, whose sum does not depend on the order.
    u64 square_displacements;
    u64 padding;
};

struct Segment {
    u32 steps;
    // Whether a row is written at the end of the segment; new sums begin there.
    u32 row;
};

// Constants of a type of beads with velocities (`beadwork_cpu::TypeInertia`).
struct TypeInertia {
    real half_kick, drag, noise;
};

// A member of a launch. The output at the end of segment k is sample first_sample + k.
struct Member {
    const System *system;
    // For each bead: the bit FIXED if it is held, and one bit for each external that acts on it.
    const u32 *flags;
    const real *positions;
    const u32 *noise_states;
    // The words of noise of each step, filled before it (`random/filled.cuh`); null where steps draw their own.
    u32 *words;
    real *sample_positions;
    u32 *sample_noise_states;
    u16 *list;
    // Only for integrators with velocities. Forces at the positions, null if the kernel has to compute them first.
    const real *velocities, *forces;
    // Constants of each type of bead.
    const TypeInertia *inertia;
    real *sample_velocities, *sample_forces;
    // In a box, for each bead and axis the whole sides crossed since the sample before; zeros at first.
    int *sample_crossings;
    u32 first_external, externals;
    u32 first_segment, segments;
    u32 first_sample, steps;
    u64 step, stage_step;
    // The control of a minimisation (`integrators/fire.cuh`), and the square of the force with which it ends.
    double timestep, mixing, square_tolerance;
    u32 downhill, unused;
    // The lags of Lagged Fibonacci.
    u32 short_lag, long_lag;
    u32 key0, key1;
    // The key of the noise of pairs, and its size.
    u32 pair_key0, pair_key1;
    real pair_noise, padding;
    real mobility, amplitude;
    // The number to which squared displacements are added; see `in_units`.
    real square_base, half_step;
};

// The outcome of a member: completed segments; the list entries needed if there were too few; the error (the number of
// a bond with its length, of a bead, or none); its step, and whether it was at predicted positions.
struct Outcome {
    u32 segments, overflow, what;
    float length;
    u64 step;
    u32 ahead, padding;
    // Of a minimisation: the control of its steps, and the steps that it made.
    double timestep, mixing;
    u32 downhill, made;

    // Tells an error of a launch that began at `first_step`.
    __device__ __forceinline__ void fail(const StepError &error, u64 first_step)
    {
        what = error.what;
        length = error.length;
        ahead = error.time & 1;
        step = first_step + error.time / 2;
    }
};

// The memory of a member of the grid plan (`groups/grid.cuh`).
struct GridMember;

struct Launch {
    Member *members;
    // In the grid plan a member has several blocks.
    u32 member_count, members_per_block, externals_per_member, blocks_per_member;
    // With four lanes for each bead, the threads of a block that have beads; the others have externals.
    u32 stepping, padding;
    const Segment *segments;
    External *externals;
    External *sample_externals;
    const Sums *sums;
    Sums *sample_sums;
    Outcome *outcomes;
    const GridMember *grids;
    // Where arrays are in the shared memory of a block, bytes from its beginning: `QuadPlaces`, `LanePlaces` or `BrickMemory`. The
    // host computes them (`src/plans/shared_memory.rs`).
    u32 places[12];
};

template <typename Places> __device__ __forceinline__ const Places &places_of(const Launch &launch)
{
    static_assert(sizeof(Places) <= sizeof(Launch::places), "places");
    return reinterpret_cast<const Places &>(launch.places);
}

// An array at a place of shared memory.
template <typename Item> __device__ __forceinline__ Item *array_at(void *memory, u32 place)
{
    return reinterpret_cast<Item *>(static_cast<u8 *>(memory) + place);
}

static_assert(sizeof(External) == 200 && sizeof(Sums) == 32, "External, Sums");
static_assert(sizeof(Member) == 14 * 8 + 6 * 4 + 2 * 8 + 3 * 8 + 2 * 4 + 3 * 8 + 6 * sizeof(real), "Member");

// A squared displacement in the member's unit (`records::square_unit`). The last bit of `base` is worth one unit, so the
// last bits of the sum of both hold the rounded square. Squares of 2²³ units or more are counted too low.
__device__ __forceinline__ u32 in_units(real shift, real base)
{
#if DOUBLE
    return __double2loint(fma(shift, shift, base));
#else
    return __float_as_uint(fmaf(shift, shift, base)) - __float_as_uint(base);
#endif
}

__device__ __forceinline__ u64 in_units(const Vector &shift, real base)
{
    return static_cast<u64>(in_units(shift.x, base)) + in_units(shift.y, base) + in_units(shift.z, base);
}

__device__ __forceinline__ u32 most_of_warp(u32 count)
{
    for (u32 apart = 16; apart > 0; apart /= 2) count = max(count, __shfl_xor_sync(0xffffffffu, count, apart));
    return count;
}
