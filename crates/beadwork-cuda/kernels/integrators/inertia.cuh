// Beads with velocities: `beadwork_cpu`'s integrators have the same functions. A space is that of the value: one axis, or all.

template <typename Value> struct Moving {
    Value position, velocity;
};

// Constants of a bead's type: h/2, h/(2m), and the factor of the velocity in the friction, exp(−ξh/m) or ξ.
struct Inertia {
    real half_step, half_kick, drag;
};
