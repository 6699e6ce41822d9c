// The published micro-benchmark of dissipative particle dynamics ([5] of the book's page on random numbers, §4.2.2,
// Algorithms 3 and 4): the pair thermostat alone, a kernel for each call, a thread for each bead. Beads do not move, and
// the forces of all calls add up.
//
// A list has the partners of a bead. With HALF_LISTS each pair is in the list of one of its beads, whose thread adds to
// the force of the other bead by atomic operations. Otherwise it is in both lists, and both threads compute its force.

#include "random/generators.cuh"

struct Call {
    // The fourth numbers are for alignment alone.
    const real4 *positions, *velocities;
    // Three components for each bead.
    float *forces;
    u32 *states;
    // Partner k of bead b is at k · beads + b.
    const u32 *lengths, *partners;
    // A word for each listed partner, at the partner's place.
    u32 *words;
    u64 step;
    u32 key0, key1, beads;
    // γ and √3 √(2 kT γ/Δt); the cutoff is the unit of length.
    float friction, amplitude;
    u32 padding;
};

// The struct of the host has the same size (`src/kernels/pair_streams.rs`).
static_assert(sizeof(Call) == 88, "Call");

#define CALL const __grid_constant__ Call call
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)

// Passes the place in the list, the partner and the random word of each listed pair of a bead to `use`.
template <typename Use> __device__ __forceinline__ void each_partner(const Call &call, u32 bead, Use use)
{
    Generator generator;
    generator.load(call.states, bead, call.beads);
    const u32 length = call.lengths[bead];
    for (u32 k = 0; k < length; ++k) {
        const u64 place = static_cast<u64>(k) * call.beads + bead;
        const u32 partner = call.partners[place];
        generator.begin_pair(call.key0, call.key1, call.step, min(bead, partner), max(bead, partner));
        use(place, partner, generator.next());
    }
    generator.store(call.states, bead, call.beads);
}

// For the comparison with the host.
KERNEL beadwork_pair_stream_words(CALL)
{
    const u32 bead = blockIdx.x * blockDim.x + threadIdx.x;
    if (bead >= call.beads) return;
    each_partner(call, bead, [&](u64 place, u32, u32 word) { call.words[place] = word; });
}

KERNEL beadwork_pair_stream_forces(CALL)
{
    const u32 bead = blockIdx.x * blockDim.x + threadIdx.x;
    if (bead >= call.beads) return;
    const real4 at = call.positions[bead], moves = call.velocities[bead];
    float *const forces = call.forces + 3ull * bead;
    float sum[3] = {0, 0, 0};
#if !HALF_LISTS
    for (u32 axis = 0; axis < 3; ++axis) sum[axis] = forces[axis];
#endif
    each_partner(call, bead, [&](u64, u32 partner, u32 word) {
        const real4 there = __ldg(call.positions + partner), moving = __ldg(call.velocities + partner);
        const float apart[3] = {at.x - there.x, at.y - there.y, at.z - there.z};
        const float approach[3] = {moves.x - moving.x, moves.y - moving.y, moves.z - moving.z};
        const float r2 = multiply_add(apart[2], apart[2], multiply_add(apart[1], apart[1], apart[0] * apart[0]));
        const float along = multiply_add(apart[2], approach[2], multiply_add(apart[1], approach[1], apart[0] * approach[0]));
        const float r = root(r2), inverse = reciprocal(r), weight = r < 1.0f ? 1.0f - r : 0.0f;
        const float u = uniform(word);
        // A uniform number in (−1, 1), without rounding.
        const float noise = call.amplitude * (u + (u - 1.0f));
        const float factor = -weight * inverse * multiply_add(call.friction * weight, along * inverse, noise);
        for (u32 axis = 0; axis < 3; ++axis) {
            const float force = factor * apart[axis];
            sum[axis] += force;
#if HALF_LISTS
            atomicAdd(call.forces + 3ull * partner + axis, -force);
#endif
        }
    });
    for (u32 axis = 0; axis < 3; ++axis) {
#if HALF_LISTS
        atomicAdd(forces + axis, sum[axis]);
#else
        forces[axis] = sum[axis];
#endif
    }
}
