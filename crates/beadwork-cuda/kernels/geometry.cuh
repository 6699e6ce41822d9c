// Vectors of space, and separations of two beads.
#pragma once

#include "arithmetic.cuh"

// What the energy of a pair counts as (`beadwork_model::potentials::EnergyKind`).
enum class EnergyKind : u32 { BOND, CONTACT, PAIR, CHARGE };

struct Vector {
    real x, y, z;
};

__device__ __forceinline__ Vector operator+(const Vector &a, const Vector &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ __forceinline__ Vector operator-(const Vector &a, const Vector &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ __forceinline__ Vector operator*(const Vector &a, real factor) { return {a.x * factor, a.y * factor, a.z * factor}; }

__device__ __forceinline__ real dot(const Vector &a, const Vector &b)
{
    return multiply_add(a.z, b.z, multiply_add(a.y, b.y, a.x * b.x));
}

__device__ __forceinline__ Vector multiply_add(const Vector &a, real factor, const Vector &b)
{
    return {multiply_add(a.x, factor, b.x), multiply_add(a.y, factor, b.y), multiply_add(a.z, factor, b.z)};
}

__device__ __forceinline__ bool is_finite(const Vector &a) { return is_finite(a.x) && is_finite(a.y) && is_finite(a.z); }

// The component along an axis.
__device__ __forceinline__ real component(const Vector &a, u32 axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

// The vector from bead b to bead a, and the square of the distance.
struct Separation {
    Vector apart;
    real r2;
};

// The same in open space.
__device__ __forceinline__ Separation separation(const Vector &a, const Vector &b)
{
    const Vector apart = a - b;
    return {apart, dot(apart, apart)};
}

// Adds a force that lies along a separation.
__device__ __forceinline__ void add_force(Vector &sum, real over_distance, const Vector &apart)
{
    sum.x = multiply_add(over_distance, apart.x, sum.x);
    sum.y = multiply_add(over_distance, apart.y, sum.y);
    sum.z = multiply_add(over_distance, apart.z, sum.z);
}

// A position, the type of its bead, the bead, and its row among velocities.
struct Particle {
    Vector at;
    u32 type, bead, row;
};
