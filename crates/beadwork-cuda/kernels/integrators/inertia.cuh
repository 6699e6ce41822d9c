// Beads with velocities: `beadwork_cpu`'s integrators have the same functions. `axes` moves one component or all three.
#pragma once

#include "arithmetic.cuh"

template <typename Value> struct Moving {
    Value position, velocity;
};

// Constants of a bead's type: h/2, h/(2m), and the factor of the velocity in the friction, exp(−ξh/m) or ξ.
struct Inertia {
    real half_step, half_kick, drag;
};
