// The kernels that measure the samples of a launch, after those that made them.

// In a box, the positions of all samples of a member without wrap-around: a thread has an axis of a bead, for all samples.
extern "C" __global__ void __launch_bounds__(THREADS) beadwork_unwrap(const __grid_constant__ Observation task)
{
    const u32 number = blockIdx.x / task.blocks_per_member;
    const ObservedMember &member = task.members[number];
    const u32 coordinates = 3 * member.system->beads, reached = task.outcomes[number * task.outcome_words];
    const u32 coordinate = blockIdx.x % task.blocks_per_member * THREADS + threadIdx.x;
    if (coordinate >= coordinates || reached > member.samples) return;
    const double side = component(member.system->sides, coordinate % 3);
    int image = member.samples > 0 ? member.images[coordinate] : 0;
    for (u64 at = coordinate; at < static_cast<u64>(reached) * coordinates; at += coordinates) {
        image += member.crossings[at];
        member.unwrapped[at] = (static_cast<double>(image) + static_cast<double>(fraction_of(member.positions[at])) / FRACTIONS) * side;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) beadwork_observe(const __grid_constant__ Observation task)
{
    __shared__ double rooms[WARPS][3 * 32];
    const u32 number = blockIdx.x * WARPS + threadIdx.x / 32;
    const u32 of_member = number / task.most_samples, sample = number % task.most_samples;
    if (of_member >= task.members_count) return;
    const ObservedMember &member = task.members[of_member];
    if (sample >= task.outcomes[of_member * task.outcome_words] || sample >= member.samples) return;
    const u64 before = 3ull * sample * member.system->beads;
#if BOXED
    const Positions positions = {member.unwrapped + before};
#else
    const Positions positions = {member.positions + before};
#endif
    // Sums of bonded terms begin at −0, as those of the host do.
    Warp warp = {*member.system, positions, threadIdx.x % 32, rooms[threadIdx.x / 32], {-0.0, -0.0, 0, 0, 0, 0, -0.0, 0, 0, 0, 0, 0, 1, 0}};
    if constexpr (!BOXED) warp.check_positions();
    Terms::Bonded::measure(warp);
    Terms::Pairs::measure(warp);
    Terms::Angles::measure(warp);
    Terms::Singles::measure(warp);
    if constexpr (BY_MOLECULES) {
        warp.measure_molecules();
    } else {
        warp.sums.radius_of_gyration = warp.radius_of_gyration(0, member.system->beads);
    }
    if constexpr (MOVING) warp.measure_velocities(member.velocities + before);
    const bool sound = __any_sync(ALL_LANES, warp.sums.sound == 0) == 0;
    if (threadIdx.x % 32 == 0) {
        warp.sums.sound = sound;
        task.observed[member.first_sample + sample] = warp.sums;
    }
}
