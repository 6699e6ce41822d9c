// The block plan for many small members: a lane has a member, a warp some beads of as many members as it has lanes.
//
// What is done for a bead is the same in all lanes, so none waits for another and every load of a table serves a whole
// warp. A block has LANE_MEMBERS members of one topology; where those are fewer than 32, a warp has several beads at a
// time. The order of every sum is that of the other kernel: the bits are the same.

constexpr u32 BEAD_BYTES = 3 * LANE_MEMBERS * sizeof(real);

// Positions of one member: a number's neighbours in memory are the same number of other members.
struct Column {
    const real *first;

    __device__ __forceinline__ Point operator[](u32 bead) const { return at_byte(bead * BEAD_BYTES); }

    __device__ __forceinline__ Point at_byte(u32 byte) const
    {
        const real *const at = reinterpret_cast<const real *>(reinterpret_cast<const u8 *>(first) + byte);
        return {at[0], at[LANE_MEMBERS], at[2 * LANE_MEMBERS]};
    }
};

// Where no bead is: a place of the list that is not filled points here, beyond any cutoff.
constexpr real NOWHERE = static_cast<real>(1e9);

// A round of a bead's list has a partner of each of its partial sums, in bytes from the beginning of a column.
struct alignas(16) Round {
    u32 at[LANES];
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_lanes(const __grid_constant__ Launch launch)
{
    extern __shared__ __align__(16) u64 memory[];
    __shared__ u64 troubles[LANE_MEMBERS];
    __shared__ Sums sums[LANE_MEMBERS];
    __shared__ u32 longest, nearest;

    const u32 first_member = blockIdx.x * LANE_MEMBERS;
    const u32 members_here = min(static_cast<u32>(LANE_MEMBERS), launch.member_count - first_member);
    const Topology topology = *launch.members[first_member].topology;
    const u32 beads = topology.beads, places = LANES * beads;
    const u32 quads = (beads + LANES - 1) / LANES;
    // One more bead, which is nowhere.
    const u32 column = 3 * LANE_MEMBERS * (beads + 1);
    Round *const rounds = reinterpret_cast<Round *>(memory);
    LaneHead *const heads = reinterpret_cast<LaneHead *>(rounds + (REPULSION ? quads * beads : 0));
    FeneBond *const bonds = reinterpret_cast<FeneBond *>(heads + beads);
    NativeContact *const contacts = reinterpret_cast<NativeContact *>(bonds + topology.lane_bond_count);
    real *const buffer = reinterpret_cast<real *>(contacts + topology.lane_contact_count);
    // Where the list was made; the force and the kick of a step's first half.
    real *const reference = buffer + 2 * column;
    real *const first_forces = reference + (LISTED ? column : 0);
    real *const kicks = first_forces + (SECOND_ORDER ? column : 0);
    Drive *const drives = reinterpret_cast<Drive *>(kicks + (SECOND_ORDER ? column : 0));
    real *const shares = reinterpret_cast<real *>(drives + LANE_MEMBERS * launch.drives_per_member);
    u32 *const states = reinterpret_cast<u32 *>(shares + 3 * LANE_MEMBERS * launch.drives_per_member);
    u32 *const round_counts = states + (HYBRID_TAUS ? 4 * LANE_MEMBERS * beads : 0);

    const u32 lane = threadIdx.x % LANE_MEMBERS;
    // The beads of a thread: one in so many.
    const u32 first_bead = threadIdx.x / LANE_MEMBERS, bead_stride = blockDim.x / LANE_MEMBERS;
    const bool live = lane < members_here;
    const Member &member = launch.members[first_member + (live ? lane : 0)];

    if (threadIdx.x == 0) {
        longest = 0;
        nearest = NO_TIME;
    }
    if (threadIdx.x < LANE_MEMBERS) {
        troubles[threadIdx.x] = NO_TROUBLE;
        if (threadIdx.x < members_here) sums[threadIdx.x] = launch.sums[first_member + threadIdx.x];
    }
    for (u32 k = threadIdx.x; k < beads; k += blockDim.x) heads[k] = topology.lane_heads[k];
    // Partners in bytes, as the lists have them.
    for (u32 k = threadIdx.x; k < topology.lane_bond_count; k += blockDim.x) {
        bonds[k] = topology.lane_bonds[k];
        bonds[k].partner *= BEAD_BYTES;
    }
    for (u32 k = threadIdx.x; k < topology.lane_contact_count; k += blockDim.x) {
        contacts[k] = topology.lane_contacts[k];
        contacts[k].partner *= BEAD_BYTES;
    }
    for (u32 bead = first_bead; bead <= beads; bead += bead_stride) {
        for (u32 axis = 0; axis < 3; ++axis) {
            const u32 at = (3 * bead + axis) * LANE_MEMBERS + lane;
            const real x = bead < beads ? member.positions[3 * bead + axis] : NOWHERE;
            buffer[at] = x;
            buffer[column + at] = x;
        }
#if HYBRID_TAUS
        for (u32 k = 0; bead < beads && k < 4; ++k) states[(4 * bead + k) * LANE_MEMBERS + lane] = member.noise_states[4 * bead + k];
#endif
    }
#if PULLED
    for (u32 d = first_bead; d < member.drives; d += bead_stride) {
        // Lanes without a member go along with the first one's.
        drives[lane * launch.drives_per_member + d] = launch.drives[member.first_drive + d];
    }
#endif
    __syncthreads();
    if (threadIdx.x < members_here) atomicMax(&longest, member.steps);

    // The partners of each bead that are near it in any member of the block, by partial sums, ascending.
    auto find = [&](u32 at_buffer) {
        const Column positions = {buffer + at_buffer + lane};
        // Every warp goes as many rounds as there are beads for any.
        for (u32 from = 0; from < beads; from += bead_stride) {
            const u32 bead = min(from + first_bead, beads - 1);
            const bool mine = from + first_bead < beads;
            const Point at = positions[bead];
            u32 longest_list = 0;
            for (u32 part = 0; part < LANES; ++part) {
                const u32 mask = topology.masks[LANES * bead + part];
                u32 found = 0;
                for (u32 k = 0; k < quads; ++k) {
                    const u32 partner = LANES * k + part;
                    bool near = mask >> k & 1;
#if LISTED
                    const Point other = positions[min(partner, beads)];
                    APART(at, other);
                    near = near && live && r2 < topology.square_list;
                    const u32 group = LANE_MEMBERS == 32 ? 0xffffffffu : ((1u << (LANE_MEMBERS % 32)) - 1) << (threadIdx.x % 32 - lane);
                    near = (__ballot_sync(0xffffffffu, near) & group) != 0;
#endif
                    if (near && mine) {
                        if (lane == 0) rounds[bead * quads + found].at[part] = partner * BEAD_BYTES;
                        ++found;
                    }
                }
                longest_list = max(longest_list, found);
                if (mine && lane == 0) {
                    for (u32 k = found; k < quads; ++k) rounds[bead * quads + k].at[part] = beads * BEAD_BYTES;
                }
            }
            if (mine && lane == 0) round_counts[bead] = longest_list;
#if LISTED
            if (mine) {
                reference[(3 * bead) * LANE_MEMBERS + lane] = at.x;
                reference[(3 * bead + 1) * LANE_MEMBERS + lane] = at.y;
                reference[(3 * bead + 2) * LANE_MEMBERS + lane] = at.z;
            }
#endif
        }
    };
#if REPULSION
    find(0);
#endif

    const real mobility = member.mobility, amplitude = member.amplitude, square_base = member.square_base;
    const u32 key0 = member.key0, key1 = member.key1;
    u64 square_displacements = 0;
    u32 segment = 0, left = member.segments > 0 ? launch.segments[member.first_segment].steps : 0;
    u64 step = member.step;
    u64 stage_step = member.stage_step;
    bool running = live && member.segments > 0;
    u32 now = 0, next = column;
    Trouble trouble = {NO_TIME, NO_TIME, 0};
    if (running) atomicMin(&nearest, left);
    __syncthreads();
    const u32 iterations = longest;
    // The iteration in which the next segment of a member of the block ends.
    u32 end = nearest;

    // The force on a bead at the positions of a buffer.
    auto force_on = [&](u32 bead, u32 at_buffer, u32 time, Point &at) -> Force {
        const Column positions = {buffer + at_buffer + lane};
        at = positions[bead];
        if (running && !(is_finite(at.x) && is_finite(at.y) && is_finite(at.z))) trouble.report(time, NOT_FINITE | bead, 0);
        Force parts[LANES];
        const LaneHead head = heads[bead];
        const FeneBond *bond = bonds + head.first_bond;
        const NativeContact *contact = contacts + head.first_contact;
#pragma unroll
        for (u32 part = 0; part < LANES; ++part) {
            Force sum = {0, 0, 0};
#if FENE_BONDS
            for (const FeneBond *const last = bond + (head.bonds >> 8 * part & 0xff); bond != last; ++bond) {
                APART(at, positions.at_byte(bond->partner));
                const real r = root(r2);
                if (running && !holds(*bond, r) && are_finite(x, y, z)) trouble.report(time, bond->number, r);
                add_pair(sum, force_over_distance(*bond, r), x, y, z);
            }
#endif
#if HARMONIC_BONDS
            const u32 place = LANES * bead + part;
            for (u32 k = 0, count = topology.harmonic_bonds.counts[place]; k < count; ++k) {
                const HarmonicBond spring = topology.harmonic_bonds.entries[k * places + place];
                APART(at, positions[spring.partner]);
                add_pair(sum, force_over_distance(spring, r2), x, y, z);
            }
#endif
#if NATIVE_CONTACTS
            for (const NativeContact *const last = contact + (head.contacts >> 8 * part & 0xff); contact != last; ++contact) {
                APART(at, positions.at_byte(contact->partner));
                add_pair(sum, force_over_distance(*contact, r2), x, y, z);
            }
#endif
            parts[part] = sum;
        }
#if REPULSION
        const Round *round = rounds + bead * quads;
        for (u32 k = 0, count = round_counts[bead]; k < count; ++k, ++round) {
            const Round partners = *round;
#pragma unroll
            for (u32 part = 0; part < LANES; ++part) {
                repel(topology, at, positions.at_byte(partners.at[part]), true, parts[part]);
            }
        }
#endif
        Force force = {(parts[0].x + parts[1].x) + (parts[2].x + parts[3].x), (parts[0].y + parts[1].y) + (parts[2].y + parts[3].y),
                       (parts[0].z + parts[1].z) + (parts[2].z + parts[3].z)};
#if PULLED || TRAPS
        const u32 flags = member.flags[bead];
        force.x = outer_forces(force.x, topology, drives + lane * launch.drives_per_member, shares + lane, LANE_MEMBERS, bead, 0, flags, at.x);
        force.y = outer_forces(force.y, topology, drives + lane * launch.drives_per_member, shares + lane, LANE_MEMBERS, bead, 1, flags, at.y);
        force.z = outer_forces(force.z, topology, drives + lane * launch.drives_per_member, shares + lane, LANE_MEMBERS, bead, 2, flags, at.z);
#endif
        return force;
    };
    auto draw = [&](u32 bead, bool draws) -> Force {
        if (!draws) return {0, 0, 0};
        u32 words[WORDS];
#if HYBRID_TAUS
        u32 state[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) state[k] = states[(4 * bead + k) * LANE_MEMBERS + lane];
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = hybrid_taus(state);
#pragma unroll
        for (u32 k = 0; k < 4; ++k) states[(4 * bead + k) * LANE_MEMBERS + lane] = state[k];
#else
        keyed_words(words, key0, key1, step, bead);
#endif
        Force kick;
        normals(words, kick.x, kick.y, kick.z);
        kick.x *= amplitude;
        kick.y *= amplitude;
        kick.z *= amplitude;
        return kick;
    };
    auto publish = [&](real *to, u32 bead, real x, real y, real z) {
        to[(3 * bead) * LANE_MEMBERS + lane] = x;
        to[(3 * bead + 1) * LANE_MEMBERS + lane] = y;
        to[(3 * bead + 2) * LANE_MEMBERS + lane] = z;
    };
    auto went_far = [&](u32 bead, real x, real y, real z) -> bool {
#if LISTED
        const Column old = {reference + lane};
        const Point from = old[bead];
        const real dx = x - from.x, dy = y - from.y, dz = z - from.z;
        return running && dx * dx + dy * dy + dz * dz > topology.square_shift;
#else
        return false;
#endif
    };
    auto pull_members = [&](u32 at_buffer, u32 ahead) {
#if PULLED
        // One warp has the drives of all members.
        if (threadIdx.x < LANE_MEMBERS && running) {
            pull_all(drives + lane * launch.drives_per_member, member.drives, stage_step + ahead, Column{buffer + at_buffer + lane},
                     shares + lane, LANE_MEMBERS, ahead ? nullptr : sums + lane);
        }
        __syncthreads();
#endif
    };
    auto count_square = [&](real x, real y, real z) {
        square_displacements += static_cast<u64>(in_units(x, square_base)) + in_units(y, square_base) + in_units(z, square_base);
    };

    for (u32 iteration = 0; iteration < iterations; ++iteration) {
        bool event = iteration + 1 == end;
        pull_members(now, 0);
        for (u32 bead = first_bead; bead < beads; bead += bead_stride) {
            Point at;
            const Force force = force_on(bead, now, 2 * iteration, at);
            const bool fixed = member.flags[bead] & FIXED;
            const Force kick = draw(bead, running && amplitude != 0 && !(HYBRID_TAUS && fixed));
            const bool moves = running && !fixed;
            const real x = moves ? multiply_add(force.x, mobility, kick.x) : real(0);
            const real y = moves ? multiply_add(force.y, mobility, kick.y) : real(0);
            const real z = moves ? multiply_add(force.z, mobility, kick.z) : real(0);
            publish(buffer + next, bead, at.x + x, at.y + y, at.z + z);
            event |= went_far(bead, at.x + x, at.y + y, at.z + z);
#if SECOND_ORDER
            publish(first_forces, bead, force.x, force.y, force.z);
            publish(kicks, bead, kick.x, kick.y, kick.z);
#else
            count_square(x, y, z);
#endif
        }
#if SECOND_ORDER
#if LISTED
        if (__syncthreads_or(event)) {
            // The list must hold at the predicted positions, too; what follows makes it anew.
            event = true;
            find(next);
            __syncthreads();
        }
#else
        __syncthreads();
#endif
        pull_members(next, 1);
        for (u32 bead = first_bead; bead < beads; bead += bead_stride) {
            Point ahead;
            const Force force = force_on(bead, next, 2 * iteration + 1, ahead);
            const Point first = Column{first_forces + lane}[bead], kick = Column{kicks + lane}[bead], at = Column{buffer + now + lane}[bead];
            const bool moves = running && !(member.flags[bead] & FIXED);
            const real half = real(0.5) * mobility;
            const real x = moves ? multiply_add(first.x + force.x, half, kick.x) : real(0);
            const real y = moves ? multiply_add(first.y + force.y, half, kick.y) : real(0);
            const real z = moves ? multiply_add(first.z + force.z, half, kick.z) : real(0);
            publish(buffer + now, bead, at.x + x, at.y + y, at.z + z);
            event |= went_far(bead, at.x + x, at.y + y, at.z + z);
            count_square(x, y, z);
        }
#else
        next = now;
        now = column - now;
#endif
        step += running;
        stage_step += running;
        left -= running;
#if LISTED
        if (!__syncthreads_or(event || (running && trouble.when != NO_TIME))) continue;
#else
        // Trouble is looked at when a segment ends: until then its member computes what nobody will see.
        __syncthreads();
        if (iteration + 1 != end) continue;
#endif

        const bool ends = running && left == 0;
        if (running) {
            // A sample must be sound: a broken bond would else be found at the next step only.
            for (u32 bead = first_bead; ends && bead < beads; bead += bead_stride) {
                const u32 time = 2 * (iteration + 1);
                const Column positions = {buffer + now + lane};
                const Point at = positions[bead];
                if (!(is_finite(at.x) && is_finite(at.y) && is_finite(at.z))) trouble.report(time, NOT_FINITE | bead, 0);
                for (u32 part = 0; part < LANES; ++part) {
                    verify(topology, Place{bead, part, LANES * bead + part, places}, positions, at, time, trouble);
                }
            }
            if (trouble.when != NO_TIME) atomicMin(&troubles[lane], trouble.order());
            if (ends) {
                atomicAdd(&sums[lane].square_displacements, square_displacements);
                square_displacements = 0;
            }
        }
#if LISTED
        find(now);
#endif
        if (threadIdx.x == 0) nearest = NO_TIME;
        __syncthreads();

        const u64 first_trouble = troubles[lane];
        Outcome &outcome = launch.outcomes[first_member + lane];
        if (running && first_trouble != NO_TROUBLE) {
            if (trouble.order() == first_trouble) {
                outcome.what = trouble.what;
                outcome.length = trouble.length;
                outcome.predicted = trouble.when & 1;
                outcome.step = member.step + trouble.when / 2;
            }
            running = false;
        } else if (ends) {
            const u32 slot = member.first_slot + segment;
            for (u32 bead = first_bead; bead < beads; bead += bead_stride) {
                for (u32 axis = 0; axis < 3; ++axis) {
                    member.sample_positions[(static_cast<u64>(segment) * beads + bead) * 3 + axis] = buffer[now + (3 * bead + axis) * LANE_MEMBERS + lane];
                }
#if HYBRID_TAUS
                for (u32 k = 0; k < 4; ++k) {
                    member.sample_noise_states[(static_cast<u64>(segment) * beads + bead) * 4 + k] = states[(4 * bead + k) * LANE_MEMBERS + lane];
                }
#endif
            }
            if (threadIdx.x == lane) {
#if PULLED
                for (u32 d = 0; d < member.drives; ++d) {
                    launch.sample_drives[static_cast<u64>(slot) * launch.drives_per_member + d] = drives[lane * launch.drives_per_member + d];
                }
#endif
                launch.sample_sums[slot] = sums[lane];
                if (launch.segments[member.first_segment + segment].row) sums[lane] = {0, 0, 0, 0};
                outcome.segments = segment + 1;
            }
            ++segment;
            left = segment < member.segments ? launch.segments[member.first_segment + segment].steps : 0;
            running = segment < member.segments;
        }
        if (running) atomicMin(&nearest, iteration + 1 + left);
        if (!__syncthreads_or(running)) break;
        end = nearest;
    }
}
