// The sum of the pair forces on a bead that a thread computes, in whole numbers of the force unit; and the sum of several threads in
// shared memory, whose bytes are zeros at first.
#pragma once

#include "space.cuh"

#if BOXED
#if DOUBLE
struct SharedPairSum {
    u64 sums[3];

    __device__ __forceinline__ i64 total(u32 axis) const { return static_cast<i64>(sums[axis]); }
};

struct PairSum {
    const BoxSpace &space;
    Space::Sum sum;

    explicit __device__ __forceinline__ PairSum(const BoxSpace &space) : space(space), sum(Space::no_force()) {}
    __device__ __forceinline__ void add(real over_distance, const Vector &apart) { space.add(sum, over_distance, apart, 0); }
    __device__ __forceinline__ Space::Sum total(u32) const { return {sum.x, sum.y, sum.z, NO_BEAD}; }
    __device__ __forceinline__ bool fits() const { return sum.too_large == NO_BEAD; }
    __device__ __forceinline__ bool fits_shared() const { return fits(); }

    __device__ __forceinline__ void add_to(SharedPairSum &shared, u32) const
    {
        atomicAdd(&shared.sums[0], static_cast<u64>(sum.x));
        atomicAdd(&shared.sums[1], static_cast<u64>(sum.y));
        atomicAdd(&shared.sums[2], static_cast<u64>(sum.z));
    }
};
#else
struct SharedPairSum {
    // Multiples of 2²⁰ units, and the rest.
    u32 high[3], low[3];

    __device__ __forceinline__ i64 total(u32 axis) const { return static_cast<i64>(static_cast<int>(high[axis])) * 1048576 + static_cast<int>(low[axis]); }
};

// A component is rounded to a multiple of 2²⁰ units, and the rest to units: together that is the component rounded to units,
// halves to even, since a multiple of 2²⁰ is even. Additions of 1.5 · 2²³ round numbers below 2²²; sums hold the bits of their
// results. A force of 2⁴¹ units or more does not fit, nor one at or beyond the limit, which follows from the system and is lower in
// boxes of millions of beads: lists then tell whether it is an error.
struct PairSum {
    const real units, limit;
    u32 high[3], low[3];
    // The largest sum of a force's components, and not a number if one was not finite.
    float largest, finite;

    explicit __device__ __forceinline__ PairSum(const BoxSpace &space)
        : units(static_cast<real>(space.units)), limit(fminf(space.limit * units, 2199023255552.0f)), high{0, 0, 0}, low{0, 0, 0}, largest(0), finite(0)
    {
    }

    __device__ __forceinline__ void add(real over_distance, const Vector &apart)
    {
        // Exact, since the unit is a power of two.
        const real scaled = over_distance * units;
        const Vector force = apart * scaled;
        add(force.x, 0);
        add(force.y, 1);
        add(force.z, 2);
        largest = fmaxf(largest, fabsf(force.x) + fabsf(force.y) + fabsf(force.z));
        finite = fmaf(scaled, 0.0f, finite);
    }

    __device__ __forceinline__ void add(real component, u32 axis)
    {
        const float rounding = 12582912.0f, many = 1048576.0f;
        const float multiples = fmaf(component, 1.0f / many, rounding);
        const float rest = fmaf(multiples - rounding, -many, component);
        high[axis] += __float_as_uint(multiples);
        low[axis] += __float_as_uint(rest + rounding);
    }

    // The sums hold this for each number that was added.
    static constexpr u32 EACH = 0x4b400000u;

    // Of `count` forces.
    __device__ __forceinline__ Space::Sum total(u32 count) const
    {
        SharedPairSum sum;
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            sum.high[axis] = high[axis] - count * EACH;
            sum.low[axis] = low[axis] - count * EACH;
        }
        return {sum.total(0), sum.total(1), sum.total(2), NO_BEAD};
    }

    __device__ __forceinline__ bool fits() const { return largest < limit && finite == 0; }

    // Whether `MOST_SHARED` such forces fit the sum of several threads.
    __device__ __forceinline__ bool fits_shared() const { return fits() && largest < 1099511627776.0f; }

    // Adds `count` forces to a sum in shared memory.
    __device__ __forceinline__ void add_to(SharedPairSum &shared, u32 count) const
    {
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            atomicAdd(&shared.high[axis], high[axis] - count * EACH);
            atomicAdd(&shared.low[axis], low[axis] - count * EACH);
        }
    }
};
#endif

// The most forces of a sum in shared memory: so many forces below 2⁴⁰ units each are fewer than 2³¹ multiples of 2²⁰ units.
constexpr u32 MOST_SHARED = 2000;
#endif
