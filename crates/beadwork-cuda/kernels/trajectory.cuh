// A step, and the loop over steps, for any group of threads. A group defines which thread has a bead, how positions are
// read and written, how forces and noise are computed, and how threads wait for each other. `HAS_FORCES` is false where
// nothing acts on any bead.

// The change of a position. Without any force it is the kick alone in every scheme.
template <typename Scheme, bool AHEAD, typename Group> __device__ __forceinline__ typename Group::Value shift_of(const Acting<typename Group::Value> &acting)
{
    if constexpr (!Group::HAS_FORCES) return acting.kick;
    return AHEAD ? Scheme::before(acting) : Scheme::after(acting);
}

// The first part of a step: forces, noise, and the predicted positions. Returns whether this thread found a reason to
// end the quick loop over steps.
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
        const Value to = group.position(own) + shift;
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
        const Value to = group.position(own) + shift;
        group.move(own, to, shift);
        group.publish(group.now, own, to);
        event |= group.went_far(own, to);
    });
    return event;
}

// Steps all members of the group through all of their segments.
template <typename Scheme, typename Group> __device__ __forceinline__ void trajectory(Group &group)
{
    for (u32 iteration = 0; iteration < group.iterations; ++iteration) {
        // Threads without a bead that no other thread waits for skip to the end of the segment.
        if (group.idles) iteration = group.end - 1;
        for (bool happens = group.idles; !happens; iteration += !happens) {
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
            happens = group.meet_after_step(event, iteration);
        }
        const bool ends = group.running && group.ends(iteration);
        if (group.running) group.check(iteration, ends);
        group.renew_lists(group.now);
        group.meet_and_share();
        if (!group.settle(iteration, ends)) break;
    }
}
