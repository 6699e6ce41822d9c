// `beadwork_model::externals::Tip`: a sphere that a cantilever presses on beads.
#pragma once

#include "externals/contact.cuh"
#include "random/keyed.cuh"
#include "system.cuh"

// What a tip has in memory beside its record (`Law::more_parameters`).
struct TipNumbers {
    // The sums of the forces on the tip: those of a window of steps between its moves, of the one before, and of the next one, in
    // turn. Beads add to one while the last one is read, and the third is cleared.
    u64 reaction[3][3];
    // Of its noise: the key, the step of the run at which the stage began, and its place in the stage.
    u64 key, first_step, place;
    // The way of the base when the stage began.
    double base;
    double stiffness, mobility, travel, out, rest, cycles, moves_every, present, along_only, contact_force, unit, limit, amplitude;
};

struct Tip {
    static constexpr bool PULLS = false, REACTS = true;
    double radius;
    Contact contact;

    static __device__ __forceinline__ TipNumbers &numbers(const External &state) { return *reinterpret_cast<TipNumbers *>(state.numbers); }

    static __device__ __forceinline__ double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

    // The force on a bead; beyond the reach it is less than half a unit.
    __device__ __forceinline__ void on_bead(const External &state, u64, u32, const Vector &at, double force[3]) const
    {
        const double *const tip = state.held;
        const double apart[3] = {at.x - tip[0], at.y - tip[1], at.z - tip[2]};
        const double square = dot(apart, apart);
        force[0] = force[1] = force[2] = 0;
        // The square of the reach, beside the state.
        if (square > state.last_centre[2]) return;
        const double distance = sqrt(square);
        const double over_distance = contact.force(distance - radius) / distance;
        for (u32 axis = 0; axis < 3; ++axis) force[axis] = over_distance * apart[axis];
    }

    // How far the base has gone since it began, at a step of the stage.
    static __device__ __forceinline__ double travelled(const TipNumbers &numbers, u64 step)
    {
        u64 out = step;
        if (numbers.out >= 0) {
            const u64 far = static_cast<u64>(numbers.out), turned = far + static_cast<u64>(numbers.rest), cycle = 2 * turned;
            const u64 phase = cycle == 0 ? 0 : step % cycle;
            const bool over = cycle == 0 || step / cycle >= static_cast<u64>(numbers.cycles);
            const u64 back = phase - turned;
            out = over ? 0 : phase < turned ? (phase < far ? phase : far) : back < far ? far - back : 0;
        }
        return numbers.base + static_cast<double>(out) * numbers.travel;
    }

    // The component along an axis of the force of the cantilever on the tip when the base has gone this far.
    static __device__ __forceinline__ double spring(const External &state, const TipNumbers &numbers, double gone, u32 axis)
    {
        const double base = state.origin[axis] + gone * state.direction[axis];
        return numbers.stiffness * (base - state.held[axis]);
    }

    static __device__ __forceinline__ double along(const External &state, u64 step)
    {
        const TipNumbers &of_tip = numbers(state);
        const double gone = travelled(of_tip, step);
        const double force[3] = {spring(state, of_tip, gone, 0), spring(state, of_tip, gone, 1), spring(state, of_tip, gone, 2)};
        return dot(force, state.direction);
    }

    // The window of steps of which a step is one.
    static __device__ __forceinline__ u32 window(const TipNumbers &numbers, u64 step) { return step / static_cast<u64>(numbers.moves_every) % 3; }

    // The sum of a window. Others have added to it, so it is read from where they did.
    static __device__ __forceinline__ double force_of(const TipNumbers &numbers, u32 window, u32 axis)
    {
        return static_cast<double>(static_cast<i64>(__ldcg(&numbers.reaction[window][axis]))) * numbers.unit;
    }

    // Adds the noise of a move at a step: Philox with ten rounds, whatever the generator of the beads.
    static __device__ __forceinline__ void shake(const TipNumbers &numbers, u64 step, double shift[3])
    {
        const u64 now = numbers.first_step + step;
        u32 words[WORDS];
        for (u32 draw = 0; draw < WORDS / 4; ++draw) {
            words[4 * draw] = static_cast<u32>(now);
            words[4 * draw + 1] = static_cast<u32>(now >> 32) | (draw << 16);
            words[4 * draw + 2] = static_cast<u32>(numbers.place);
            words[4 * draw + 3] = 0;
            philox<10>(words + 4 * draw, static_cast<u32>(numbers.key), static_cast<u32>(numbers.key >> 32));
        }
        real x, y, z;
        normals(words, x, y, z);
        shift[0] += numbers.amplitude * static_cast<double>(x);
        shift[1] += numbers.amplitude * static_cast<double>(y);
        shift[2] += numbers.amplitude * static_cast<double>(z);
    }

