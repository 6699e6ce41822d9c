// A place of the block plan: a bead and one of its partial sums, which a lane of four computes. What it knows of its partners,
// its sum, its neighbours, and what the four lanes of a bead make of their sums together.

// Positions of a member in rows of four numbers.
struct Rows {
    const real4 *rows;

    __device__ __forceinline__ Point operator[](u32 bead) const
    {
        const real4 at = rows[bead];
        return {at.x, at.y, at.z};
    }
};

// Where rows are that belong to no bead: farther from every bead than anything reaches, and near enough for finite squares.
constexpr real NOWHERE = 1e15f;

// Four partners of a place in a list, 16 bits each.
struct alignas(8) Four {
    u32 words[2];

    __device__ __forceinline__ u32 operator[](u32 k) const { return k & 1 ? words[k / 2] >> 16 : words[k / 2] & 0xffff; }
};

__device__ __forceinline__ void write_partner(Four *list, const Place &me, u32 number, u32 partner)
{
    reinterpret_cast<u16 *>(&list[number / 4 * me.places + me.place])[number % 4] = static_cast<u16>(partner);
}

// What a place knows of its bonds and contacts: how many a lane of its warp has at most, the first bond, which most places
// have no second of, and the first contacts.
struct Partners {
    u32 fene_count, fene_rounds, harmonic_count, contact_count, contact_rounds;
    FeneBond first_bond;
    NativeContact contacts[CONTACTS > 0 ? CONTACTS : 1];
};

// With `by_warp` all lanes of the warp take part and go the same rounds; `has` is false for those without a place.
__device__ __forceinline__ Partners partners_of(const Topology &topology, const Place &me, bool has, bool by_warp)
{
    Partners partners = {};
#if FENE_BONDS
    partners.fene_count = has ? topology.fene_bonds.counts[me.place] : 0;
    partners.fene_rounds = by_warp ? most_of_warp(partners.fene_count) : partners.fene_count;
    partners.first_bond = topology.fene_bonds.entries[me.place];
    if (partners.fene_count == 0) partners.first_bond.partner = me.bead;
#endif
#if HARMONIC_BONDS
    partners.harmonic_count = has ? topology.harmonic_bonds.counts[me.place] : 0;
#endif
#if NATIVE_CONTACTS
    partners.contact_count = has ? topology.native_contacts.counts[me.place] : 0;
    partners.contact_rounds = by_warp ? most_of_warp(partners.contact_count) : partners.contact_count;
#pragma unroll
    for (u32 k = 0; k < CONTACTS; ++k) {
        const bool exists = k < partners.contact_count;
        partners.contacts[k] = read(topology.native_contacts.entries + (exists ? k * me.places + me.place : 0));
        if (!exists) partners.contacts[k].partner = me.bead;
    }
#endif
    return partners;
}

// Adds a bond where it `acts`; returns whether it does not hold.
template <typename Positions>
__device__ __forceinline__ bool add_bond(const FeneBond &bond, bool acts, const Positions positions, Point at, Force &sum)
{
    APART(at, positions[bond.partner]);
    const real r = root(r2);
    const real factor = force_over_distance(bond, r);
    add_pair(sum, acts ? factor : real(0), x, y, z);
    return acts && !holds(bond, r);
}

template <typename Positions>
__device__ __forceinline__ void report_bond(const FeneBond &bond, const Positions positions, Point at, u32 time, Trouble &trouble)
{
    APART(at, positions[bond.partner]);
    if (are_finite(x, y, z)) trouble.report(time, bond.number, root(r2));
}

// The terms that have lists of partners, in their order. Lanes without a partner go along and add nothing; what most
// places have is without branches, so that the operations of one partner hide the time of another's. `breaks` says of
// the first bond that it does not hold, which is for the caller to report.
template <typename Positions>
__device__ __forceinline__ Force listed_terms(const Topology &topology, const Place &me, const Partners &partners,
                                              const Positions positions, Point at, u32 time, Trouble &trouble, bool &breaks)
{
    Force sum = {0, 0, 0};
#if FENE_BONDS
    breaks = add_bond(partners.first_bond, partners.fene_count > 0, positions, at, sum);
    for (u32 k = 1; k < partners.fene_rounds; ++k) {
        const bool acts = k < partners.fene_count;
        const FeneBond bond = acts ? topology.fene_bonds.entries[k * me.places + me.place] : partners.first_bond;
        if (add_bond(bond, acts, positions, at, sum)) report_bond(bond, positions, at, time, trouble);
    }
#endif
#if HARMONIC_BONDS
    for (u32 k = 0; k < partners.harmonic_count; ++k) {
        const HarmonicBond bond = topology.harmonic_bonds.entries[k * me.places + me.place];
        APART(at, positions[bond.partner]);
        add_pair(sum, force_over_distance(bond, r2), x, y, z);
    }
#endif
#if NATIVE_CONTACTS
#pragma unroll
    for (u32 k = 0; k < CONTACTS; ++k) {
        const NativeContact &contact = partners.contacts[k];
        APART(at, positions[contact.partner]);
        const real factor = force_over_distance(contact, r2);
        add_pair(sum, k < partners.contact_count ? factor : real(0), x, y, z);
    }
    const NativeContact *contacts = topology.native_contacts.entries + CONTACTS * me.places + me.place;
#pragma unroll 2
    for (u32 k = CONTACTS; k < partners.contact_rounds; ++k, contacts += me.places) {
        const NativeContact contact = read(contacts);
        APART(at, positions[contact.partner]);
        const real factor = force_over_distance(contact, r2);
        add_pair(sum, k < partners.contact_count ? factor : real(0), x, y, z);
    }
#endif
    return sum;
}

