// The launches plan at its ends: members put at their start, samples taken, troubles told.

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
#if DRAWN
    u32 *const kept = fleet.generator_states + static_cast<u64>(seat.member) * fleet.state_words;
    const u32 *const given = reinterpret_cast<const u32 *>(record.noise_states);
    for (u32 k = seat.index; k < fleet.state_words; k += fleet.topology.beads) kept[k] = given[k];
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
#if DRAWN
    const u32 *const kept = fleet.generator_states + static_cast<u64>(seat.member) * fleet.state_words;
    u32 *const sampled = reinterpret_cast<u32 *>(record.sample_noise_states) + static_cast<u64>(course.segment) * fleet.state_words;
    for (u32 k = seat.index; k < fleet.state_words; k += topology.beads) sampled[k] = kept[k];
#if LAGGED_FIBONACCI
    // The place here is that of the launch's beginning.
    if (fleet.long_lag % topology.beads == seat.index) sampled[fleet.long_lag] = place_after(fleet, seat.member, *fleet.iteration);
#endif
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
