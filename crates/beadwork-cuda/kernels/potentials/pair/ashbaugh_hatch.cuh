// `beadwork_model::potentials::AshbaughHatch`, prepared as 24 ε, σ², 24 ε λ and the square of the distance with the
// lowest energy.
#pragma once

#include "geometry.cuh"

struct AshbaughHatch {
    real scale, square_diameter, sticky_scale, square_minimum;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real square = square_diameter * inverse;
        const real sixth = square * square * square;
        return (square_minimum < r2 ? sticky_scale : scale) * inverse * sixth * (sixth + sixth - real(1));
    }
};

// Its energy, from the formula's own parameters.
struct AshbaughHatchEnergy {
    static constexpr EnergyKind KIND = EnergyKind::PAIR;
    real depth, diameter, stickiness, shift;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real square = quotient(diameter * diameter, r2);
        const real sixth = square * square * square;
        const real well = real(4) * depth * sixth * (sixth - real(1));
        const real core = well + depth * (real(1) - stickiness);
        const real square_minimum = number(1.2599210498948732) * (diameter * diameter);
        return (square_minimum < r2 ? stickiness * well : core) - shift;
    }
};
