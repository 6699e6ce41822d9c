// The launches plan: a kernel for each force term (P4: Zhmurov, Dima, Kholodov and Barsegov, Proteins 2010, §III), all
// of them replayed as a graph. Everything that a step hands on lies in device memory.
//
// By particle (`launches_by_particle.cuh`), a place (a bead and one of its four partial sums) has a thread in each term
// and goes through its partners there, so that every pair is computed twice. By pair (`launches_by_pair.cuh`), a pair has
// a thread and is computed once. Either way the order of a bead's sum is that of `beadwork_cpu::Forces`.
//
// The positions of step n of a launch have the time 2 n, those predicted from there 2 n + 1. A member stands still from
// the time of its first trouble on.

#if WIDE
typedef u32 Neighbour;
#else
typedef u16 Neighbour;
#endif

// Threads of a block at most.
constexpr u32 MOST_THREADS = 256;

// Whether each bead has a generator other than Hybrid Taus, which has its states in rows; whether any has a state.
#define DRAWN_BY_BEAD (LCG || RAN2 || XORWOW)
#define DRAWN (DRAWN_BY_BEAD || LAGGED_FIBONACCI || MT19937)

// How far a member is.
struct Course {
    // Its first trouble, time and number, or NO_TROUBLE.
    u64 trouble;
    // Steps to make in all, and those up to the end of the present segment.
    u32 steps, end, segment;
    // The time at which a bead was last seen far from where the list was made.
    u32 far;
    // Pairs of beads in the list, where they have threads.
    u32 pairs, padding;
};

struct Looks {
    const Segment *segments;
    Drive *sample_drives;
    Sums *sample_sums;
    Outcome *outcomes;
};

// A pair of beads and where the halves of what acts between them are written.
struct alignas(16) PairSeat {
    u32 i, j, slot_i, slot_j;
};

template <typename Parameters> struct Pairs {
    const PairSeat *seats;
    const Parameters *parameters;
};

// Members of one system. Arrays have one member after another; those of places, four a bead.
struct Fleet {
    Topology topology;
    u32 members, drives_per_member;
    u32 fene_pairs, harmonic_pairs, contact_pairs;
    // Rows of halves before those of a term: row k of a place is at [k · places + place].
    u32 harmonic_row, contact_row, repulsion_row, rows;
    // Buckets of cells less one.
    u32 cell_mask;
    // Of generators whose words are drawn: words of a member's state, and of Lagged Fibonacci the lags and the numbers that
    // may be made side by side.
    u32 state_words, short_lag, long_lag, side_by_side;
    double cells_per_angstrom;
    // Steps made by the graphs before.
    u32 *iteration;
    // Entries that the longest list of a place wanted, if there was no room for them.
    u32 *overflow;
    const Looks *looks;
    const Member *records;
    Course *courses;
    Sums *sums;
    Drive *drives;
    real *shares;
    real4 *positions, *predicted, *references;
    real4 *partial_sums, *first_forces, *kicks;
    u64 *square_displacements;
    uint4 *noise_states;
    u32 *neighbour_counts;
    Neighbour *neighbours;
    u32 *cell_heads, *cell_links;
    Pairs<FeneBond> fene;
    Pairs<HarmonicBond> harmonic;
    Pairs<NativeContact> contacts;
    PairSeat *repelling;
    real4 *halves;
    // Of each member as on the host (`beadwork_random::States::packed`), and the words of a step.
    u32 *generator_states, *words;
};

struct Round {
    Fleet fleet;
    // Steps since those of `iteration`, and whether predicted positions are meant.
    u32 ahead, predicted;
};

// The host has the same sizes (`src/layout.rs`).
static_assert(sizeof(Course) == 32 && sizeof(Looks) == 32 && sizeof(PairSeat) == 16, "Course, Looks, PairSeat");
static_assert(sizeof(Round) == sizeof(Topology) + 14 * 4 + 31 * 8 + 8, "Round");

#define ROUND const __grid_constant__ Round round

__device__ __forceinline__ u32 time_of(const Round &round) { return 2 * (*round.fleet.iteration + round.ahead) + round.predicted; }

// Whether a member makes the step of this time and had no trouble before it.
__device__ __forceinline__ bool is_running(const Fleet &fleet, u32 member, u32 time)
{
    const Course &course = fleet.courses[member];
    return time / 2 < course.steps && course.trouble >> 32 >= time;
}

__device__ __forceinline__ void report(const Fleet &fleet, u32 member, u32 time, u32 what)
{
    atomicMin(&fleet.courses[member].trouble, static_cast<u64>(time) << 32 | what);
}

// What a thread has: number `index` of `count` things of a member. Blocks have one member each.
struct Seat {
    u32 member, index;
    bool has;
};

