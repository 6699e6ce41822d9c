// The published micro-benchmark of Brownian dynamics ([5] of the book's page on random numbers, §4.2.1, Algorithms 1
// and 2). Each step is a kernel: it loads the force and the velocity of a particle, adds the Langevin force to the
// force, updates the velocity, and writes both.

#include "random/generators.cuh"

struct Round {
    // Three components for each particle.
    float *velocities, *forces;
    u32 *states;
    u64 step;
    u32 key0, key1, particles;
    // −γ, √3 √(2 kT γ/Δt) and Δt/m.
    float friction, amplitude, mobility;
};

// The struct of the host has the same size (`src/kernels/micro_streams.rs`).
static_assert(sizeof(Round) == 56, "Round");

#define ROUND const __grid_constant__ Round round

extern "C" __global__ void __launch_bounds__(THREADS) beadwork_micro_stream(ROUND)
{
    const u32 particle = blockIdx.x * blockDim.x + threadIdx.x;
    if (particle >= round.particles) return;
    float *const velocities = round.velocities + 3ull * particle, *const forces = round.forces + 3ull * particle;
    float v[3], f[3];
    for (u32 axis = 0; axis < 3; ++axis) v[axis] = velocities[axis];
    for (u32 axis = 0; axis < 3; ++axis) f[axis] = forces[axis];
    Generator generator;
    generator.load(round.states, particle, round.particles);
    generator.begin(round.key0, round.key1, round.step, particle);
    for (u32 axis = 0; axis < 3; ++axis) {
        const float u = uniform(generator.next());
        // A uniform number in (−1, 1), without rounding.
        f[axis] += v[axis] * round.friction + (u + (u - 1.0f)) * round.amplitude;
        v[axis] += f[axis] * round.mobility;
    }
    generator.store(round.states, particle, round.particles);
    for (u32 axis = 0; axis < 3; ++axis) velocities[axis] = v[axis];
    for (u32 axis = 0; axis < 3; ++axis) forces[axis] = f[axis];
}
