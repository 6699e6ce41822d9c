// The grid plan: the blocks of a member fill the card, or a part of it. Positions are in device memory. All blocks are
// resident together (a cooperative launch) and wait for each other at barriers in device memory.
#pragma once

#include "system.cuh"

#define CLUSTERED

// Whether beads are dealt out anew to threads: not where the state of a generator belongs to a bead, nor in open space, where
// beads next to each other in chains stay near each other.
constexpr bool DEALS = BOXED && !HYBRID_TAUS;
// The steps after which that is done: it takes the time of some steps. At first no list says how much each bead weighs, so beads are
// dealt out again after one step.
constexpr u32 DEAL_EVERY = DEALS ? 100 : NO_TIME, FIRST_DEAL = DEALS && SHARED_LISTS ? 1 : DEAL_EVERY;

constexpr bool SEVERAL_BLOCKS = true;

__device__ __forceinline__ u32 blocks_of_member(const Launch &launch) { return launch.blocks_per_member; }
__device__ __forceinline__ u32 rank_of_block(const Launch &launch) { return blockIdx.x % launch.blocks_per_member; }

// Each block has slots side by side, so that it reads few rows of beads that other blocks have.
__device__ __forceinline__ u32 slot_of_thread(u32 turn, u32 thread, u32 stepping, u32 rank)
{
    return (rank * SLOTS + turn) * (stepping / SLOT_LANES) + thread / (PARTIAL_SUMS * SLOT_LANES) * PARTIAL_SUMS + thread % PARTIAL_SUMS;
}

// The largest squares as bits, and sums in whole numbers, over the beads of a member in a step of a minimisation
// (`quad_minimising.cuh`).
struct FireMeeting {
    u64 largest_force, largest_velocity, power, square_force, square_velocity;
};

// What the blocks of a member tell each other; zeros before a launch. The host has the same layout (`src/batch/records.rs`).
struct GridMeeting {
    // For barriers of even and of odd numbers, on lines of their own: the blocks that arrived, in the lower half, and those
    // that reported an event, in the upper half. No block arrives at barrier n + 2 before all blocks have left barrier n.
    u64 arrivals[2][16];
    // The complement of the first error, the sum of all squared displacements, the longest list that did not fit.
    u64 complement_of_error, squares;
    u32 overflow, padding;
    // One for the even and one for the odd steps of a minimisation.
    FireMeeting fire[2];
};

// Cells in which the beads of a member are sorted, to find neighbours (`cells.cuh`).
struct Cells {
    // Cells along each axis; powers of two in open space.
    u32 sides[3];
    // A block sums up 2^bits cells.
    u32 bits;
    // The beads of each cell, zeros between searches; the beads before each cell among those of the same block; the beads
    // of the cells of each block; the number of each bead within its cell.
    u32 *counts, *starts, *totals, *ranks;
    // Positions in the order of cells, with the bits of the bead's number. For bricks (`bricks.cuh`) twice positions, then
    // velocities, with room for as many beads in each cell as in a slot's list.
    real4 *sorted;
    // Outer lists, as those of a member, the fours in that of each slot, and the positions at which they were made.
    u16 *outer;
    u32 *outer_counts;
    real4 *references;
    // For bricks, three times the beads that entered each of `count` cells, zeros at first.
    u32 *entered;
    u64 count;
    // Cells in a unit of length, in open space.
    double per_length;
};

// The bricks of cells that blocks take.
struct Bricks {
    // Cells of a brick, and bricks, along each axis.
    u32 sides[3], counts[3];
    // Beads in and around a brick that there is room for.
    u32 room;
    // Whether pairs are excluded, and whether beads are held.
    u32 excludes, fixes, padding;
};

// The memory of a member. The host has the same layout.
struct GridMember {
    GridMeeting *meeting;
    // The rows of all buffers of positions and velocities.
    real4 *rows;
    // Where beads are dealt out (`bead_order.cuh`): room for two orders of them, the weight of each, zeros at first, the beads that each
    // warp has taken, and room for velocities and forces meanwhile.
    u32 *order, *weights, *taken;
    real *moving;
    Cells cells;
    Bricks bricks;
};

static_assert(sizeof(GridMeeting) == 360 && sizeof(GridMember) == 6 * 8 + 4 * 4 + 8 * 8 + 3 * 8 + 10 * 4, "GridMember");

// Data that the threads of a block share.
struct SharedFlags {
    // The first error that a thread of the block found, and of all blocks; squares in sums that are complete, and after them.
    u64 errors[1];
    u64 error_of_all, squares_before, squares_of_all;
    // Blocks that had reported an event at the last barriers of even and odd numbers; whether a block did at the last one.
    u32 events[2], happened;
    u32 overflow, longest, nearest, overflow_of_all, padding;
    // Sums of warps.
    u32 warps[32];

