//! Overdamped Langevin dynamics to first order in the step.

use beadwork_arithmetic::Lane;

use crate::lanes::Triple;

/// f h/ξ + g √(2 kT h/ξ), with the mobility h/ξ and the kick g √(2 kT h/ξ), g a standard normal
/// number (P4, Algorithm 7; P4's equation 2 multiplies the force by ξ by mistake).
#[inline(always)]
pub(crate) fn shift<V: Lane>(force: Triple<V>, mobility: V, kick: Triple<V>) -> Triple<V> {
    force * mobility + kick
}
