//! Whether a system fits its periodic box, and its protocol.

use crate::particles::Boundary;
use crate::protocol::{Integrator, Protocol};
use crate::system::System;

impl System {
    /// The reason why the system cannot be simulated by the protocol; `None` if it can.
    pub fn problem_with(&self, protocol: &Protocol) -> Option<String> {
        if let Some(problem) = self.boundary_problem() {
            return Some(problem);
        }
        let integrator = protocol.dynamics.integrator;
        if self.interactions.thermostat.is_some() && integrator != Integrator::VelocityVerlet {
            return Some(format!(
                "a pair thermostat needs the integrator \"{}\", not \"{}\"",
                Integrator::VelocityVerlet.name(),
                integrator.name()
            ));
        }
        let driven = protocol.stages.iter().find(|stage| !stage.drives.is_empty());
        match (self.boundary, driven) {
            (Boundary::Periodic { .. }, Some(stage)) => Some(format!(
                "stage \"{}\" has drives, which need open space: leave them out, or the box",
                stage.name
            )),
            _ => None,
        }
    }

    /// The reason why the system cannot be simulated with its boundary; `None` if it can.
    ///
    /// In a box, forces act on the nearest image of a bead alone, so a side must be at least twice as long as the largest
    /// cutoff, and longer than twice any bond.
    pub fn boundary_problem(&self) -> Option<String> {
        let Boundary::Periodic { lengths } = self.boundary else { return None };
        let cutoff = self.interactions.pair_cutoff();
        let longest = self.bonds_at_rest().into_iter().max_by(|a, b| a.2.total_cmp(&b.2));
        for (axis, side) in ["x", "y", "z"].into_iter().zip(lengths) {
            if !side.is_finite() || side <= 0.0 {
                return Some(format!(
                    "the side of the box along {axis} is {side}: give a positive length"
                ));
            }
            if side < 2.0 * cutoff {
                return Some(format!(
                    "the side of the box along {axis} is {side}, less than twice the largest cutoff, {cutoff}: take a \
                     larger box, or a smaller cutoff"
                ));
            }
            if let Some((i, j, length)) = longest.filter(|bond| 2.0 * bond.2 >= side) {
                return Some(format!(
                    "the side of the box along {axis} is {side}, not more than twice the length {length} of the bond \
                     between {} and {}: take a larger box",
                    self.bead_label(i),
                    self.bead_label(j)
                ));
            }
        }
        None
    }
}
