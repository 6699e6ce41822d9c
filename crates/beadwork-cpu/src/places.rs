//! Where the beads of a member in a periodic box are.

use beadwork_arithmetic::Fraction;
use beadwork_random::Normal;
use beadwork_simulation::{Places, StepError};

use crate::space::Geometry;
use crate::stepper::Stepper;

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
