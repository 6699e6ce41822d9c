// `beadwork_model::potentials::RepulsiveFeneBond`, prepared as k, R², 24 ε, σ² and the square of the distance where the
// repulsion ends.
#pragma once

#include "geometry.cuh"

struct RepulsiveFeneBond {
    static constexpr bool BREAKS = true;
    real stiffness, square_limit, scale, square_diameter, square_end;

    __device__ __forceinline__ bool holds(real r2) const { return r2 < square_limit; }

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real spring = quotient(stiffness, real(1) - quotient(r2, square_limit));
        const real inverse = reciprocal(r2);
        const real square = square_diameter * inverse;
        const real sixth = square * square * square;
        const real repulsion = scale * inverse * sixth * (sixth + sixth - real(1));
        return (r2 < square_end ? repulsion : real(0)) - spring;
    }
};

// Its energy, from the formula's own parameters.
struct RepulsiveFeneBondEnergy {
    real stiffness, limit, depth, diameter;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real square_limit = limit * limit;
        const real remaining = real(1) - quotient(r2, square_limit);
        const real spring = real(-0.5) * stiffness * square_limit * natural_logarithm(remaining);
        const real square = quotient(diameter * diameter, r2);
        const real sixth = square * square * square;
        const real repulsion = multiply_add(real(4) * depth * sixth, sixth - real(1), depth);
        const real square_end = number(1.2599210498948732) * (diameter * diameter);
        return spring + (r2 < square_end ? repulsion : real(0));
    }
};
