// What the members of a launch are: addresses in device memory, made by `src/batch/layout.rs`.
//
// A *slot* is a bead and one of its four partial sums: slot = 4 bead + (partner mod 4). Columns of partners have one a slot:
// entry k of a slot is at [k · slots + slot], so that neighbouring lanes read neighbouring entries.

// Partial sums of a bead.
constexpr u32 PARTIAL_SUMS = 4;
// Terms of a shape at most.
constexpr u32 MOST_TERMS = 8;

// A partner in a listed pair: the number of the pair among those that can break, and the formula of the pair.
template <typename Formula> struct alignas(16) Entry {
    u32 partner, number;
    Formula formula;
};

// An angle that a bead is part of: its beads, the middle one second, and which of them it is.
template <typename Formula> struct alignas(16) AngleEntry {
    u32 beads[3], role;
    Formula formula;
};

// What acts on a bead alone.
template <typename Formula> struct alignas(16) SingleEntry {
    Formula formula;
};

// What acts between beads of two types.
template <typename Formula> struct alignas(16) PairEntry {
    Formula formula;
    real square_cutoff;
};

struct Columns {
    const u16 *counts;
    const void *entries;
};

// Of bead b the entries from starts[b] up to starts[b + 1].
struct Rows {
    const u32 *starts;
    const void *entries;
};

struct System {
    u32 beads, list_capacity;
    // Bytes of all rows (below), and types of beads.
    u32 row_bytes, types;
    Columns bonded[MOST_TERMS];
    // The same in rows, term after term: the entries of a bead's partial sums one after another. Of each bead and term where its
    // row begins, in bytes, and how many entries each partial sum has, a byte each; of each term the entries of all beads.
    const uint2 *row_heads;
    const uint4 *row_entries;
    u32 row_counts[MOST_TERMS];
    Columns excluded;
    // Bit k: no pair of a slot with partner 4 k + (slot mod 4) is excluded. For up to 128 beads.
    const u32 *masks;
    const u16 *type_of;
    const void *pairs[MOST_TERMS];
    Rows angles[MOST_TERMS], singles[MOST_TERMS];
    // Squares of the largest cutoff with the skin, and of how far a bead may go before lists are made anew.
    real square_list, square_shift;
};

// The host has the same sizes (`src/layout.rs`).
static_assert(sizeof(System) == 16 + (MOST_TERMS + 1) * 16 + MOST_TERMS * (4 + 8 + 32) + 4 * 8 + 2 * sizeof(real), "System");

constexpr u32 FIXED = 0x80000000u;
constexpr u32 NOT_FINITE = 0x80000000u;
constexpr u64 NO_ERROR = ~0ull;
constexpr u32 NO_TIME = 0xffffffffu;
constexpr u64 NEVER = ~0ull;

// The first thing that a thread found wrong, by time and number: at the positions of an iteration (even times) or where a step
// leads at first (odd times), the number of a bond or of a bead.
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

enum DriveKind : u32 { SPRING, FORCE, FORCE_RAMP, RESTRAIN };

// A drive of a stage and its state: `beadwork_model::drives::{Drive, DriveState}`.
struct Drive {
    u32 kind, pulled_count;
    const u32 *pulled;
    // Three numbers a bead, of a restraint.
    const double *anchors;
    u64 update_every;
    double stiffness, travel, strength, timestep;
    double origin[3], direction[3], held[3], work;
    double last_force[3], last_centre[3];
    u64 last_step;
};

struct Sums {
    double force;
    u64 force_steps;
    // Σ|Δr|² in units of the member's: whole numbers, whose sum has no order.
    u64 square_displacements;
    u64 padding;
};

struct Segment {
    u32 steps;
    // Whether a row is written at its end, which begins new sums.
    u32 row;
};

// A member of a launch. What is written at the end of segment k goes to slot first_sample + k of the samples.
struct Member {
    const System *system;
    // FIXED and a bit for each drive that acts on the bead.
    const u32 *flags;
    const real *positions;
    const u32 *noise_states;
    real *sample_positions;
    u32 *sample_noise_states;
    u16 *list;
    u32 first_drive, drives;
    u32 first_segment, segments;
    u32 first_sample, steps;
    u64 step, stage_step;
    u32 key0, key1;
    real mobility, amplitude;
    // Beside which squares of displacements are counted.
    real square_base, padding;
};

// What became of a member: segments made whole; the list entries that were wanted if they were too few; what was found
// wrong (the number of a bond with its length, of a bead, or nothing), and at which step's positions or where it leads.
struct Outcome {
    u32 segments, overflow, what;
    float length;
    u64 step;
    u32 ahead, padding;
};

struct Launch {
    Member *members;
    u32 member_count, members_per_block, drives_per_member, padding;
    const Segment *segments;
    Drive *drives;
    Drive *sample_drives;
    const Sums *sums;
    Sums *sample_sums;
    Outcome *outcomes;
};

static_assert(sizeof(Drive) == 200 && sizeof(Sums) == 32, "Drive, Sums");
static_assert(sizeof(Member) == 7 * 8 + 6 * 4 + 2 * 8 + 8 + 4 * sizeof(real), "Member");

// A square of a displacement along an axis in the member's units (`layout::square_unit`). The sum of a number and of one whose
// last place is the unit has the square, rounded, in its last bits. Squares of 2²³ units and more count for less than they are.
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
