// `beadwork_model::externals::Surface`: a plane below beads, or points in it.
#pragma once

#include "externals/contact.cuh"
#include "system.cuh"

struct Surface {
    static constexpr bool PULLS = false, REACTS = false;
    // The points that stand for the plane; 0 for the plane itself.
    double points;
    Contact contact;

    // The force on a bead.
    __device__ __forceinline__ void on_bead(const External &state, u64, u32, const Vector &at, double force[3]) const
    {
        const double x = at.x, y = at.y, z = at.z;
        if (points == 0.0) {
            const double *const normal = state.direction, *const origin = state.origin;
            const double height = (x - origin[0]) * normal[0] + (y - origin[1]) * normal[1] + (z - origin[2]) * normal[2];
            const double along = contact.force(height);
            for (u32 axis = 0; axis < 3; ++axis) force[axis] = along * normal[axis];
            return;
        }
        force[0] = force[1] = force[2] = 0;
        for (u32 k = 0, count = static_cast<u32>(points); k < count; ++k) {
            const double *const point = state.numbers + 3 * k;
            const double apart[3] = {x - point[0], y - point[1], z - point[2]};
            const double distance = sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
            const double over_distance = contact.force(distance) / distance;
            for (u32 axis = 0; axis < 3; ++axis) force[axis] += over_distance * apart[axis];
        }
    }
};
