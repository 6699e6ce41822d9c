// Drives, in f64 and in the order of `beadwork_cpu`'s pulling.rs; no operation is fused.
#pragma once

#include "system.cuh"

// The force of a pulling drive on the centre of its beads at a step of the stage; adds the work up to this step.
template <typename Positions>
__device__ inline void pull(Drive &drive, u64 step, const Positions positions, double force[3])
{
    double centre[3] = {0, 0, 0};
    for (u32 k = 0; k < drive.pulled_count; ++k) {
        const auto at = positions[drive.pulled[k]];
        centre[0] += at.x;
        centre[1] += at.y;
        centre[2] += at.z;
    }
    // A division costs hundreds of cycles. Most drives pull one bead, which is its own centre.
    if (drive.pulled_count > 1) {
        for (u32 axis = 0; axis < 3; ++axis) centre[axis] /= drive.pulled_count;
    }
    if (drive.last_step == step) {
        for (u32 axis = 0; axis < 3; ++axis) force[axis] = drive.last_force[axis];
        return;
    }
    const bool held = drive.kind == SPRING && drive.update_every > 1;
    if (drive.kind == SPRING) {
        const bool renews = !held || step % drive.update_every == 0;
        const double travelled = static_cast<double>(step) * drive.travel;
        for (u32 axis = 0; axis < 3; ++axis) {
            const double base = drive.origin[axis] + travelled * drive.direction[axis];
            force[axis] = renews ? drive.stiffness * (base - centre[axis]) : drive.held[axis];
            if (held) drive.held[axis] = force[axis];
        }
    } else {
        double strength = drive.strength;
        if (drive.kind == FORCE_RAMP) strength = drive.strength * (static_cast<double>(step) * drive.timestep);
        for (u32 axis = 0; axis < 3; ++axis) force[axis] = strength * drive.direction[axis];
    }
    for (u32 axis = 0; axis < 3; ++axis) {
        if (drive.last_step != NEVER) {
            const double end = held ? drive.last_force[axis] : force[axis];
            drive.work += 0.5 * (drive.last_force[axis] + end) * (centre[axis] - drive.last_centre[axis]);
        }
        drive.last_force[axis] = force[axis];
        drive.last_centre[axis] = centre[axis];
    }
    drive.last_step = step;
}

// All pulling drives of a member: writes each bead's share of the force to `shares` (three numbers for each drive,
// `stride` apart), and updates the sums. Without sums, the positions are predicted ones.
template <bool LOOKS_AHEAD, typename Positions>
__device__ inline void pull_all(Drive *drives, u32 count, u64 step, const Positions positions, real *shares, u32 stride, Sums *sums)
{
    double along = 0;
    bool acts = false;
    for (u32 number = 0; number < count; ++number) {
        if (drives[number].kind == RESTRAIN) continue;
        double force[3];
        Drive *drive = drives + number;
        Drive copy;
        if (LOOKS_AHEAD && !sums) {
            // The state of the drive must follow only positions of the trajectory, so predictions work on a copy.
            copy = *drive;
            drive = &copy;
        }
        pull(*drive, step, positions, force);
        along += force[0] * drive->direction[0] + force[1] * drive->direction[1] + force[2] * drive->direction[2];
        acts = true;
        for (u32 axis = 0; axis < 3; ++axis) {
            const double share = drive->pulled_count > 1 ? force[axis] / drive->pulled_count : force[axis];
            shares[(3 * number + axis) * stride] = static_cast<real>(share);
        }
    }
    if (sums && acts) {
        sums->force += along;
        sums->force_steps += 1;
    }
}

// The same with four lanes, the first three with one axis each. All lanes of a warp take the same branches, and lanes
// without a drive change nothing: `most_pulled` and `any_held` are the same in the whole warp. The force comes first,
// since other threads wait for it; then the drive's state.
template <typename Positions>
__device__ __forceinline__ double pull_axis(const Drive &drive, u64 step, const Positions positions, u32 axis, u32 most_pulled,
                                            bool any_held, double &centre)
{
    centre = 0;
    const u32 count = drive.pulled_count;
    for (u32 k = 0; k < most_pulled; ++k) {
        const auto at = positions[drive.pulled[min(k, count - 1)]];
        const double x = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
        centre = k < count ? centre + x : centre;
    }
    if (most_pulled > 1) centre = centre / count;
    bool renews = true;
    if (any_held) renews = drive.update_every <= 1 || step % drive.update_every == 0;
    const double time = static_cast<double>(step);
    const double base = drive.origin[axis] + time * drive.travel * drive.direction[axis];
    const double spring = renews ? drive.stiffness * (base - centre) : drive.held[axis];
    const double strength = drive.kind == FORCE_RAMP ? drive.strength * (time * drive.timestep) : drive.strength;
    const double force = drive.kind == SPRING ? spring : strength * drive.direction[axis];
    return drive.last_step == step ? drive.last_force[axis] : force;
}

__device__ __forceinline__ void remember_axis(Drive &drive, u64 step, u32 axis, double force, double centre, bool acts)
{
    const bool held = drive.kind == SPRING && drive.update_every > 1;
    const u64 last_step = drive.last_step;
    const double last_force = drive.last_force[axis];
    const double end = held ? last_force : force;
    const double gained = 0.5 * (last_force + end) * (centre - drive.last_centre[axis]);
    const double y = __shfl_sync(0xffffffffu, gained, 1, 4), z = __shfl_sync(0xffffffffu, gained, 2, 4);
    // All lanes have now read what one of them writes next.
    __syncwarp();
    const bool changes = acts && last_step != step;
    if (changes && axis == 0 && last_step != NEVER) drive.work = drive.work + gained + y + z;
    if (changes && axis == 0) drive.last_step = step;
    if (changes && held) drive.held[axis] = force;
    if (changes) {
        drive.last_force[axis] = force;
        drive.last_centre[axis] = centre;
    }
    __syncwarp();
}
