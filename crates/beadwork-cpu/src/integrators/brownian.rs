//! Overdamped Langevin dynamics to first order in the step.

use beadwork_arithmetic::Lane;

use super::scheme::{Acting, Scheme};
use crate::arrays::lanes::Triple;

/// f h/ξ + g √(2 kT h/ξ) (\[A\], Algorithm 7; equation 2 of \[A\] multiplies the force by ξ by mistake).
pub(crate) struct Brownian;

impl Scheme for Brownian {
    #[inline(always)]
    fn after<V: Lane>(acting: Acting<V>) -> Triple<V> {
        acting.force * acting.mobility + acting.kick
    }
}
