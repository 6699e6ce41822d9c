// Langevin dynamics in the order BAOAB.
#pragma once

#include "geometry.cuh"
#include "integrators/inertia.cuh"

struct Langevin {
    static constexpr bool LOOKS_AHEAD = false, HAS_VELOCITIES = true, NOISE_AFTER = false;

    template <typename Value, typename Axes>
    static __device__ __forceinline__ Moving<Value> before(const Moving<Value> &bead, const Value &force, const Value &noise, const Inertia &inertia, Axes &axes)
    {
        const Value velocity = multiply_add(force, inertia.half_kick, bead.velocity);
        const Value middle = axes.drift(bead.position, velocity, inertia.half_step);
        const Value kicked = multiply_add(velocity, inertia.drag, noise);
        return {axes.drift(middle, kicked, inertia.half_step), kicked};
    }

    template <typename Value>
    static __device__ __forceinline__ Value with_thermostat(const Value &, const Value &force, const Value &, const Inertia &) { return force; }

    template <typename Value> static __device__ __forceinline__ Value after(const Value &velocity, const Value &force, const Inertia &inertia)
    {
        return multiply_add(force, inertia.half_kick, velocity);
    }
};
