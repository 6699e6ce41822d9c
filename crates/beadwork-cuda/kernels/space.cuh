// Space: where the nearest image of a bead is, how beads move, and how forces on a bead add up. The files of
// `beadwork-cpu/src/space/` have the same functions.
#pragma once

#include "geometry.cuh"

typedef long long i64;

// Space without a boundary, where sums have an order.
struct OpenSpace {
    // Whether coordinates wrap around. Then every position is a point, but moves can be too long and forces too large.
    static constexpr bool WRAPS = false;
    // The sums of a bead where a thread has all of them: partner j adds to number j mod this.
    static constexpr u32 SUMS = 4;
    static constexpr bool fits = true;
    typedef Vector Sum;

    static __device__ __forceinline__ Sum no_force() { return {0, 0, 0}; }
    static __device__ __forceinline__ Vector apart(const Vector &a, const Vector &b) { return a - b; }

    // The vector from bead b to bead a, and the square of the distance.
    static __device__ __forceinline__ Separation separation(const Vector &a, const Vector &b, bool) { return ::separation(a, b); }

    // Adds a force that lies along a separation.
    static __device__ __forceinline__ void add(Sum &sum, real over_distance, const Vector &apart, u32) { add_force(sum, over_distance, apart); }

    // The force of a sum, or one component of both.
    template <typename Value> static __device__ __forceinline__ Value total(const Value &sum) { return sum; }

    // The force of all sums of a bead.
    static __device__ __forceinline__ Vector total(const Sum (&sums)[SUMS]) { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }

    // A position after a displacement, and after a time at a velocity.
    template <typename Value> static __device__ __forceinline__ Value advance(const Value &from, const Value &shift) { return from + shift; }
    template <typename Value> static __device__ __forceinline__ Value drift(const Value &from, const Value &velocity, real time)
    {
        return multiply_add(velocity, time, from);
    }

    // The same space for all three axes or for one.
    static __device__ __forceinline__ OpenSpace axis(u32) { return {}; }
    static __device__ __forceinline__ OpenSpace axes() { return {}; }
    static __device__ __forceinline__ real apart(real a, real b) { return a - b; }
};

// The bits of a coordinate in a box, a signed number of 2⁻ⁿ sides: sums and differences wrap around.
#if DOUBLE
typedef u64 Bits;
__device__ __forceinline__ Bits bits_of(real coordinate) { return __double_as_longlong(coordinate); }
__device__ __forceinline__ real of_bits(Bits bits) { return __longlong_as_double(bits); }
__device__ __forceinline__ i64 as_signed(Bits bits) { return static_cast<i64>(bits); }
__device__ __forceinline__ Bits rounded(real number) { return __double2ll_rn(number); }
#else
typedef u32 Bits;
__device__ __forceinline__ Bits bits_of(real coordinate) { return __float_as_uint(coordinate); }
__device__ __forceinline__ real of_bits(Bits bits) { return __uint_as_float(bits); }
__device__ __forceinline__ int as_signed(Bits bits) { return static_cast<int>(bits); }
__device__ __forceinline__ Bits rounded(real number) { return __float2int_rn(number); }
#endif

// The whole sides that a bead crosses in a move shorter than half a side, along an axis.
__device__ __forceinline__ int crossed(real from, real to)
{
    const auto begin = as_signed(bits_of(from)), end = as_signed(bits_of(to)), shift = as_signed(bits_of(to) - bits_of(from));
    if (((begin ^ end) & (shift ^ end)) >= 0) return 0;
    return shift > 0 ? 1 : -1;
}

// One axis of a box: the length of a part of the side, the parts of a unit of length, and the parts of a quarter of the side.
struct BoxAxis {
    real part, parts, quarter;
    // Whether all moves were short enough to be told from their images.
    bool fits;

    __device__ __forceinline__ real apart(real a, real b) const { return static_cast<real>(as_signed(bits_of(a) - bits_of(b))) * part; }

    // The opposite of `apart(b, a)` if not `in_order`: that is `apart(a, b)`, but for beads exactly half a side apart.
    __device__ __forceinline__ real apart(real a, real b, bool in_order) const
    {
        const Bits half = Bits(1) << (8 * sizeof(Bits) - 1);
        const real forward = apart(a, b);
        return !in_order && bits_of(a) - bits_of(b) == half ? -forward : forward;
    }

    __device__ __forceinline__ real advance(real from, real shift)
    {
        const real moved = shift * parts;
        fits = fits && fabs(moved) < quarter;
        return of_bits(bits_of(from) + rounded(moved));
    }

