// Words of noise that a kernel filled before the steps of a launch (`fill.cuh`): step after step, bead after bead.
#pragma once

#include "random/keyed.cuh"
#include "system.cuh"

// The words of a bead at an iteration of a launch. Lanes that look beyond the last step get the words of that one.
__device__ __forceinline__ void filled_words(u32 (&words)[WORDS], const Member &member, u32 beads, u32 iteration, u32 bead)
{
    const u64 row = static_cast<u64>(min(iteration, member.steps - 1)) * beads + bead;
    const uint4 *const from = reinterpret_cast<const uint4 *>(member.words + row * WORDS);
#pragma unroll
    for (u32 k = 0; k < WORDS / 4; ++k) {
        const uint4 four = __ldg(from + k);
        words[4 * k] = four.x;
        words[4 * k + 1] = four.y;
        words[4 * k + 2] = four.z;
        words[4 * k + 3] = four.w;
    }
}
