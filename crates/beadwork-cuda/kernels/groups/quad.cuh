// The block plan: one block steps some members for thousands of steps, with their coordinates in shared memory; or the
// blocks of a cluster step one member (`groups/cluster.cuh`).
//
// Four lanes have a bead, one for each partial sum of its force; then each of the first three has an axis. In the grid plan several lanes
// may have a sum together (`SLOT_LANES`). A step is:
// partial sums, their tree, noise, move, one barrier. Members of a block make steps together, each with its own externals
// and noise. Separate warps evaluate the externals meanwhile, with four lanes for each external, and what presses, with a lane for
// each bead (`quad_pressing.cuh`).
#pragma once

#include "groups/quad_minimising.cuh"
#include "groups/quad_pressing.cuh"
#include "groups/quad_pulling.cuh"
#include "groups/quad_segments.cuh"
#include "groups/quad_slots.cuh"
#include "groups/search.cuh"
#include "groups/shared_lists.cuh"
#include "thermostat.cuh"
#include "trajectory.cuh"

// Where the arrays of a block are in its shared memory, after its flags.
struct QuadPlaces {
    // Positions, and velocities that other threads read, unless they are in the card's memory; sums of warps that share lists; tables by
    // types; then externals, sums, and what externals pull, by member; what presses on beads.
    u32 rows, sums_of_warps, tables, externals, sums, shares, alongs, pressing;
};

