// The blocks that share a member: one, or those of a cluster. Each block has all of the member's positions in its
// shared memory and moves some of the beads; it writes the new positions into the memory of all blocks.
#pragma once

#include "system.cuh"

#if CLUSTER > 1
#define CLUSTERED __cluster_dims__(CLUSTER, 1, 1)

__device__ __forceinline__ u32 rank_of_block(const Launch &) { return __clusterRelativeBlockRank(); }

// The address of the same variable in the shared memory of another block of the cluster.
template <typename T> __device__ __forceinline__ T *in_block(T *mine, u32 rank)
{
    return static_cast<T *>(__cluster_map_shared_rank(mine, rank));
}

// All threads wait for all; what they wrote before is seen by all behind it.
__device__ __forceinline__ void meet_all_blocks()
{
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}
#else
#define CLUSTERED

__device__ __forceinline__ u32 rank_of_block(const Launch &) { return 0; }

template <typename T> __device__ __forceinline__ T *in_block(T *mine, u32) { return mine; }

__device__ __forceinline__ void meet_all_blocks() { __syncthreads(); }
#endif

constexpr bool SEVERAL_BLOCKS = CLUSTER > 1;
// Threads keep their beads.
constexpr bool DEALS = false;
constexpr u32 DEAL_EVERY = NO_TIME, FIRST_DEAL = NO_TIME;

__device__ __forceinline__ u32 blocks_of_member(const Launch &) { return CLUSTER; }

// The slots go to the warps of all blocks in turn, so that each block has beads from the whole member.
__device__ __forceinline__ u32 slot_of_thread(u32 turn, u32 thread, u32 stepping, u32 rank)
{
    return ((turn * stepping + thread / 32 * 32) * CLUSTER + rank * 32) + thread % 32;
}

// Data that the threads of a member's blocks share; each block has a copy.
struct SharedFlags {
    // The first error of each member of the block.
    u64 errors[MEMBERS];
    // Barriers that count the bytes that other blocks of the member send, for even and for odd steps.
    u64 inboxes[2];
    // The last even and odd step in which a warp reported an event.
    u32 happened[2];
    // The entries that a list needed if it was too short.
    u32 overflow;
    // The most steps of any member, and the iteration in which the next segment ends.
    u32 longest, nearest;
    // Over all blocks: the first error, the longest list that did not fit, the sum of squared displacements.
    u32 overflow_of_all;
    u64 error_of_all, squares_of_all, padding;

    __device__ __forceinline__ u64 first_error(u32 member) const { return CLUSTER > 1 ? error_of_all : errors[member]; }
    __device__ __forceinline__ u32 wanted() const { return CLUSTER > 1 ? overflow_of_all : overflow; }
};

static_assert(sizeof(SharedFlags) == 8 * MEMBERS + 64, "SharedFlags");

// The rows of the members' positions, in the memory of each block.
__device__ __forceinline__ real4 *rows_of_members(const Launch &, void *memory, u32 place) { return array_at<real4>(memory, place); }

// Each block copies all rows.
struct CopiedRows {
    u32 first, step;
};
__device__ __forceinline__ CopiedRows rows_to_copy(const Launch &) { return {threadIdx.x, blockDim.x}; }

// The number of tries before a wait fails. Messages arrive within microseconds, and a try takes at least some cycles.
constexpr u32 MOST_TRIES = 1u << 24;

#if CLUSTER > 1
// Blocks of a cluster do not wait at a barrier of the cluster in each step: it would drop lists and tables from the L1
// cache. Each waits for all rows of the next positions and, if lists may have to be rebuilt, for a word on events from
// each warp. Two inboxes alternate: no block sends for step n + 2 before it has the messages of all warps for step n +
// 1, which they send after step n is complete. A warp that sends nothing must not wait.
__device__ __forceinline__ u32 shared_address(const void *of) { return static_cast<u32>(__cvta_generic_to_shared(of)); }

__device__ __forceinline__ u32 address_in_block(const void *mine, u32 block)
{
    u32 address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(mine)), "r"(block));
    return address;
}

__device__ __forceinline__ void open_inboxes(SharedFlags *flags)
{
    for (u32 k = 0; k < 2; ++k) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&flags->inboxes[k])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Writes a row of positions into a block's memory, and subtracts its bytes from those that the inbox expects.
__device__ __forceinline__ void send_row(const real4 *to, u32 block, real4 row, const u64 *inbox)
{
    const u32 target = address_in_block(to, block), counter = address_in_block(inbox, block);
#if DOUBLE
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%2, %3}, [%1];" ::"r"(target), "r"(counter), "d"(row.x), "d"(row.y) : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%2, %3}, [%1];" ::"r"(target + 16), "r"(counter), "d"(row.z), "d"(row.w) : "memory");
#else
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%2, %3, %4, %5}, [%1];" ::"r"(target), "r"(counter), "f"(row.x), "f"(row.y), "f"(row.z), "f"(row.w) : "memory");
#endif
}

