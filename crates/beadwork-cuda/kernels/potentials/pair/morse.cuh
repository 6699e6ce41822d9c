// `beadwork_model::potentials::Morse`, prepared as 2 D a, a and r₀.
#pragma once

#include "geometry.cuh"

struct Morse {
    real scale, steepness, length;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        // Beads at one point have no direction.
        const bool apart = r2 > 0;
        const real r = root(apart ? r2 : real(1));
        const real decay = exponential(steepness * (length - r));
        return apart ? quotient(scale * decay * (decay - real(1)), r) : real(0);
    }
};

// Its energy, from the formula's own parameters.
struct MorseEnergy {
    static constexpr EnergyKind KIND = EnergyKind::PAIR;
    real depth, steepness, length, shift;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real decay = exponential(steepness * (length - root(r2)));
        return depth * decay * (decay - real(2)) - shift;
    }
};
