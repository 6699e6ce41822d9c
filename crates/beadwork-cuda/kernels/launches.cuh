// The launches plan: a kernel for each force term (P4: Zhmurov, Dima, Kholodov and Barsegov, Proteins 2010, §III), all
// of them replayed as a graph. Everything that a step hands on lies in device memory.
//
// By particle, a place (a bead and one of its four partial sums) has a thread in each term and goes through its partners
// there, so that every pair is computed twice. By pair (`launches_by_pair.cuh`), a pair has a thread and is computed
// once. Either way the order of a bead's sum is that of `beadwork_cpu::Forces`.
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
};

struct Round {
    Fleet fleet;
    // Steps since those of `iteration`, and whether predicted positions are meant.
    u32 ahead, predicted;
};

// The host has the same sizes (`src/layout.rs`).
static_assert(sizeof(Course) == 32 && sizeof(Looks) == 32 && sizeof(PairSeat) == 16, "Course, Looks, PairSeat");
static_assert(sizeof(Round) == sizeof(Topology) + 10 * 4 + 29 * 8 + 8, "Round");

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

#if !BY_PAIR

// Adds a term to the partial sum of each place. `count` gives the partners of a place, `add` adds one.
template <u32 TERM, typename Count, typename Add> __device__ __forceinline__ void add_term(const Round &round, Count count, Add add)
{
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    const u32 time = time_of(round);
    if (!seat.has || !is_running(fleet, seat.member, time)) return;
    const Place me = place_of(topology, seat.index);
    const u32 partners = count(topology, seat.member, me);
    if (TERM != FIRST_TERM && partners == 0) return;
    real4 *const here = fleet.partial_sums + static_cast<u64>(seat.member) * me.places + me.place;
    Force sum = {0, 0, 0};
    if (TERM != FIRST_TERM) {
        const real4 before = *here;
        sum = {before.x, before.y, before.z};
    }
    const Positions positions = positions_of(round, seat.member);
    const Point at = positions[me.bead];
    add(topology, seat.member, me, partners, positions, at, time, sum);
    *here = row_of(sum.x, sum.y, sum.z, 0);
}

#if FENE_BONDS
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_fene_bonds(ROUND)
{
    add_term<FENE_TERM>(
        round, [](const Topology &topology, u32, const Place &me) { return u32(topology.fene_bonds.counts[me.place]); },
        [&](const Topology &topology, u32 member, const Place &me, u32 count, Positions positions, Point at, u32 time, Force &sum) {
            for (u32 k = 0; k < count; ++k) {
                const FeneBond bond = topology.fene_bonds.entries[k * me.places + me.place];
                APART(at, positions[bond.partner]);
                const real r = root(r2);
                if (!holds(bond, r)) report(round.fleet, member, time, bond.number);
                add_pair(sum, force_over_distance(bond, r), x, y, z);
            }
        });
}
#endif

#if HARMONIC_BONDS
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_harmonic_bonds(ROUND)
{
    add_term<HARMONIC_TERM>(
        round, [](const Topology &topology, u32, const Place &me) { return u32(topology.harmonic_bonds.counts[me.place]); },
        [](const Topology &topology, u32, const Place &me, u32 count, Positions positions, Point at, u32, Force &sum) {
            for (u32 k = 0; k < count; ++k) {
                const HarmonicBond bond = topology.harmonic_bonds.entries[k * me.places + me.place];
                APART(at, positions[bond.partner]);
                add_pair(sum, force_over_distance(bond, r2), x, y, z);
            }
        });
}
#endif

#if NATIVE_CONTACTS
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_native_contacts(ROUND)
{
    add_term<CONTACT_TERM>(
        round, [](const Topology &topology, u32, const Place &me) { return u32(topology.native_contacts.counts[me.place]); },
        [](const Topology &topology, u32, const Place &me, u32 count, Positions positions, Point at, u32, Force &sum) {
#pragma unroll 2
            for (u32 k = 0; k < count; ++k) {
                const NativeContact contact = read(topology.native_contacts.entries + k * me.places + me.place);
                APART(at, positions[contact.partner]);
                add_pair(sum, force_over_distance(contact, r2), x, y, z);
            }
        });
}
#endif

