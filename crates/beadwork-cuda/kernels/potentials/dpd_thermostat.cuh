// `beadwork_model::potentials::DpdThermostat`, prepared as γ, r_c, 1/r_c and √γ.
#pragma once

#include "geometry.cuh"

struct DpdThermostat {
    real friction, cutoff, inverse_cutoff, root_friction;

    // By Δr·Δv and the random force R √(2 kT γ/h).
    __device__ __forceinline__ real force_over_distance(real r2, real approach, real noise) const
    {
        // Beads at one point have no direction.
        const bool apart = r2 > 0;
        const real r = root(apart ? r2 : real(1));
        const real inside = reciprocal(r) - inverse_cutoff;
        const real weight = apart && r < cutoff ? inside : real(0);
        return -(weight * multiply_add(friction, weight * approach, noise));
    }
};
