// `beadwork_model::potentials::WangFrenkel`, prepared as ε α, σ², (R/σ)^2μ, μ and ν.
#pragma once

#include "geometry.cuh"

struct WangFrenkel {
    real scale, square_diameter, ratio, mu, nu;

    // `base` to a whole power from 0 to 15, by squares.
    static __device__ __forceinline__ real whole_power(real base, real power)
    {
        const real square = base * base, fourth = square * square;
        real result = power < real(8) ? real(1) : fourth * fourth;
        real rest = power < real(8) ? power : power - real(8);
        result = result * (rest < real(4) ? real(1) : fourth);
        rest = rest < real(4) ? rest : rest - real(4);
        result = result * (rest < real(2) ? real(1) : square);
        rest = rest < real(2) ? rest : rest - real(2);
        return result * (rest < real(1) ? real(1) : base);
    }

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real near = whole_power(square_diameter * inverse, mu);
        const real far = multiply_add(near, ratio, real(-1));
        const real odd = whole_power(far, real(2) * nu - real(1));
        const real slopes = multiply_add(near, far, real(2) * nu * (far + real(1)) * (near - real(1)));
        return scale * odd * slopes * (real(2) * mu * inverse);
    }
};

// Its energy, from the formula's own parameters.
struct WangFrenkelEnergy {
    static constexpr EnergyKind KIND = EnergyKind::PAIR;
    real scale, diameter, ratio, mu, nu;

    __device__ __forceinline__ real energy(real r2) const
    {
        const real near = WangFrenkel::whole_power(quotient(diameter * diameter, r2), mu);
        const real far = multiply_add(near, ratio, real(-1));
        const real odd = WangFrenkel::whole_power(far, real(2) * nu - real(1));
        return scale * odd * far * (near - real(1));
    }
};
