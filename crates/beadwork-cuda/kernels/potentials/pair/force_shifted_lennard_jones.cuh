// `beadwork_model::potentials::ForceShiftedLennardJones`, prepared as 24 ε, σ², r_c² and F_c.
#pragma once

#include "geometry.cuh"

struct ForceShiftedLennardJones {
    real scale, square_diameter, square_cutoff, force_at_cutoff;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real square = square_diameter * inverse;
        const real sixth = square * square * square;
        const real force = scale * inverse * sixth * (sixth + sixth - real(1));
        return r2 < square_cutoff ? force - quotient(force_at_cutoff, root(r2)) : real(0);
    }
};

// Its energy, from the formula's own parameters.
struct ForceShiftedLennardJonesEnergy {
    static constexpr EnergyKind KIND = EnergyKind::PAIR;
    real depth, diameter, cutoff, energy_at_cutoff, force_at_cutoff;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real square = quotient(diameter * diameter, r2);
        const real sixth = square * square * square;
        const real linear = (root(r2) - cutoff) * force_at_cutoff;
        const real energy = real(4) * depth * sixth * (sixth - real(1)) - energy_at_cutoff + linear;
        return r2 < cutoff * cutoff ? energy : real(0);
    }
};
