// `beadwork_model::externals::Spring`: a cantilever whose base moves.
#pragma once

#include "system.cuh"

struct Spring {
    static constexpr bool PULLS = true, REACTS = false;
    // The way of the base in a step, and the steps after which the force is renewed.
    double stiffness, travel, update_every;

    // Whether the force is held over several steps.
    __device__ __forceinline__ bool holds() const { return update_every > 1; }
    __device__ __forceinline__ bool renews(u64 step) const { return step % static_cast<u64>(update_every) == 0; }

    // The component of the force on the centre along an axis.
    __device__ __forceinline__ double pull(const External &state, u32 axis, double step, double centre) const
    {
        const double base = state.origin[axis] + step * travel * state.direction[axis];
        return stiffness * (base - centre);
    }
};
