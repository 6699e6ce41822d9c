// The plan for many small members: a lane has a member, and a warp has some beads of the members of its lanes.
//
// All lanes do the same for a bead, so no lane waits for another and every load of a table serves a whole warp. A block
// has LANE_MEMBERS members of one system; if there are fewer than 32, a warp has several beads at a time. The order of
// every sum is that of the other groups, so the bits are the same.
#pragma once

#include "externals/pulling.cuh"
#include "groups/lane_forces.cuh"
#include "groups/lane_segments.cuh"
#include "random/filled.cuh"
#include "random/keyed.cuh"
#include "chosen.cuh"
#include "thermostat.cuh"
#include "trajectory.cuh"

// Where the arrays of a block are in its shared memory.
struct LanePlaces {
    // Neighbours; rows of bonded terms; columns: positions, and velocities that other threads read, positions at the last search, forces,
    // kicks; externals and what they pull; states of generators; numbers of neighbours; constants of types.
    u32 rounds, heads, positions, references, forces, kicks, externals, shares, states, round_counts, constants;
};

template <typename Terms, bool LOOKS_AHEAD> struct Lane {
    typedef Vector Value;
    static constexpr bool HAS_FORCES = true;
    // Whether forces and one more column are kept from one part of a step to the next.
    static constexpr bool KEEPS = LOOKS_AHEAD || Scheme::HAS_VELOCITIES;
    typedef typename RowsOf<typename Terms::Bonded>::Rows BondedRows;
    static constexpr u32 HEADS = BondedRows::TERMS;
    static constexpr bool idles = false;

    // Data that the threads of a block share, besides the memory that the host requests.
    struct Shared {
        u64 errors[LANE_MEMBERS];
        Sums sums[LANE_MEMBERS];
        u32 longest, nearest;
    };

    const Launch &launch;
    Shared &shared;
    const u32 first_member, members_here;
    const System system;
    typename Terms::Pairs pairs;
    // Groups of four beads; numbers of a column, which has one more bead as padding. Where velocities are read by other threads,
    // two columns follow those of positions.
    const u32 quads, column, velocity_buffers;
    Round *const rounds;
    RowHead *const heads;
    u8 *const entries;
    // Two buffers of positions; positions at the last build of the list; the force at the beginning of a step, and the
    // kick of its first part. A scheme with velocities has these in the place of kicks.
    real *const buffer, *const reference, *const first_forces, *const kicks, *const velocities;
    External *const all_externals;
    real *const all_shares;
    u32 *const states, *const round_counts;
    // For schemes with velocities: the constants of each type, as positions are stored.
    real *const constants;
    const u32 lane;
    // The beads of a thread: the first one, and the stride to the next.
    const u32 first_bead, bead_stride;
    const bool live;
    const Member &member;
    const real mobility, amplitude, square_base;
    const u32 key0, key1;
    const u64 first_step, first_stage_step;
    u32 now, next;
    u64 square_displacements;
    u32 segment, segment_end, end, iterations;
    bool running;
    StepError error;

    __device__ __forceinline__ Lane(const Launch &launch, u64 *memory, Shared &shared)
        : launch(launch), shared(shared), first_member(blockIdx.x * LANE_MEMBERS),
          members_here(min(static_cast<u32>(LANE_MEMBERS), launch.member_count - first_member)),
          system(*launch.members[first_member].system), quads((system.beads + PARTIAL_SUMS - 1) / PARTIAL_SUMS),
          column(3 * LANE_MEMBERS * (system.beads + 1)), velocity_buffers(2 * column), rounds(array_at<Round>(memory, places().rounds)),
          heads(array_at<RowHead>(memory, places().heads)), entries(reinterpret_cast<u8 *>(heads + (HEADS * system.beads + 1) / 2 * 2)),
          buffer(array_at<real>(memory, places().positions)), reference(array_at<real>(memory, places().references)),
          first_forces(array_at<real>(memory, places().forces)), kicks(array_at<real>(memory, places().kicks)), velocities(kicks),
          all_externals(array_at<External>(memory, places().externals)), all_shares(array_at<real>(memory, places().shares)),
          states(array_at<u32>(memory, places().states)), round_counts(array_at<u32>(memory, places().round_counts)),
          constants(array_at<real>(memory, places().constants)), lane(threadIdx.x % LANE_MEMBERS),
          first_bead(threadIdx.x / LANE_MEMBERS), bead_stride(blockDim.x / LANE_MEMBERS), live(lane < members_here),
          member(launch.members[first_member + (live ? lane : 0)]), mobility(member.mobility), amplitude(member.amplitude),
          square_base(member.square_base), key0(member.key0), key1(member.key1), first_step(member.step),
          first_stage_step(member.stage_step), now(0), next(column), square_displacements(0), segment(0),
          segment_end(member.segments > 0 ? launch.segments[member.first_segment].steps : 0), running(live && member.segments > 0),
          error{NO_TIME, NO_TIME, 0}
    {
        pairs.find(system);
        begin();
        __syncthreads();
        if (threadIdx.x < members_here) atomicMax(&shared.longest, member.steps);
        if (SEARCH != Search::NONE) find_neighbours(0);
        if (running) atomicMin(&shared.nearest, segment_end);
        __syncthreads();
        iterations = shared.longest;
        end = shared.nearest;
        if constexpr (Scheme::HAS_VELOCITIES) begin_forces();
    }

    __device__ __forceinline__ const LanePlaces &places() const { return places_of<LanePlaces>(launch); }

    // Computes the forces at the beginning if they are not known: their evaluation does not count as a step's.
    __device__ __forceinline__ void begin_forces()
    {
        const bool knows = member.forces != nullptr;
        if (!__syncthreads_or(running && !knows)) return;
        if constexpr (PULLED) {
            if (threadIdx.x < LANE_MEMBERS && running) {
                pull_all<false>(externals(), member.externals, first_stage_step, positions(now), all_shares + lane, LANE_MEMBERS, nullptr, 0, error);
            }
            __syncthreads();
        }
        each([&](u32 bead) {
            if (!knows) store(first_forces + lane, bead, force(bead, now, 0, 0));
        });
    }

    __device__ __forceinline__ void begin()
    {
        if (threadIdx.x == 0) {
            shared.longest = 0;
            shared.nearest = NO_TIME;
        }
        if (threadIdx.x < LANE_MEMBERS) {
            shared.errors[threadIdx.x] = NO_ERROR;
            if (threadIdx.x < members_here) shared.sums[threadIdx.x] = launch.sums[first_member + threadIdx.x];
        }
        for (u32 k = threadIdx.x; k < HEADS * system.beads; k += blockDim.x) {
            const uint2 head = system.row_heads[k];
            heads[k] = {head.x, head.y};
        }
        BondedRows::copy(system, 0, entries);
        for (u32 bead = first_bead; bead <= system.beads; bead += bead_stride) {
            for (u32 axis = 0; axis < 3; ++axis) {
                const u32 at = (3 * bead + axis) * LANE_MEMBERS + lane;
                const real x = bead < system.beads ? member.positions[3 * bead + axis] : NOWHERE;
                buffer[at] = x;
                buffer[column + at] = x;
            }
#if HYBRID_TAUS
            for (u32 k = 0; bead < system.beads && k < 4; ++k) states[(4 * bead + k) * LANE_MEMBERS + lane] = member.noise_states[4 * bead + k];
#endif
            if constexpr (Scheme::HAS_VELOCITIES) {
                if (bead < system.beads) begin_motion_of(bead);
            }
        }
        // Lanes without a member copy the first one's.
        for (u32 d = first_bead; PULLED && d < member.externals; d += bead_stride) externals()[d] = launch.externals[member.first_external + d];
    }

    // Loads velocity, force if it is known, and constants. Threads whose beads have one type write the same constants.
    __device__ __forceinline__ void begin_motion_of(u32 bead)
    {
        const real *const v = member.velocities + 3 * bead, *const f = member.forces + 3 * bead;
        store(velocities + lane, bead, {v[0], v[1], v[2]});
        if (member.forces != nullptr) store(first_forces + lane, bead, {f[0], f[1], f[2]});
        const u32 type = system.type_of[bead];
        const TypeInertia of_type = member.inertia[type];
        store(constants + lane, type, {of_type.half_kick, of_type.drag, of_type.noise});
    }

    __device__ __forceinline__ External *externals() const { return all_externals + lane * launch.externals_per_member; }
    __device__ __forceinline__ Column positions(u32 at_buffer) const { return {buffer + at_buffer + lane}; }

    // Finds the neighbours of each bead in any member of the block, by partial sums, ascending.
    __device__ __forceinline__ void find_neighbours(u32 at_buffer)
    {
        const Column here = positions(at_buffer);
        const u32 beads = system.beads;
        // All warps make the same number of rounds.
        for (u32 from = 0; from < beads; from += bead_stride) {
            const u32 bead = min(from + first_bead, beads - 1);
            const bool mine = from + first_bead < beads;
            const Vector at = here[bead];
            u32 longest_list = 0;
            for (u32 part = 0; part < PARTIAL_SUMS; ++part) {
                const u32 mask = system.masks[PARTIAL_SUMS * bead + part];
                u32 found = 0;
                for (u32 k = 0; k < quads; ++k) {
                    const u32 partner = PARTIAL_SUMS * k + part;
                    bool near = mask >> k & 1;
                    if constexpr (LISTED) {
                        near = near && live && space_of(system).separation(at, here[min(partner, beads)], true).r2 < square_list(system, bead, min(partner, beads));
                        const u32 group = LANE_MEMBERS == 32 ? 0xffffffffu : ((1u << (LANE_MEMBERS % 32)) - 1) << (threadIdx.x % 32 - lane);
                        near = (__ballot_sync(0xffffffffu, near) & group) != 0;
                    }
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
            if (LISTED && mine) store(reference + lane, bead, at);
        }
    }

    template <typename Act> __device__ __forceinline__ void each(Act act)
    {
        for (u32 bead = first_bead; bead < system.beads; bead += bead_stride) act(bead);
    }

    __device__ __forceinline__ bool moves(u32 bead) const { return running && !(member.flags[bead] & FIXED); }
    __device__ __forceinline__ Vector position(u32 bead) const { return positions(now)[bead]; }

    // Evaluates the externals of all members with one warp.
    __device__ __forceinline__ void evaluate(u32 at_buffer, u32 iteration, u32 ahead)
    {
        if constexpr (PULLED) {
            if (threadIdx.x < LANE_MEMBERS && running) {
                pull_all<LOOKS_AHEAD>(externals(), member.externals, first_stage_step + iteration + ahead, positions(at_buffer), all_shares + lane,
                                      LANE_MEMBERS, ahead ? nullptr : shared.sums + lane, 2 * iteration + ahead, error);
            }
            __syncthreads();
        }
    }

    __device__ __forceinline__ auto space(u32) const { return space_of(system).axes(); }

    // The force on a bead at the positions of a buffer. The forces at the beginning, of iteration 0, have no part of a
    // thermostat.
    __device__ __forceinline__ Vector force(u32 bead, u32 at_buffer, u32 iteration, u32 ahead)
    {
        const Column here = positions(at_buffer);
        const Vector at = here[bead];
        const u32 time = 2 * iteration + ahead;
        if (!Space::WRAPS && running && !is_finite(at)) error.report(time, NOT_FINITE | bead, 0);
        Space::Sum parts[Space::SUMS];
#pragma unroll
        for (u32 k = 0; k < Space::SUMS; ++k) parts[k] = Space::no_force();
        BondedRows rows;
        rows.begin(heads + HEADS * bead, entries);
        rows.template add<0>(system, bead, here, at, running, time, parts[0 % Space::SUMS], error);
        rows.template add<1>(system, bead, here, at, running, time, parts[1 % Space::SUMS], error);
        rows.template add<2>(system, bead, here, at, running, time, parts[2 % Space::SUMS], error);
        rows.template add<3>(system, bead, here, at, running, time, parts[3 % Space::SUMS], error);
        if constexpr (SEARCH != Search::NONE) {
            const u32 types = TYPED ? system.type_of[bead] * system.types : 0;
            const Round *round = rounds + bead * quads;
            const Column half_step = {here.first + velocity_buffers};
            const auto thermal = thermostat_of<Thermostat>(system, member, half_step, first_step + iteration - 1, iteration > 0);
            for (u32 k = 0, count = round_counts[bead]; k < count; ++k, ++round) {
                const Round neighbours = *round;
#pragma unroll
                for (u32 part = 0; part < PARTIAL_SUMS; ++part) {
                    const u32 partner = neighbours.at[part] / BEAD_BYTES;
                    // In a box padding is not beyond the cutoff.
                    if (Space::WRAPS && partner == system.beads) continue;
                    const u32 type = TYPED ? system.type_of[partner] : 0;
                    const Particle other = {here.at_byte(neighbours.at[part]), type, partner, partner};
                    const Separation pair = space_of(system).separation(at, other.at, bead < partner);
                    real factor;
                    bool near = pairs.evaluate(pair.r2, types + type, factor);
                    near = thermal.add(near, factor, pair, types + type, Particle{at, 0, bead, bead}, other, ~0u);
                    if (near) space_of(system).add(parts[part % Space::SUMS], factor, pair.apart, min(bead, partner));
                }
            }
        }
#if BOXED
        add_outer_forces<Terms, 1>(parts[0], system, bead, here, at, 0);
        if (running && parts[0].too_large != NO_BEAD) error.report(time, TOO_LARGE | parts[0].too_large, 0);
#endif
        const Vector force = space_of(system).total(parts);
        if constexpr (!Terms::FOLLOWS) return force;
        // Members that rest push nothing.
        const u32 flags = running ? member.flags[bead] : 0;
        return outer_forces<Terms>(force, 0, system, bead, flags, here, at, [&](u32 number) -> Vector {
            const External &external = externals()[number];
            const real *const share = all_shares + lane + 3 * LANE_MEMBERS * number;
            if (Laws::pulls(external)) return {share[0], share[LANE_MEMBERS], share[2 * LANE_MEMBERS]};
            return force_on_bead<Vector>(external, number, ALL_AXES, bead, at, first_stage_step, time, error);
        });
    }

    __device__ __forceinline__ Vector kick(u32 bead, u32 iteration)
    {
        if (!running || amplitude == 0 || ((HYBRID_TAUS || FILLED) && member.flags[bead] & FIXED)) return {0, 0, 0};
        u32 words[WORDS];
#if HYBRID_TAUS
        u32 state[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) state[k] = states[(4 * bead + k) * LANE_MEMBERS + lane];
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = hybrid_taus(state);
#pragma unroll
        for (u32 k = 0; k < 4; ++k) states[(4 * bead + k) * LANE_MEMBERS + lane] = state[k];
#elif FILLED
        filled_words(words, member, system.beads, iteration, bead);
#else
        keyed_words(words, key0, key1, first_step + iteration, bead);
#endif
        Vector kick;
        normals(words, kick.x, kick.y, kick.z);
        return kick * amplitude;
    }

    __device__ __forceinline__ Vector constants_of(u32 bead) const { return Column{constants + lane}[system.type_of[bead]]; }
    __device__ __forceinline__ Inertia inertia(u32 bead) const
    {
        const Vector of_type = constants_of(bead);
        return {member.half_step, of_type.x, of_type.y};
    }
    __device__ __forceinline__ Vector noise(u32 bead, u32 iteration) { return kick(bead, iteration) * constants_of(bead).z; }
    __device__ __forceinline__ Vector velocity(u32 bead) const { return Column{velocities + lane}[bead]; }
    __device__ __forceinline__ Vector known_force(u32 bead) const { return Column{first_forces + lane}[bead]; }
    __device__ __forceinline__ void place(u32 bead, const Moving<Vector> &to) { store(velocities + lane, bead, to.velocity); }

    __device__ __forceinline__ void know(u32 bead, const Vector &velocity, const Vector &force)
    {
        store(velocities + lane, bead, velocity);
        store(first_forces + lane, bead, force);
    }

    __device__ __forceinline__ void keep(u32 bead, const Acting<Vector> &acting)
    {
        store(first_forces + lane, bead, acting.force);
        store(kicks + lane, bead, acting.kick);
    }

    __device__ __forceinline__ Acting<Vector> kept(u32 bead) const
    {
        return {Column{first_forces + lane}[bead], {0, 0, 0}, Column{kicks + lane}[bead], mobility};
    }

    __device__ __forceinline__ void move(u32, const Vector &, const Vector &shift) { square_displacements += in_units(shift, square_base); }

#if BOXED
    // Counts the sides that a bead crosses in a move, and reports a move that is too long.
    __device__ __forceinline__ void have_moved(u32 bead, const Vector &from, const Vector &to, bool fits, u32 time, u32 what)
    {
        if (!moves(bead)) return;
        if (!fits) error.report(time, what | bead, 0);
        // Before the forces, a step of second order only predicts positions.
        if (what == TOO_FAR_BEFORE_FORCES && LOOKS_AHEAD) return;
        for (u32 axis = 0; axis < 3; ++axis) {
            const int sides = crossed(component(from, axis), component(to, axis));
            if (sides != 0) member.sample_crossings[(static_cast<u64>(segment) * system.beads + bead) * 3 + axis] += sides;
        }
    }
#endif

    __device__ __forceinline__ void publish(u32 at_buffer, u32 bead, const Vector &to) { store(buffer + at_buffer + lane, bead, to); }

    __device__ __forceinline__ bool went_far(u32 bead, const Vector &to) const
    {
        if constexpr (!LISTED) return false;
        const Vector shift = space_of(system).apart(to, Column{reference + lane}[bead]);
        return running && shift.x * shift.x + shift.y * shift.y + shift.z * shift.z > system.square_shift;
    }

    __device__ __forceinline__ void renew_lists(u32 at_buffer)
    {
        if constexpr (LISTED) find_neighbours(at_buffer);
    }

    // Renews lists between the ends of segments, and waits for all threads. Returns whether a step failed.
    __device__ __forceinline__ bool renew_between(u32 at_buffer)
    {
        renew_lists(at_buffer);
        return __syncthreads_or(running && error.time != NO_TIME);
    }

    __device__ __forceinline__ void swap()
    {
        next = now;
        now = column - now;
    }

    __device__ __forceinline__ bool segment_ends(u32 iteration) const { return LISTED && iteration + 1 == end; }
    __device__ __forceinline__ bool ends(u32 iteration) const { return iteration + 1 == segment_end; }

    __device__ __forceinline__ bool meet(bool event)
    {
        if constexpr (LISTED) return __syncthreads_or(event);
        __syncthreads();
        return false;
    }

    __device__ __forceinline__ void meet_after_lists() { __syncthreads(); }

    // Waits for all threads at the end of a step; returns whether something happened. Without lists, errors are
    // handled at the end of a segment; until then their member computes numbers that are not used.
    __device__ __forceinline__ bool meet_after_step(bool event, u32 iteration)
    {
        if constexpr (LISTED) return __syncthreads_or(event || (running && error.time != NO_TIME));
        __syncthreads();
        return iteration + 1 == end;
    }

    // The same between the two parts of a step with velocities. Externals are counted when they are evaluated.
    __device__ __forceinline__ bool meet_in_step(bool event, u32 iteration) { return meet_after_step(event, iteration); }
    __device__ __forceinline__ void finish_pull() {}

    __device__ __forceinline__ void check(u32 iteration, bool ends) { check_segment<Terms>(*this, iteration, ends); }

    __device__ __forceinline__ void meet_and_share()
    {
        if (threadIdx.x == 0) shared.nearest = NO_TIME;
        __syncthreads();
    }

    __device__ __forceinline__ bool settle(u32 iteration, bool ends) { return settle_segment(*this, iteration, ends); }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_lanes(const __grid_constant__ Launch launch)
{
    extern __shared__ __align__(16) u64 memory[];
    typedef Lane<Terms, Scheme::LOOKS_AHEAD> Group;
    __shared__ Group::Shared shared;
    Group group(launch, memory, shared);
    trajectory<Scheme>(group);
}
