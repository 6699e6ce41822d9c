// `beadwork_model::potentials::HarmonicAngle`.
#pragma once

#include "geometry.cuh"

struct HarmonicAngle {
    real stiffness, angle;

    // dV/d(cos θ), with a smallest sin θ.
    __device__ __forceinline__ real slope(real cosine) const
    {
        const real apart = arc_cosine(cosine) - angle;
        const real square = (real(1) - cosine) * (real(1) + cosine), least = number(1e-6);
        return quotient(-(stiffness * apart), root(least < square ? square : least));
    }

    __device__ __forceinline__ real energy(real cosine) const
    {
        const real apart = arc_cosine(cosine) - angle;
        return real(0.5) * stiffness * apart * apart;
    }
};