    __device__ __forceinline__ real drift(real from, real velocity, real time) { return advance(from, velocity * time); }
};

// Three axes of a box, for a thread that moves beads along all of them.
struct BoxAxes {
    BoxAxis x, y, z;
    bool fits;

    __device__ __forceinline__ Vector advance(const Vector &from, const Vector &shift)
    {
        const Vector to = {x.advance(from.x, shift.x), y.advance(from.y, shift.y), z.advance(from.z, shift.z)};
        fits = x.fits && y.fits && z.fits;
        return to;
    }

    __device__ __forceinline__ Vector drift(const Vector &from, const Vector &velocity, real time) { return advance(from, velocity * time); }
};

// No bead.
constexpr u32 NO_BEAD = 0xffffffffu;

// A sum of forces in whole numbers of the force unit, which has no order; and the lowest bead of a force that is beyond its range.
struct WholeSum {
    i64 x, y, z;
    u32 too_large;
};

// A periodic box. The host has the same layout (`src/batch/records.rs`).
struct BoxSpace {
    static constexpr bool WRAPS = true;
    static constexpr u32 SUMS = 1;
    typedef WholeSum Sum;

    // For each side, the length of a part of it; the parts of a unit of length; and the parts of a quarter of a side.
    Vector part, parts;
    // Forces at or beyond the limit are errors.
    real quarter, limit;
    double unit, units;

    static __device__ __forceinline__ Sum no_force() { return {0, 0, 0, NO_BEAD}; }

    __device__ __forceinline__ BoxAxis axis(u32 k) const { return {component(part, k), component(parts, k), quarter, true}; }
    __device__ __forceinline__ BoxAxes axes() const { return {axis(0), axis(1), axis(2), true}; }

    __device__ __forceinline__ Vector apart(const Vector &a, const Vector &b) const
    {
        return {axis(0).apart(a.x, b.x), axis(1).apart(a.y, b.y), axis(2).apart(a.z, b.z)};
    }

    // With `in_order` false the exact opposite of the vector from a to b.
    __device__ __forceinline__ Separation separation(const Vector &a, const Vector &b, bool in_order) const
    {
        const Vector apart = {axis(0).apart(a.x, b.x, in_order), axis(1).apart(a.y, b.y, in_order), axis(2).apart(a.z, b.z, in_order)};
        return {apart, dot(apart, apart)};
    }

    // A component as a whole number of units, halves to even: a double below 2⁵¹ that is added to 1.5 · 2⁵² is rounded so.
    __device__ __forceinline__ i64 whole(real component) const
    {
        const double rounding = 6755399441055744.0;
        // The product is exact, since the unit is a power of two.
        return __double_as_longlong(fma(static_cast<double>(component), units, rounding)) - __double_as_longlong(rounding);
    }

    __device__ __forceinline__ bool counts(const Vector &force) const { return fabs(force.x) < limit && fabs(force.y) < limit && fabs(force.z) < limit; }

    // Adds a force of which `lowest` is the lowest bead.
    __device__ __forceinline__ void add(Sum &sum, const Vector &force, u32 lowest) const
    {
        sum.x += whole(force.x);
        sum.y += whole(force.y);
        sum.z += whole(force.z);
        if (!counts(force)) sum.too_large = min(sum.too_large, lowest);
    }

    __device__ __forceinline__ void add(Sum &sum, real over_distance, const Vector &apart, u32 lowest) const { add(sum, apart * over_distance, lowest); }

    // Adds the opposite of two forces, each rounded by itself.
    __device__ __forceinline__ void subtract(Sum &sum, const Vector &a, const Vector &b, u32 lowest) const
    {
        sum.x -= whole(a.x) + whole(b.x);
        sum.y -= whole(a.y) + whole(b.y);
        sum.z -= whole(a.z) + whole(b.z);
        if (!counts(a) || !counts(b)) sum.too_large = min(sum.too_large, lowest);
    }

    __device__ __forceinline__ real total(i64 sum) const { return static_cast<real>(static_cast<double>(sum) * unit); }
    __device__ __forceinline__ Vector total(const Sum &sum) const { return {total(sum.x), total(sum.y), total(sum.z)}; }
    __device__ __forceinline__ Vector total(const Sum (&sums)[SUMS]) const { return total(sums[0]); }
};

#if BOXED
typedef BoxSpace Space;
#else
typedef OpenSpace Space;
#endif
