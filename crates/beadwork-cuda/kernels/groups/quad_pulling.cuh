// Drives where four lanes have a bead: the last warps have four lanes for each drive, while the others move beads.
#pragma once

#include "drives.cuh"
#include "groups/quad_forces.cuh"

// A thread's part of the drives: one axis of a drive.
struct Puller {
    u32 drive, axis, most_pulled;
    // Whether the thread has a drive, whether it pulls, and whether any drive of the warp holds its force.
    bool has, acts, any_held;
    // Whether the thread adds up the drives of a member.
    bool sums_up;
    // The force of each drive along its direction.
    double *alongs;

    template <typename Quad> __device__ __forceinline__ void begin(const Quad &quad)
    {
        const u32 per_member = quad.launch.drives_per_member;
        const u32 pair = quad.pulls ? (threadIdx.x - quad.stepping) / PARTIAL_SUMS : 0;
        const u32 number = pair - quad.thread_member * per_member;
        alongs = reinterpret_cast<double *>(quad.all_shares + (quad.launch.members_per_block * per_member * 3 + 3) / 4 * 4)
               + quad.my_member * per_member;
        drive = quad.pulls ? min(number, max(quad.member.drives, 1u) - 1) : 0;
        axis = min(threadIdx.x % PARTIAL_SUMS, 2u);
        has = quad.pulls && quad.live && number < quad.member.drives;
        const Drive &mine = quad.drives[drive];
        acts = has && mine.kind != RESTRAIN;
        most_pulled = quad.pulls ? most_of_warp(acts ? mine.pulled_count : 0) : 0;
        any_held = quad.pulls && most_of_warp(acts && mine.kind == SPRING && mine.update_every > 1);
        sums_up = false;
        if (has && drive == 0 && threadIdx.x % PARTIAL_SUMS == 0) {
            for (u32 d = 0; d < quad.member.drives; ++d) sums_up |= quad.drives[d].kind != RESTRAIN;
        }
    }

    // Evaluates the drives at the positions of a buffer for all threads; ends with a barrier of the block.
    template <typename Quad>
    __device__ __forceinline__ void pull(const Quad &quad, const RowPositions &positions, u32 iteration, u32 ahead)
    {
        const u64 step = quad.first_stage_step + iteration;
        const bool pulls_now = acts && quad.running && threadIdx.x % PARTIAL_SUMS < 3;
        double pulling = 0, centre = 0;
        if (quad.pulls) {
            const Drive &mine = quad.drives[drive];
            pulling = pull_axis(mine, step + ahead, positions, axis, most_pulled, any_held, centre);
            double share = pulling;
            if (most_pulled > 1) share = pulling / mine.pulled_count;
            if (pulls_now) quad.shares[3 * drive + axis] = static_cast<real>(share);
        }
        __syncthreads();
        if (quad.pulls && !ahead) {
            // Runs while the other warps move their beads.
            const double part = pulling * quad.drives[drive].direction[axis];
            const double y = __shfl_sync(0xffffffffu, part, 1, 4), z = __shfl_sync(0xffffffffu, part, 2, 4);
            if (acts && threadIdx.x % PARTIAL_SUMS == 0) alongs[drive] = part + y + z;
            remember_axis(quad.drives[drive], step, axis, pulling, centre, pulls_now);
        }
    }

    // Adds the pulling forces of a step to the sums of the member.
    template <typename Quad> __device__ __forceinline__ void add(const Quad &quad) const
    {
        if (!sums_up || !quad.running) return;
        double along = 0;
        for (u32 d = 0; d < quad.member.drives; ++d) {
            if (quad.drives[d].kind != RESTRAIN) along += alongs[d];
        }
        quad.sums->force += along;
        quad.sums->force_steps += 1;
    }
};
