// Overdamped Langevin dynamics to first order in the step.
#pragma once

#include "geometry.cuh"
#include "integrators/acting.cuh"

struct Brownian {
    static constexpr bool LOOKS_AHEAD = false, HAS_VELOCITIES = false;

    template <typename Value> static __device__ __forceinline__ Value before(const Acting<Value> &) { return Value(); }

    template <typename Value> static __device__ __forceinline__ Value after(const Acting<Value> &acting)
    {
        return multiply_add(acting.force, acting.mobility, acting.kick);
    }
};