// Raises a word in a block's memory to at least this value.
__device__ __forceinline__ void send_word(const u32 *to, u32 block, u32 word, const u64 *inbox)
{
    const u32 target = address_in_block(to, block), counter = address_in_block(inbox, block);
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %2, [%1];" ::"r"(target), "r"(counter), "r"(word) : "memory");
}

// One thread tells this block's inbox how many bytes to expect.
__device__ __forceinline__ void expect(const u64 *inbox, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(inbox)), "r"(bytes) : "memory");
}

// Whether all messages for the even or odd time of that inbox have arrived. They lie in this block's own memory, so the
// wait acquires for the block only: for the cluster it would empty the L1 cache, as the cluster's barrier does.
__device__ __forceinline__ bool has_come(const u64 *inbox, u32 parity)
{
    u32 done;
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(shared_address(inbox)), "r"(parity) : "memory");
    return done;
}
#endif

// The barriers of a member's blocks.
struct MemberBarrier {
    SharedFlags *flags;
    // The number of senders if there are several blocks. Each bead sends a row, or two with a pair thermostat. Each warp without
    // externals sends a word if lists may have to be rebuilt.
    u32 beads, warps;
    bool talks;
    // The number of the next step, from 1.
    u32 next;

    // One thread calls this before the blocks first wait for each other.
    __device__ __forceinline__ void open() const
    {
        flags->happened[0] = flags->happened[1] = 0;
#if CLUSTER > 1
        open_inboxes(flags);
#endif
    }

    // Waits for all threads.
    __device__ __forceinline__ void meet() const { meet_all_blocks(); }

    // Waits for all threads of the blocks, combines the flags of all blocks and forgets where the last segment ended. One
    // thread of each block reads the others' flags. Atomic operations of 64 bits on another block's memory would lose
    // updates if that block's own threads made them too (H200, CUDA 13.0).
    __device__ __forceinline__ void reduce(Sums *sums) const
    {
        // The threads of a single block have met since they read where the last segment ended.
        if (CLUSTER > 1) meet();
        if (threadIdx.x == 0) {
            flags->nearest = NO_TIME;
#if CLUSTER > 1
            u64 error = NO_ERROR, squares = 0;
            u32 overflow = 0;
            for (u32 block = 0; block < CLUSTER; ++block) {
                const SharedFlags &other = *in_block(flags, block);
                error = min(error, other.errors[0]);
                overflow = max(overflow, other.overflow);
                squares += in_block(sums, block)->square_displacements;
            }
            flags->error_of_all = error;
            flags->overflow_of_all = overflow;
            flags->squares_of_all = squares;
#endif
        }
        meet();
    }

    // Begins new sums of a block at a row.
    __device__ __forceinline__ void begin_sums(Sums *sums) const
    {
        if (CLUSTER > 1 && threadIdx.x == 0) sums->square_displacements = 0;
    }

    // Sends a row of the next positions; each of the bead's four lanes sends it to a quarter of the blocks.
    __device__ __forceinline__ void send(const real4 *to, u32 part, real4 row) const
    {
#if CLUSTER > 1
#pragma unroll
        for (u32 k = 0; k < CLUSTER; k += PARTIAL_SUMS) {
            if (k + part < CLUSTER) send_row(to, k + part, row, &flags->inboxes[next & 1]);
        }
#endif
    }

    // Waits for all threads between steps, when no rows are on their way; returns whether any thread reports an event.
    __device__ __forceinline__ bool agree(bool event) { return wait(event, false); }

    // Waits for all threads, which have sent their rows if `rows`; returns whether any thread reports an event.
    __device__ __forceinline__ bool wait(bool event, [[maybe_unused]] bool rows = true)
    {
#if CLUSTER > 1
        const u32 step = next++;
        u64 *const inbox = &flags->inboxes[step & 1];
        const u32 lane = threadIdx.x % 32;
        if (LISTED && talks) {
            const u32 word = __any_sync(0xffffffffu, event) ? step : 0;
            if (lane < CLUSTER) send_word(&flags->happened[step & 1], lane, word, inbox);
        }
        const u32 bytes_of_rows = rows ? (HEATED ? 2 : 1) * beads * static_cast<u32>(sizeof(real4)) : 0;
        if (threadIdx.x == 0) expect(inbox, bytes_of_rows + (LISTED ? 4 * warps : 0));
        for (u32 tries = 0; !has_come(inbox, (step - 1) >> 1 & 1); ++tries) {
            // An error is better than a GPU that hangs.
            if (tries == MOST_TRIES) __trap();
        }
        // Warps with externals send nothing.
        if (PULLED) __syncthreads();
        return LISTED && flags->happened[step & 1] == step;
#else
        if (LISTED) return __syncthreads_or(event);
        __syncthreads();
        return false;
#endif
    }
};

__device__ __forceinline__ MemberBarrier barrier_of(const Launch &, SharedFlags *flags, u32 beads, u32 stepping, bool talks)
{
    return {flags, beads, CLUSTER * stepping / 32, talks, 1};
}
