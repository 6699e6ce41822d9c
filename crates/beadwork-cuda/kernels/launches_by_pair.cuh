// The launches plan by interacting pairs (P4, algorithms 4 and 5): a pair of a term has a thread, which writes what acts
// on either bead to a place of its own; a thread for each place then adds up what was written for it.
//
// A half is the vector from the partner and the force over the distance, not their product: where sums of products are
// fused, only so the bits are those of the other plans.

__device__ __forceinline__ void write_halves(real4 *halves, const PairSeat &pair, real factor, real x, real y, real z)
{
    halves[pair.slot_i] = row_of(x, y, z, factor);
    halves[pair.slot_j] = row_of(-x, -y, -z, factor);
}

__device__ __forceinline__ real4 *halves_of(const Fleet &fleet, u32 member)
{
    return fleet.halves + static_cast<u64>(member) * fleet.rows * LANES * fleet.topology.beads;
}

// `factor` gives the force over the distance of a pair with these parameters.
template <typename Parameters, typename Factor>
__device__ __forceinline__ void compute_pairs(const Round &round, const Pairs<Parameters> &pairs, u32 count, Factor factor)
{
    const Fleet &fleet = round.fleet;
    const Seat seat = seat_of(count);
    const u32 time = time_of(round);
    if (!seat.has || !is_running(fleet, seat.member, time)) return;
    const PairSeat pair = pairs.seats[seat.index];
    const Parameters parameters = pairs.parameters[seat.index];
    const Positions positions = positions_of(round, seat.member);
    const Point at = positions[pair.i], other = positions[pair.j];
    APART(at, other);
    write_halves(halves_of(fleet, seat.member), pair, factor(parameters, r2, seat.member, time), x, y, z);
}

#if FENE_BONDS
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_fene_bonds(ROUND)
{
    compute_pairs(round, round.fleet.fene, round.fleet.fene_pairs, [&](const FeneBond &bond, real r2, u32 member, u32 time) {
        const real r = root(r2);
        if (!holds(bond, r)) report(round.fleet, member, time, bond.number);
        return force_over_distance(bond, r);
    });
}
#endif

#if HARMONIC_BONDS
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_harmonic_bonds(ROUND)
{
    compute_pairs(round, round.fleet.harmonic, round.fleet.harmonic_pairs,
                  [](const HarmonicBond &bond, real r2, u32, u32) { return force_over_distance(bond, r2); });
}
#endif

#if NATIVE_CONTACTS
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_native_contacts(ROUND)
{
    compute_pairs(round, round.fleet.contacts, round.fleet.contact_pairs,
                  [](const NativeContact &contact, real r2, u32, u32) { return force_over_distance(contact, r2); });
}
#endif

#if REPULSION
// As many threads as the list of a member may have pairs would mostly be idle: each takes several.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_repulsion(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    if (!is_running(fleet, seat.member, time_of(round))) return;
    const u64 most = static_cast<u64>(topology.list_capacity) * (LANES / 2) * topology.beads;
    const PairSeat *const pairs = fleet.repelling + seat.member * most;
    const u32 count = min(static_cast<u64>(fleet.courses[seat.member].pairs), most);
    const u32 blocks = (LANES * topology.beads + blockDim.x - 1) / blockDim.x;
    const Positions positions = positions_of(round, seat.member);
    real4 *const halves = halves_of(fleet, seat.member);
    for (u32 k = seat.index; k < count; k += blocks * blockDim.x) {
        const PairSeat pair = pairs[k];
        const Point at = positions[pair.i], other = positions[pair.j];
        APART(at, other);
        const real factor = repulsion_over_distance(topology.repulsion_scale, r2);
        // The cutoff's mark: nothing is added for it.
        write_halves(halves, pair, r2 < topology.square_cutoff ? factor : real(0), x, y, z);
    }
}

// The pairs of the lists, each once, in whatever order: where their halves go has one.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_list_pairs(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    if (!seat.has || !is_due(fleet, seat.member, time_of(round))) return;
    const Place me = place_of(topology, seat.index);
    const Neighbour *const list = neighbours_of(fleet, seat.member);
    const u32 *const counts = fleet.neighbour_counts + static_cast<u64>(seat.member) * me.places;
    const u64 most = static_cast<u64>(topology.list_capacity) * (LANES / 2) * topology.beads;
    PairSeat *const pairs = fleet.repelling + seat.member * most;
    // Partners ascend: those beyond this bead are the last ones.
    u32 first = counts[me.place];
    while (first > 0 && list[static_cast<u64>(first - 1) * me.places + me.place] > me.bead) --first;
    const u32 mine = counts[me.place] - first;
    if (mine == 0) return;
    const u32 begin = atomicAdd(&fleet.courses[seat.member].pairs, mine);
    for (u32 k = 0; k < mine; ++k) {
        const u32 partner = list[static_cast<u64>(first + k) * me.places + me.place];
        // This bead in the list of its partner, which has it: distances are the same from both ends.
        const u32 there = LANES * partner + me.bead % LANES;
        u32 low = 0, high = counts[there];
        while (low + 1 < high) {
            const u32 middle = (low + high) / 2;
            const bool beyond = list[static_cast<u64>(middle) * me.places + there] > me.bead;
            low = beyond ? low : middle;
            high = beyond ? middle : high;
        }
        const u32 slot_i = (fleet.repulsion_row + first + k) * me.places + me.place;
        const u32 slot_j = (fleet.repulsion_row + low) * me.places + there;
        if (begin + k < most) pairs[begin + k] = {me.bead, partner, slot_i, slot_j};
    }
}
#endif

// The partial sum of each place: terms in their order, partners ascending.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_gather(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    if (!seat.has || !is_running(fleet, seat.member, time_of(round))) return;
    const Place me = place_of(topology, seat.index);
    const real4 *const halves = halves_of(fleet, seat.member) + me.place;
    Force sum = {0, 0, 0};
    auto add_rows = [&](u32 row, u32 count) {
#pragma unroll 4
        for (u32 k = 0; k < count; ++k) {
            const real4 half = halves[static_cast<u64>(row + k) * me.places];
            if (half.w != 0) add_pair(sum, half.w, half.x, half.y, half.z);
        }
    };
#if FENE_BONDS
    add_rows(0, topology.fene_bonds.counts[me.place]);
#endif
#if HARMONIC_BONDS
    add_rows(fleet.harmonic_row, topology.harmonic_bonds.counts[me.place]);
#endif
#if NATIVE_CONTACTS
    add_rows(fleet.contact_row, topology.native_contacts.counts[me.place]);
#endif
#if REPULSION
    add_rows(fleet.repulsion_row, fleet.neighbour_counts[static_cast<u64>(seat.member) * me.places + me.place]);
#endif
    fleet.partial_sums[static_cast<u64>(seat.member) * me.places + me.place] = row_of(sum.x, sum.y, sum.z, 0);
}
