// Minimisation by FIRE: `beadwork_cpu`'s minimiser has the same formulas. Its products and sums are always rounded as the host's; forces have the rounding of the program.
#pragma once

#include "space.cuh"

struct Fire {
    static constexpr bool LOOKS_AHEAD = false, HAS_VELOCITIES = true;
};

struct Triple {
    double x, y, z;
};

__device__ __forceinline__ double dot(const Triple &a, const Triple &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// A sum in whole multiples of a power of two, which has no order: `beadwork_cpu`'s whole_sum.rs.
struct WholeScale {
    // All numbers are smaller than 2 to this power; the bits of their count.
    int exponent, bits;

    __device__ __forceinline__ WholeScale(u64 largest, u32 count) : exponent(static_cast<int>(largest >> 52) - 1022), bits(32 - __clz(count)) {}

    // The scale of products of vectors whose squares have these two.
    static __device__ __forceinline__ WholeScale of_products(WholeScale a, const WholeScale &b)
    {
        a.exponent = (a.exponent + b.exponent + 1) >> 1;
        return a;
    }

    __device__ __forceinline__ int places() const { return max(-1022, min(1022, 62 - bits - exponent)); }
    static __device__ __forceinline__ double power_of_two(int power) { return __longlong_as_double(static_cast<i64>(1023 + power) << 52); }
    __device__ __forceinline__ u64 whole(double value) const { return __double2ll_rn(value * power_of_two(places())); }
    __device__ __forceinline__ double value(u64 sum) const { return static_cast<double>(static_cast<i64>(sum)) * power_of_two(-places()); }
};

// Sums over the free beads of a member; of squares of forces also the largest.
struct FireSums {
    double largest_force, power, square_force, square_velocity;
};

// Velocities become the first factor times the velocity plus the second times the force.
struct Factors {
    double of_velocity, of_force;
};

// Å.
constexpr double LONGEST_MOVE = 0.1;

// The control of steps.
struct StepControl {
    double timestep, mixing;
    u32 downhill;

    // Decides on a step, with the published values of f_dec, α_start, N_min, f_inc and f_α.
    __device__ __forceinline__ Factors next(const FireSums &sums)
    {
        const double longest_step = 0.15;
        if (!(sums.power > 0)) {
            downhill = 0;
            timestep *= 0.5;
            mixing = 0.1;
            return {0, 0};
        }
        ++downhill;
        if (downhill > 5) {
            timestep = fmin(timestep * 1.1, longest_step);
            mixing *= 0.99;
        }
        return {1 - mixing, mixing * sqrt(sums.square_velocity / sums.square_force)};
    }
};