__device__ __forceinline__ Seat seat_of(u32 count)
{
    const u32 blocks = (count + blockDim.x - 1) / blockDim.x;
    const u32 member = blockIdx.x / blocks;
    const u32 index = (blockIdx.x - member * blocks) * blockDim.x + threadIdx.x;
    return {member, index, index < count};
}

__device__ __forceinline__ Place place_of(const Topology &topology, u32 place)
{
    return {place / LANES, place % LANES, place, LANES * topology.beads};
}

// The beads of a member, in memory that the kernel does not write to.
struct Positions {
    const real4 *rows;

    __device__ __forceinline__ Point operator[](u32 bead) const
    {
#if DOUBLE
        const double2 *halves = reinterpret_cast<const double2 *>(rows + bead);
        const double2 first = __ldg(halves);
        return {first.x, first.y, __ldg(&halves[1].x)};
#else
        const float4 at = __ldg(rows + bead);
        return {at.x, at.y, at.z};
#endif
    }
};

__device__ __forceinline__ Positions positions_of(const Round &round, u32 member)
{
    const Fleet &fleet = round.fleet;
    return {(round.predicted ? fleet.predicted : fleet.positions) + static_cast<u64>(member) * fleet.topology.beads};
}

__device__ __forceinline__ const Neighbour *neighbours_of(const Fleet &fleet, u32 member)
{
    return fleet.neighbours + static_cast<u64>(member) * fleet.topology.list_capacity * LANES * fleet.topology.beads;
}

__device__ __forceinline__ real4 row_of(real x, real y, real z, real w)
{
    real4 row;
    row.x = x;
    row.y = y;
    row.z = z;
    row.w = w;
    return row;
}

// The first term of a system begins the partial sums, the others go on with them.
enum Term : u32 { FENE_TERM, HARMONIC_TERM, CONTACT_TERM, REPULSION_TERM, NO_TERM };

constexpr u32 FIRST_TERM = FENE_BONDS     ? FENE_TERM
                         : HARMONIC_BONDS ? HARMONIC_TERM
                         : NATIVE_CONTACTS ? CONTACT_TERM
                         : REPULSION      ? REPULSION_TERM
                                          : NO_TERM;

#if PULLED
// A thread a member.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_drives(ROUND)
{
    const Fleet &fleet = round.fleet;
    const u32 member = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 time = time_of(round);
    if (member >= fleet.members || !is_running(fleet, member, time)) return;
    const Member &record = fleet.records[member];
    const u32 first = member * fleet.drives_per_member;
    pull_all(fleet.drives + first, record.drives, record.stage_step + time / 2 + round.predicted, positions_of(round, member),
             fleet.shares + 3 * first, 1, round.predicted ? nullptr : fleet.sums + member);
}
#endif

// The force on a bead: the tree of its partial sums, then traps and drives.
__device__ __forceinline__ Force force_on(const Fleet &fleet, u32 member, u32 bead, u32 flags, Point at)
{
    Force force = {0, 0, 0};
    if (FIRST_TERM != NO_TERM) {
        const real4 *const p = fleet.partial_sums + (static_cast<u64>(member) * fleet.topology.beads + bead) * LANES;
        const real4 a = p[0], b = p[1], c = p[2], d = p[3];
        force = {(a.x + b.x) + (c.x + d.x), (a.y + b.y) + (c.y + d.y), (a.z + b.z) + (c.z + d.z)};
    }
#if PULLED || TRAPS
    const Drive *const drives = fleet.drives + member * fleet.drives_per_member;
    const real *const shares = fleet.shares + 3 * member * fleet.drives_per_member;
    force.x = outer_forces(force.x, fleet.topology, drives, shares, 1, bead, 0, flags, at.x);
    force.y = outer_forces(force.y, fleet.topology, drives, shares, 1, bead, 1, flags, at.y);
    force.z = outer_forces(force.z, fleet.topology, drives, shares, 1, bead, 2, flags, at.z);
#endif
    return force;
}

// The random displacement of a bead in a step.
__device__ __forceinline__ Force kick_of(const Fleet &fleet, const Member &record, u64 row, u32 bead, u64 step, u32 flags)
{
    if (record.amplitude == 0 || ((HYBRID_TAUS || DRAWN_BY_BEAD) && flags & FIXED)) return {0, 0, 0};
    u32 words[WORDS];
#if HYBRID_TAUS
    const uint4 before = fleet.noise_states[row];
    u32 state[4] = {before.x, before.y, before.z, before.w};
#pragma unroll
    for (u32 k = 0; k < WORDS; ++k) words[k] = hybrid_taus(state);
    fleet.noise_states[row] = make_uint4(state[0], state[1], state[2], state[3]);
#elif DRAWN_BY_BEAD
    const u32 beads = fleet.topology.beads;
    u32 *const states = fleet.generator_states + (row - bead) / beads * fleet.state_words;
    Generator generator;
    generator.load(states, bead, beads);
#pragma unroll
    for (u32 k = 0; k < WORDS; ++k) words[k] = generator.next();
    generator.store(states, bead, beads);
#elif LAGGED_FIBONACCI || MT19937
#pragma unroll
    for (u32 k = 0; k < WORDS; ++k) words[k] = fleet.words[row * WORDS + k];
#else
    keyed_words(words, record.key0, record.key1, step, bead);
#endif
    real x, y, z;
    normals(words, x, y, z);
    return {x * record.amplitude, y * record.amplitude, z * record.amplitude};
}

