// `beadwork_model::potentials::CosineSquaredAngle`.
#pragma once

#include "geometry.cuh"

struct CosineSquaredAngle {
    real stiffness, cosine;

    // dV/d(cos θ).
    __device__ __forceinline__ real slope(real here) const { return stiffness * (here - cosine); }

    __device__ __forceinline__ real energy(real here) const
    {
        const real apart = here - cosine;
        return real(0.5) * stiffness * apart * apart;
    }
};
