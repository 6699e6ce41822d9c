// The graph plan's moves, with a thread for each bead.
#pragma once

#include "graph/step.cuh"
#include "random/generators.cuh"
#include "trajectory.cuh"

// The bead of a thread in the kernels that move beads.
struct GraphBead {
    typedef Vector Value;
    static constexpr bool HAS_FORCES = true;
    static constexpr u32 now = 0, next = 1;

    const GraphBatch &batch;
    const Member &record;
    const u32 member, bead, flags, time;
    const u64 row;
    const real mobility;
    const real4 here;

    __device__ __forceinline__ GraphBead(const GraphStep &step, const Share &share, u32 time)
        : batch(step.batch), record(step.batch.records[share.member]), member(share.member), bead(share.index), flags(record.flags[bead]), time(time),
          row(static_cast<u64>(share.member) * step.batch.system.beads + share.index), mobility(record.mobility), here(step.batch.positions[row])
    {
    }

    template <typename Act> __device__ __forceinline__ void each(Act act) { act(0); }
    __device__ __forceinline__ bool moves(u32) const { return !(flags & FIXED); }
    __device__ __forceinline__ OpenSpace space(u32) const { return {}; }
    __device__ __forceinline__ Vector position(u32) const { return vector_of(here); }
    __device__ __forceinline__ void evaluate(u32, u32, u32) {}

    // The result of the kernels before, plus fields and externals.
    __device__ __forceinline__ Vector force(u32, u32, u32, u32 is_ahead) const
    {
        const u32 first = member * batch.externals_per_member;
        const GlobalPositions positions = {(is_ahead ? batch.ahead : batch.positions) + (row - bead)};
        const Vector force = vector_of(batch.forces[row]);
        typedef TermsOf<typename Terms::Bonded, typename Terms::Pairs, Angles<>, typename Terms::Singles> Others;
        if constexpr (!Others::OUTER) return force;
        // Graphs have no external that a bead may not reach.
        StepError unused = {NO_TIME, NO_TIME, 0};
        return outer_forces<Others>(force, 0, batch.system, batch.externals + first, batch.shares + 3 * first, 1, bead, flags, positions, positions[bead], time, unused);
    }

    __device__ __forceinline__ Vector kick(u32, u32 iteration) const
    {
        if (record.amplitude == 0 || ((HYBRID_TAUS || DRAWN_BY_BEAD) && flags & FIXED)) return {0, 0, 0};
        u32 words[WORDS];
#if HYBRID_TAUS
        const uint4 before = batch.noise_states[row];
        u32 state[4] = {before.x, before.y, before.z, before.w};
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = hybrid_taus(state);
        batch.noise_states[row] = make_uint4(state[0], state[1], state[2], state[3]);
#elif DRAWN_BY_BEAD
        const u32 beads = batch.system.beads;
        u32 *const states = batch.generator_states + member * static_cast<u64>(batch.state_words);
        Generator generator;
        generator.load(states, bead, beads);
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = generator.next();
        generator.store(states, bead, beads);
#elif LAGGED_FIBONACCI || MT19937
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = batch.words[row * WORDS + k];
#else
        keyed_words(words, record.key0, record.key1, record.step + iteration, bead);
#endif
        Vector kick;
        normals(words, kick.x, kick.y, kick.z);
        return kick * record.amplitude;
    }

    __device__ __forceinline__ TypeInertia constants() const { return record.inertia[batch.system.type_of[bead]]; }
    __device__ __forceinline__ Inertia inertia(u32) const
    {
        const TypeInertia of_type = constants();
        return {record.half_step, of_type.half_kick, of_type.drag};
    }
    __device__ __forceinline__ Vector noise(u32, u32 iteration) const { return kick(0, iteration) * constants().noise; }
    __device__ __forceinline__ Vector velocity(u32) const { return vector_of(batch.velocities[row]); }
    __device__ __forceinline__ Vector known_force(u32) const { return vector_of(batch.first_forces[row]); }

