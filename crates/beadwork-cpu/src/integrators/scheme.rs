//! What an integrator is: the update of one bead, with or without a velocity.

use beadwork_arithmetic::{Lane, Vector};

use crate::arrays::lanes::Triple;
use crate::space::Space;

/// Forces and noise on a bead in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acting<V> {
    /// The force at the beginning of the step, kcal/(mol Å).
    pub force: Triple<V>,
    /// The force at the positions that [`Scheme::before`] predicts; zero for schemes without a prediction.
    pub force_ahead: Triple<V>,
    /// g √(2 kT h/ξ), Å, where g is a standard normal number.
    pub kick: Triple<V>,
    /// h/ξ, Å² mol/kcal.
    pub mobility: V,
}

/// The update of a bead in a step, in two parts.
pub(crate) trait Scheme: Send {
    /// Whether forces are also evaluated at the positions that [`Scheme::before`] predicts.
    const LOOKS_AHEAD: bool = false;

    /// The displacement, Å, to the predicted positions, at which forces are evaluated a second time.
    fn before<V: Lane>(acting: Acting<V>) -> Triple<V> {
        let _ = acting;
        Triple::zero()
    }

    /// The displacement of the step, Å.
    fn after<V: Lane>(acting: Acting<V>) -> Triple<V>;
}

/// Position and velocity of a bead in the course of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving<V: Vector> {
    /// Å; a coordinate in a box.
    pub position: Triple<V>,
    /// Å/ps.
    pub velocity: Triple<V>,
    /// The lanes whose moves were short enough for the space.
    pub fits: V::Mask,
}

impl<V: Vector> Moving<V> {
    /// A bead at the beginning of a step.
    #[inline(always)]
    pub fn new(position: Triple<V>, velocity: Triple<V>) -> Self {
        Moving { position, velocity, fits: V::mask_from_bits(u32::MAX) }
    }

    /// Moves by the velocity for a time.
    #[inline(always)]
    pub fn drift<G: Space<V::Scalar>>(self, space: G, time: V) -> Self {
        let shift = self.velocity * time;
        Moving {
            position: space.advance(self.position, shift),
            fits: V::both(self.fits, space.fits(shift)),
            ..self
        }
    }
}

/// What a step with velocities needs to know of a bead besides force and noise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertia<V> {
    /// h/2, ps.
    pub half_step: V,
    /// h/(2m), Å mol/kcal times Å/ps.
    pub half_kick: V,
    /// The factor of the velocity in the friction of the scheme: exp(−ξh/m), or ξ.
    pub drag: V,
}

/// The step of a bead with a velocity, in two parts with an evaluation of forces between them.
pub(crate) trait InertialScheme: Send {
    /// Whether the noise enters after the forces, as a force; else it enters before them, as a velocity.
    const NOISE_AFTER: bool = false;

    /// The first part, with the force of the step's beginning.
    fn before<V: Vector, G: Space<V::Scalar>>(
        space: G,
        bead: Moving<V>,
        force: Triple<V>,
        noise: Triple<V>,
        inertia: Inertia<V>,
    ) -> Moving<V>;

    /// The force at the end of the step, with the forces of a thermostat.
    #[inline(always)]
    fn with_thermostat<V: Lane>(
        _velocity: Triple<V>,
        force: Triple<V>,
        _noise: Triple<V>,
        _inertia: Inertia<V>,
    ) -> Triple<V> {
        force
    }

    /// The velocity at the end of the step, by the force there.
    fn after<V: Lane>(velocity: Triple<V>, force: Triple<V>, inertia: Inertia<V>) -> Triple<V>;
}
