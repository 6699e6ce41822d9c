// What acts on a bead in a step: `beadwork_cpu`'s integrators have the same functions. A value is a number for each bead and
// axis, or a vector for each bead.
template <typename Value> struct Acting {
    // The force where the step begins, and the force where `before` leads; nothing for schemes that do not look ahead.
    Value force, force_ahead;
    // g √(2 kT h/ξ), g a standard normal number.
    Value kick;
    // h/ξ.
    real mobility;
};
