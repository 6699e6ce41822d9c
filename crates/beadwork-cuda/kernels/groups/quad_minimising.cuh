// Minimisation where four lanes have a bead, in the grid plan: sums over all beads of a member decide on each step.
#pragma once

#include "groups/blocks.cuh"
#include "integrators/fire.cuh"
#include "integrators/inertia.cuh"

#if MINIMISES
struct Minimiser {
    StepControl control;
    // Steps made in the launch.
    u32 made;

    __device__ __forceinline__ void begin(const Member &member)
    {
        control = {member.timestep, member.mixing, member.downhill};
        made = 0;
    }

    // The numbers of the three lanes that have the axes of a bead.
    static __device__ __forceinline__ Triple of_bead(double value)
    {
        return {__shfl_sync(0xffffffffu, value, 0, PARTIAL_SUMS), __shfl_sync(0xffffffffu, value, 1, PARTIAL_SUMS),
                __shfl_sync(0xffffffffu, value, 2, PARTIAL_SUMS)};
    }

    // Calls `act` in one lane of each free bead, with its force and velocity.
    template <typename Quad, typename Act> static __device__ __forceinline__ void each_free(Quad &quad, Act act)
    {
        quad.each([&](u32 turn) {
            const Triple force = of_bead(quad.slots.force[turn]), velocity = of_bead(quad.slots.velocity[turn]);
            if (quad.writes(turn) && quad.me(turn).part == 0 && quad.moves(turn)) act(force, velocity, quad.me(turn).bead);
        });
    }

    // The sums of a step. Blocks exchange the largest squares first: they set the unit of the sums that follow.
    template <typename Quad> static __device__ __forceinline__ FireSums sums(Quad &quad, u32 iteration)
    {
        // Two copies take turns: one is cleared while the other is used.
        GridMeeting &meeting = *grid_of(quad.launch).meeting;
        FireMeeting &all = meeting.fire[iteration & 1], &other = meeting.fire[~iteration & 1];
        // Neighbour searches use this memory too, but never during these sums.
        FireMeeting &here = *reinterpret_cast<FireMeeting *>(quad.flags->warps);
        const bool is_first = threadIdx.x == 0, leads = threadIdx.x % 32 == 0;
        if (is_first) here = FireMeeting();
        __syncthreads();
        u64 force_bits = 0, velocity_bits = 0;
        each_free(quad, [&](const Triple &force, const Triple &velocity, u32 bead) {
            const double square = dot(force, force);
            if (!(square < __longlong_as_double(0x7ff0000000000000ll))) quad.error.report(2 * iteration, NOT_FINITE | bead, 0);
            force_bits = max(force_bits, static_cast<u64>(__double_as_longlong(square)));
            velocity_bits = max(velocity_bits, static_cast<u64>(__double_as_longlong(dot(velocity, velocity))));
        });
        for (u32 apart = 16; apart > 0; apart /= 2) {
            force_bits = max(force_bits, __shfl_xor_sync(0xffffffffu, force_bits, apart));
            velocity_bits = max(velocity_bits, __shfl_xor_sync(0xffffffffu, velocity_bits, apart));
        }
        if (leads) {
            atomicMax(&here.largest_force, force_bits);
            atomicMax(&here.largest_velocity, velocity_bits);
        }
        __syncthreads();
        if (is_first) {
            atomicMax(&all.largest_force, here.largest_force);
            atomicMax(&all.largest_velocity, here.largest_velocity);
        }
        quad.barrier.meet();
        if (is_first) {
            here.largest_force = static_cast<const volatile FireMeeting &>(all).largest_force;
            here.largest_velocity = static_cast<const volatile FireMeeting &>(all).largest_velocity;
            if (quad.rank == 0) other = FireMeeting();
        }
        __syncthreads();
        const WholeScale of_force(here.largest_force, quad.system.beads), of_velocity(here.largest_velocity, quad.system.beads);
        const WholeScale of_power = WholeScale::of_products(of_force, of_velocity);
        u64 power = 0, square_force = 0, square_velocity = 0;
        each_free(quad, [&](const Triple &force, const Triple &velocity, u32) {
            power += of_power.whole(dot(force, velocity));
            square_force += of_force.whole(dot(force, force));
            square_velocity += of_velocity.whole(dot(velocity, velocity));
        });
        for (u32 apart = 16; apart > 0; apart /= 2) {
            power += __shfl_xor_sync(0xffffffffu, power, apart);
            square_force += __shfl_xor_sync(0xffffffffu, square_force, apart);
            square_velocity += __shfl_xor_sync(0xffffffffu, square_velocity, apart);
        }
        if (leads) {
            atomicAdd(&here.power, power);
            atomicAdd(&here.square_force, square_force);
            atomicAdd(&here.square_velocity, square_velocity);
        }
        __syncthreads();
        if (is_first) {
            atomicAdd(&all.power, here.power);
            atomicAdd(&all.square_force, here.square_force);
            atomicAdd(&all.square_velocity, here.square_velocity);
        }
        quad.barrier.meet();
        if (is_first) {
            const volatile FireMeeting &complete = all;
            here.power = complete.power;
            here.square_force = complete.square_force;
            here.square_velocity = complete.square_velocity;
        }
        __syncthreads();
        return {__longlong_as_double(here.largest_force), of_power.value(here.power), of_force.value(here.square_force),
                of_velocity.value(here.square_velocity)};
    }

    // A step; returns whether the quick loop ends. The forces at the present positions are known; it leaves those at the new ones.
    template <typename Quad> __device__ __forceinline__ bool step(Quad &quad, u32 iteration)
    {
        const FireSums found = sums(quad, iteration);
        if (found.largest_force <= quad.member.square_tolerance) {
            quad.segment_end = iteration + 1;
            return true;
        }
        const Factors factors = control.next(found);
        bool event = quad.segment_ends(iteration);
        quad.each([&](u32 turn) {
            const double force = quad.slots.force[turn], before = quad.slots.velocity[turn];
            const real velocity = number(factors.of_velocity * before + factors.of_force * force + control.timestep * force);
            const double move_by = control.timestep * velocity;
            const Triple move = of_bead(move_by);
            const double length = sqrt(dot(move, move)), scale = length > LONGEST_MOVE ? LONGEST_MOVE / length : 1.0;
            auto space = quad.space(turn);
            const real from = quad.position(turn), moved = space.advance(from, number(scale * move_by));
            const Moving<real> to = quad.moves(turn) ? Moving<real>{moved, velocity} : Moving<real>{from, real(0)};
            if constexpr (Space::WRAPS) quad.have_moved(turn, from, to.position, true, 2 * iteration + 2, TOO_FAR_BEFORE_FORCES);
            quad.place(turn, to);
            quad.publish(quad.next, turn, to.position);
            event |= quad.went_far(turn, to.position);
        });
        quad.swap();
        ++made;
        const bool happens = quad.meet_in_step(event, iteration);
        if (happens && LISTED) {
            quad.renew_lists(quad.now);
            quad.meet_after_lists();
        }
        quad.evaluate(quad.now, iteration + 1, 0);
        return happens;
    }
};
#endif
