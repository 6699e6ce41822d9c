// The kernel before those that measure samples in a box.
#pragma once

#include "observables/records.cuh"

// In a box, the positions of all samples of a member without wrap-around: a thread has an axis of a bead, for all samples.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_unwrap(const __grid_constant__ Observation task)
{
    const u32 blocks_per_member = (3 * task.most_beads + THREADS - 1) / THREADS;
    const u32 number = blockIdx.x / blocks_per_member;
    const ObservedMember &member = task.members[number];
    const u32 coordinates = 3 * member.system->beads, reached = task.outcomes[number * task.outcome_words];
    const u32 coordinate = blockIdx.x % blocks_per_member * THREADS + threadIdx.x;
    if (coordinate >= coordinates || reached > member.samples) return;
    const double side = component(member.system->sides, coordinate % 3);
    int image = member.samples > 0 ? member.images[coordinate] : 0;
    for (u64 at = coordinate; at < static_cast<u64>(reached) * coordinates; at += coordinates) {
        image += member.crossings[at];
        member.unwrapped[at] = (static_cast<double>(image) + static_cast<double>(fraction_of(member.positions[at])) / FRACTIONS) * side;
    }
}