#if REPULSION
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_repulsion(ROUND)
{
    add_term<REPULSION_TERM>(
        round,
        [&](const Topology &, u32 member, const Place &me) {
            return round.fleet.neighbour_counts[static_cast<u64>(member) * me.places + me.place];
        },
        [&](const Topology &topology, u32 member, const Place &me, u32 count, Positions positions, Point at, u32, Force &sum) {
            const Neighbour *const list = neighbours_of(round.fleet, member) + me.place;
#pragma unroll 4
            for (u32 k = 0; k < count; ++k) repel(topology, at, positions[__ldg(list + static_cast<u64>(k) * me.places)], true, sum);
        });
}
#endif

#endif

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
    if (record.amplitude == 0 || (HYBRID_TAUS && flags & FIXED)) return {0, 0, 0};
    u32 words[WORDS];
#if HYBRID_TAUS
    const uint4 before = fleet.noise_states[row];
    u32 state[4] = {before.x, before.y, before.z, before.w};
#pragma unroll
    for (u32 k = 0; k < WORDS; ++k) words[k] = hybrid_taus(state);
    fleet.noise_states[row] = make_uint4(state[0], state[1], state[2], state[3]);
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
    u64 squares = in_units(shift.x) - UNITS_ABOVE;
    squares += in_units(shift.y) - UNITS_ABOVE;
    squares += in_units(shift.z) - UNITS_ABOVE;
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

// Members as they were given to the card.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_begin(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Seat seat = seat_of(fleet.topology.beads);
    const Member &record = fleet.records[seat.member];
    if (!seat.has || record.steps == 0) return;
    const u64 row = static_cast<u64>(seat.member) * fleet.topology.beads + seat.index;
    const real *const at = record.positions + 3 * seat.index;
    fleet.positions[row] = row_of(at[0], at[1], at[2], 0);
    fleet.square_displacements[row] = 0;
#if HYBRID_TAUS
    fleet.noise_states[row] = reinterpret_cast<const uint4 *>(record.noise_states)[seat.index];
#endif
}

// At the ends of segments: a sample must be sound, since a broken bond would else be found at the next step only.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_verify(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    const Course &course = fleet.courses[seat.member];
    const u32 iteration = *fleet.iteration;
    if (!seat.has || course.end != iteration) return;
    const Place me = place_of(topology, seat.index);
    const Positions positions = positions_of(round, seat.member);
    const Point at = positions[me.bead];
    if (!is_finite(at)) report(fleet, seat.member, 2 * iteration, NOT_FINITE | me.bead);
#if FENE_BONDS
    for (u32 k = 0, count = topology.fene_bonds.counts[me.place]; k < count; ++k) {
        const FeneBond bond = topology.fene_bonds.entries[k * me.places + me.place];
        APART(at, positions[bond.partner]);
        if (!holds(bond, root(r2))) report(fleet, seat.member, 2 * iteration, bond.number);
    }
#endif
    if (me.part == 0) {
        u64 &squares = fleet.square_displacements[static_cast<u64>(seat.member) * topology.beads + me.bead];
        atomicAdd(&fleet.sums[seat.member].square_displacements, squares);
        squares = 0;
    }
}

// At the ends of segments: the sample, or the length of the bond that broke.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_sample(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(topology.beads);
    const Course course = fleet.courses[seat.member];
    if (!seat.has || course.end != *fleet.iteration) return;
    const Member &record = fleet.records[seat.member];
    const u64 first = static_cast<u64>(seat.member) * topology.beads;
    if (course.trouble != NO_TROUBLE) {
#if FENE_BONDS
        const bool predicted = course.trouble >> 32 & 1;
        const u32 what = static_cast<u32>(course.trouble);
        const Positions positions = {(predicted ? fleet.predicted : fleet.positions) + first};
        const Point at = positions[seat.index];
        const u32 places = LANES * topology.beads;
        for (u32 place = LANES * seat.index; place < LANES * (seat.index + 1); ++place) {
            for (u32 k = 0, count = topology.fene_bonds.counts[place]; k < count; ++k) {
                const FeneBond bond = topology.fene_bonds.entries[k * places + place];
                APART(at, positions[bond.partner]);
                // Both ends of a bond know the same length.
                if (bond.number == what) fleet.looks->outcomes[seat.member].length = static_cast<float>(root(r2));
            }
        }
#endif
        return;
    }
    const real4 at = fleet.positions[first + seat.index];
    real *const to = record.sample_positions + 3 * (static_cast<u64>(course.segment) * topology.beads + seat.index);
    to[0] = at.x;
    to[1] = at.y;
    to[2] = at.z;