// `HAS_EXTERNALS`: of a thread that has externals, in programs with some, and no beads. What such threads do takes many registers, so
// these are types of their own.
template <typename Terms, bool LOOKS_AHEAD, typename Neighbours, bool HAS_EXTERNALS> struct Quad {
    typedef real Value;
    static constexpr bool HAS_FORCES = true, PULLS = HAS_EXTERNALS;
    typedef QuadSlots<Terms, LOOKS_AHEAD> Slots;

    const Launch &launch;
    Slots &slots;
    SharedFlags *const flags;
    const u32 rank, first_member, members_here;
    // All members of a block have one system.
    System system;
    typename Terms::Pairs pairs;
    const u32 slot_count, stride;
    real4 *const buffer;
    // Positions have two buffers; where velocities are read by other threads, these have two more, `velocity_buffers` later.
    const u32 next_buffer, velocity_buffers;
    External *const all_externals;
    Sums *const all_sums;
    real *const all_shares;
    // The number of threads that have slots; the last warps have the externals, four lanes each.
    const u32 stepping, thread_member;
    // False for threads beyond the slots of the last member: they copy the first thread and write nothing. Where something presses, a
    // block has one member, and such threads write nothing because they have no bead.
    const bool live;
    const u32 my_member;
    const Member &member;
    real4 *const here;
    External *const externals;
    Sums *const sums;
    real *const shares;
    Four *const list;
    const real mobility, amplitude, square_base;
    const u64 first_step, first_stage_step;
    // The beginning of the buffers of present and next positions.
    u32 now, next;
    u64 square_displacements;
    // The present segment and its last iteration; the first iteration in which a member of the block ends or beads are dealt out.
    u32 segment, segment_end, end, iterations, next_deal;
    // Whether the externals of a step are still to be counted, for schemes with velocities.
    bool pull_pending;
    bool running, idles;
    StepError error;
    MemberBarrier barrier;
    Neighbours search;
    Puller puller;
    Presser presser;
#if MINIMISES
    Minimiser minimiser;
#endif

    __device__ __forceinline__ Quad(const Launch &launch, u64 *memory, Slots &slots)
        : launch(launch), slots(slots), flags(reinterpret_cast<SharedFlags *>(memory)), rank(rank_of_block(launch)),
          first_member(blockIdx.x / blocks_of_member(launch) * launch.members_per_block),
          members_here(min(launch.members_per_block, launch.member_count - first_member)),
          system(*launch.members[first_member].system), slot_count(PARTIAL_SUMS * system.beads),
          // Four rows or more belong to no bead. Masks read the rows of the launch's largest member.
          stride(PARTIAL_SUMS * ((QUADS > 0 ? QUADS : (system.beads + PARTIAL_SUMS - 1) / PARTIAL_SUMS) + 1)), buffer(rows_of_members(launch, memory, places().rows)),
          next_buffer(stride * launch.members_per_block), velocity_buffers(2 * next_buffer),
          all_externals(array_at<External>(memory, places().externals)), all_sums(array_at<Sums>(memory, places().sums)),
          all_shares(array_at<real>(memory, places().shares)),
          stepping(launch.stepping),
          thread_member(member_of_thread(launch)),
          live(thread_member < members_here), my_member(live ? thread_member : 0), member(launch.members[first_member + my_member]),
          here(buffer + stride * my_member), externals(all_externals + my_member * launch.externals_per_member), sums(all_sums + my_member),
          shares(all_shares + my_member * launch.externals_per_member * 3), list(reinterpret_cast<Four *>(member.list)),
          mobility(member.mobility), amplitude(member.amplitude), square_base(member.square_base), first_step(member.step),
          first_stage_step(member.stage_step), now(0), next(next_buffer), square_displacements(0), segment(0),
          segment_end(member.segments > 0 ? launch.segments[member.first_segment].steps : 0),
          pull_pending(false), running(live && member.segments > 0), idles(false), error{NO_TIME, NO_TIME, 0},
          barrier(barrier_of(launch, flags, system.beads, stepping, !PULLS)), search(search_of(launch, flags))
    {
        begin_flags();
        load_members();
        if constexpr (SHARED_TABLES) share_tables<Terms>(system, system, array_at<u8>(memory, places().tables));
        barrier.meet();
        if (threadIdx.x < members_here) atomicMax(&flags->longest, launch.members[first_member + threadIdx.x].steps);
        if constexpr (DEALS) search.deal(*this, here);
        begin_slots(member.velocities, member.forces);
        if constexpr (PULLS) puller.begin(*this);
        if constexpr (PRESSING) presser.begin(*this);
        barrier.reduce(all_sums);
        iterations = LISTED && flags->wanted() ? 0 : flags->longest;
        if (running) atomicMin(&flags->nearest, segment_end);
        __syncthreads();
        next_deal = FIRST_DEAL;
        end = min(flags->nearest, next_deal);
        if (LISTED && flags->wanted() && live && (PULLS || slot_number(0) == 0)) launch.outcomes[first_member + my_member].overflow = flags->wanted();
        if constexpr (CLUSTER > 1 && !LISTED && !PULLED) {
            // A warp without slots takes part only in the ends of segments, since no block waits for it in a step. With
            // lists or externals it takes part in each step. The vote tells the compiler that the warp agrees.
            idles = __any_sync(0xffffffffu, (threadIdx.x / 32 * CLUSTER + rank) * 32 >= slot_count);
            // The other warps may change the flags of the next segment before this warp would read them.
            if (idles) end = segment_end;
        }
        if constexpr (Scheme::HAS_VELOCITIES) begin_forces();
#if MINIMISES
        minimiser.begin(member);
#endif
    }

#if MINIMISES
    __device__ __forceinline__ bool minimise(u32 iteration) { return minimiser.step(*this, iteration); }
#endif

    // Computes the forces at the beginning where they are not known: their evaluation does not count as a step's.
    __device__ __forceinline__ void begin_forces()
    {
        const bool knows = member.forces != nullptr;
        if (!__syncthreads_or(running && !knows)) return;
        evaluate(now, 0, 0);
        if (knows) load_forces(member.forces);
    }

    __device__ __forceinline__ void load_forces(const real *forces)
    {
        each([&](u32 turn) {
            const Slot slot = me(turn);
            if (has(turn) && slot.part < 3) slots.force[turn] = forces[3 * slot.bead + slot.part];
        });
    }

    // Deals beads out to threads anew.
    __device__ __forceinline__ void deal()
    {
        real *const velocities = search.grid.moving, *const forces = velocities + 3 * system.beads;
        if constexpr (Scheme::HAS_VELOCITIES) {
            each([&](u32 turn) {
                const Slot slot = me(turn);
                if (!has(turn) || slot.part >= 3) return;
                velocities[3 * slot.bead + slot.part] = slots.velocity[turn];
                forces[3 * slot.bead + slot.part] = slots.force[turn];
            });
        }
        search.deal(*this, here + now);
        begin_slots(velocities, forces);
    }

    __device__ __forceinline__ void begin_flags()
    {
        if (threadIdx.x == 0) {
            flags->overflow = flags->longest = 0;
            barrier.open();
        }
        for (u32 m = threadIdx.x; m < launch.members_per_block; m += blockDim.x) {
            flags->errors[m] = NO_ERROR;
            if (m < members_here) all_sums[m] = launch.sums[first_member + m];
            if (rank > 0) all_sums[m].square_displacements = 0;
        }
    }

    // Loads positions into both buffers, and externals.
    __device__ __forceinline__ void load_members()
    {
        const CopiedRows copied = rows_to_copy(launch);
        for (u32 m = 0; m < members_here; ++m) {
            const Member &other = launch.members[first_member + m];
            for (u32 b = copied.first; b < stride; b += copied.step) {
                real4 at = {NOWHERE, NOWHERE, NOWHERE, 0};
                if (b < system.beads) {
                    at.x = other.positions[3 * b];
                    at.y = other.positions[3 * b + 1];
                    at.z = other.positions[3 * b + 2];
                    if (TYPED) at.w = of_bits(system.type_of[b]);
                }
                buffer[stride * m + b] = at;
                buffer[next_buffer + stride * m + b] = at;
            }
            // Copies word by word: all of it is plain data.
            const u32 words = other.externals * (sizeof(External) / 4);
            const u32 *from = reinterpret_cast<const u32 *>(launch.externals + other.first_external);
            u32 *to = reinterpret_cast<u32 *>(all_externals + m * launch.externals_per_member);
            for (u32 w = threadIdx.x; w < words; w += blockDim.x) to[w] = from[w];
        }
    }

    // Loads what threads keep of their slots. Forces may be unknown.
    __device__ __forceinline__ void begin_slots(const real *velocities, const real *forces)
    {
        pairs.find(system);
        each([&](u32 turn) {
            if constexpr (KEEPS) {
                slots.has[turn] = find_has(turn);
                slots.me[turn] = find_me(turn);
                slots.bonded[turn].find(system, slots.me[turn], slots.has[turn], true);
                slots.flags[turn] = member.flags[slots.me[turn].bead];
                // Most beads have no charge, so most warps skip the terms after the first. A warp decides as one.
                if constexpr (TYPED) slots.several[turn] = __any_sync(0xffffffffu, find_several(turn));
                slots.mine[turn] = axis_of(static_cast<const real4 &>(here[now + slots.me[turn].bead]), slots.me[turn].part);
            }
            slots.neighbours[turn] = SEARCH == Search::MASK && has(turn) ? system.masks[me(turn).number] : 0;
            if constexpr (KEPT_FOURS > 0) slots.kept[turn] = KeptFours{};
            begin_noise(slots.noise[turn], member, me(turn));
            if constexpr (Scheme::HAS_VELOCITIES) {
                const Slot slot = me(turn);
                slots.velocity[turn] = has(turn) && slot.part < 3 ? velocities[3 * slot.bead + slot.part] : real(0);
                if constexpr (KEEPS) slots.inertia[turn] = find_inertia(turn);
            }
        });
        if constexpr (Scheme::HAS_VELOCITIES) {
            if (forces != nullptr) load_forces(forces);
        }
        renew_lists(now);
    }

    __device__ __forceinline__ u32 member_of_thread(const Launch &launch) const
    {
        // What presses moves for all beads of a block, so it has one member.
        if (PRESSED || (SPREAD && !PULLS)) return 0;
        return PULLS ? (threadIdx.x - stepping) / PARTIAL_SUMS / launch.externals_per_member : threadIdx.x / slot_count;
    }

    __device__ __forceinline__ const QuadPlaces &places() const { return places_of<QuadPlaces>(launch); }
#if SHARED_LISTS
    __device__ __forceinline__ WarpSums &sums_of_warp() const { return array_at<WarpSums>(flags, places().sums_of_warps)[threadIdx.x / 32]; }
#endif

    // Whether pair terms after the first may act on a slot's bead.
    __device__ __forceinline__ bool find_several(u32 turn) const { return system.acting[system.type_of[me(turn).bead]] > 1; }
    __device__ __forceinline__ bool has_several(u32 turn) const { return TYPED && (KEEPS ? slots.several[turn % KEPT_SLOTS] : find_several(turn)); }

    // Calls `act` for each slot of this thread.
    template <typename Act> __device__ __forceinline__ void each(Act act)
    {
        if constexpr (PULLS) return;
        if constexpr (KEEPS) {
#pragma unroll
            for (u32 turn = 0; turn < SLOTS; ++turn) act(turn);
        } else {
#pragma unroll 1
            for (u32 turn = 0; turn < SLOTS; ++turn) act(turn);
        }
    }

    __device__ __forceinline__ u32 slot_number(u32 turn) const { return slot_of(turn, threadIdx.x); }
    __device__ __forceinline__ u32 slot_of(u32 turn, u32 thread) const
    {
        return SPREAD ? slot_of_thread(turn, thread, stepping, rank) : thread - thread_member * slot_count;
    }
    __device__ __forceinline__ bool find_has(u32 turn) const { return live && search.has(system, slot_number(turn) / PARTIAL_SUMS); }
    // Whether this thread writes what belongs to a slot: one of its lanes does.
    __device__ __forceinline__ bool find_writes(u32 turn) const { return find_has(turn) && lane_of_slot() == 0; }
    __device__ __forceinline__ Slot find_me(u32 turn) const
    {
        const u32 place = find_has(turn) ? slot_number(turn) / PARTIAL_SUMS : 0, part = threadIdx.x % PARTIAL_SUMS;
        const u32 bead = search.bead(system, place);
        return {bead, part, PARTIAL_SUMS * bead + part, slot_count};
    }
    __device__ __forceinline__ bool has(u32 turn) const { return KEEPS ? slots.has[turn % KEPT_SLOTS] : find_has(turn); }
    __device__ __forceinline__ bool writes(u32 turn) const { return has(turn) && lane_of_slot() == 0; }
    __device__ __forceinline__ Slot me(u32 turn) const { return KEEPS ? slots.me[turn % KEPT_SLOTS] : find_me(turn); }
    __device__ __forceinline__ u32 flags_of(u32 turn) const { return KEEPS ? slots.flags[turn % KEPT_SLOTS] : member.flags[find_me(turn).bead]; }

    __device__ __forceinline__ bool moves(u32 turn) const { return running && !(flags_of(turn) & FIXED); }

    __device__ __forceinline__ real position(u32 turn) const
    {
        return KEEPS ? slots.mine[turn % KEPT_SLOTS] : axis_of(static_cast<const real4 &>(here[now + me(turn).bead]), me(turn).part);
    }

    __device__ __forceinline__ auto space(u32 turn) const { return space_of(system).axis(me(turn).part); }

    // Forces at the positions of a buffer, `ahead` steps after those of an iteration. All threads take part. The forces at
    // the beginning, of iteration 0, have no part of a thermostat.
    __device__ __forceinline__ void evaluate(u32 at_buffer, u32 iteration, u32 ahead)
    {
        const RowPositions positions = {here + at_buffer}, velocities = {here + at_buffer + velocity_buffers};
        const u32 time = 2 * iteration + ahead;
        const auto thermal = thermostat_of<Thermostat>(system, member, velocities, first_step + iteration - 1, iteration > 0);
        each([&](u32 turn) {
            const Slot slot = me(turn);
            const Particle at = positions.particle(slot.bead);
            if (!Space::WRAPS && running && has(turn) && !is_finite(at.at)) error.report(time, NOT_FINITE | slot.bead, 0);
            Space::Sum sum = Space::no_force();
            const u32 neighbours = slots.neighbours[turn];
            if (running) {
                if constexpr (KEEPS) {
                    sum = partial_sum<Terms>(system, slot, slots.bonded[turn], pairs, thermal, positions, at, has_several(turn), neighbours, slots.kept[turn],
                                             list, time, error);
                } else {
                    typename Terms::Bonded bonded;
                    bonded.find(system, slot, has(turn), false);
                    sum = partial_sum<Terms>(system, slot, bonded, pairs, thermal, positions, at, has_several(turn), neighbours, slots.kept[0], list,
                                             time, error);
                }
            }
#if SHARED_LISTS
            {
                const SharedLists<typename Terms::Pairs, decltype(thermal)> lists{system, pairs, thermal, positions, list, slot, at, sums_of_warp()};
                if (running) lists.template add<Terms>(neighbours, sum);
            }
#endif
#if BOXED
            // A lane may have computed a pair of another bead of its warp, so lanes without a bead report errors too.
            if ((has(turn) || SHARED_LISTS) && sum.too_large != NO_BEAD) error.report(time, TOO_LARGE | sum.too_large, 0);
#endif
            slots.force[turn] = space_of(system).total(gather(sum, slot.part));
        });
        if constexpr (PULLS) puller.pull(*this, positions, iteration, ahead);
        if constexpr (PULLED) __syncthreads();
        if constexpr (PULLS) puller.keep(*this, iteration, ahead);
        if constexpr (Terms::FOLLOWS) {
            each([&](u32 turn) {
                const Slot slot = me(turn);
                const Vector at = place_of(turn, slot, positions);
                if (has(turn) && running && slot.part < 3) {
                    slots.force[turn] = outer_forces<Terms>(slots.force[turn], slot.part, system, slot.bead, flags_of(turn), positions, at, [&](u32 number) {
                        if (Laws::pulls(externals[number])) return shares[3 * number + slot.part];
                        if constexpr (PRESSING) return presser.of(number, turn * (stepping / LANES_OF_BEAD) + threadIdx.x / LANES_OF_BEAD)[slot.part];
                        return force_on_bead<real>(externals[number], number, slot.part, slot.bead, at, first_stage_step, time, error);
                    });
                }
                // Lanes stay divided otherwise, and the shuffles after this go one by one.
                __syncwarp();
            });
        }
    }

    // Where a bead is in a buffer. Where threads keep the present positions, the lanes of the bead have them; otherwise it is read,
    // from afar in the grid plan.
    __device__ __forceinline__ Vector place_of(u32 turn, const Slot &slot, const RowPositions &positions) const
    {
        if constexpr (KEEPS && GRID && !LOOKS_AHEAD && !Scheme::HAS_VELOCITIES) {
            const real mine = slots.mine[turn % KEPT_SLOTS];
            return {__shfl_sync(0xffffffffu, mine, 0, PARTIAL_SUMS), __shfl_sync(0xffffffffu, mine, 1, PARTIAL_SUMS), __shfl_sync(0xffffffffu, mine, 2, PARTIAL_SUMS)};
        } else {
            return positions[slot.bead];
        }
    }

    __device__ __forceinline__ real force(u32 turn, u32, u32, u32) const { return slots.force[turn]; }

    __device__ __forceinline__ real kick(u32 turn, u32 iteration)
    {
        Noise &noise = slots.noise[turn];
        const bool draws = running && amplitude != 0 && !((HYBRID_TAUS || FILLED) && flags_of(turn) & FIXED);
        if (draws && noise.used == PARTIAL_SUMS) make_noise(noise, member, me(turn), first_step, iteration);
        const real normal = next_normal(noise, me(turn).part);
        // All lanes exchange numbers, but only members that draw count them as used.
        noise.used += draws;
        return draws ? normal * amplitude : real(0);
    }

    __device__ __forceinline__ TypeInertia find_inertia(u32 turn) const { return member.inertia[system.type_of[me(turn).bead]]; }
    __device__ __forceinline__ TypeInertia inertia_of(u32 turn) const { return KEEPS ? slots.inertia[turn % KEPT_SLOTS] : find_inertia(turn); }
    __device__ __forceinline__ Inertia inertia(u32 turn) const
    {
        const TypeInertia constants = inertia_of(turn);
        return {member.half_step, constants.half_kick, constants.drag};
    }
    __device__ __forceinline__ real noise(u32 turn, u32 iteration) { return kick(turn, iteration) * inertia_of(turn).noise; }
    __device__ __forceinline__ real velocity(u32 turn) const { return slots.velocity[turn]; }
    __device__ __forceinline__ real known_force(u32 turn) const { return slots.force[turn]; }

    __device__ __forceinline__ void place(u32 turn, const Moving<real> &to)
    {
        if (KEEPS) slots.mine[turn % KEPT_SLOTS] = to.position;
        slots.velocity[turn] = to.velocity;
    }

    __device__ __forceinline__ void know(u32 turn, real velocity, real force)
    {
        slots.velocity[turn] = velocity;
        slots.force[turn] = force;
    }

    __device__ __forceinline__ void keep(u32 turn, const Acting<real> &acting)
    {
        slots.first_force[LOOKS_AHEAD ? turn : 0] = acting.force;
        slots.kick[LOOKS_AHEAD ? turn : 0] = acting.kick;
    }

    __device__ __forceinline__ Acting<real> kept(u32 turn) const
    {
        return {slots.first_force[LOOKS_AHEAD ? turn : 0], 0, slots.kick[LOOKS_AHEAD ? turn : 0], mobility};
    }

    __device__ __forceinline__ void move(u32 turn, real to, real shift)
    {
        if (KEEPS) slots.mine[turn % KEPT_SLOTS] = to;
        if (me(turn).part < 3 && writes(turn)) square_displacements += in_units(shift, square_base);
    }

#if BOXED
    // Counts the sides that a bead crosses in a move, and reports a move that is too long.
    __device__ __forceinline__ void have_moved(u32 turn, real from, real to, bool fits, u32 time, u32 what)
    {
        const Slot slot = me(turn);
        if (slot.part >= 3 || !has(turn) || !moves(turn)) return;
        if (!fits) error.report(time, what | slot.bead, 0);
        // Before the forces, a step of second order only predicts positions.
        const int sides = what == TOO_FAR_BEFORE_FORCES && LOOKS_AHEAD ? 0 : crossed(from, to);
        if (sides != 0) member.sample_crossings[(static_cast<u64>(segment) * system.beads + slot.bead) * 3 + slot.part] += sides;
    }
#endif

    __device__ __forceinline__ void publish(u32 at_buffer, u32 turn, real value)
    {
        const Slot slot = me(turn);
#if CLUSTER > 1
        real4 row = {};
        row.x = __shfl_sync(0xffffffffu, value, 0, PARTIAL_SUMS);
        row.y = __shfl_sync(0xffffffffu, value, 1, PARTIAL_SUMS);
        row.z = __shfl_sync(0xffffffffu, value, 2, PARTIAL_SUMS);
        if (TYPED) row.w = here[slot.bead].w;
        if (has(turn) && running) barrier.send(&here[at_buffer + slot.bead], slot.part, row);
#else
        if (writes(turn) && running && slot.part < 3) axis_of(here[at_buffer + slot.bead], slot.part) = value;
#endif
    }

    __device__ __forceinline__ bool went_far(u32 turn, real to) const
    {
        if constexpr (!LISTED) return false;
        // In lists built before this displacement a pair within the cutoff may be missing.
        const real most = PRUNES ? system.square_inner_shift : system.square_shift;
        return square_of_shift(space(turn).apart(to, slots.reference[turn]), me(turn).part) > most && has(turn) && running;
    }

    // Lists the neighbours of this thread's slots. Returns whether the lists do not do: one has no room, or outer lists, from which these
    // are taken, do not hold.
    __device__ __forceinline__ bool list_neighbours(u32 at_buffer)
    {
        u32 most = 0;
        bool outdated = false;
        each([&](u32 turn) {
            // All lanes of a warp prune lists together where some share a slot.
            if (SLOT_LANES == 1 && !has(turn)) return;
            const Slot slot = me(turn);
            const RowPositions positions = {here + at_buffer};
            slots.reference[turn] = axis_of(static_cast<const real4 &>(here[at_buffer + slot.bead]), slot.part);
            outdated |= has(turn) && search.is_outdated(system, slot.bead, positions);
            const Listed listed = search.find(*this, slot, has(turn), positions);
            slots.neighbours[turn] = with_turns(listed.fours);
            if constexpr (KEPT_FOURS > 0) {
                // Lanes read what another one of their slot wrote.
                if constexpr (SLOT_LANES > 1) __syncwarp();
                slots.kept[turn] = kept_of(slot, list, listed.fours);
            }
            most = max(most, listed.wanted);
        });
        if (most) atomicMax(&flags->overflow, most);
        return outdated || most;
    }

    __device__ __forceinline__ void renew_lists(u32 at_buffer)
    {
        if constexpr (LISTED) {
            search.prepare(*this, here + at_buffer);
            list_neighbours(at_buffer);
        }
    }

    // Renews lists between the ends of segments, outer ones taken as they are, and waits for all threads. Returns whether more must be
    // done: lists do not do, or some step failed.
    __device__ __forceinline__ bool renew_between(u32 at_buffer)
    {
        return barrier.agree(list_neighbours(at_buffer) || (running && error.time != NO_TIME));
    }

    __device__ __forceinline__ void swap()
    {
        next = now;
        now = next_buffer - now;
    }

    __device__ __forceinline__ bool segment_ends(u32 iteration) const { return LISTED && iteration + 1 == end; }
    __device__ __forceinline__ bool ends(u32 iteration) const { return iteration + 1 == segment_end; }

    __device__ __forceinline__ bool meet(bool event) { return barrier.wait(LISTED && event); }
    __device__ __forceinline__ void meet_after_lists() { barrier.meet(); }

    // Waits for all threads at the end of a step; returns whether something happened. Without lists, errors are
    // handled at the end of a segment; until then their member computes numbers that are not used.
    __device__ __forceinline__ bool meet_after_step(bool event, u32 iteration)
    {
        const bool waited = barrier.wait(LISTED && (event || (running && error.time != NO_TIME)));
        if constexpr (PULLS) puller.add(*this);
        return LISTED ? waited : iteration + 1 == end;
    }

    // Waits for all threads between the two parts of a step with velocities, and counts the externals of the step before.
    __device__ __forceinline__ bool meet_in_step(bool event, u32 iteration)
    {
        const bool waited = barrier.wait(LISTED && (event || (running && error.time != NO_TIME)));
        if constexpr (PULLS) {
            if (pull_pending) puller.add(*this);
            pull_pending = true;
        }
        return LISTED ? waited : iteration + 1 == end;
    }

    // Counts the externals of the last step of a quick loop.
    __device__ __forceinline__ void finish_pull()
    {
        if constexpr (PULLED) __syncthreads();
        if constexpr (PULLS) {
            puller.add(*this);
            pull_pending = false;
        }
    }

    __device__ __forceinline__ void check(u32 iteration, bool ends) { check_segment<Terms>(*this, iteration, ends); }
    __device__ __forceinline__ void meet_and_share() { barrier.reduce(all_sums); }
    __device__ __forceinline__ bool settle(u32 iteration, bool ends) { return settle_segment(*this, iteration, ends); }
};

template <bool HAS_EXTERNALS> __device__ __forceinline__ void step_members(const Launch &launch, u64 *memory)
{
    typedef Quad<Terms, Scheme::LOOKS_AHEAD, NeighbourSearch, HAS_EXTERNALS> Group;
    typename Group::Slots slots;
    Group group(launch, memory, slots);
    trajectory<Scheme>(group);
}

extern "C" __global__ void CLUSTERED __launch_bounds__(THREADS, BLOCKS) beadwork_block(const __grid_constant__ Launch launch)
{
    extern __shared__ __align__(16) u64 memory[];
    if (PULLED && threadIdx.x >= launch.stepping) {
        step_members<PULLED>(launch, memory);
    } else {
        step_members<false>(launch, memory);
    }
}
