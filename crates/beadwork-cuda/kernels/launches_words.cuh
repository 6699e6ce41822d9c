// Words of the launches plan from generators whose one sequence all beads of a member share, made before each move.

#if LAGGED_FIBONACCI || MT19937
__device__ __forceinline__ u32 *states_of(const Fleet &fleet, u32 member)
{
    return fleet.generator_states + static_cast<u64>(member) * fleet.state_words;
}

__device__ __forceinline__ u32 *words_of(const Fleet &fleet, u32 member)
{
    return fleet.words + static_cast<u64>(member) * fleet.topology.beads * WORDS;
}

// Whether a member draws words in the step of this time: at T = 0 nothing is drawn.
__device__ __forceinline__ bool draws(const Fleet &fleet, u32 member, u32 time)
{
    return is_running(fleet, member, time) && fleet.records[member].amplitude != 0;
}
#endif

#if LAGGED_FIBONACCI
// The place in the ring after so many steps of a launch, from that at its beginning.
__device__ __forceinline__ u32 place_after(const Fleet &fleet, u32 member, u32 steps)
{
    if (fleet.records[member].amplitude == 0) steps = 0;
    const u64 drawn = static_cast<u64>(steps) * (fleet.topology.beads * WORDS) % fleet.long_lag;
    return static_cast<u32>((states_of(fleet, member)[fleet.long_lag] + drawn) % fleet.long_lag);
}

// A thread a number. Where a step has more numbers than may be made side by side, the round's number stands in place of
// `predicted`: words are drawn once a step.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_words(ROUND)
{
    const Fleet &fleet = round.fleet;
    const u32 all = fleet.topology.beads * WORDS, first = round.predicted * fleet.side_by_side;
    const u32 count = min(all - first, fleet.side_by_side);
    const Seat seat = seat_of(min(all, fleet.side_by_side));
    const u32 step = *fleet.iteration + round.ahead;
    if (seat.index >= count || !draws(fleet, seat.member, 2 * step)) return;
    const u32 place = (place_after(fleet, seat.member, step) + first) % fleet.long_lag;
    u32 *const ring = states_of(fleet, seat.member);
    words_of(fleet, seat.member)[first + seat.index] = lagged_fibonacci(ring, fleet.short_lag, fleet.long_lag, place, seat.index);
}
#elif MT19937
// A block a member.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_words(ROUND)
{
    __shared__ u32 state[TWISTER_PLACES];
    const Fleet &fleet = round.fleet;
    const u32 member = blockIdx.x;
    if (!draws(fleet, member, time_of(round))) return;
    u32 *const kept = states_of(fleet, member), *const words = words_of(fleet, member);
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += blockDim.x) state[k] = kept[k];
    mersenne_twister(state, fleet.topology.beads * WORDS, [words](u64 n, u32 word) { words[n] = word; });
    for (u32 k = threadIdx.x; k < TWISTER_PLACES; k += blockDim.x) kept[k] = state[k];
}
#endif
