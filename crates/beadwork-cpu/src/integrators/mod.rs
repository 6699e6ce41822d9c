//! Integrators, one file each: pure functions of one bead, whose lanes are beads of one system or replicas of one bead.

mod brownian;
mod brownian_second_order;

use beadwork_arithmetic::Lane;
use beadwork_model::Integrator;

pub(crate) use brownian::Brownian;
pub(crate) use brownian_second_order::BrownianSecondOrder;

use crate::lanes::Triple;

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

/// Work that is compiled once for each scheme.
pub(crate) trait WithScheme {
    type Output;

    fn with<S: Scheme>(self) -> Self::Output;
}

/// Runs the work with the scheme of an integrator.
#[inline(always)]
pub(crate) fn dispatch<W: WithScheme>(integrator: Integrator, work: W) -> W::Output {
    match integrator {
        Integrator::Brownian => work.with::<Brownian>(),
        Integrator::BrownianSecondOrder => work.with::<BrownianSecondOrder>(),
    }
}
