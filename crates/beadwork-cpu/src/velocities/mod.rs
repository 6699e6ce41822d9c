//! Velocities of a member, and the constants of its beads.

pub(crate) mod inertia;
pub(crate) mod motion;
