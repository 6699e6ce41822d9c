// `beadwork_model::externals::Force`: a constant force.
#pragma once

#include "system.cuh"

struct Force {
    static constexpr bool PULLS = true, REACTS = false;
    double strength;

    __device__ __forceinline__ bool holds() const { return false; }
    __device__ __forceinline__ bool renews(u64) const { return true; }
    __device__ __forceinline__ double pull(const External &state, u32 axis, double, double) const { return strength * state.direction[axis]; }
};
