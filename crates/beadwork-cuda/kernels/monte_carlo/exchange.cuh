// Replica exchange, with the bits of `beadwork_cpu::exchange` in either precision.
#pragma once

#include "monte_carlo/trial_move.cuh"

// ln x of a positive normal number, rounded as on the host.
__device__ __forceinline__ double logarithm_of_double(double x)
{
    const u64 above_root = __double_as_longlong(x) - 0x3fe6a09e667f3bcdull + 0x8000000000000000ull;
    const double mantissa = __longlong_as_double((above_root & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
    const double exponent = __longlong_as_double((above_root >> 52) | 0x4330000000000000ull) - 4503599627372544.0;
    const double f = mantissa - 1.0;
    const double half_square = 0.5 * f * f;
    const double s = f / (mantissa + 1.0);
    const double w = s * s;
    double sum = 2.0 / 21.0;
    sum = sum * w + 2.0 / 19.0;
    sum = sum * w + 2.0 / 17.0;
    sum = sum * w + 2.0 / 15.0;
    sum = sum * w + 2.0 / 13.0;
    sum = sum * w + 2.0 / 11.0;
    sum = sum * w + 2.0 / 9.0;
    sum = sum * w + 2.0 / 7.0;
    sum = sum * w + 2.0 / 5.0;
    sum = sum * w + 2.0 / 3.0;
    const double correction = half_square - (s * (half_square + w * sum) + exponent * 5.497923018708371e-14);
    return exponent * 0.6931471805598903 - (correction - f);
}

// Whether two replicas swap.
__device__ __forceinline__ bool is_swapped(u32 key0, u32 key1, u64 attempt, u32 lower, double exponent)
{
    return logarithm_of_double(uniform_of_word(words_of(key0, key1, attempt, lower).of[0])) < exponent;
}

// The message of the replica on a rung to the other one of its pair. `attempt` is written last.
struct Message {
    double energy, displacement;
    // Moves since the displacement was fitted.
    u64 accepted, attempted;
    // The number of the attempt, plus one.
    u64 attempt;
};

// Slots of a rung's messages, used in turn. While a replica waits for attempt a, the other rung of its pair cannot go
// beyond attempt a + 2, which uses another slot.
constexpr u32 MESSAGE_SLOTS = 4;

// Polls before a wait fails: some ten seconds, longer than any other work on the GPU may delay a message.
constexpr u32 MOST_TRIES = 1u << 25;

__device__ __forceinline__ void send(Message *message, const Message &all)
{
    volatile Message *const slot = message;
    slot->energy = all.energy;
    slot->displacement = all.displacement;
    slot->accepted = all.accepted;
    slot->attempted = all.attempted;
    __threadfence();
    slot->attempt = all.attempt;
}

// Waits with all lanes of a warp until each lane that expects a message has it. False if a wait failed.
__device__ __forceinline__ bool has_come(const Message *message, bool expects, u64 attempt, u32 *lost)
{
    const volatile Message *const slot = message;
    volatile u32 *const given_up = lost;
    for (u32 tries = 0; __any_sync(0xffffffffu, expects && slot->attempt != attempt + 1); ++tries) {
        if (tries == MOST_TRIES) *given_up = 1;
        if (tries % 1024 == 1023 && __any_sync(0xffffffffu, *given_up != 0)) return false;
    }
    __threadfence();
    return true;
}
