// Velocity Verlet, with or without a thermostat.
#pragma once

#include "geometry.cuh"
#include "integrators/inertia.cuh"

struct VelocityVerlet {
    static constexpr bool LOOKS_AHEAD = false, HAS_VELOCITIES = true, NOISE_AFTER = true;

    template <typename Value, typename Axes>
    static __device__ __forceinline__ Moving<Value> before(const Moving<Value> &bead, const Value &force, const Value &, const Inertia &inertia, Axes &axes)
    {
        const Value velocity = multiply_add(force, inertia.half_kick, bead.velocity);
        return {axes.drift(bead.position, velocity, inertia.half_step + inertia.half_step), velocity};
    }

    template <typename Value>
    static __device__ __forceinline__ Value with_thermostat(const Value &velocity, const Value &force, const Value &noise, const Inertia &inertia)
    {
        return multiply_add(velocity, -inertia.drag, force) + noise;
    }

    template <typename Value> static __device__ __forceinline__ Value after(const Value &velocity, const Value &force, const Inertia &inertia)
    {
        return multiply_add(force, inertia.half_kick, velocity);
    }
};
