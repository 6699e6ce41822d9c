//! Langevin dynamics with velocities of the half step.

use beadwork_arithmetic::{Lane, Vector};

use super::langevin::Langevin;
use super::scheme::{Inertia, InertialScheme, Moving};
use crate::arrays::lanes::Triple;
use crate::space::Space;

/// v += 2k f; r += (h/2) v; v ← c v + s g; r += (h/2) v, with the constants of [`Langevin`] (Zhang et al., J. Phys.
/// Chem. A 123, 6056, 2019). Two half kicks follow each other, as in [`Langevin`] over two steps.
pub(crate) struct LangevinMiddle;

impl InertialScheme for LangevinMiddle {
    #[inline(always)]
    fn before<V: Vector, G: Space<V::Scalar>>(
        space: G,
        bead: Moving<V>,
        force: Triple<V>,
        noise: Triple<V>,
        inertia: Inertia<V>,
    ) -> Moving<V> {
        let velocity = bead.velocity + force * inertia.half_kick;
        Langevin::before(space, Moving { velocity, ..bead }, force, noise, inertia)
    }

    #[inline(always)]
    fn after<V: Lane>(velocity: Triple<V>, _: Triple<V>, _: Inertia<V>) -> Triple<V> {
        velocity
    }
}
