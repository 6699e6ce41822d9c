// Externals that act on each bead by itself, where four lanes have a bead and some of them press. Each takes divisions and roots in
// double precision, one after another. So the warps that have externals compute them while the others add up pairs.
#pragma once

#include "forces.cuh"
#include "groups/blocks.cuh"
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

// A bead of the block and its externals.
struct PressedBead {
    u32 bead, acting;
};

// The list of beads is made once.
static_assert(!(PRESSING && DEALS), "beads are dealt out to other threads");

struct Presser {
    // The force of each external on each bead of the block, in the order of turns and threads, after the beads themselves.
    PressedBead *list;
    real *forces;
    u32 beads;

    template <typename Quad> __device__ __forceinline__ void begin(const Quad &quad)
    {
        const u32 of_turn = quad.stepping / LANES_OF_BEAD;
        beads = SLOTS * of_turn;
        list = array_at<PressedBead>(quad.flags, quad.places().pressing);
        forces = reinterpret_cast<real *>(list + beads);
        for (u32 place = threadIdx.x; place < beads; place += blockDim.x) {
            const u32 number = quad.slot_of(place / of_turn, place % of_turn * LANES_OF_BEAD) / PARTIAL_SUMS;
            const bool has = quad.search.has(quad.system, number);
            const u32 bead = has ? quad.search.bead(quad.system, number) : 0;
            list[place] = {bead, has ? quad.member.flags[bead] & ~FIXED : 0};
        }
    }

    __device__ __forceinline__ real *of(u32 number, u32 place) const { return forces + 3 * (number * beads + place); }

    // Computes the forces on the beads of the block at the positions of a buffer, after externals have moved. The threads that have
    // externals take part.
    template <typename Quad> __device__ __forceinline__ void press(Quad &quad, const RowPositions &positions, u32 time) const
    {
        const u32 threads = blockDim.x - quad.stepping;
        meet_with_externals(threads);
        for (u32 place = threadIdx.x - quad.stepping; quad.running && place < beads; place += threads) {
            const PressedBead pressed = list[place];
            const Vector at = positions[pressed.bead];
            for (u32 acting = pressed.acting; acting; acting &= acting - 1) {
                const u32 number = __ffs(acting) - 1;
                const External &external = quad.externals[number];
                if (Laws::pulls(external)) continue;
                const Vector force = force_on_bead<Vector>(external, number, ALL_AXES, pressed.bead, at, quad.first_stage_step, time, quad.error);
                real *const to = of(number, place);
                to[0] = force.x;
                to[1] = force.y;
                to[2] = force.z;
            }
        }
    }
};
