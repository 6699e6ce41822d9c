// `beadwork_model::potentials::HarmonicBond`.
#pragma once

#include "geometry.cuh"

struct HarmonicBond {
    static constexpr bool BREAKS = false;
    real stiffness, length;

    __device__ __forceinline__ bool holds(real) const { return true; }

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        // Beads at one point have no direction.
        const real relative = r2 > 0 ? quotient(length, root(r2)) : real(0);
        return stiffness * (relative - real(1));
    }
};

// Its energy, from the formula's own parameters.
struct HarmonicBondEnergy {
    real stiffness, length;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real stretch = root(r2) - length;
        return real(0.5) * stiffness * stretch * stretch;
    }
};
