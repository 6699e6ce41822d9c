// `beadwork_model::potentials::DpdConservative`, prepared as a, r_c and 1/r_c.
#pragma once

#include "geometry.cuh"

struct DpdConservative {
    real strength, cutoff, inverse_cutoff;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        // Beads at one point have no direction.
        const bool apart = r2 > 0;
        const real r = root(apart ? r2 : real(1));
        const real force = strength * (reciprocal(r) - inverse_cutoff);
        return apart && r < cutoff ? force : real(0);
    }
};

// Its energy, from the formula's own parameters.
struct DpdConservativeEnergy {
    static constexpr EnergyKind KIND = EnergyKind::PAIR;
    real strength, cutoff;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real r = root(r2);
        const real overlap = real(1) - quotient(r, cutoff);
        return r < cutoff ? real(0.5) * strength * cutoff * overlap * overlap : real(0);
    }
};
