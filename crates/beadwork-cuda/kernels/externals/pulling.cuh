// Externals that pull at a centre.
#pragma once

#include "externals/laws.cuh"

// The force of an external on the centre of its beads at a step of the stage; adds the work up to this step.
template <typename Positions>
__device__ inline void pull(External &external, u64 step, const Positions positions, double force[3])
{
    double centre[3] = {0, 0, 0};
    for (u32 k = 0; k < external.pulled_count; ++k) {
        const auto at = positions[external.pulled[k]];
        centre[0] += at.x;
        centre[1] += at.y;
        centre[2] += at.z;
    }
    // A division costs hundreds of cycles. Most externals pull one bead, which is its own centre.
    if (external.pulled_count > 1) {
        for (u32 axis = 0; axis < 3; ++axis) centre[axis] /= external.pulled_count;
    }
    if (external.last_step == step) {
        for (u32 axis = 0; axis < 3; ++axis) force[axis] = external.last_force[axis];
        return;
    }
    const bool held = Laws::holds(external);
    const bool renews = !held || Laws::renews(external, step);
    for (u32 axis = 0; axis < 3; ++axis) {
        force[axis] = renews ? Laws::pull(external, axis, static_cast<double>(step), centre[axis]) : external.held[axis];
        if (held) external.held[axis] = force[axis];
    }
    for (u32 axis = 0; axis < 3; ++axis) {
        if (external.last_step != NEVER) {
            const double end = held ? external.last_force[axis] : force[axis];
            external.work += 0.5 * (external.last_force[axis] + end) * (centre[axis] - external.last_centre[axis]);
        }
        external.last_force[axis] = force[axis];
        external.last_centre[axis] = centre[axis];
    }
    external.last_step = step;
}

// All externals of a member that pull: writes each bead's share of the force to `shares` (three numbers for each external,
// `stride` apart), and updates the sums. Without sums, the positions are predicted ones.
template <bool LOOKS_AHEAD, typename Positions>
__device__ inline void pull_all(External *externals, u32 count, u64 step, const Positions positions, real *shares, u32 stride, Sums *sums,
                                u32 time, StepError &error)
{
    double along = 0;
    bool acts = false;
    for (u32 number = 0; number < count; ++number) {
        External *external = externals + number;
        if (Laws::reacts(*external)) {
            const double jump = Laws::renew(*external, step, true);
            if (jump != 0) error.report(time, external_error(number), jump);
            along += Laws::along(*external, step);
            acts = true;
            continue;
        }
        if (!Laws::pulls(*external)) continue;
        double force[3];
        External copy;
        if (LOOKS_AHEAD && !sums) {
            // The state of the external must follow only positions of the trajectory, so predictions work on a copy.
            copy = *external;
            external = &copy;
        }
        pull(*external, step, positions, force);
        along += force[0] * external->direction[0] + force[1] * external->direction[1] + force[2] * external->direction[2];
        acts = true;
        for (u32 axis = 0; axis < 3; ++axis) {
            const double share = external->pulled_count > 1 ? force[axis] / external->pulled_count : force[axis];
            shares[(3 * number + axis) * stride] = static_cast<real>(share);
        }
    }
    if (sums && acts) {
        sums->force += along;
        sums->force_steps += 1;
    }
}

// The component of the force along the axis of a lane, where four lanes have an external, the first three with one axis each. All lanes of a warp take the same branches, and lanes
// without a external change nothing: `most_pulled` and `any_held` are the same in the whole warp. The force comes first,
// since other threads wait for it; then the external's state.
template <typename Positions>
__device__ __forceinline__ double pull_axis(const External &external, u64 step, const Positions positions, u32 axis, u32 most_pulled,
                                            bool any_held, double &centre)
{
    centre = 0;
    const u32 count = external.pulled_count;
    for (u32 k = 0; k < most_pulled; ++k) {
        const auto at = positions[external.pulled[min(k, count - 1)]];
        const double x = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
        centre = k < count ? centre + x : centre;
    }
    if (most_pulled > 1) centre = centre / count;
    bool renews = true;
    if (any_held) renews = !Laws::holds(external) || Laws::renews(external, step);
    const double force = renews ? Laws::pull(external, axis, static_cast<double>(step), centre) : external.held[axis];
    return external.last_step == step ? external.last_force[axis] : force;
}

__device__ __forceinline__ void keep_axis(External &external, u64 step, u32 axis, double force, double centre, bool acts)
{
    const bool held = Laws::holds(external);
    const u64 last_step = external.last_step;
    const double last_force = external.last_force[axis];
    const double end = held ? last_force : force;
    const double gained = 0.5 * (last_force + end) * (centre - external.last_centre[axis]);
    const double y = __shfl_sync(0xffffffffu, gained, 1, 4), z = __shfl_sync(0xffffffffu, gained, 2, 4);
    // All lanes have now read what one of them writes next.
    __syncwarp();
    const bool changes = acts && last_step != step;
    if (changes && axis == 0 && last_step != NEVER) external.work = external.work + gained + y + z;
    if (changes && axis == 0) external.last_step = step;
    if (changes && held) external.held[axis] = force;
    if (changes) {
        external.last_force[axis] = force;
        external.last_centre[axis] = centre;
    }
    __syncwarp();
}
