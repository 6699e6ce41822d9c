// A step, and the loop over steps, for any group of threads. A group defines which thread has a bead, how positions are
// read and written, how forces and noise are computed, and how threads wait for each other; `space` returns the axis or axes
// along which a value moves. `HAS_FORCES` is false where nothing acts on any bead.
#pragma once

#include "integrators/acting.cuh"
#include "integrators/inertia.cuh"
#include "space.cuh"
#include "system.cuh"

// The change of a position. Without any force it is the kick alone in every scheme.
template <typename Scheme, bool AHEAD, typename Group> __device__ __forceinline__ typename Group::Value shift_of(const Acting<typename Group::Value> &acting)
{
    if constexpr (!Group::HAS_FORCES) return acting.kick;
    return AHEAD ? Scheme::before(acting) : Scheme::after(acting);
}

// The first part of a step: forces, noise, and the predicted positions. Returns whether this thread found that a
// segment ends or lists must be renewed.
template <typename Scheme, typename Group> __device__ __forceinline__ bool begin_step(Group &group, u32 iteration)
{
    typedef typename Group::Value Value;
    bool event = group.segment_ends(iteration);
    group.evaluate(group.now, iteration, 0);
    group.each([&](u32 own) {
        Acting<Value> acting;
        acting.force = group.force(own, group.now, iteration, 0);
        acting.kick = group.kick(own, iteration);
        acting.mobility = group.mobility;
        const Value shift = group.moves(own) ? shift_of<Scheme, Scheme::LOOKS_AHEAD, Group>(acting) : Value();
        auto space = group.space(own);
        const Value from = group.position(own), to = space.advance(from, shift);
        if constexpr (Space::WRAPS) group.have_moved(own, from, to, space.fits, 2 * iteration + 1, Scheme::LOOKS_AHEAD ? TOO_FAR_BEFORE_FORCES : TOO_FAR_AFTER_FORCES);
        if constexpr (Scheme::LOOKS_AHEAD) {
            group.keep(own, acting);
        } else {
            group.move(own, to, shift);
        }
        group.publish(group.next, own, to);
        event |= group.went_far(own, to);
    });
    if constexpr (!Scheme::LOOKS_AHEAD) group.swap();
    return event;
}

// The second part of a step that looks ahead.
template <typename Scheme, typename Group> __device__ __forceinline__ bool end_step(Group &group, u32 iteration)
{
    typedef typename Group::Value Value;
    bool event = false;
    group.evaluate(group.next, iteration, 1);
    group.each([&](u32 own) {
        Acting<Value> acting = group.kept(own);
        acting.force_ahead = group.force(own, group.next, iteration, 1);
        const Value shift = group.moves(own) ? shift_of<Scheme, false, Group>(acting) : Value();
        auto space = group.space(own);
        const Value from = group.position(own), to = space.advance(from, shift);
        if constexpr (Space::WRAPS) group.have_moved(own, from, to, space.fits, 2 * iteration + 1, TOO_FAR_AFTER_FORCES);
        group.move(own, to, shift);
        group.publish(group.now, own, to);
        event |= group.went_far(own, to);
    });
    return event;
}

// The first part of a step with velocities: beads move by the forces at their positions.
template <typename Scheme, typename Group> __device__ __forceinline__ bool begin_motion(Group &group, u32 iteration)
{
    typedef typename Group::Value Value;
    bool event = group.segment_ends(iteration);
    group.each([&](u32 own) {
        const Value noise = Scheme::NOISE_AFTER ? Value() : group.noise(own, iteration);
        const Moving<Value> from = {group.position(own), group.velocity(own)};
        auto space = group.space(own);
        const Moving<Value> moved = Scheme::before(from, group.known_force(own), noise, group.inertia(own), space);
        const Moving<Value> to = group.moves(own) ? moved : from;
        if constexpr (Space::WRAPS) group.have_moved(own, from.position, to.position, space.fits, 2 * iteration + 2, TOO_FAR_BEFORE_FORCES);
        group.place(own, to);
        group.publish(group.next, own, to.position);
        if constexpr (HEATED) group.publish(group.next + group.velocity_buffers, own, to.velocity);
        event |= group.went_far(own, to.position);
    });
    group.swap();
    return event;
}

// The second part: the forces at the new positions, which are known now, change the velocities.
template <typename Scheme, typename Group> __device__ __forceinline__ void change_velocities(Group &group, u32 iteration)
{
    typedef typename Group::Value Value;
    group.each([&](u32 own) {
        const Value noise = Scheme::NOISE_AFTER ? group.noise(own, iteration) : Value();
        const Value velocity = group.velocity(own), plain = group.force(own, group.now, iteration + 1, 0);
        const Value force = group.moves(own) ? Scheme::with_thermostat(velocity, plain, noise, group.inertia(own)) : plain;
        group.know(own, group.moves(own) ? Scheme::after(velocity, force, group.inertia(own)) : velocity, force);
    });
}

// Whether the quick loop ends where something happened. Most often a bead has only moved too far for the lists, which are renewed then.
template <typename Group> __device__ __forceinline__ bool must_end(Group &group, u32 iteration, bool happens)
{
    if constexpr (!LISTED) return happens;
    return happens && (group.segment_ends(iteration) || group.renew_between(group.now));
}

// A step with velocities; returns whether the quick loop ends. Threads wait for each other between its parts, and once more where lists
// are renewed.
template <typename Scheme, typename Group> __device__ __forceinline__ bool step_with_velocities(Group &group, u32 iteration)
{
    const bool event = begin_motion<Scheme>(group, iteration);
    const bool happens = must_end(group, iteration, group.meet_in_step(event, iteration));
    if (happens && LISTED) {
        group.renew_lists(group.now);
        group.meet_after_lists();
    }
    group.evaluate(group.now, iteration + 1, 0);
    change_velocities<Scheme>(group, iteration);
    if (happens) group.finish_pull();
    return happens;
}

// A step; returns whether the quick loop ends.
template <typename Scheme, typename Group> __device__ __forceinline__ bool step_once(Group &group, u32 iteration)
{
    if constexpr (MINIMISES) {
        return group.minimise(iteration);
    } else if constexpr (Scheme::HAS_VELOCITIES) {
        return step_with_velocities<Scheme>(group, iteration);
    } else {
        bool event = begin_step<Scheme>(group, iteration);
        if constexpr (Scheme::LOOKS_AHEAD) {
            if (group.meet(event)) {
                // Lists must also hold at predicted positions; this event rebuilds them.
                event = true;
                group.renew_lists(group.next);
                group.meet_after_lists();
            }
            event |= end_step<Scheme>(group, iteration);
        }
        return must_end(group, iteration, group.meet_after_step(event, iteration));
    }
}

// Steps all members of the group through all of their segments.
template <typename Scheme, typename Group> __device__ __forceinline__ void trajectory(Group &group)
{
    for (u32 iteration = 0; iteration < group.iterations; ++iteration) {
        // Threads without a bead that no other thread waits for skip to the end of the segment.
        if (group.idles) iteration = group.end - 1;
        for (bool happens = group.idles; !happens; iteration += !happens) happens = step_once<Scheme>(group, iteration);
        const bool ends = group.running && group.ends(iteration);
        if (group.running) group.check(iteration, ends);
        // With velocities, lists are renewed before the forces at the new positions.
        if constexpr (!Scheme::HAS_VELOCITIES) group.renew_lists(group.now);
        group.meet_and_share();
        if (!group.settle(iteration, ends)) break;
    }
}
