//! Velocity Verlet, with or without a thermostat.

use beadwork_arithmetic::{Lane, Vector};

use super::scheme::{Inertia, InertialScheme, Moving};
use crate::arrays::lanes::Triple;
use crate::space::Space;

/// v += k f; r += h v; forces; f ← f − ξ v + R; v += k f, with k = h/(2m) and random forces R of variance 2 kT ξ/h (\[K\],
/// equation 1).
///
/// Drag and noise belong to the velocity of the half step. Their force also acts in the first half of the next step, so
/// positions and velocities alone do not determine how a trajectory goes on.
pub(crate) struct VelocityVerlet;

impl InertialScheme for VelocityVerlet {
    const NOISE_AFTER: bool = true;

    #[inline(always)]
    fn before<V: Vector, G: Space<V::Scalar>>(
        space: G,
        bead: Moving<V>,
        force: Triple<V>,
        _: Triple<V>,
        inertia: Inertia<V>,
    ) -> Moving<V> {
        let velocity = bead.velocity + force * inertia.half_kick;
        let step = inertia.half_step + inertia.half_step;
        Moving { velocity, ..bead }.drift(space, step)
    }

    #[inline(always)]
    fn with_thermostat<V: Lane>(
        velocity: Triple<V>,
        force: Triple<V>,
        noise: Triple<V>,
        inertia: Inertia<V>,
    ) -> Triple<V> {
        force - velocity * inertia.drag + noise
    }

    #[inline(always)]
    fn after<V: Lane>(velocity: Triple<V>, force: Triple<V>, inertia: Inertia<V>) -> Triple<V> {
        velocity + force * inertia.half_kick
    }
}