#if HYBRID_TAUS
    uint4 *const states = reinterpret_cast<uint4 *>(record.sample_noise_states);
    states[static_cast<u64>(course.segment) * topology.beads + seat.index] = fleet.noise_states[first + seat.index];
#endif
    if (seat.index > 0) return;
    const u64 slot = record.first_slot + course.segment;
    fleet.looks->sample_sums[slot] = fleet.sums[seat.member];
    const u32 drives = fleet.drives_per_member;
    for (u32 d = 0; d < record.drives; ++d) fleet.looks->sample_drives[slot * drives + d] = fleet.drives[seat.member * drives + d];
}

// At the ends of segments, a thread a member: what became of it, and its next segment.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_settle(ROUND)
{
    const Fleet &fleet = round.fleet;
    const u32 number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= fleet.members) return;
    Course &course = fleet.courses[number];
    if (course.end != *fleet.iteration) return;
    const Member &record = fleet.records[number];
    Outcome &outcome = fleet.looks->outcomes[number];
    if (course.trouble != NO_TROUBLE) {
        const u32 time = course.trouble >> 32;
        outcome.what = static_cast<u32>(course.trouble);
        outcome.predicted = time & 1;
        outcome.step = record.step + time / 2;
        course.end = NO_TIME;
        return;
    }
    const Segment *const segment = fleet.looks->segments + record.first_segment + course.segment;
    if (segment->row) fleet.sums[number] = {0, 0, 0, 0};
    ++course.segment;
    outcome.segments = course.segment;
    course.end = course.segment < record.segments ? course.end + segment[1].steps : NO_TIME;
}

#if REPULSION

// Whether the list of a member is to be made at the positions of this time.
__device__ __forceinline__ bool is_due(const Fleet &fleet, u32 member, u32 time)
{
    const Course &course = fleet.courses[member];
    return course.far == time && time / 2 < course.steps && course.trouble == NO_TROUBLE;
}

// The list of a place while it grows.
struct Growing {
    Neighbour *list;
    u32 found, passed, excluded, next;

    __device__ __forceinline__ Growing(const Fleet &fleet, u32 member, const Place &me)
    {
        const Topology &topology = fleet.topology;
        list = const_cast<Neighbour *>(neighbours_of(fleet, member)) + me.place;
        found = passed = 0;
        excluded = topology.excluded.counts[me.place];
        next = excluded > 0 ? topology.excluded.entries[me.place] : 0xffffffffu;
    }

    __device__ __forceinline__ void add(const Topology &topology, const Place &me, u32 partner)
    {
        if (found < topology.list_capacity) list[static_cast<u64>(found) * me.places] = static_cast<Neighbour>(partner);
        ++found;
    }

    __device__ __forceinline__ void finish(const Fleet &fleet, u32 member, const Place &me, Point at)
    {
        if (found > fleet.topology.list_capacity) {
            atomicMax(fleet.overflow, found);
            found = fleet.topology.list_capacity;
        }
        fleet.neighbour_counts[static_cast<u64>(member) * me.places + me.place] = found;
        if (me.place == 0) fleet.courses[member].pairs = 0;
        if (me.part == 0) {
            fleet.references[static_cast<u64>(member) * fleet.topology.beads + me.bead] = row_of(at.x, at.y, at.z, 0);
        }
    }
};

#if !CELLS

// Beads in shared memory at a time.
constexpr u32 TILE = 256;

// The partners of each place within the list's radius, ascending, from all beads, some at a time in shared memory.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_neighbours(ROUND)
{
    __shared__ real4 tile[TILE];
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    // All threads of a block have the same member.
    if (!is_due(fleet, seat.member, time_of(round))) return;
    const Place me = place_of(topology, seat.has ? seat.index : 0);
    const Positions positions = positions_of(round, seat.member);
    const Point at = positions[me.bead];
    Growing growing(fleet, seat.member, me);
    for (u32 first = 0; first < topology.beads; first += TILE) {
        const u32 count = min(TILE, topology.beads - first);
        __syncthreads();
        for (u32 k = threadIdx.x; k < count; k += blockDim.x) {
            const Point other = positions[first + k];
            tile[k] = row_of(other.x, other.y, other.z, 0);
        }
        __syncthreads();
        if (!seat.has) continue;
        for (u32 k = me.part; k < count; k += LANES) {
            const u32 j = first + k;
            if (j == growing.next) {
                ++growing.passed;
                growing.next = growing.passed < growing.excluded ? topology.excluded.entries[growing.passed * me.places + me.place]
                                                                 : 0xffffffffu;
                continue;
            }
            APART(at, tile[k]);
            if (r2 < topology.square_list && j != me.bead) growing.add(topology, me, j);
        }
    }
    if (seat.has) growing.finish(fleet, seat.member, me, at);
}

