// Overdamped Langevin dynamics to second order in the step: the stochastic Heun scheme.
#pragma once

#include "integrators/brownian.cuh"

struct BrownianSecondOrder {
    static constexpr bool LOOKS_AHEAD = true, HAS_VELOCITIES = false;

    template <typename Value> static __device__ __forceinline__ Value before(const Acting<Value> &acting)
    {
        return Brownian::after(acting);
    }

    template <typename Value> static __device__ __forceinline__ Value after(const Acting<Value> &acting)
    {
        return multiply_add(acting.force + acting.force_ahead, real(0.5) * acting.mobility, acting.kick);
    }
};
