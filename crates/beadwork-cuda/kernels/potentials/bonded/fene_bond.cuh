// `beadwork_model::potentials::FeneBond`.
#pragma once

#include "geometry.cuh"

struct FeneBond {
    static constexpr bool BREAKS = true;
    real stiffness, limit, length;

    __device__ __forceinline__ bool holds(real r2) const { return fabs(root(r2) - length) < limit; }

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real r = root(r2), stretch = r - length;
        const real ratio = quotient(stretch, limit);
        const real remaining = multiply_add(-ratio, ratio, real(1));
        return quotient(-(stiffness * stretch), remaining * r);
    }
};

// Its energy, from the formula's own parameters.
struct FeneBondEnergy {
    real stiffness, limit, length;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real ratio = quotient(root(r2) - length, limit);
        const real remaining = multiply_add(-ratio, ratio, real(1));
        return real(-0.5) * stiffness * limit * limit * natural_logarithm(remaining);
    }
};
