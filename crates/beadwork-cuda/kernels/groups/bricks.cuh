// The grid plan for fluids in boxes, whose beads move too far for lists. A block takes a brick of cells, copies the beads in and
// around it to shared memory, steps those in it, and enters them into the cells of their next places. So a bead changes threads
// at each step, no list outlives a step, and one barrier ends it. Four lanes have a bead, as in the block plan.
#pragma once

#include "groups/brick_beads.cuh"
#include "groups/pair_sums.cuh"
#include "random/filled.cuh"
#include "random/keyed.cuh"
#include "thermostat.cuh"
#include "trajectory.cuh"

// Whether bonds or angles read the positions of beads by their numbers.
constexpr bool BY_NUMBER = Terms::Bonded::TERMS + Terms::Angles::TERMS > 0;

// Candidates that a lane tests side by side.
constexpr u32 CANDIDATES = 3;

// The velocities of a bead, in row 0, and of its partner, in row 1, which a thread has in registers.
struct PairVelocities {
    const Vector *rows;

    __device__ __forceinline__ const Vector &operator[](u32 row) const { return rows[row]; }
};

// The force of a pair is too large for the sums of bricks, so that the member goes on with lists.
constexpr u32 TOO_LARGE_FORCE = 0xffffffffu;

template <typename Terms> struct BrickGroup : BrickBeads {
    typedef real Value;
    static constexpr bool HAS_FORCES = true;
    // For `trajectory.cuh` there is one buffer: `generation` tells copies apart, and velocities are published with positions.
    static constexpr u32 now = 0, next = 0, velocity_buffers = 1;

    const Launch &launch;
    const u32 rank;
    const Member &member;
    typename Terms::Pairs pairs;
    MemberBarrier barrier;
    u32 segment, segment_end;
    StepError error;

    // Of the bead that this thread steps: its slot, its place in shared memory and its type; a component of its position, its
    // velocity and its force.
    Slot slot;
    bool has;
    u32 local, type;
    real coordinate, speed, push;

    __device__ __forceinline__ BrickGroup(const Launch &launch)
        : launch(launch), rank(rank_of_block(launch)), member(records().member), barrier(barrier_of(launch, &records().flags, 0, 0, false)), segment(0),
          error{NO_TIME, NO_TIME, 0}
    {
        const u32 number = blockIdx.x / launch.blocks_per_member;
        const System &original = *launch.members[number].system;
        copy(records().sums, launch.sums[number]);
        copy(records().system, original);
        copy(records().member, launch.members[number]);
        copy(records().grid, launch.grids[number]);
        if (threadIdx.x == 0) {
            records().flags.overflow = 0;
            records().flags.errors[0] = NO_ERROR;
            barrier.open();
        }
        __syncthreads();
        if (threadIdx.x == 0 && rank > 0) records().sums.square_displacements = 0;
        if (threadIdx.x == 0) {
            records().memory = places_of<BrickMemory>(launch);
            records().mapped.number = NO_BRICK;
            records().coarse = coarse_space();
        }
        if constexpr (SHARED_TABLES) share_tables<Terms>(original, records().system, array_at<u8>(shared_memory(), places_of<BrickMemory>(launch).tables.offset));
        __syncthreads();
        pairs.find(system);
        segment_end = member.segments > 0 ? launch.segments[member.first_segment].steps : 0;
    }

    // Copies plain data word by word.
    template <typename Record> static __device__ __forceinline__ void copy(Record &to, const Record &from)
    {
        for (u32 word = threadIdx.x; word < sizeof(Record) / 4; word += blockDim.x) reinterpret_cast<u32 *>(&to)[word] = reinterpret_cast<const u32 *>(&from)[word];
    }

    __device__ __forceinline__ real4 *rows_by_number(u32 of) const { return grid.rows + static_cast<u64>(of % 2) * system.beads; }

    // What `trajectory.cuh` asks for.
    template <typename Act> __device__ __forceinline__ void each(Act act) { act(0); }
    __device__ __forceinline__ bool segment_ends(u32) const { return false; }
    __device__ __forceinline__ bool went_far(u32, real) const { return false; }
    __device__ __forceinline__ void swap() const {}
    __device__ __forceinline__ real position(u32) const { return coordinate; }
    __device__ __forceinline__ real velocity(u32) const { return speed; }
    __device__ __forceinline__ real known_force(u32) const { return push; }
    __device__ __forceinline__ real force(u32, u32, u32, u32) const { return push; }
    __device__ __forceinline__ bool moves(u32) const { return has && !(bricks.fixes && member.flags[slot.bead] & FIXED); }
    __device__ __forceinline__ auto space(u32) const { return space_of(system).axis(slot.part); }

    __device__ __forceinline__ Inertia inertia(u32) const
    {
        const TypeInertia constants = member.inertia[type];
        return {member.half_step, constants.half_kick, constants.drag};
    }

    __device__ __forceinline__ real noise(u32, u32 iteration) const
    {
        if (member.amplitude == 0) return 0;
        u32 words[WORDS];
#if FILLED
        filled_words(words, member, system.beads, iteration, slot.bead);
#else
        keyed_words(words, member.key0, member.key1, member.step + iteration, slot.bead);
#endif
        Vector number;
        normals(words, number.x, number.y, number.z);
        return component(number, min(slot.part, 2u)) * member.amplitude * member.inertia[type].noise;
    }

    __device__ __forceinline__ void place(u32, const Moving<real> &to)
    {
        coordinate = to.position;
        speed = to.velocity;
    }

    __device__ __forceinline__ void know(u32, real velocity, real force)
    {
        speed = velocity;
        push = force;
    }

    __device__ __forceinline__ void have_moved(u32, real from, real to, bool fits, u32 time, u32 what)
    {
        if (!has || slot.part >= 3 || !moves(0)) return;
        if (!fits) error.report(time, what | slot.bead, 0);
        const int sides = crossed(from, to);
        if (sides != 0) member.sample_crossings[(static_cast<u64>(segment) * system.beads + slot.bead) * 3 + slot.part] += sides;
    }

    // Enters the bead into the cell of its next place, with its velocity. All lanes of the warp take part.
    __device__ __forceinline__ void publish(u32 buffer, u32, real)
    {
        if (buffer == velocity_buffers) return;
        real4 at = {};
        at.x = __shfl_sync(0xffffffffu, coordinate, 0, PARTIAL_SUMS);
        at.y = __shfl_sync(0xffffffffu, coordinate, 1, PARTIAL_SUMS);
        at.z = __shfl_sync(0xffffffffu, coordinate, 2, PARTIAL_SUMS);
        const u32 cell = CellSort<false>{grid.cells, flags()}.cell_of(at);
        u32 number = 0;
        if (has && slot.part == 0) number = atomicAdd(counts(generation + 1) + cell, 1u);
        number = __shfl_sync(0xffffffffu, number, 0, PARTIAL_SUMS);
        if (!has) return;
        if (BY_NUMBER && slot.part < 3) axis_of(rows_by_number(generation + 1)[slot.bead], slot.part) = coordinate;
        if (number >= capacity()) {
            atomicMax(&records().flags.overflow, number + 1);
            return;
        }
        const u64 row = static_cast<u64>(cell) * capacity() + number;
        axis_of(rows(generation + 1)[row], slot.part) = slot.part < 3 ? coordinate : of_bits(slot.bead);
        axis_of(velocity_rows(generation + 1)[row], slot.part) = slot.part < 3 ? speed : of_bits(type);
    }

    // Waits for all threads of the member after moves, then clears the oldest counts: no bead is counted there before the next barrier.
    __device__ __forceinline__ void meet()
    {
        barrier.meet();
        ++generation;
        u32 *const free = counts(generation + 2);
        for (u32 cell = rank * blockDim.x + threadIdx.x; cell < grid.cells.count; cell += launch.blocks_per_member * blockDim.x) free[cell] = 0;
    }

    // Calls `act` for each bead, with what is known of it at the beginning of the segment. All lanes of a warp take part.
    template <typename Act> __device__ __forceinline__ void each_by_number(bool knows_forces, Act act)
    {
        const u32 each = blockDim.x / PARTIAL_SUMS, all = launch.blocks_per_member * each;
        for (u32 first = rank * each; first < system.beads; first += all) {
            const u32 bead = first + threadIdx.x / PARTIAL_SUMS;
            has = bead < system.beads;
            take(has ? bead : 0, threadIdx.x % PARTIAL_SUMS);
            const u64 at = 3 * static_cast<u64>(slot.bead) + min(slot.part, 2u);
            const u64 sample = static_cast<u64>(segment) * 3 * system.beads - 3 * system.beads + at;
            coordinate = segment > 0 ? member.sample_positions[sample] : member.positions[at];
            speed = segment > 0 ? member.sample_velocities[sample] : member.velocities[at];
            push = 0;
            if (knows_forces) push = segment > 0 ? member.sample_forces[sample] : member.forces != nullptr ? member.forces[at] : grid.moving[at];
            type = system.type_of[slot.bead];
            act();
        }
    }

    __device__ __forceinline__ void take(u32 bead, u32 part) { slot = {bead, part, PARTIAL_SUMS * bead + part, PARTIAL_SUMS * system.beads}; }

    // Calls `act` for each bead in the bricks of this block. All lanes of a warp take part.
    template <typename Act> __device__ __forceinline__ void each_in_bricks(Act act)
    {
        const u32 count = bricks.counts[0] * bricks.counts[1] * bricks.counts[2];
        for (u32 brick = rank; brick < count; brick += launch.blocks_per_member) {
            // Others may still step beads of the brick before.
            if (brick != rank) __syncthreads();
            load(brick);
            const u32 each = blockDim.x / PARTIAL_SUMS;
            for (u32 first = threadIdx.x / 32 * (32 / PARTIAL_SUMS); first < beads_here; first += each) {
                const u32 number = first + threadIdx.x % 32 / PARTIAL_SUMS, part = threadIdx.x % PARTIAL_SUMS;
                has = number < beads_here;
                local = memory.own[has ? number : first];
                const real4 at = memory.positions[local], moving = memory.velocities[local];
                take(static_cast<u32>(bits_of(at.w)), part);
                coordinate = axis_of(at, part);
                speed = axis_of(moving, part);
                type = static_cast<u32>(bits_of(moving.w));
                act();
            }
        }
    }

    // The neighbours that a thread has room for: as many as a slot's list, one that shows that there are too many, and those that are
    // written before their number is checked.
    __device__ __forceinline__ u32 room_of_thread() const { return capacity() + 1 + CANDIDATES; }

    // The place in `memory.neighbours` of the first that this thread, or another one with the bead, found.
    __device__ __forceinline__ u32 found_by(u32 part) const { return (threadIdx.x / PARTIAL_SUMS * PARTIAL_SUMS + part) * room_of_thread(); }

    // Finds the neighbours of the bead, and some beads slightly farther away; its four lanes share the work, and each returns the
    // number that it found. All lanes of the warp take part.
    __device__ __forceinline__ u32 find()
    {
        // Copies, since the compiler would read them again after each neighbour that is written.
        const SharedArray<u32> coarse = memory.coarse, starts = memory.starts;
        const int square = records().coarse.square;
        const u32 here = coarse[local], line = mapped.around.x, layer = line * mapped.around.y;
        // Offsets in shared memory, in bytes.
        const u32 mine = memory.neighbours.offset + sizeof(u16) * found_by(slot.part), last = mine + sizeof(u16) * (capacity() + 1);
        u32 next = mine;
        // Rows of three cells, from the one before the bead's cell along each axis.
        u32 row = memory.cell_of[local] - layer - line - 1;
#pragma unroll 1
        for (u32 z = 0; z < 3; ++z, row += layer) {
            u32 firsts[3], ends[3];
#pragma unroll
            for (u32 y = 0; y < 3; ++y) {
                firsts[y] = starts[row + y * line] + slot.part;
                ends[y] = starts[row + y * line + 3];
            }
#pragma unroll
            for (u32 y = 0; y < 3; ++y) {
#pragma unroll 1
                for (u32 k = firsts[y]; k < ends[y]; k += CANDIDATES * PARTIAL_SUMS) {
                    u32 candidates[CANDIDATES];
#pragma unroll
                    for (u32 one = 0; one < CANDIDATES; ++one) candidates[one] = coarse[k + one * PARTIAL_SUMS];
#pragma unroll
                    for (u32 one = 0; one < CANDIDATES; ++one) {
                        const u32 at = k + one * PARTIAL_SUMS;
                        if (CoarseSpace::are_near(candidates[one], here, square) && at < ends[y] && at != local) {
                            *SharedArray<u16>{next}.begin() = static_cast<u16>(at);
                            next += sizeof(u16);
                        }
                    }
                    next = min(next, last);
                }
            }
        }
        const u32 found = (next - mine) / sizeof(u16);
        if (found > capacity()) atomicMax(&records().flags.overflow, found);
        __syncwarp();
        return min(found, capacity());
    }

    // Forces on the bead. All lanes of the warp take part. The forces at the beginning, of iteration 0, have no part of a thermostat.
    __device__ __forceinline__ void evaluate(u32, u32 iteration, u32)
    {
        const u32 time = 2 * iteration;
        const RowPositions by_number = {rows_by_number(generation)};
        const real4 at = memory.positions[local], moving = memory.velocities[local];
        Vector velocities[2] = {{moving.x, moving.y, moving.z}, {}};
        const auto thermal = thermostat_of<Thermostat>(system, member, PairVelocities{velocities}, member.step + iteration - 1, iteration > 0);
        const Particle here = {{at.x, at.y, at.z}, TYPED ? type : 0, slot.bead, 0};
        typename Terms::Bonded bonded;
        if constexpr (Terms::Bonded::TERMS > 0) bonded.find(system, slot, has, false);
        const u32 near = find(), found = has ? near : 0;
        // The neighbours of a bead are dealt to its lanes evenly.
        u32 ends[PARTIAL_SUMS], first_entries[PARTIAL_SUMS], total = 0;
#pragma unroll
        for (u32 part = 0; part < PARTIAL_SUMS; ++part) {
            first_entries[part] = found_by(part) - total;
            ends[part] = total += __shfl_sync(0xffffffffu, found, part, PARTIAL_SUMS);
        }
        const BoxSpace &space = space_of(system);
        PairSum pair_sum(space);
        const bool excludes = bricks.excludes != 0;
        const u32 types = TYPED ? type * system.types : 0;
#pragma unroll 1
        for (u32 k = slot.part; k < total; k += PARTIAL_SUMS) {
            u32 first_entry = first_entries[0];
#pragma unroll
            for (u32 part = 0; part < PARTIAL_SUMS - 1; ++part) {
                if (k >= ends[part]) first_entry = first_entries[part + 1];
            }
            const u32 neighbour = memory.neighbours[first_entry + k];
            const real4 row = memory.positions[neighbour];
            real4 moving = {};
            if constexpr (TYPED || HEATED) moving = memory.velocities[neighbour];
            velocities[1] = {moving.x, moving.y, moving.z};
            const u32 its_type = TYPED ? static_cast<u32>(bits_of(moving.w)) : 0;
            const Particle other = {{row.x, row.y, row.z}, its_type, static_cast<u32>(bits_of(row.w)), 1};
            // Beads this near are less than half a side of the box apart, so the sign of the separation does not depend on their order.
            const Separation pair = space.separation(here.at, other.at, true);
            real factor;
            if (!pairs.evaluate(pair.r2, types + its_type, factor)) factor = 0;
            thermal.add(true, factor, pair, types + its_type, here, other, ~0u);
            if (excludes && is_excluded(system, slot, other.bead)) factor = 0;
            pair_sum.add(factor, pair.apart);
        }
        if (!pair_sum.fits()) atomicMax(&records().flags.overflow, TOO_LARGE_FORCE);
        Space::Sum sum = pair_sum.total((total + PARTIAL_SUMS - 1 - slot.part) / PARTIAL_SUMS);
        u32 broken = 0;
        if constexpr (Terms::Bonded::TERMS > 0) bonded.add(system, slot, by_number, here.at, sum, broken);
        if (has) add_outer_forces<Terms, PARTIAL_SUMS>(sum, system, slot.bead, by_number, here.at, slot.part);
        if (Terms::Bonded::BREAK && broken) Terms::Bonded::verify(system, slot, by_number, here.at, time, error);
        if (has && sum.too_large != NO_BEAD) error.report(time, TOO_LARGE | sum.too_large, 0);
        push = space_of(system).total(gather(sum, slot.part));
        __syncwarp();
    }

    // Writes what is known of the bead at the end of a segment; at the beginning its force alone.
    __device__ __forceinline__ void write_sample(bool begins) const
    {
        if (!has || slot.part >= 3) return;
        if (begins) {
            grid.moving[3 * static_cast<u64>(slot.bead) + slot.part] = push;
            return;
        }
        const u64 at = (static_cast<u64>(segment) * system.beads + slot.bead) * 3 + slot.part;
        member.sample_positions[at] = coordinate;
        member.sample_velocities[at] = speed;
        member.sample_forces[at] = push;
    }

    // Reports errors and the end of a segment; returns whether the member goes on.
    __device__ __forceinline__ bool settle()
    {
        if (error.time != NO_TIME) atomicMin(&flags()->errors[0], error.order());
        barrier.reduce(&records().sums);
        const u32 number = blockIdx.x / launch.blocks_per_member;
        Outcome &outcome = launch.outcomes[number];
        const bool reports = rank == 0 && threadIdx.x == 0;
        if (flags()->wanted()) {
            if (reports) outcome.overflow = flags()->wanted();
            return false;
        }
        if (flags()->first_error(0) != NO_ERROR) {
            if (error.order() == flags()->first_error(0)) outcome.fail(error, member.step);
            return false;
        }
        const u32 sample = member.first_sample + segment;
        const bool begins_row = launch.segments[member.first_segment + segment].row;
        if (begins_row) barrier.begin_sums(&records().sums);
        if (reports) {
            Sums all = records().sums;
            all.square_displacements = flags()->squares_of_all;
            launch.sample_sums[sample] = all;
            if (begins_row) records().sums = {0, 0, 0, 0};
            outcome.segments = segment + 1;
        }
        ++segment;
        if (segment == member.segments) return false;
        segment_end += launch.segments[member.first_segment + segment].steps;
        return true;
    }
};

