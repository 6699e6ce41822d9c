// `beadwork_model::potentials::DebyeHuckel`, without the shift of its energy.
#pragma once

#include "geometry.cuh"

struct DebyeHuckel {
    real strength, inverse_length;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        // 1/r² is shared with the other terms of the pair.
        const real r = root(r2), inverse = reciprocal(r2);
        const real screened = strength * exponential(-(inverse_length * r));
        return screened * multiply_add(r, inverse, inverse_length) * inverse;
    }
};

// Its energy, from the formula's own parameters.
struct DebyeHuckelEnergy {
    static constexpr EnergyKind KIND = EnergyKind::CHARGE;
    real strength, inverse_length, shift;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real r = root(r2);
        return quotient(strength * exponential(-(inverse_length * r)), r) - shift;
    }
};
