// `beadwork_model::externals::Tip`: a sphere that a cantilever presses on beads.
#pragma once

#include "externals/cantilever.cuh"
#include "externals/contact.cuh"
#include "system.cuh"

struct Tip {
    static constexpr bool PULLS = false, REACTS = true;
    double radius;
    Contact contact;

    // The force on a bead; beyond the reach it is less than half a unit.
    __device__ __forceinline__ void on_bead(const External &state, u64, u32, const Vector &at, double force[3]) const
    {
        const double *const tip = state.held;
        const double apart[3] = {at.x - tip[0], at.y - tip[1], at.z - tip[2]};
        const double square = Cantilever::dot(apart, apart);
        force[0] = force[1] = force[2] = 0;
        // The square of the reach, beside the state.
        if (square > state.last_centre[2]) return;
        const double distance = sqrt(square);
        const double over_distance = contact.force(distance - radius) / distance;
        for (u32 axis = 0; axis < 3; ++axis) force[axis] = over_distance * apart[axis];
    }
};
