// The pair thermostat in a step: `beadwork_cpu`'s pair_thermal.rs has the same functions.
#pragma once

#include "random/keyed.cuh"
#include "system.cuh"

// The words of beads i < j at a step (`beadwork_random::PairStream`).
__device__ __forceinline__ void pair_words(u32 words[4], u32 key0, u32 key1, u64 step, u32 i, u32 j)
{
#if SARU || SARU_TEA
    Saru stream = micro_stream(key0, key1, step, i, j);
#pragma unroll
    for (u32 k = 0; k < 4; ++k) words[k] = stream.next();
#else
    words[0] = static_cast<u32>(step);
    words[1] = static_cast<u32>(step >> 32);
    words[2] = i;
    words[3] = j;
    philox(words, key0, key1);
#endif
}

// A number of mean 0 and variance 1 from the words of a pair: normal, or uniform in (−√3, √3).
__device__ __forceinline__ real pair_number(const u32 words[4])
{
#if DOUBLE
    const real first = uniform(words[0], words[1]);
    const real root_of_three = 1.7320508075688772;
#else
    const real first = uniform(words[0]);
    const real root_of_three = number(1.7320507764816284);
#endif
#if NORMAL_PAIRS
#if DOUBLE
    const real second = uniform(words[2], words[3]);
#else
    const real second = uniform(words[1]);
#endif
    real normal, dropped;
    box_muller(first, second, normal, dropped);
    return normal;
#else
    return root_of_three * (real(2) * first - real(1));
#endif
}

// A system without a pair thermostat.
struct NoThermostat {
    __device__ __forceinline__ bool add(bool near, real &, const Separation &, u32, const Particle &, const Particle &, u32) const { return near; }
};

// A pair thermostat with the velocities of all beads of a member.
template <typename Formula, typename Velocities> struct PairThermostat {
    // A system of one type keeps its entry in registers.
    PairEntry<Formula> entry;
    const PairEntry<Formula> *table;
    Velocities velocities;
    u32 key0, key1;
    u64 step;
    // √(2 kT/h).
    real size;
    // Whether it acts: not at the beginning of a stage, where the forces are those of the other terms.
    bool acts;

    // Adds to the force over the distance of a bead and its partner if the mask is full; returns whether any term acts.
    __device__ __forceinline__ bool add(bool near, real &over_distance, const Separation &pair, u32 types, const Particle &bead, const Particle &partner, u32 mask) const
    {
        const PairEntry<Formula> here = TYPED ? table[types] : entry;
        if (!acts || !mask || !(pair.r2 < here.square_cutoff)) return near;
        u32 words[4];
        pair_words(words, key0, key1, step, min(bead.bead, partner.bead), max(bead.bead, partner.bead));
        const real approach = dot(pair.apart, velocities[bead.row] - velocities[partner.row]);
        const real noise = here.formula.root_friction * size * pair_number(words);
        const real factor = here.formula.force_over_distance(pair.r2, approach, noise);
        over_distance = near ? over_distance + factor : factor;
        return true;
    }
};

// The thermostat of a member at a step since the run began.
template <typename Formula, typename Velocities>
__device__ __forceinline__ auto thermostat_of(const System &system, const Member &member, const Velocities &velocities, u64 step, bool acts)
{
    if constexpr (HEATED) {
        const PairEntry<Formula> *const table = static_cast<const PairEntry<Formula> *>(system.thermostat);
        return PairThermostat<Formula, Velocities>{*table, table, velocities, member.pair_key0, member.pair_key1, step, member.pair_noise, acts};
    } else {
        return NoThermostat();
    }
}
