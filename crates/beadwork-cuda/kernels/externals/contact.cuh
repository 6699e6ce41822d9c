// `beadwork_model::externals::Contact`: the potential of a surface at a distance.
#pragma once

#include "arithmetic.cuh"

// The factors of `Contact::factors`, divisions of which would take as long as all the rest.
struct Contact {
    double strength, sigma, twelfth, sixth;

    // The force away from the surface; not a number at the surface and behind it.
    __device__ __forceinline__ double force(double distance) const
    {
        if (distance <= 0.0) return __longlong_as_double(0x7ff8000000000000ll);
        const double ratio = sigma / distance;
        const double square = ratio * ratio;
        const double sixth_power = square * square * square;
        const double slope = twelfth * sixth_power * sixth_power + sixth * sixth_power;
        return strength * slope * ratio;
    }
};
