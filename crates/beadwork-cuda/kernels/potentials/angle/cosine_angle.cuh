// `beadwork_model::potentials::CosineAngle`.
#pragma once

#include "geometry.cuh"

struct CosineAngle {
    real stiffness;

    // dV/d(cos θ).
    __device__ __forceinline__ real slope(real) const { return stiffness; }

    __device__ __forceinline__ real energy(real here) const { return stiffness * (real(1) + here); }
};