    __device__ __forceinline__ u64 first_error(u32) const { return error_of_all; }
    __device__ __forceinline__ u32 wanted() const { return overflow_of_all; }
};

static_assert(sizeof(SharedFlags) == 192 && MEMBERS >= 1, "SharedFlags");

__device__ __forceinline__ const GridMember &grid_of(const Launch &launch)
{
    return launch.grids[blockIdx.x / launch.blocks_per_member];
}

// The beads before the cells of each block, in the memory of a block after its flags.
__device__ __forceinline__ u32 *beads_before(SharedFlags *flags) { return reinterpret_cast<u32 *>(flags + 1); }

__device__ __forceinline__ real4 *rows_of_members(const Launch &launch, void *, u32) { return grid_of(launch).rows; }

// Each block copies a part of the rows.
struct CopiedRows {
    u32 first, step;
};
__device__ __forceinline__ CopiedRows rows_to_copy(const Launch &launch)
{
    return {rank_of_block(launch) * blockDim.x + threadIdx.x, launch.blocks_per_member * blockDim.x};
}

// The number of tries before a wait fails: an error is better than a GPU that hangs. A try takes a microsecond or less, and
// a block may wait until others have searched all neighbours.
constexpr u32 MOST_TRIES = 1u << 27;

// Arrives at a barrier: all that this block wrote before is seen by those that see its arrival.
__device__ __forceinline__ void arrive(u64 *word, u64 arrival)
{
#ifdef __CUDACC_RTC__
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" : : "l"(word), "l"(arrival) : "memory");
#else
    atomicAdd(word, arrival);
#endif
}

// Whether all blocks have arrived at a barrier; then `arrivals` is its word.
__device__ __forceinline__ bool have_arrived(const u64 *word, u32 awaited, u64 &arrivals)
{
#ifdef __CUDACC_RTC__
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(arrivals) : "l"(word) : "memory");
#else
    arrivals = *static_cast<const volatile u64 *>(word);
#endif
    return static_cast<u32>(arrivals) == awaited;
}

// The barriers of a member's blocks.
struct MemberBarrier {
    SharedFlags *flags;
    GridMeeting *meeting;
    u32 blocks;
    // The number of the next barrier.
    u32 next;

    // One thread calls this before the blocks first wait for each other.
    __device__ __forceinline__ void open() const
    {
        flags->events[0] = flags->events[1] = 0;
        flags->squares_before = 0;
    }

    // Waits for all threads; returns whether any thread reports an event.
    __device__ __forceinline__ bool wait(bool event)
    {
        const bool any = __syncthreads_or(event);
        const u32 parity = next & 1, awaited = (next / 2 + 1) * blocks;
        ++next;
        if (threadIdx.x == 0) {
            u64 *const word = meeting->arrivals[parity];
            arrive(word, any ? (u64(1) << 32) + 1 : u64(1));
            u64 arrivals;
            for (u32 tries = 0; !have_arrived(word, awaited, arrivals); ++tries) {
                if (tries == MOST_TRIES) __trap();
            }
            const u32 events = static_cast<u32>(arrivals >> 32);
            flags->happened = events != flags->events[parity];
            flags->events[parity] = events;
        }
        __syncthreads();
        return flags->happened;
    }

    // Waits for all threads between steps; returns whether any thread reports an event.
    __device__ __forceinline__ bool agree(bool event) { return wait(event); }

    __device__ __forceinline__ void meet() { wait(false); }

    // Waits for all threads of the blocks, combines the flags of all blocks and forgets where the last segment ended.
    __device__ __forceinline__ void reduce(Sums *sums)
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            flags->nearest = NO_TIME;
            if (flags->errors[0] != NO_ERROR) atomicMax(&meeting->complement_of_error, ~flags->errors[0]);
            if (flags->overflow) atomicMax(&meeting->overflow, flags->overflow);
            if (sums->square_displacements) atomicAdd(&meeting->squares, sums->square_displacements);
            sums->square_displacements = 0;
        }
        meet();
        if (threadIdx.x == 0) {
            const volatile GridMeeting &all = *meeting;
            flags->error_of_all = ~all.complement_of_error;
            flags->overflow_of_all = all.overflow;
            flags->squares_of_all = all.squares - flags->squares_before;
        }
        __syncthreads();
    }

    // Begins new sums at a row.
    __device__ __forceinline__ void begin_sums(const Sums *) const
    {
        if (threadIdx.x == 0) flags->squares_before += flags->squares_of_all;
    }
};

__device__ __forceinline__ MemberBarrier barrier_of(const Launch &launch, SharedFlags *flags, u32, u32, bool)
{
    return {flags, grid_of(launch).meeting, launch.blocks_per_member, 0};
}
