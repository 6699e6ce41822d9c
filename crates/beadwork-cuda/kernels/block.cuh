// The block plan: one block has some members for thousands of steps, their coordinates in shared memory; or the blocks of a
// cluster have one member (`cluster.cuh`).
//
// Four lanes have a bead, one for each partial sum of its force (the order of the sum is that of `beadwork_cpu::Forces`);
// then each of the first three has an axis. A step is: partial sums, their tree, noise, move, one meeting. Members of a
// block make steps together, each with a step counter, drives and noise of its own. What pulls is computed meanwhile by
// warps of their own, four lanes a drive.

// Whether the places of a member are dealt to threads in rounds.
constexpr bool SPREAD = PLACES > 1 || CLUSTER > 1;

// Places of a thread: more than one where a member has more places than a block has threads.
#if PLACES > 2
#define EACH_PLACE _Pragma("unroll 1") for (u32 turn = 0; turn < PLACES; ++turn)
#else
#define EACH_PLACE _Pragma("unroll") for (u32 turn = 0; turn < PLACES; ++turn)
#endif

extern "C" __global__ void IN_CLUSTERS __launch_bounds__(THREADS, BLOCKS) beadwork_block(const __grid_constant__ Launch launch)
{
    extern __shared__ __align__(16) u64 memory[];
    Board *const board = reinterpret_cast<Board *>(memory);

    const u32 rank = rank_of_block();
    const u32 first_member = blockIdx.x / CLUSTER * launch.members_per_block;
    const u32 members_here = min(launch.members_per_block, launch.member_count - first_member);
    // Members of a block have one topology.
    const Topology topology = *launch.members[first_member].topology;
    const u32 beads = topology.beads, places = LANES * beads;
    // One row at least is nobody's.
    const u32 stride = (beads / 4 + 1) * 4;
    real4 *const buffer = reinterpret_cast<real4 *>(board + 1);
    const u32 next_buffer = stride * launch.members_per_block;
    Drive *const all_drives = reinterpret_cast<Drive *>(buffer + 2 * next_buffer);
    Sums *const all_sums = reinterpret_cast<Sums *>(all_drives + launch.members_per_block * launch.drives_per_member);
    real *const all_shares = reinterpret_cast<real *>(all_sums + launch.members_per_block);

    // The last warps have the drives, four lanes each; the threads before them have the places.
    const u32 stepping = blockDim.x - (PULLED ? (LANES * launch.members_per_block * launch.drives_per_member + 31) / 32 * 32 : 0);
    const bool pulls = PULLED && threadIdx.x >= stepping;
    // A thread beyond the places of the last member follows the first one and leaves no trace.
    const u32 pair = pulls ? (threadIdx.x - stepping) / LANES : 0;
    const u32 seat = pulls ? pair / launch.drives_per_member : SPREAD ? 0 : threadIdx.x / places;
    const bool live = seat < members_here;
    const u32 my_seat = live ? seat : 0;
    const Member &member = launch.members[first_member + my_seat];
    real4 *const here = buffer + stride * my_seat;
    Drive *const drives = all_drives + my_seat * launch.drives_per_member;
    Sums *const sums = all_sums + my_seat;
    real *const shares = all_shares + my_seat * launch.drives_per_member * 3;
#if PULLED
    // How strongly each drive pulls along its direction.
    double *const alongs = reinterpret_cast<double *>(all_shares + (launch.members_per_block * launch.drives_per_member * 3 + 3) / 4 * 4) + my_seat * launch.drives_per_member;
    const u32 my_drive = pulls ? min(pair - seat * launch.drives_per_member, max(member.drives, 1u) - 1) : 0, axis = min(threadIdx.x % LANES, 2u);
#endif

    if (threadIdx.x == 0) {
        board->overflow = board->longest = board->happened[0] = board->happened[1] = 0;
        board->nearest = NO_TIME;
#if CLUSTER > 1
        open_inboxes(board);
#endif
    }
    for (u32 m = threadIdx.x; m < launch.members_per_block; m += blockDim.x) {
        board->troubles[m] = NO_TROUBLE;
        if (m < members_here) all_sums[m] = launch.sums[first_member + m];
        if (rank > 0) all_sums[m].square_displacements = 0;
    }
    for (u32 m = 0; m < members_here; ++m) {
        const Member &other = launch.members[first_member + m];
        for (u32 b = threadIdx.x; b < stride; b += blockDim.x) {
            real4 at = {NOWHERE, NOWHERE, NOWHERE, 0};
            if (b < beads) {
                at.x = other.positions[3 * b];
                at.y = other.positions[3 * b + 1];
                at.z = other.positions[3 * b + 2];
            }
            buffer[stride * m + b] = at;
            buffer[next_buffer + stride * m + b] = at;
        }
        // Word by word, since all of it is data.
        const u32 words = other.drives * (sizeof(Drive) / 4);
        const u32 *from = reinterpret_cast<const u32 *>(launch.drives + other.first_drive);
        u32 *to = reinterpret_cast<u32 *>(all_drives + m * launch.drives_per_member);
        for (u32 w = threadIdx.x; w < words; w += blockDim.x) to[w] = from[w];
    }
    meet();
    if (threadIdx.x < members_here) atomicMax(&board->longest, launch.members[first_member + threadIdx.x].steps);

    Four *const list = reinterpret_cast<Four *>(member.list);
    const real mobility = member.mobility, amplitude = member.amplitude, square_base = member.square_base;
    u32 neighbours[PLACES];
    real reference[PLACES], force[PLACES];
#if SECOND_ORDER
    real kick[PLACES];
#endif
    Noise noise[PLACES];
    // A thread of few places keeps in registers what it knows of them; one of many finds it out again, since local memory
    // for all of it would not fit into the cache.
    // The warps of a member's blocks take turns, so that each block has beads from everywhere.
    const auto find_place = [&](u32 turn) {
        return SPREAD ? ((turn * stepping + threadIdx.x / 32 * 32) * CLUSTER + rank * 32) + threadIdx.x % 32 : threadIdx.x - seat * places;
    };
    const auto find_has = [&](u32 turn) { return live && find_place(turn) < places; };
    const auto find_me = [&](u32 turn) -> Place {
        const u32 place = find_has(turn) ? find_place(turn) : threadIdx.x % LANES;
        return {place / LANES, threadIdx.x % LANES, place, places};
    };
#if PLACES > 2
    const auto has_at = find_has;
    const auto me_at = find_me;
    const auto flags_at = [&](u32 turn) { return member.flags[find_me(turn).bead]; };
    const auto partners_at = [&](u32 turn) { return partners_of(topology, find_me(turn), find_has(turn), false); };
#else
    Place me[PLACES];
    Partners partners[PLACES];
    bool has[PLACES];
    u32 flags[PLACES];
    const auto has_at = [&](u32 turn) { return has[turn]; };
    const auto me_at = [&](u32 turn) -> const Place & { return me[turn]; };
    const auto flags_at = [&](u32 turn) { return flags[turn]; };
    const auto partners_at = [&](u32 turn) -> const Partners & { return partners[turn]; };
    real mine[PLACES];
#endif
    if (!pulls) {
        EACH_PLACE
        {
#if PLACES <= 2
            has[turn] = find_has(turn);
            me[turn] = find_me(turn);
            partners[turn] = partners_of(topology, me[turn], has[turn], true);
            flags[turn] = member.flags[me[turn].bead];
            mine[turn] = axis_of(static_cast<const real4 &>(here[me[turn].bead]), me[turn].part);
#endif
            reference[turn] = axis_of(static_cast<const real4 &>(here[me_at(turn).bead]), me_at(turn).part);
            neighbours[turn] = has_at(turn) ? find_neighbours(topology, me_at(turn), Rows{here}, list, board) : 0;
            noise[turn].x = noise[turn].y = noise[turn].z = 0;
            noise[turn].used = LANES;
#if HYBRID_TAUS
#pragma unroll
            for (u32 k = 0; k < 4; ++k) noise[turn].before[k] = noise[turn].state[k] = member.noise_states[4 * me_at(turn).bead + k];
#endif
        }
    }

    u64 square_displacements = 0;
    u32 segment = 0, left = member.segments > 0 ? launch.segments[member.first_segment].steps : 0;
    u64 step = member.step, stage_step = member.stage_step;
    bool running = live && member.segments > 0;
    // The buffer of the present positions, the other of the next ones.
    u32 now = 0, next = next_buffer;
    // The position of a place's bead along its axis.
#if PLACES > 2
    const auto mine_at = [&](u32 turn) { return axis_of(static_cast<const real4 &>(here[now + find_me(turn).bead]), find_me(turn).part); };
    const auto move_to = [&](u32, real) {};
#else
    const auto mine_at = [&](u32 turn) { return mine[turn]; };
    const auto move_to = [&](u32 turn, real to) { mine[turn] = to; };
#endif
    Meetings meetings = {board, beads, CLUSTER * stepping / 32, !pulls, 1};
    meet_and_put_together(board, all_sums);
    const u32 iterations = LISTED && board->wanted() ? 0 : board->longest;
    if (running) atomicMin(&board->nearest, left);
    __syncthreads();
    // The iteration in which the next segment of a member of the block ends.
    u32 end = board->nearest;
    if (LISTED && board->wanted() && live && (pulls || me_at(0).place == 0)) launch.outcomes[first_member + my_seat].overflow = board->wanted();

    Trouble trouble = {NO_TIME, NO_TIME, 0};
#if PULLED
    const bool mine_to_pull = pulls && live && pair - seat * launch.drives_per_member < member.drives;
    const bool acts = mine_to_pull && drives[my_drive].kind != RESTRAIN;
    const u32 most_pulled = pulls ? most_of_warp(acts ? drives[my_drive].pulled_count : 0) : 0;
    const bool any_held = pulls && most_of_warp(acts && drives[my_drive].kind == SPRING && drives[my_drive].update_every > 1);
    // Who sums up the pulling of a member.
    bool any = false;
    if (mine_to_pull && my_drive == 0 && threadIdx.x % LANES == 0) {
        for (u32 d = 0; d < member.drives; ++d) any |= drives[d].kind != RESTRAIN;
    }
#endif
    // The forces at the positions of a buffer, `ahead` steps from those of an iteration. All threads take part.
    auto evaluate = [&](u32 at_buffer, u32 iteration, u32 ahead) {
        const Rows positions = {here + at_buffer};
        const u32 time = 2 * iteration + ahead;
        if (!pulls) {
            EACH_PLACE
            {
                const Point at = positions[me_at(turn).bead];
                if (running && has_at(turn) && !(is_finite(at.x) && is_finite(at.y) && is_finite(at.z))) {
                    trouble.report(time, NOT_FINITE | me_at(turn).bead, 0);
                }
                Force sum = {0, 0, 0};
                if (running) {
                    sum = partial_sum(topology, me_at(turn), partners_at(turn), positions, at, neighbours[turn], list, time, trouble);
                }
                force[turn] = gather(sum, me_at(turn).part);
            }
        }
#if PULLED
        double pulling = 0, centre = 0;
        if (pulls) {
            const Drive &drive = drives[my_drive];
            pulling = pull_axis(drive, stage_step + ahead, positions, axis, most_pulled, any_held, centre);
            double share = pulling;
            if (most_pulled > 1) share = pulling / drive.pulled_count;
            if (acts && running && threadIdx.x % LANES < 3) shares[3 * my_drive + axis] = static_cast<real>(share);
        }
        __syncthreads();
        if (pulls && !ahead) {
            // While the others move their beads.
            const double part = pulling * drives[my_drive].direction[axis];
            const double y = __shfl_sync(0xffffffffu, part, 1, 4), z = __shfl_sync(0xffffffffu, part, 2, 4);
            if (acts && threadIdx.x % LANES == 0) alongs[my_drive] = part + y + z;
            remember_axis(drives[my_drive], stage_step, axis, pulling, centre, acts && running && threadIdx.x % LANES < 3);
        }
#endif
#if PULLED || TRAPS
        if (!pulls) {
            EACH_PLACE
            {
                if (has_at(turn) && running && me_at(turn).part < 3) {
                    const real at = axis_of(positions.rows[me_at(turn).bead], me_at(turn).part);
                    force[turn] = outer_forces(force[turn], topology, drives, shares, 1, me_at(turn).bead, me_at(turn).part, flags_at(turn), at);
                }
            }
        }
#endif
    };
    auto publish = [&](u32 at_buffer, u32 turn, real value) {
#if CLUSTER > 1
        real4 row = {};
        row.x = __shfl_sync(0xffffffffu, value, 0, LANES);
        row.y = __shfl_sync(0xffffffffu, value, 1, LANES);
        row.z = __shfl_sync(0xffffffffu, value, 2, LANES);
        if (has_at(turn) && running) meetings.send(&here[at_buffer + me_at(turn).bead], me_at(turn).part, row);
#else
        if (has_at(turn) && running && me_at(turn).part < 3) axis_of(here[at_buffer + me_at(turn).bead], me_at(turn).part) = value;
#endif
    };
    auto renew_neighbours = [&](u32 at_buffer) {
        if (!pulls) {
            EACH_PLACE
            {
                if (!has_at(turn)) continue;
                reference[turn] = axis_of(static_cast<const real4 &>(here[at_buffer + me_at(turn).bead]), me_at(turn).part);
                neighbours[turn] = find_neighbours(topology, me_at(turn), Rows{here + at_buffer}, list, board);
            }
        }
    };

#if CLUSTER > 1 && !LISTED && !PULLED
    // A warp without places, of which the last are (each block has one with places), comes to the ends of segments only: in
    // a meeting nobody would wait for it. Where lists are made it says each time that it is there, and drives hold it to the
    // steps of its block. That the warp agrees is told the compiler by its vote.
    const bool idles = __any_sync(0xffffffffu, (threadIdx.x / 32 * CLUSTER + rank) * 32 >= places);
#else
    constexpr bool idles = false;
#endif
    // It may be late to look at the board, which the others change at the end of the segment without it. It has one member.
    if (idles) end = left;
    for (u32 iteration = 0; iteration < iterations; ++iteration) {
        if (idles) {
            left -= end - iteration;
            iteration = end - 1;
        }
        for (bool happens = idles; !happens; iteration += !happens) {
#if LISTED
            // What ends the quick path of a step: a bead that went far, trouble, the end of a segment.
            bool event = iteration + 1 == end;
#endif
            evaluate(now, iteration, 0);
            if (!pulls) {
                EACH_PLACE
                {
                    const bool draws = running && amplitude != 0 && !(HYBRID_TAUS && flags_at(turn) & FIXED);
                    if (draws && noise[turn].used == LANES) make_noise(noise[turn], member, me_at(turn), step);
                    const real normal = next_normal(noise[turn], me_at(turn).part);
                    // All lanes exchange, but only where numbers were drawn they are used up.
                    noise[turn].used += draws;
                    const real push = draws ? normal * amplitude : real(0);
                    const bool moves = running && !(flags_at(turn) & FIXED);
                    const real shift = moves ? multiply_add(force[turn], mobility, push) : real(0);
#if SECOND_ORDER
                    kick[turn] = push;
                    publish(next, turn, mine_at(turn) + shift);
#if LISTED
                    event |= is_far(topology, mine_at(turn) + shift - reference[turn], me_at(turn).part) && has_at(turn) && running;
#endif
#else
                    const real to = mine_at(turn) + shift;
                    move_to(turn, to);
                    if (me_at(turn).part < 3 && has_at(turn)) square_displacements += in_units(shift, square_base);
                    publish(next, turn, to);
#if LISTED
                    event |= is_far(topology, to - reference[turn], me_at(turn).part) && has_at(turn) && running;
#endif
#endif
                }
            }
#if SECOND_ORDER
#if LISTED
            if (meetings.meet_and_ask(event)) {
                // The list must hold at the predicted positions, too; what follows makes it anew.
                event = true;
                renew_neighbours(next);
                meet();
            }
#else
            meetings.meet_and_ask(false);
#endif
            real first_force[PLACES];
            if (!pulls) {
                EACH_PLACE { first_force[turn] = force[turn]; }
            }
            evaluate(next, iteration, 1);
            if (!pulls) {
                EACH_PLACE
                {
                    const bool moves = running && !(flags_at(turn) & FIXED);
                    const real half = real(0.5) * mobility;
                    const real shift = moves ? multiply_add(first_force[turn] + force[turn], half, kick[turn]) : real(0);
                    const real to = mine_at(turn) + shift;
                    move_to(turn, to);
                    if (me_at(turn).part < 3 && has_at(turn)) square_displacements += in_units(shift, square_base);
                    publish(now, turn, to);
#if LISTED
                    event |= is_far(topology, to - reference[turn], me_at(turn).part) && has_at(turn) && running;
#endif
                }
            }
#else
            next = now;
            now = next_buffer - now;
#endif
#if PULLED
            const bool pulled = any && running;
#endif
            step += running;
            stage_step += running;
            left -= running;
#if LISTED
            happens = meetings.meet_and_ask(event || (running && trouble.when != NO_TIME));
#else
            // Trouble is looked at when a segment ends: until then its member computes what nobody will see.
            meetings.meet_and_ask(false);
            happens = iteration + 1 == end;
#endif
#if PULLED
            if (pulled) {
                double along = 0;
                for (u32 d = 0; d < member.drives; ++d) {
                    if (drives[d].kind != RESTRAIN) along += alongs[d];
                }
                sums->force += along;
                sums->force_steps += 1;
            }
#endif
        }

        const bool ends = running && left == 0;
        if (!pulls && running) {
            // A sample must be sound: a broken bond would else be found at the next step only.
            EACH_PLACE
            {
                if (!has_at(turn) || !ends) continue;
                const u32 time = 2 * (iteration + 1);
                const Rows positions = {here + now};
                const Point at = positions[me_at(turn).bead];
                if (!(is_finite(at.x) && is_finite(at.y) && is_finite(at.z))) trouble.report(time, NOT_FINITE | me_at(turn).bead, 0);
                verify(topology, me_at(turn), positions, at, time, trouble);
            }
            if (trouble.when != NO_TIME) atomicMin(&board->troubles[my_seat], trouble.order());
            if (ends && has_at(0)) atomicAdd(&sums->square_displacements, square_displacements);
            if (ends) square_displacements = 0;
        }
        renew_neighbours(now);
        if (threadIdx.x == 0) board->nearest = NO_TIME;
        meet_and_put_together(board, all_sums);

        const u64 first_trouble = board->first_trouble(my_seat);
        const u32 number = first_member + my_seat;
        Outcome &outcome = launch.outcomes[number];
        const bool reports = !pulls && has_at(0) && me_at(0).place == 0;
        if (LISTED && board->wanted()) {
            if (reports) outcome.overflow = board->wanted();
            break;
        }
        if (running && first_trouble != NO_TROUBLE) {
            // Whoever found it knows the length; both ends of a bond know the same one.
            if (trouble.order() == first_trouble && !pulls) {
                outcome.what = trouble.what;
                outcome.length = trouble.length;
                outcome.predicted = trouble.when & 1;
                outcome.step = member.step + trouble.when / 2;
            }
            running = false;
        } else if (ends) {
            const u32 slot = member.first_slot + segment;
            if (!pulls) {
                EACH_PLACE
                {
                    if (!has_at(turn)) continue;
                    if (me_at(turn).part < 3) member.sample_positions[static_cast<u64>(segment) * 3 * beads + 3 * me_at(turn).bead + me_at(turn).part] = mine_at(turn);
#if HYBRID_TAUS
                    if (me_at(turn).part == 0) rewind(noise[turn], member.sample_noise_states + (static_cast<u64>(segment) * beads + me_at(turn).bead) * 4);
#endif
                }
            }
#if PULLED
            if (mine_to_pull && rank == 0 && threadIdx.x % LANES == 0) {
                launch.sample_drives[static_cast<u64>(slot) * launch.drives_per_member + my_drive] = drives[my_drive];
            }
#endif
            const bool begins_row = launch.segments[member.first_segment + segment].row;
            if (CLUSTER > 1 && begins_row && threadIdx.x == 0) sums->square_displacements = 0;
            if (reports) {
                Sums all = *sums;
                if (CLUSTER > 1) all.square_displacements = board->squares_of_all;
                launch.sample_sums[slot] = all;
                if (begins_row) *sums = {0, 0, 0, 0};
                outcome.segments = segment + 1;
            }
            ++segment;
            left = segment < member.segments ? launch.segments[member.first_segment + segment].steps : 0;
            running = segment < member.segments;
        }
        if (running) atomicMin(&board->nearest, iteration + 1 + left);
        if (!__syncthreads_or(running)) break;
        end = idles ? iteration + 1 + left : board->nearest;
    }
}