// Steps a member through all of its segments. The end of a step and the beginning of the next one are one pass over the bricks.
template <typename Scheme, typename Group> __device__ __forceinline__ void trajectory_by_passes(Group &group)
{
    const Member &member = group.member;
    // Where forces are not known at the beginning, a pass computes them; it does not count as a step.
    bool begins = member.forces == nullptr;
    for (u32 iteration = 0; iteration < member.steps;) {
        group.each_by_number(!begins, [&] {
            if (begins) {
                group.publish(0, 0, 0);
            } else {
                begin_motion<Scheme>(group, iteration);
            }
        });
        for (bool ends = false; !ends;) {
            group.meet();
            ends = begins || iteration + 1 == group.segment_end;
            group.each_in_bricks([&] {
                group.evaluate(0, begins ? 0 : iteration + 1, 0);
                if (!begins) change_velocities<Scheme>(group, iteration);
                if (ends) {
                    group.write_sample(begins);
                } else {
                    begin_motion<Scheme>(group, iteration + 1);
                }
            });
            iteration += !begins;
        }
        if (begins) {
            // A brick with too many beads computes no forces. Its beads go on with undefined forces until the segment ends; then `settle`
            // gives up the launch.
            begins = false;
            group.meet();
            continue;
        }
        if (!group.settle()) return;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_bricks(const __grid_constant__ Launch launch)
{
    BrickGroup<Terms> group(launch);
    trajectory_by_passes<Scheme>(group);
}
