// The launches plan by particles (P4, algorithms 2 and 3): a place has a thread in each term.

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
