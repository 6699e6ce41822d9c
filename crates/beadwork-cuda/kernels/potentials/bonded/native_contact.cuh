// `beadwork_model::potentials::NativeContact`, prepared as 12 ε and r₀².
#pragma once

#include "geometry.cuh"

struct NativeContact {
    static constexpr bool BREAKS = false;
    real scale, square_length;

    __device__ __forceinline__ bool holds(real) const { return true; }

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real square = square_length * inverse;
        const real sixth = square * square * square;
        return scale * inverse * sixth * (sixth - real(1));
    }
};

// Its energy, from the formula's own parameters.
struct NativeContactEnergy {
    real depth, length;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real square = quotient(length * length, r2);
        const real sixth = square * square * square;
        return depth * sixth * (sixth - real(2));
    }
};
