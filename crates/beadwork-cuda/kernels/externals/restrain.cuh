// `beadwork_model::externals::Restrain`: wells around the positions of beads when the stage began.
#pragma once

#include "system.cuh"

struct Restrain {
    static constexpr bool PULLS = false, REACTS = false;
    double stiffness;

    // The force on a bead.
    __device__ __forceinline__ void on_bead(const External &state, u64, u32 bead, const Vector &at, double force[3]) const
    {
        const double *const well = state.numbers + 3 * bead;
        force[0] = stiffness * (well[0] - static_cast<double>(at.x));
        force[1] = stiffness * (well[1] - static_cast<double>(at.y));
        force[2] = stiffness * (well[2] - static_cast<double>(at.z));
    }
};
