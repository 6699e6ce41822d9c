// `beadwork_model::potentials::LennardJones`, prepared as 24 ε, σ² and r_c².
#pragma once

#include "geometry.cuh"

struct LennardJones {
    real scale, square_diameter, square_cutoff;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real square = square_diameter * inverse;
        const real sixth = square * square * square;
        const real force = scale * inverse * sixth * (sixth + sixth - real(1));
        return r2 < square_cutoff ? force : real(0);
    }
};

// Its energy, from the formula's own parameters.
struct LennardJonesEnergy {
    static constexpr EnergyKind KIND = EnergyKind::PAIR;
    real depth, diameter, cutoff, shift;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real square = quotient(diameter * diameter, r2);
        const real sixth = square * square * square;
        const real energy = real(4) * depth * sixth * (sixth - real(1)) - shift;
        return r2 < cutoff * cutoff ? energy : real(0);
    }
};
