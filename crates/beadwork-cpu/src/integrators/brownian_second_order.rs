//! Overdamped Langevin dynamics to second order in the step.

use beadwork_arithmetic::Lane;

use super::brownian::Brownian;
use super::scheme::{Acting, Scheme};
use crate::arrays::lanes::Triple;

/// The stochastic Heun scheme, weakly of second order where the noise has constant strength:
/// r̃ = r + f(r, t) h/ξ + B, then r(t + h) = r + (f(r, t) + f(r̃, t + h)) h/(2ξ) + B with the same noise B.
///
/// For a harmonic force under a ramp its mean is equation 5 of \[A\] with the missing term r_f h²/(2ξ).
pub(crate) struct BrownianSecondOrder;

impl Scheme for BrownianSecondOrder {
    const LOOKS_AHEAD: bool = true;

    #[inline(always)]
    fn before<V: Lane>(acting: Acting<V>) -> Triple<V> {
        Brownian::after(acting)
    }

    #[inline(always)]
    fn after<V: Lane>(acting: Acting<V>) -> Triple<V> {
        let half = V::from_f64(0.5) * acting.mobility;
        (acting.force + acting.force_ahead) * half + acting.kick
    }
}
