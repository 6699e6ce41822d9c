// `beadwork_model::externals::ForceRamp`: a force that grows with time.
#pragma once

#include "system.cuh"

struct ForceRamp {
    static constexpr bool PULLS = true, REACTS = false;
    double rate, timestep;

    __device__ __forceinline__ bool holds() const { return false; }
    __device__ __forceinline__ bool renews(u64) const { return true; }
    __device__ __forceinline__ double pull(const External &state, u32 axis, double step, double) const
    {
        return rate * (step * timestep) * state.direction[axis];
    }
};
