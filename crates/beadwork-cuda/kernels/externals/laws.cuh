// What acts from outside, in f64 and in the order of `beadwork_cpu`'s externals; no operation is fused.
//
// A law has a file of its own, and a struct whose numbers are those of `Law::parameters`. One that pulls acts on the centre of its
// beads, which share its force equally. All others act on each bead by itself; one that reacts is pushed back, and moves.
#pragma once

#include "externals/force.cuh"
#include "externals/force_ramp.cuh"
#include "externals/restrain.cuh"
#include "externals/spring.cuh"
#include "externals/surface.cuh"
#include "externals/tip.cuh"

// The type of a law that a function gets by reference.
template <typename Reference> struct LawOf;
template <typename Law> struct LawOf<const Law &> {
    typedef Law Type;
};

template <typename... All> struct LawsOf {
    template <u32 NUMBER, typename Act> static __device__ __forceinline__ void visit_from(const External &, Act) {}
    template <u32 NUMBER, typename Act, typename First, typename... Others>
    static __device__ __forceinline__ void visit_from(const External &external, Act act)
    {
        static_assert(sizeof(First) <= sizeof external.parameters, "the numbers of a law");
        if (external.kind == NUMBER) act(reinterpret_cast<const First &>(external.parameters));
        if constexpr (sizeof...(Others) > 0) visit_from<NUMBER + 1, Act, Others...>(external, act);
    }

    // Calls `act` with the law of an external.
    template <typename Act> static __device__ __forceinline__ void visit(const External &external, Act act) { visit_from<0, Act, All...>(external, act); }

    // Calls `act` with the law of an external that pulls, or of one that does not.
    template <bool PULLS, typename Act> static __device__ __forceinline__ void visit_if(const External &external, Act act)
    {
        visit(external, [&](const auto &law) {
            if constexpr (LawOf<decltype(law)>::Type::PULLS == PULLS) act(law);
        });
    }

    static __device__ __forceinline__ bool pulls(const External &external)
    {
        bool found = false;
        visit_if<true>(external, [&](const auto &) { found = true; });
        return found;
    }

    // Whether an external that pulls holds its force over several steps, and whether it renews it at a step.
    static __device__ __forceinline__ bool holds(const External &external)
    {
        bool found = false;
        visit_if<true>(external, [&](const auto &law) { found = law.holds(); });
        return found;
    }

    static __device__ __forceinline__ bool renews(const External &external, u64 step)
    {
        bool found = true;
        visit_if<true>(external, [&](const auto &law) { found = law.renews(step); });
        return found;
    }

    // The component along an axis of the force on the centre of its beads.
    static __device__ __forceinline__ double pull(const External &external, u32 axis, double step, double centre)
    {
        double force = 0;
        visit_if<true>(external, [&](const auto &law) { force = law.pull(external, axis, step, centre); });
        return force;
    }

    // The component along an axis of the force on a bead of an external that does not pull; not a number where the bead cannot be.
    static __device__ __forceinline__ double on_bead(const External &external, u32 bead, const Vector &at, u32 axis)
    {
        double force = 0;
        visit_if<false>(external, [&](const auto &law) {
            force = law.on_bead(external, bead, at, axis);
            if constexpr (LawOf<decltype(law)>::Type::REACTS) force = law.react(external, force, axis);
        });
        return force;
    }

    // Calls `act` with the law of an external that reacts.
    template <typename Act> static __device__ __forceinline__ void visit_reacting(const External &external, Act act)
    {
        visit(external, [&](const auto &law) {
            if constexpr (LawOf<decltype(law)>::Type::REACTS) act(law);
        });
    }

    static __device__ __forceinline__ bool reacts(const External &external)
    {
        bool found = false;
        visit_reacting(external, [&](const auto &) { found = true; });
        return found;
    }

    // Brings an external that reacts to a step; returns the length of a move that is too long, else 0.
    static __device__ __forceinline__ double renew(External &external, u64 step, bool first)
    {
        double jump = 0;
        visit_reacting(external, [&](const auto &law) { jump = law.renew(external, step, first); });
        return jump;
    }

    // The force along its direction of an external that reacts.
    static __device__ __forceinline__ double along(const External &external, u64 step)
    {
        double force = 0;
        visit_reacting(external, [&](const auto &law) { force = law.along(external, step); });
        return force;
    }

    // The record of an external as a sample has it.
    static __device__ __forceinline__ External sampled(const External &external)
    {
        External record = external;
        visit_reacting(external, [&](const auto &law) { law.keep_sum(record); });
        return record;
    }
};

// All laws, in the order of the list in `beadwork_model`.
typedef LawsOf<Spring, Force, ForceRamp, Restrain, Tip, Surface> Laws;
