// The independent plan, for beads on which only fields act: a thread has a bead for the steps of a launch, and keeps
// all its data in registers. No thread waits for another.
//
// The sums of samples are added to those since the last row, which the host wrote there. An outcome's `step` is the
// order (`StepError`) of the first bead that was not finite; the host converts it to an outcome.
#pragma once

#include "forces.cuh"
#include "random/filled.cuh"
#include "random/generators.cuh"
#include "chosen.cuh"
#include "trajectory.cuh"

template <typename Terms> struct Single {
    typedef Vector Value;
    static constexpr u32 now = 0, next = 1;
    static constexpr bool HAS_FORCES = Terms::Singles::TERMS > 0;

    const System &system;
    const Member &member;
    const u32 bead;
    typename KeptOf<typename Terms::Singles>::Kept fields;
    // The position of the bead, and the predicted one.
    Vector at, there;
    Acting<Vector> first;
    const real mobility, amplitude, square_base;
    const u32 key0, key1;
    const u64 first_step;
    Generator generator;
    u64 square_displacements;

    __device__ __forceinline__ Single(const Member &member, u32 bead)
        : system(*member.system), member(member), bead(bead), at{member.positions[3 * bead], member.positions[3 * bead + 1], member.positions[3 * bead + 2]},
          there{0, 0, 0}, mobility(member.mobility), amplitude(member.amplitude), square_base(member.square_base), key0(member.key0),
          key1(member.key1), first_step(member.step), square_displacements(0)
    {
        fields.find(system, bead);
        generator.load(member.noise_states, bead, system.beads);
    }

    template <typename Act> __device__ __forceinline__ void each(Act act) { act(0); }
    __device__ __forceinline__ bool moves(u32) const { return true; }
    __device__ __forceinline__ OpenSpace space(u32) const { return {}; }
    __device__ __forceinline__ Vector position(u32) const { return at; }
    __device__ __forceinline__ void evaluate(u32, u32, u32) {}

    __device__ __forceinline__ Vector force(u32, u32, u32, u32 ahead) const
    {
        Vector force = {0, 0, 0};
        fields.add(system, ahead ? there : at, force);
        return force;
    }

    __device__ __forceinline__ Vector kick(u32, u32 iteration)
    {
        if (amplitude == 0) return {0, 0, 0};
        u32 words[WORDS];
#if FILLED
        filled_words(words, member, system.beads, iteration, bead);
#else
        generator.begin(key0, key1, first_step + iteration, bead);
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = generator.next();
#endif
        Vector kick;
        normals(words, kick.x, kick.y, kick.z);
        return kick * amplitude;
    }

    __device__ __forceinline__ void keep(u32, const Acting<Vector> &acting) { first = acting; }
    __device__ __forceinline__ Acting<Vector> kept(u32) const { return first; }

    __device__ __forceinline__ void move(u32, const Vector &to, const Vector &shift)
    {
        at = to;
        square_displacements += in_units(shift, square_base);
    }

    __device__ __forceinline__ void publish(u32 buffer, u32, const Vector &to)
    {
        if (buffer == next) there = to;
    }

    __device__ __forceinline__ bool went_far(u32, const Vector &) const { return false; }
    __device__ __forceinline__ bool segment_ends(u32) const { return false; }
    __device__ __forceinline__ void swap() {}

    __device__ __forceinline__ void step(u32 iteration)
    {
        begin_step<Scheme>(*this, iteration);
        if constexpr (Scheme::LOOKS_AHEAD) end_step<Scheme>(*this, iteration);
    }
};

// The time (`StepError`) at which a bead was first not finite, found by making the steps of a segment again. A generator whose
// table a thread has once (Ran2) draws wrong words afterwards, for samples that are behind the error and not used.
template <typename Terms> __device__ __noinline__ u32 time_of_error(const Member &member, u32 bead, u32 steps)
{
    Single<Terms> again(member, bead);
    for (u32 k = 0; k < steps; ++k) {
        if (!is_finite(again.at)) return 2 * k;
        again.step(k);
        if (Scheme::LOOKS_AHEAD && !is_finite(again.there)) return 2 * k + 1;
    }
    return 2 * steps;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_beads(const __grid_constant__ Launch launch)
{
    // All members of a launch have the same number of beads.
    const u32 beads = launch.members[0].system->beads;
    const u32 blocks = (beads + THREADS - 1) / THREADS;
    const Member &member = launch.members[blockIdx.x / blocks];
    Outcome &outcome = launch.outcomes[blockIdx.x / blocks];
    const u32 index = blockIdx.x % blocks * THREADS + threadIdx.x;
    const bool has = index < beads;
    // A thread beyond the last bead does not move.
    const u32 number = has ? index : 0;
    Single<Terms> bead(member, number);
    const bool moves = has && !(member.flags[number] & FIXED);
    u32 iteration = 0, made = 0;
    bool reported = false;
    for (u32 segment = 0; segment < member.segments; ++segment) {
        const Segment now = launch.segments[member.first_segment + segment];
        made += now.steps;
        if (moves) {
#pragma unroll 2
            for (; iteration < made; ++iteration) bead.step(iteration);
        }
        if (has) {
            if (!reported && !is_finite(bead.at)) {
                reported = true;
                const u32 time = time_of_error<Terms>(member, number, made);
                atomicMin(&outcome.step, static_cast<u64>(time) << 32 | NOT_FINITE | number);
            }
            const u64 row = static_cast<u64>(segment) * beads;
            real *const to = member.sample_positions + 3 * (row + number);
            to[0] = bead.at.x;
            to[1] = bead.at.y;
            to[2] = bead.at.z;
            bead.generator.store(member.sample_noise_states + row * Generator::STATE_WORDS, number, beads);
        }
        u64 sum = bead.square_displacements;
        for (u32 apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
        if (threadIdx.x % 32 == 0) atomicAdd(&launch.sample_sums[member.first_sample + segment].square_displacements, sum);
        if (now.row) bead.square_displacements = 0;
    }
}
