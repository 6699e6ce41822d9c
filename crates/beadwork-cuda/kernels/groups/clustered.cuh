// Blocks that run together, `CLUSTER` of them, and reach each other's shared memory; without clusters, a block alone.
#pragma once

#include "arithmetic.cuh"

#if CLUSTER > 1
#define CLUSTERED __cluster_dims__(CLUSTER, 1, 1)

__device__ __forceinline__ u32 rank_in_cluster() { return __clusterRelativeBlockRank(); }

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

__device__ __forceinline__ u32 rank_in_cluster() { return 0; }

template <typename T> __device__ __forceinline__ T *in_block(T *mine, u32) { return mine; }

__device__ __forceinline__ void meet_all_blocks() { __syncthreads(); }
#endif
