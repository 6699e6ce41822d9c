//! Overdamped Langevin dynamics to second order in the step.
//!
//! The stochastic Heun scheme, weakly of second order where the noise has constant strength:
//! r̃ = r + f(r, t) h/ξ + B, then r(t + h) = r + (f(r, t) + f(r̃, t + h)) h/(2ξ) + B with the same
//! noise B.
//!
//! For a harmonic force under a ramp its mean is P4's equation 5 with the term r_f h²/(2ξ) that the
//! paper leaves out.

use beadwork_arithmetic::Lane;

use crate::lanes::Triple;

/// (f + f̃) h/(2ξ) + B, with half the mobility.
#[inline(always)]
pub(crate) fn shift<V: Lane>(
    force: Triple<V>,
    predicted_force: Triple<V>,
    half_mobility: V,
    kick: Triple<V>,
) -> Triple<V> {
    (force + predicted_force) * half_mobility + kick
}
