// `beadwork_model::potentials::SixthPowerRepulsion`, prepared as 6 ε σ⁶.
#pragma once

#include "geometry.cuh"

struct SixthPowerRepulsion {
    real scale;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real fourth = inverse * inverse;
        return scale * (fourth * fourth);
    }
};

// Its energy, from the formula's own parameters.
struct SixthPowerRepulsionEnergy {
    static constexpr EnergyKind KIND = EnergyKind::PAIR;
    real strength, diameter;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real square = quotient(diameter * diameter, r2);
        return strength * square * square * square;
    }
};