__device__ __forceinline__ bool is_finite(Point at) { return is_finite(at.x) && is_finite(at.y) && is_finite(at.z); }

// Notes at which time a pair may have come within the cutoff unseen.
__device__ __forceinline__ void look_how_far(const Fleet &fleet, u32 member, u64 row, Point at, u32 time)
{
#if REPULSION
    const real4 reference = fleet.references[row];
    APART(at, reference);
    if (r2 > fleet.topology.square_shift) fleet.courses[member].far = time;
#endif
}

// Moves a bead for good and counts the square of that.
__device__ __forceinline__ void move(const Fleet &fleet, u32 member, u64 row, Point at, const Force &shift, u32 time)
{
    at = {at.x + shift.x, at.y + shift.y, at.z + shift.z};
    fleet.positions[row] = row_of(at.x, at.y, at.z, 0);
    const real base = fleet.records[member].square_base;
    u64 squares = in_units(shift.x, base);
    squares += in_units(shift.y, base);
    squares += in_units(shift.z, base);
    fleet.square_displacements[row] += squares;
    look_how_far(fleet, member, row, at, time);
}

// The step of a bead; of the second order, the prediction.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_move(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Seat seat = seat_of(fleet.topology.beads);
    const u32 time = time_of(round);
    if (!seat.has || !is_running(fleet, seat.member, time)) return;
    const u64 row = static_cast<u64>(seat.member) * fleet.topology.beads + seat.index;
    const real4 here = fleet.positions[row];
    const Point at = {here.x, here.y, here.z};
    if (!is_finite(at)) report(fleet, seat.member, time, NOT_FINITE | seat.index);
    // Found by a kernel before this one: the positions stay, since the length of a bond is asked for.
    if (fleet.courses[seat.member].trouble >> 32 <= time) return;
    const Member &record = fleet.records[seat.member];
    const u32 flags = record.flags[seat.index];
    const Force force = force_on(fleet, seat.member, seat.index, flags, at);
    const Force kick = kick_of(fleet, record, row, seat.index, record.step + time / 2, flags);
    Force shift = {0, 0, 0};
    if (!(flags & FIXED)) {
        const real mobility = record.mobility;
        shift = {multiply_add(force.x, mobility, kick.x), multiply_add(force.y, mobility, kick.y), multiply_add(force.z, mobility, kick.z)};
    }
#if SECOND_ORDER
    const Point there = {at.x + shift.x, at.y + shift.y, at.z + shift.z};
    fleet.predicted[row] = row_of(there.x, there.y, there.z, 0);
    fleet.first_forces[row] = row_of(force.x, force.y, force.z, 0);
    fleet.kicks[row] = row_of(kick.x, kick.y, kick.z, 0);
    look_how_far(fleet, seat.member, row, there, time + 1);
#else
    move(fleet, seat.member, row, at, shift, time + 2);
#endif
}

#if SECOND_ORDER
// The step of a bead by the mean of the forces here and at the prediction.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_correct(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Seat seat = seat_of(fleet.topology.beads);
    const u32 time = time_of(round);
    if (!seat.has || !is_running(fleet, seat.member, time)) return;
    const u64 row = static_cast<u64>(seat.member) * fleet.topology.beads + seat.index;
    const real4 ahead = fleet.predicted[row];
    const Point there = {ahead.x, ahead.y, ahead.z};
    if (!is_finite(there)) report(fleet, seat.member, time, NOT_FINITE | seat.index);
    if (fleet.courses[seat.member].trouble >> 32 <= time) return;
    const Member &record = fleet.records[seat.member];
    const u32 flags = record.flags[seat.index];
    const Force force = force_on(fleet, seat.member, seat.index, flags, there);
    const real4 here = fleet.positions[row], first = fleet.first_forces[row], kick = fleet.kicks[row];
    Force shift = {0, 0, 0};
    if (!(flags & FIXED)) {
        const real half = real(0.5) * record.mobility;
        shift = {multiply_add(first.x + force.x, half, kick.x), multiply_add(first.y + force.y, half, kick.y),
                 multiply_add(first.z + force.z, half, kick.z)};
    }
    move(fleet, seat.member, row, {here.x, here.y, here.z}, shift, time + 1);
}
#endif

// Counts the steps of a graph.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_count(ROUND) { *round.fleet.iteration += round.ahead; }
