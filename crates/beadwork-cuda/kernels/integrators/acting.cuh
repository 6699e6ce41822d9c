// Forces and noise on a bead in a step: `beadwork_cpu`'s integrators have the same struct. A value is a number for
// each bead and axis, or a vector for each bead.
#pragma once

#include "arithmetic.cuh"

template <typename Value> struct Acting {
    // The force at the beginning of the step, and at predicted positions; unused by schemes that do not look ahead.
    Value force, force_ahead;
    // g √(2 kT h/ξ), where g is a standard normal number.
    Value kick;
    // h/ξ.
    real mobility;
};
