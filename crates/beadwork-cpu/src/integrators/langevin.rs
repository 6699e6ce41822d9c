//! Langevin dynamics in the order BAOAB.

use beadwork_arithmetic::{Lane, Vector};

use super::scheme::{Inertia, InertialScheme, Moving};
use crate::arrays::lanes::Triple;
use crate::space::Space;

/// v += k f; r += (h/2) v; v ← c v + s g; r += (h/2) v; forces; v += k f, with k = h/(2m), c = exp(−ξh/m), s² = (1 − c²) kT/m
/// and standard normal numbers g (Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34).
///
/// In a harmonic well the variance of the position is exact for any step.
pub(crate) struct Langevin;

impl InertialScheme for Langevin {
    #[inline(always)]
    fn before<V: Vector, G: Space<V::Scalar>>(
        space: G,
        bead: Moving<V>,
        force: Triple<V>,
        noise: Triple<V>,
        inertia: Inertia<V>,
    ) -> Moving<V> {
        let velocity = bead.velocity + force * inertia.half_kick;
        let middle = Moving { velocity, ..bead }.drift(space, inertia.half_step);
        let velocity = velocity * inertia.drag + noise;
        Moving { velocity, ..middle }.drift(space, inertia.half_step)
    }

    #[inline(always)]
    fn after<V: Lane>(velocity: Triple<V>, force: Triple<V>, inertia: Inertia<V>) -> Triple<V> {
        velocity + force * inertia.half_kick
    }
}
