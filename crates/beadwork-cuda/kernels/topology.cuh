// What the members of a launch are: addresses in device memory, made by `src/layout.rs`.
//
// A *place* is a bead and one of its four partial sums: place = 4 bead + (partner mod 4). Tables of partners have a
// column a place: entry k of a place is at [k · places + place], so that neighbouring lanes read neighbouring entries.

template <typename Entry> struct Table {
    const u16 *counts;
    const Entry *entries;
};

struct Trap {
    real stiffness, x, y, z;
};

// The first bond and the first contact of a bead, and how many each partial sum has, a byte each.
struct alignas(16) LaneHead {
    u32 first_bond, first_contact, bonds, contacts;
};

struct Topology {
    u32 lane_bond_count, lane_contact_count;
    u32 beads;
    u32 list_capacity;
    Table<FeneBond> fene_bonds;
    Table<HarmonicBond> harmonic_bonds;
    Table<NativeContact> native_contacts;
    Table<u32> excluded;
    // Bit k: partner 4 k + (place mod 4) repels. For up to 128 beads.
    const u32 *masks;
    // For kernels in which a lane has a member: of each bead its bonds and contacts, one partial sum after another.
    const LaneHead *lane_heads;
    const FeneBond *lane_bonds;
    const NativeContact *lane_contacts;
    // Of bead b: traps[trap_starts[b]] up to trap_starts[b + 1].
    const u32 *trap_starts;
    const Trap *traps;
    real repulsion_scale, square_cutoff, square_list, square_shift;
};

// The host has the same sizes (`src/layout.rs`).
static_assert(sizeof(FeneBond) == 8 + 6 * sizeof(real), "FeneBond");
static_assert(sizeof(HarmonicBond) == 8 + 2 * sizeof(real), "HarmonicBond");
static_assert(sizeof(NativeContact) == 8 + 2 * sizeof(real), "NativeContact");
static_assert(sizeof(Topology) == 16 + 4 * 16 + 6 * 8 + 4 * sizeof(real), "Topology");

constexpr u32 FIXED = 0x80000000u;
constexpr u64 NO_TROUBLE = ~0ull;
constexpr u32 NOT_FINITE = 0x80000000u;
constexpr u64 NEVER = ~0ull;

enum DriveKind : u32 { SPRING, FORCE, FORCE_RAMP, RESTRAIN };

// A drive of a stage and what it remembers: `beadwork_model::drives::{Drive, DriveState}`.
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

// A member of a launch. What is written at the end of segment k goes to slot first_slot + k of the samples.
struct Member {
    const Topology *topology;
    // FIXED and a bit for each drive that acts on the bead.
    const u32 *flags;
    const real *positions;
    const u32 *noise_states;
    real *sample_positions;
    u32 *sample_noise_states;
    u16 *list;
    u32 first_drive, drives;
    u32 first_segment, segments;
    u32 first_slot, steps;
    u64 step, stage_step;
    u32 key0, key1;
    real mobility, amplitude;
    // Beside which squares of displacements are counted.
    real square_base, padding;
};

// What became of a member: segments made whole; the list entries that were wanted if they were too few; what was found
// wrong (the number of a bond with its length, of a bead, or nothing), and at the positions of which step or their
// prediction.
static_assert(sizeof(Drive) == 200 && sizeof(Sums) == 32, "Drive, Sums");
static_assert(sizeof(Member) == 7 * 8 + 6 * 4 + 2 * 8 + 8 + 4 * sizeof(real), "Member");

struct Outcome {
    u32 segments, overflow, what;
    float length;
    u64 step;
    u32 predicted, padding;
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
