//! Members in a periodic box: where their beads are, and which members can be stepped.

use beadwork_arithmetic::Fraction;
use beadwork_model::{Boundary, Integrator, Protocol, System};
use beadwork_random::Normal;
use beadwork_simulation::{Places, StepError};

use crate::space::Geometry;
use crate::stepper::Stepper;

/// The reason why no path of this crate can step the system by the protocol; `None` if one can.
pub fn obstacle(system: &System, protocol: &Protocol) -> Option<String> {
    if let Some(problem) = system.boundary_problem() {
        return Some(problem);
    }
    let integrator = protocol.dynamics.integrator;
    if system.interactions.thermostat.is_some() && integrator != Integrator::VelocityVerlet {
        return Some(format!(
            "a pair thermostat needs the integrator {}, not {}",
            Integrator::VelocityVerlet.name(),
            integrator.name()
        ));
    }
    let driven = protocol.stages.iter().find(|stage| !stage.drives.is_empty());
    match (system.boundary, driven) {
        (Boundary::Periodic { .. }, Some(stage)) => Some(format!(
            "stage \"{}\" has drives, which need open space: take no periodic box",
            stage.name
        )),
        _ => None,
    }
}

impl<T: Normal> Stepper<T> {
    /// Where the beads are in a periodic box.
    pub(crate) fn places(&self) -> Option<Places> {
        self.geometry.is_periodic().then(|| Places {
            fractions: self.positions.iter().map(|at| at.map(Fraction::to_fraction)).collect(),
            images: self.images.clone(),
        })
    }

    /// Counts the sides that beads crossed between the previous positions and the present ones.
    pub(crate) fn count_crossings(&mut self, back: bool) {
        let sign = if back { -1 } else { 1 };
        for (axis, to) in self.positions.axes.iter().enumerate() {
            let from = &self.previous.axes[axis];
            for (image, (&from, &to)) in self.images.iter_mut().zip(from.iter().zip(to.iter())) {
                image[axis] += sign * Geometry::crossed(from, to);
            }
        }
    }

    /// Finishes a move from the previous positions to the present ones. If a bead moved too far, the member is one step
    /// later at its previous positions, as [`Stepper::fail`] expects.
    pub(crate) fn have_moved(&mut self, moved: Result<(), StepError>) -> Result<(), StepError> {
        if !self.geometry.is_periodic() {
            return moved;
        }
        if moved.is_err() {
            self.positions.copy_from(&self.previous);
            self.moved = false;
        }
        self.count_crossings(false);
        moved
    }
}
