// Externals that act on each bead by itself, where four lanes have a bead and some of them press. Each takes divisions and roots in
// double precision, one after another. So the warps that have externals compute them while the others add up pairs.
#pragma once

#include "forces.cuh"
#include "groups/quad_forces.cuh"

// Waits for all threads of the warps that have externals.
__device__ __forceinline__ void meet_with_externals(u32 threads)
{
#ifdef __CUDACC_RTC__
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
#else
    emulated_meet(threads);
#endif
}

struct Presser {
    // The force of each external on each bead of the block, in the order of turns and threads.
    real *forces;
    u32 beads;

    template <typename Quad> __device__ __forceinline__ void begin(const Quad &quad)
    {
        forces = array_at<real>(quad.flags, quad.places().pressing);
        beads = SLOTS * quad.stepping / PARTIAL_SUMS;
    }

    __device__ __forceinline__ real *of(u32 number, u32 place) const { return forces + 3 * (number * beads + place); }

    // Computes the forces on the beads of the block at the positions of a buffer, after externals have moved. The threads that have
    // externals take part.
    template <typename Quad> __device__ __forceinline__ void press(Quad &quad, const RowPositions &positions, u32 time) const
    {
        const u32 threads = blockDim.x - quad.stepping, of_turn = quad.stepping / PARTIAL_SUMS;
        meet_with_externals(threads);
        if (!quad.running) return;
        for (u32 place = threadIdx.x - quad.stepping; place < beads; place += threads) {
            const u32 number = quad.slot_of(place / of_turn, place % of_turn * PARTIAL_SUMS) / PARTIAL_SUMS;
            if (!quad.search.has(quad.system, number)) continue;
            const u32 bead = quad.search.bead(quad.system, number);
            const Vector at = positions[bead];
            u32 acting = quad.member.flags[bead] & ~FIXED;
            while (acting) {
                const u32 external = __ffs(acting) - 1;
                acting &= acting - 1;
                if (Laws::pulls(quad.externals[external])) continue;
                const Vector force = force_on_bead<Vector>(quad.externals[external], external, 0, bead, at, quad.first_stage_step, time, quad.error);
                real *const to = of(external, place);
                to[0] = force.x;
                to[1] = force.y;
                to[2] = force.z;
            }
        }
    }
};