// Adds repelling pairs, those that `act` (a bit each) and are nearer than the cutoff. All are computed before the first is
// added, so that one hides the time of another.
template <u32 COUNT>
__device__ __forceinline__ void repel_all(const Topology &topology, Point at, const Point *others, u32 act, Force &sum)
{
    Point apart[COUNT];
    real factors[COUNT];
#pragma unroll
    for (u32 k = 0; k < COUNT; ++k) {
        APART(at, others[k]);
        apart[k] = {x, y, z};
        const real factor = without_branch(repulsion_over_distance(topology.repulsion_scale, r2));
        factors[k] = (act >> k & 1) && r2 < topology.square_cutoff ? factor : real(0);
    }
#pragma unroll
    for (u32 k = 0; k < COUNT; ++k) add_pair(sum, factors[k], apart[k].x, apart[k].y, apart[k].z);
}

// The partial sum of a place. `neighbours` is the mask of partners, or the number of fours in the list.
__device__ __forceinline__ Force partial_sum(const Topology &topology, const Place &me, const Partners &partners,
                                             const Rows positions, Point at, u32 neighbours, const Four *list, u32 time,
                                             Trouble &trouble)
{
    bool breaks = false;
    Force sum = listed_terms(topology, me, partners, positions, at, time, trouble, breaks);
#if REPULSION == REPULSION_BY_MASK
    // Rows beyond the last bead are there, and their bits are not set.
    Point others[4];
    constexpr u32 REST = QUADS % 4;
#pragma unroll
    for (u32 first = 0; first + 4 <= QUADS; first += 4) {
#pragma unroll
        for (u32 k = 0; k < 4; ++k) others[k] = positions[4 * (first + k) + me.part];
        repel_all<4>(topology, at, others, neighbours >> first, sum);
    }
    if (REST > 0) {
#pragma unroll
        for (u32 k = 0; k < REST; ++k) others[k] = positions[4 * (QUADS - REST + k) + me.part];
        repel_all<REST ? REST : 1>(topology, at, others, neighbours >> (QUADS - REST), sum);
    }
#elif REPULSION == REPULSION_BY_LIST
    // The next four are on their way while these are computed.
    Four next = neighbours ? list[me.place] : Four{};
    for (u32 k = 1; k <= neighbours; ++k) {
        const Four four = next;
        if (k < neighbours) next = list[k * me.places + me.place];
        Point others[4];
#pragma unroll
        for (u32 one = 0; one < 4; ++one) others[one] = positions[four[one]];
        repel_all<4>(topology, at, others, 15, sum);
    }
#endif
    if (breaks) report_bond(partners.first_bond, positions, at, time, trouble);
    return sum;
}

// The partners of a place within the list's radius, ascending; returns the mask or the number of fours, the last of which
// is filled up.
__device__ inline u32 find_neighbours(const Topology &topology, const Place &me, const Rows positions, Four *list, Board *board)
{
#if REPULSION == REPULSION_BY_MASK
    return topology.masks[me.place];
#elif REPULSION == REPULSION_BY_LIST
    const Point at = positions[me.bead];
    u32 found = 0, passed = 0;
    const u32 excluded = topology.excluded.counts[me.place];
    u32 next = passed < excluded ? topology.excluded.entries[me.place] : 0xffffffffu;
    for (u32 j = me.part; j < topology.beads; j += LANES) {
        if (j == next) {
            ++passed;
            next = passed < excluded ? topology.excluded.entries[passed * me.places + me.place] : 0xffffffffu;
            continue;
        }
        if (j == me.bead) continue;
        APART(at, positions[j]);
        if (r2 < topology.square_list) {
            if (found < topology.list_capacity) write_partner(list, me, found, j);
            ++found;
        }
    }
    if (found > topology.list_capacity) {
        atomicMax(&board->overflow, found);
        found = topology.list_capacity;
    }
    for (; found % 4; ++found) write_partner(list, me, found, topology.beads);
    return found / 4;
#else
    return 0;
#endif
}

// (p₀ + p₁) + (p₂ + p₃) of the four lanes of a bead; lane a has axis a of it. All lanes of the warp take part.
__device__ __forceinline__ real gather(const Force &sum, u32 part)
{
    const bool odd = part & 1;
    const real first = __shfl_xor_sync(0xffffffffu, odd ? sum.x : sum.y, 1);
    const real second = __shfl_xor_sync(0xffffffffu, sum.z, 1);
    // Even lanes have x and z of a pair of lanes, odd ones y.
    const real here = (odd ? sum.y : sum.x) + first;
    const real z = sum.z + second;
    const real other = __shfl_xor_sync(0xffffffffu, part == 0 ? z : here, 2);
    return (part == 2 ? z : here) + other;
}

// Whether a bead is so far from where the list was made that a pair may have come within the cutoff unseen. All lanes
// of the warp take part; each bead's lanes agree.
__device__ __forceinline__ bool is_far(const Topology &topology, real shift, u32 part)
{
    real square = part < 3 ? shift * shift : real(0);
    square += __shfl_xor_sync(0xffffffffu, square, 1);
    square += __shfl_xor_sync(0xffffffffu, square, 2);
    return square > topology.square_shift;
}

__device__ __forceinline__ real &axis_of(real4 &at, u32 part) { return (&at.x)[part]; }

__device__ __forceinline__ real axis_of(const real4 &at, u32 part) { return part == 0 ? at.x : part == 1 ? at.y : at.z; }