    __device__ __forceinline__ void place(u32, const Moving<Vector> &to) const
    {
        batch.positions[row] = row_of(to.position, here.w);
        batch.velocities[row] = row_of(to.velocity, 0);
    }

    __device__ __forceinline__ void know(u32, const Vector &velocity, const Vector &force) const
    {
        batch.velocities[row] = row_of(velocity, 0);
        batch.first_forces[row] = row_of(force, 0);
    }

    // Keeps the forces before all steps, unless the host knew them.
    __device__ __forceinline__ void begin_forces() const
    {
        if (record.forces == nullptr) batch.first_forces[row] = row_of(force(0, now, 0, 0), 0);
    }

    __device__ __forceinline__ void keep(u32, const Acting<Vector> &acting) const
    {
        batch.first_forces[row] = row_of(acting.force, 0);
        batch.kicks[row] = row_of(acting.kick, 0);
    }

    __device__ __forceinline__ Acting<Vector> kept(u32) const
    {
        return {vector_of(batch.first_forces[row]), {0, 0, 0}, vector_of(batch.kicks[row]), mobility};
    }

    __device__ __forceinline__ void move(u32, const Vector &to, const Vector &shift) const
    {
        batch.positions[row] = row_of(to, here.w);
        batch.square_displacements[row] += in_units(shift, record.square_base);
    }

    __device__ __forceinline__ void publish(u32 buffer, u32, const Vector &to) const
    {
        if (Scheme::LOOKS_AHEAD && buffer == next) batch.ahead[row] = row_of(to, here.w);
    }

    // Records the time of the next positions if the list may miss a pair within the cutoff there.
    __device__ __forceinline__ bool went_far(u32, const Vector &to) const
    {
        if constexpr (Terms::Pairs::TERMS > 0) {
            const u32 then = Scheme::LOOKS_AHEAD ? time + 1 : time + 2;
            if (separation(to, vector_of(batch.references[row])).r2 > batch.system.square_shift) batch.progress[member].far = then;
        }
        return false;
    }

    __device__ __forceinline__ bool segment_ends(u32) const { return false; }
    __device__ __forceinline__ void swap() {}
};

// Whether to move a bead in a running member: not if an earlier kernel found an error, since the length of a broken bond is
// computed at the positions of the error.
__device__ __forceinline__ bool is_to_move(const GraphStep &step, const Share &share, u32 time, bool runs)
{
    const GraphBatch &batch = step.batch;
    if (!share.has || !runs) return false;
    if (!is_finite(positions_of(step, share.member)[share.index])) report(batch, share.member, time, NOT_FINITE | share.index);
    return batch.progress[share.member].error >> 32 > time;
}

template <typename Scheme> __device__ __forceinline__ void begin(GraphBead &bead, u32 time)
{
    if constexpr (Scheme::HAS_VELOCITIES) {
        begin_motion<Scheme>(bead, time / 2);
    } else {
        begin_step<Scheme>(bead, time / 2);
    }
}

template <typename Scheme> __device__ __forceinline__ void finish(GraphBead &bead, u32 time)
{
    if constexpr (Scheme::LOOKS_AHEAD) end_step<Scheme>(bead, time / 2);
    if constexpr (Scheme::HAS_VELOCITIES) {
        if (time == 0) {
            bead.begin_forces();
        } else {
            change_velocities<Scheme>(bead, time / 2 - 1);
        }
    }
}

// The step of a bead, or its first part.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_move(STEP)
{
    const Share share = share_of(step.batch.system.beads);
    const u32 time = time_of(step);
    if (!is_to_move(step, share, time, is_running(step.batch, share.member, time))) return;
    GraphBead bead(step, share, time);
    begin<Scheme>(bead, time);
}

// The second part of the step of a bead, after the forces.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_finish(STEP)
{
    const Share share = share_of(step.batch.system.beads);
    const u32 time = time_of(step);
    if (!is_to_move(step, share, time, needs_forces(step.batch, share.member, time))) return;
    GraphBead bead(step, share, time);
    finish<Scheme>(bead, time);
}

// Counts the steps of a graph.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_count(STEP) { *step.batch.iteration += step.ahead; }
