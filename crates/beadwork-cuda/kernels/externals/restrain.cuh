// `beadwork_model::externals::Restrain`: wells around the positions of beads when the stage began.
#pragma once

#include "system.cuh"

struct Restrain {
    static constexpr bool PULLS = false, REACTS = false;
    double stiffness;

    // The component of the force on a bead along an axis.
    __device__ __forceinline__ double on_bead(const External &state, u32 bead, const Vector &at, u32 axis) const
    {
        return stiffness * (state.numbers[3 * bead + axis] - static_cast<double>(component(at, axis)));
    }
};
