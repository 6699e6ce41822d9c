// Externals where four lanes have a bead: the last warps have four lanes for each external, while the others move beads.
#pragma once

#include "externals/pulling.cuh"
#include "groups/quad_forces.cuh"

// A thread's part of the externals: one axis of an external.
struct Puller {
    u32 external, axis, most_pulled;
    // Whether the thread has an external, whether that pulls, whether the thread moves one that reacts, and whether any external of
    // the warp holds its force; whether the warp has any.
    bool has, acts, moves, any_held, any;
    // Whether the thread adds up the externals of a member.
    bool sums_up;
    // The force of each external along its direction.
    double *alongs;
    // What was evaluated last: the force along the axis, and the coordinate of the centre on which it acts.
    double force, centre;

    template <typename Quad> __device__ __forceinline__ void begin(const Quad &quad)
    {
        const u32 per_member = quad.launch.externals_per_member;
        const u32 pair = (threadIdx.x - quad.stepping) / PARTIAL_SUMS;
        const u32 number = pair - quad.thread_member * per_member;
        alongs = array_at<double>(quad.flags, quad.places().alongs) + quad.my_member * per_member;
        external = min(number, max(quad.member.externals, 1u) - 1);
        axis = min(threadIdx.x % PARTIAL_SUMS, 2u);
        has = quad.live && number < quad.member.externals;
        const External &mine = quad.externals[external];
        acts = has && Laws::pulls(mine);
        moves = has && threadIdx.x % PARTIAL_SUMS == 0 && Laws::reacts(mine);
        most_pulled = most_of_warp(acts ? mine.pulled_count : 0);
        any_held = most_of_warp(acts && Laws::holds(mine));
        any = most_of_warp(has);
        sums_up = false;
        if (has && external == 0 && threadIdx.x % PARTIAL_SUMS == 0) {
            for (u32 d = 0; d < quad.member.externals; ++d) sums_up |= counts(quad.externals[d]);
        }
    }

    // Whether tables have the force of an external along its direction.
    static __device__ __forceinline__ bool counts(const External &external) { return Laws::pulls(external) || Laws::reacts(external); }

    // Evaluates the externals at the positions of a buffer for all threads, which then meet.
    template <typename Quad>
    __device__ __forceinline__ void pull(Quad &quad, const RowPositions &positions, u32 iteration, u32 ahead)
    {
        const u64 step = quad.first_stage_step + iteration;
        if (any) {
            const External &mine = quad.externals[external];
            force = pull_axis(mine, step + ahead, positions, axis, most_pulled, any_held, centre);
            double share = force;
            if (most_pulled > 1) share = force / mine.pulled_count;
            if (has_axis() && quad.running) quad.shares[3 * external + axis] = static_cast<real>(share);
            if (moves && quad.running) {
                const double jump = Laws::renew(quad.externals[external], step, quad.rank == 0);
                if (jump != 0) quad.error.report(2 * iteration, external_error(external), jump);
            }
        }
        if constexpr (PRESSING) quad.presser.press(quad, positions, 2 * iteration + ahead);
    }

    // Keeps what was evaluated last, while the other warps move their beads.
    template <typename Quad> __device__ __forceinline__ void keep(Quad &quad, u32 iteration, u32 ahead) const
    {
        if (!any || ahead) return;
        External &mine = quad.externals[external];
        const u64 step = quad.first_stage_step + iteration;
        const double part = force * mine.direction[axis];
        const double y = __shfl_sync(0xffffffffu, part, 1, 4), z = __shfl_sync(0xffffffffu, part, 2, 4);
        if (acts && threadIdx.x % PARTIAL_SUMS == 0) alongs[external] = part + y + z;
        if (moves) alongs[external] = Laws::along(mine, step);
        keep_axis(mine, step, axis, force, centre, has_axis() && quad.running);
    }

    // Whether the thread has an axis of an external that pulls.
    __device__ __forceinline__ bool has_axis() const { return acts && threadIdx.x % PARTIAL_SUMS < 3; }

    // Adds the pulling forces of a step to the sums of the member.
    template <typename Quad> __device__ __forceinline__ void add(const Quad &quad) const
    {
        if (!sums_up || !quad.running) return;
        double along = 0;
        for (u32 d = 0; d < quad.member.externals; ++d) {
            if (counts(quad.externals[d])) along += alongs[d];
        }
        quad.sums->force += along;
        quad.sums->force_steps += 1;
    }
};
