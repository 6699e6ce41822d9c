//! Integrators, one file each: pure functions of one bead, whose lanes are beads of one system or replicas of one bead.

mod brownian;
mod brownian_second_order;
mod langevin;
mod langevin_middle;
mod scheme;
mod velocity_verlet;

use beadwork_model::Integrator;

pub(crate) use brownian::Brownian;
pub(crate) use brownian_second_order::BrownianSecondOrder;
pub(crate) use langevin::Langevin;
pub(crate) use langevin_middle::LangevinMiddle;
pub(crate) use scheme::{Acting, Inertia, InertialScheme, Moving, Scheme};
pub(crate) use velocity_verlet::VelocityVerlet;

/// Work that is compiled once for each scheme.
pub(crate) trait WithScheme: Sized {
    type Output;

    fn with<S: Scheme>(self) -> Self::Output;

    fn with_velocities<S: InertialScheme>(self) -> Self::Output;
}

/// Runs the work with the scheme of an integrator.
#[inline(always)]
pub(crate) fn dispatch<W: WithScheme>(integrator: Integrator, work: W) -> W::Output {
    match integrator {
        Integrator::Brownian => work.with::<Brownian>(),
        Integrator::BrownianSecondOrder => work.with::<BrownianSecondOrder>(),
        Integrator::Langevin => work.with_velocities::<Langevin>(),
        Integrator::LangevinMiddle => work.with_velocities::<LangevinMiddle>(),
        Integrator::VelocityVerlet => work.with_velocities::<VelocityVerlet>(),
    }
}
