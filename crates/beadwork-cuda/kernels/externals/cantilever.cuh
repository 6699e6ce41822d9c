// `beadwork_model::externals::Cantilever`: what presses something on beads, and is pushed back. Where that is stands in `held`.
#pragma once

#include "random/keyed.cuh"
#include "system.cuh"

// What a cantilever has in memory beside its record (`Law::more_parameters`).
struct CantileverNumbers {
    // The sums of the forces on what it presses: those of a window of steps between its moves, of the one before, and of the next
    // one, in turn. Beads add to one while the last one is read, and the third is cleared.
    u64 reaction[3][3];
    // Of its noise: the key, the step of the run at which the stage began, and its place in the stage.
    u64 key, first_step, place;
    // The way of the base when the stage began.
    double base;
    double stiffness, mobility, travel, out, rest, cycles, moves_every, present, along_only, contact_force, unit, limit, amplitude;
};

struct Cantilever {
    static __device__ __forceinline__ CantileverNumbers &numbers(const External &state) { return *reinterpret_cast<CantileverNumbers *>(state.numbers); }

    static __device__ __forceinline__ double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

    // How far the base has gone since it began, at a step of the stage.
    static __device__ __forceinline__ double travelled(const CantileverNumbers &numbers, u64 step)
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

    // The component along an axis of its force on what it presses when the base has gone this far.
    static __device__ __forceinline__ double spring(const External &state, const CantileverNumbers &numbers, double gone, u32 axis)
    {
        const double base = state.origin[axis] + gone * state.direction[axis];
        return numbers.stiffness * (base - state.held[axis]);
    }

    static __device__ __forceinline__ double along(const External &state, u64 step)
    {
        const CantileverNumbers &lever = numbers(state);
        const double gone = travelled(lever, step);
        const double force[3] = {spring(state, lever, gone, 0), spring(state, lever, gone, 1), spring(state, lever, gone, 2)};
        return dot(force, state.direction);
    }

    // The window of steps of which a step is one.
    static __device__ __forceinline__ u32 window(const CantileverNumbers &numbers, u64 step) { return step / static_cast<u64>(numbers.moves_every) % 3; }

    // The sum of a window. Others have added to it, so it is read from where they did.
    static __device__ __forceinline__ double force_of(const CantileverNumbers &numbers, u32 window, u32 axis)
    {
        return static_cast<double>(static_cast<i64>(__ldcg(&numbers.reaction[window][axis]))) * numbers.unit;
    }

    // Adds the noise of a move at a step: Philox with ten rounds, whatever the generator of the beads.
    static __device__ __forceinline__ void shake(const CantileverNumbers &numbers, u64 step, double shift[3])
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

    // Moves what it presses at the end of a window. Returns the length of a move that is too long, in whose place it stays; else 0.
    static __device__ __forceinline__ double move(External &state, u64 step, double sigma)
    {
        const CantileverNumbers &lever = numbers(state);
        const double steps = lever.moves_every;
        const double from = travelled(lever, step - static_cast<u64>(steps)), to = travelled(lever, step);
        const double seen = lever.present != 0 ? to : from;
        const u32 last = (window(lever, step) + 2) % 3;
        double shift[3], reaction[3], way[3];
        for (u32 axis = 0; axis < 3; ++axis) {
            reaction[axis] = force_of(lever, last, axis);
            shift[axis] = lever.mobility * (spring(state, lever, seen, axis) + reaction[axis] / steps);
            way[axis] = state.held[axis] - state.origin[axis];
        }
        if (lever.amplitude > 0) shake(lever, step, shift);
        if (lever.along_only != 0) {
            const double along = dot(shift, state.direction);
            for (u32 axis = 0; axis < 3; ++axis) shift[axis] = along * state.direction[axis];
        }
        const double distance = sqrt(dot(shift, shift));
        if (!(distance <= 0.5 * sigma)) return distance;
        const double travel = dot(way, state.direction);
        state.work += lever.stiffness * (0.5 * (from + to) - travel) * (to - from);
        // Not a number as long as there was no contact.
        if (!(state.last_centre[0] == state.last_centre[0]) && -dot(reaction, state.direction) / steps > lever.contact_force) state.last_centre[0] = travel;
        for (u32 axis = 0; axis < 3; ++axis) state.held[axis] += shift[axis];
        return 0;
    }

    // Brings what it presses to a step, where one thread of each block does this; `first` is one of the member's first block, and
    // `sigma` that of its contact with beads.
    static __device__ __forceinline__ double renew(External &state, u64 step, bool first, double sigma)
    {
        if (state.last_step == step) return 0;
        CantileverNumbers &lever = numbers(state);
        double jump = 0;
        if (step > 0 && step % static_cast<u64>(lever.moves_every) == 0) {
            jump = move(state, step, sigma);
            // The sum after the next move begins at zero; all have read what it was.
            if (first) {
                u64 *const next = lever.reaction[(window(lever, step) + 1) % 3];
                next[0] = next[1] = next[2] = 0;
            }
        }
        state.last_step = step;
        // The window of this step, for the beads.
        state.last_centre[1] = window(lever, step);
        return jump;
    }

    // Gives what it presses the opposite of the force on a bead, and the bead the force as that gets it. Not a number if it is beyond
    // all bounds. Other axes than `pushed` stay as they are.
    static __device__ __forceinline__ void react(const External &state, double force[3], u32 pushed)
    {
        CantileverNumbers &lever = numbers(state);
        u64 *const sum = lever.reaction[static_cast<u32>(state.last_centre[1])];
        for (u32 axis = 0; axis < 3; ++axis) {
            if (pushed != ALL_AXES && pushed != axis) continue;
            if (!(fabs(force[axis]) < lever.limit)) {
                force[axis] = __longlong_as_double(0x7ff8000000000000ll);
                continue;
            }
            const i64 whole = __double2ll_rn(force[axis] / lever.unit);
            force[axis] = whole == 0 ? 0.0 : static_cast<double>(whole) * lever.unit;
            if (whole != 0) atomicAdd(&sum[axis], static_cast<u64>(-whole));
        }
    }

    // Keeps the sum since the last move with the state, after a step.
    static __device__ __forceinline__ void keep_sum(External &state)
    {
        const CantileverNumbers &lever = numbers(state);
        const u32 now = static_cast<u32>(state.last_centre[1]);
        for (u32 axis = 0; axis < 3; ++axis) state.last_force[axis] = __longlong_as_double(static_cast<i64>(__ldcg(&lever.reaction[now][axis])));
    }
};
