// What acts from outside, in f64 and in the order of `beadwork_cpu`'s externals; no operation is fused.
//
// A law has a file of its own, and a struct whose numbers are those of `Law::parameters`. One that pulls acts on the centre of its
// beads, which share its force equally. All others act on each bead by itself, at a step of the stage, by which one may move; one that
// reacts is pushed back, and keeps where that has brought it in its record.
#pragma once

#include "externals/cantilever.cuh"
#include "externals/force.cuh"
#include "externals/force_ramp.cuh"
#include "externals/restrain.cuh"
#include "externals/spring.cuh"
#include "externals/surface.cuh"
#include "externals/tip.cuh"

// The laws from a place in their list on; none of them.
template <u32 NUMBER, typename... All> struct LawsFrom {
    static __device__ __forceinline__ bool pulls(const External &) { return false; }
    static __device__ __forceinline__ bool reacts(const External &) { return false; }
    static __device__ __forceinline__ bool holds(const External &) { return false; }
    static __device__ __forceinline__ bool renews(const External &, u64) { return true; }
    static __device__ __forceinline__ double pull(const External &, u32, double, double) { return 0; }
    static __device__ __forceinline__ void on_bead(const External &, u64, u32, const Vector &, double force[3], u32) { force[0] = force[1] = force[2] = 0; }
    static __device__ __forceinline__ double renew(External &, u64, bool) { return 0; }
    static __device__ __forceinline__ double along(const External &, u64) { return 0; }
    static __device__ __forceinline__ void keep_sum(External &) {}
};

template <u32 NUMBER, typename Law, typename... Others> struct LawsFrom<NUMBER, Law, Others...> {
    typedef LawsFrom<NUMBER + 1, Others...> Next;
    static_assert(sizeof(Law) <= sizeof(External::parameters), "the numbers of a law");

    static __device__ __forceinline__ bool is(const External &external) { return external.kind == NUMBER; }
    static __device__ __forceinline__ const Law &law(const External &external) { return reinterpret_cast<const Law &>(external.parameters); }

    static __device__ __forceinline__ bool pulls(const External &external) { return is(external) ? Law::PULLS : Next::pulls(external); }
    static __device__ __forceinline__ bool reacts(const External &external) { return is(external) ? Law::REACTS : Next::reacts(external); }

    // Whether an external that pulls holds its force over several steps, and whether it renews it at a step.
    static __device__ __forceinline__ bool holds(const External &external)
    {
        if constexpr (Law::PULLS) {
            if (is(external)) return law(external).holds();
        }
        return Next::holds(external);
    }

    static __device__ __forceinline__ bool renews(const External &external, u64 step)
    {
        if constexpr (Law::PULLS) {
            if (is(external)) return law(external).renews(step);
        }
        return Next::renews(external, step);
    }

    // The component along an axis of the force on the centre of its beads.
    static __device__ __forceinline__ double pull(const External &external, u32 axis, double step, double centre)
    {
        if constexpr (Law::PULLS) {
            if (is(external)) return law(external).pull(external, axis, step, centre);
        }
        return Next::pull(external, axis, step, centre);
    }

    // The force on a bead, at a step, of an external that does not pull; not a number where the bead cannot be.
    // A law that is pushed back is so along the axis `pushed`.
    static __device__ __forceinline__ void on_bead(const External &external, u64 step, u32 bead, const Vector &at, double force[3], u32 pushed)
    {
        if constexpr (!Law::PULLS) {
            if (is(external)) {
                law(external).on_bead(external, step, bead, at, force);
                if constexpr (Law::REACTS) Cantilever::react(external, force, pushed);
                return;
            }
        }
        Next::on_bead(external, step, bead, at, force, pushed);
    }

    // Brings an external that reacts to a step; returns the length of a move that is too long, else 0.
    static __device__ __forceinline__ double renew(External &external, u64 step, bool first)
    {
        if constexpr (Law::REACTS) {
            if (is(external)) return Cantilever::renew(external, step, first, law(external).contact.sigma);
        }
        return Next::renew(external, step, first);
    }

    // The force along its direction of an external that reacts.
    static __device__ __forceinline__ double along(const External &external, u64 step)
    {
        if constexpr (Law::REACTS) {
            if (is(external)) return Cantilever::along(external, step);
        }
        return Next::along(external, step);
    }

    static __device__ __forceinline__ void keep_sum(External &external)
    {
        if constexpr (Law::REACTS) {
            if (is(external)) Cantilever::keep_sum(external);
        }
        Next::keep_sum(external);
    }

    // The record of an external as a sample has it.
    static __device__ __forceinline__ External sampled(const External &external)
    {
        External record = external;
        keep_sum(record);
        return record;
    }
};

// The laws of a program, in the order of the list in `beadwork_model`. Those that press on beads take registers, so programs without
// them leave them out.
#if PRESSED
typedef LawsFrom<0, Spring, Force, ForceRamp, Restrain, Tip, Surface> Laws;
#else
typedef LawsFrom<0, Spring, Force, ForceRamp, Restrain> Laws;
#endif
