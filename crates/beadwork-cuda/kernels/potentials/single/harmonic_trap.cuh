// `beadwork_model::potentials::HarmonicTrap`.
#pragma once

#include "geometry.cuh"

struct HarmonicTrap {
    real stiffness;
    Vector centre;

    __device__ __forceinline__ Vector force(const Vector &at) const
    {
        return {stiffness * (centre.x - at.x), stiffness * (centre.y - at.y), stiffness * (centre.z - at.z)};
    }

    __device__ __forceinline__ real energy(const Vector &at) const
    {
        const Vector apart = at - centre;
        return real(0.5) * stiffness * dot(apart, apart);
    }
};