#else

// Cells as long as the list's radius and a little more; their beads are linked from the bucket that the cell falls in.
struct Cell {
    int x, y, z;

    __device__ __forceinline__ u32 bucket(u32 mask) const
    {
        return (static_cast<u32>(x) * 73856093u ^ static_cast<u32>(y) * 19349663u ^ static_cast<u32>(z) * 83492791u) & mask;
    }

    __device__ __forceinline__ bool operator==(const Cell &other) const { return x == other.x && y == other.y && z == other.z; }
};

__device__ __forceinline__ Cell cell_of(const Fleet &fleet, Point at)
{
    const double scale = fleet.cells_per_angstrom;
    return {__double2int_rd(at.x * scale), __double2int_rd(at.y * scale), __double2int_rd(at.z * scale)};
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_clear_cells(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Seat seat = seat_of(fleet.cell_mask + 1);
    if (!seat.has || !is_due(fleet, seat.member, time_of(round))) return;
    fleet.cell_heads[static_cast<u64>(seat.member) * (fleet.cell_mask + 1) + seat.index] = 0xffffffffu;
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_fill_cells(ROUND)
{
    const Fleet &fleet = round.fleet;
    const u32 beads = fleet.topology.beads;
    const Seat seat = seat_of(beads);
    if (!seat.has || !is_due(fleet, seat.member, time_of(round))) return;
    u32 *const heads = fleet.cell_heads + static_cast<u64>(seat.member) * (fleet.cell_mask + 1);
    const u32 bucket = cell_of(fleet, positions_of(round, seat.member)[seat.index]).bucket(fleet.cell_mask);
    fleet.cell_links[static_cast<u64>(seat.member) * beads + seat.index] = atomicExch(heads + bucket, seat.index);
}

// The partners of each place within the list's radius, from the 27 cells around it, brought into ascending order.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_neighbours(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    if (!seat.has || !is_due(fleet, seat.member, time_of(round))) return;
    const Place me = place_of(topology, seat.index);
    const Positions positions = positions_of(round, seat.member);
    const Point at = positions[me.bead];
    const Cell mine = cell_of(fleet, at);
    const u32 *const heads = fleet.cell_heads + static_cast<u64>(seat.member) * (fleet.cell_mask + 1);
    const u32 *const links = fleet.cell_links + static_cast<u64>(seat.member) * topology.beads;
    Growing growing(fleet, seat.member, me);
    for (u32 number = 0; number < 27; ++number) {
        const Cell cell = {mine.x + static_cast<int>(number % 3) - 1, mine.y + static_cast<int>(number / 3 % 3) - 1,
                           mine.z + static_cast<int>(number / 9) - 1};
        for (u32 j = heads[cell.bucket(fleet.cell_mask)]; j != 0xffffffffu; j = links[j]) {
            if (j % LANES != me.part || j == me.bead) continue;
            const Point other = positions[j];
            APART(at, other);
            // Two cells may share a bucket.
            if (!(r2 < topology.square_list) || !(cell_of(fleet, other) == cell)) continue;
            bool excluded = false;
            for (u32 k = 0; k < growing.excluded; ++k) excluded |= topology.excluded.entries[k * me.places + me.place] == j;
            if (!excluded) growing.add(topology, me, j);
        }
    }
    const u32 kept = min(growing.found, topology.list_capacity);
    for (u32 k = 1; k < kept; ++k) {
        const Neighbour partner = growing.list[static_cast<u64>(k) * me.places];
        u32 to = k;
        for (; to > 0; --to) {
            const Neighbour before = growing.list[static_cast<u64>(to - 1) * me.places];
            if (before < partner) break;
            growing.list[static_cast<u64>(to) * me.places] = before;
        }
        growing.list[static_cast<u64>(to) * me.places] = partner;
    }
    growing.finish(fleet, seat.member, me, at);
}

#endif

#endif