    // Moves the tip at the end of a window. Returns the length of a move that is too long, in whose place it stays; else 0.
    __device__ __forceinline__ double move(External &state, u64 step) const
    {
        const TipNumbers &of_tip = numbers(state);
        const double steps = of_tip.moves_every;
        const double from = travelled(of_tip, step - static_cast<u64>(steps)), to = travelled(of_tip, step);
        const double seen = of_tip.present != 0 ? to : from;
        const u32 last = (window(of_tip, step) + 2) % 3;
        double shift[3], reaction[3], way[3];
        for (u32 axis = 0; axis < 3; ++axis) {
            reaction[axis] = force_of(of_tip, last, axis);
            shift[axis] = of_tip.mobility * (spring(state, of_tip, seen, axis) + reaction[axis] / steps);
            way[axis] = state.held[axis] - state.origin[axis];
        }
        if (of_tip.amplitude > 0) shake(of_tip, step, shift);
        if (of_tip.along_only != 0) {
            const double along = dot(shift, state.direction);
            for (u32 axis = 0; axis < 3; ++axis) shift[axis] = along * state.direction[axis];
        }
        const double distance = sqrt(dot(shift, shift));
        if (!(distance <= 0.5 * contact.sigma)) return distance;
        const double tip = dot(way, state.direction);
        state.work += of_tip.stiffness * (0.5 * (from + to) - tip) * (to - from);
        // Not a number as long as there was no contact.
        if (!(state.last_centre[0] == state.last_centre[0]) && -dot(reaction, state.direction) / steps > of_tip.contact_force) state.last_centre[0] = tip;
        for (u32 axis = 0; axis < 3; ++axis) state.held[axis] += shift[axis];
        return 0;
    }

    // Brings the tip to a step, where one thread of each block does this; `first` is one of the member's first block.
    __device__ __forceinline__ double renew(External &state, u64 step, bool first) const
    {
        if (state.last_step == step) return 0;
        TipNumbers &of_tip = numbers(state);
        double jump = 0;
        if (step > 0 && step % static_cast<u64>(of_tip.moves_every) == 0) {
            jump = move(state, step);
            // The sum after the next move begins at zero; all have read what it was.
            if (first) {
                u64 *const next = of_tip.reaction[(window(of_tip, step) + 1) % 3];
                next[0] = next[1] = next[2] = 0;
            }
        }
        state.last_step = step;
        // The window of this step, for the beads.
        state.last_centre[1] = window(of_tip, step);
        return jump;
    }

    // Gives the tip the opposite of the force on a bead, and the bead the force as the tip gets it. Not a number if it is beyond
    // all bounds. Other axes than `pushed` stay as they are.
    static __device__ __forceinline__ void react(const External &state, double force[3], u32 pushed)
    {
        TipNumbers &of_tip = numbers(state);
        u64 *const sum = of_tip.reaction[static_cast<u32>(state.last_centre[1])];
        for (u32 axis = 0; axis < 3; ++axis) {
            if (pushed != ALL_AXES && pushed != axis) continue;
            if (!(fabs(force[axis]) < of_tip.limit)) {
                force[axis] = __longlong_as_double(0x7ff8000000000000ll);
                continue;
            }
            const i64 whole = __double2ll_rn(force[axis] / of_tip.unit);
            force[axis] = whole == 0 ? 0.0 : static_cast<double>(whole) * of_tip.unit;
            if (whole != 0) atomicAdd(&sum[axis], static_cast<u64>(-whole));
        }
    }

    // Keeps the sum since the last move with the state, after a step.
    static __device__ __forceinline__ void keep_sum(External &state)
    {
        const TipNumbers &of_tip = numbers(state);
        const u32 now = static_cast<u32>(state.last_centre[1]);
        for (u32 axis = 0; axis < 3; ++axis) state.last_force[axis] = __longlong_as_double(static_cast<i64>(__ldcg(&of_tip.reaction[now][axis])));
    }
};
