//! Whether a system fits its periodic box, and its protocol.

use crate::dynamics::Integrator;
use crate::particles::Boundary;
use crate::protocol::{Protocol, Stage, StageKind};
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
        let moves = |stage: &&Stage| {
            matches!(stage.kind, StageKind::Minimise { .. })
                && stage.externals.iter().any(|external| external.moves())
        };
        if let Some(stage) = protocol.stages.iter().find(moves) {
            return Some(format!(
                "stage \"{}\" is a minimisation, which has no time, and has drives that move with it: leave them out",
                stage.name
            ));
        }
        let driven = protocol.stages.iter().find(|stage| !stage.externals.is_empty());
        match (self.boundary, driven) {
            (Boundary::Periodic { .. }, Some(stage)) => {
                let mut kinds: Vec<&str> = stage.externals.iter().map(|one| one.kind()).collect();
                kinds.dedup();
                Some(format!(
                    "stage \"{}\" has drives, which need open space ({}): leave them out, or the box",
                    stage.name,
                    kinds.join(", ")
                ))
            }
            _ => None,
        }
    }

    /// The reason why the system cannot be simulated with its boundary; `None` if it can.
    ///
    /// In a box, forces act on the nearest image of a bead alone, so a side must be at least twice as long as the largest
    /// cutoff, and longer than twice any bond.
    pub fn boundary_problem(&self) -> Option<String> {
        let Boundary::Periodic { lengths } = self.boundary else { return None };
        let unit = self.units.of_length();
        let cutoff = self.interactions.pair_cutoff();
        let longest = self.bonds_at_rest().into_iter().max_by(|a, b| a.2.total_cmp(&b.2));
        for (axis, side) in ["x", "y", "z"].into_iter().zip(lengths) {
            if !side.is_finite() || side <= 0.0 {
                return Some(format!(
                    "the side of the box along {axis} is {side}{unit}: give a positive length"
                ));
            }
            if !(SHORTEST_SIDE..=LONGEST_SIDE).contains(&side) {
                return Some(format!(
                    "the side of the box along {axis} is {side:e}: a side is between {SHORTEST_SIDE:e} and {LONGEST_SIDE:e}, in the unit of lengths"
                ));
            }
            if cutoff > 0.0 && side > FARTHEST * cutoff {
                return Some(format!(
                    "the side of the box along {axis} is {side:e}{unit}, more than {FARTHEST:e} times the largest cutoff, {cutoff:e}{unit}: positions in such a box are too coarse for its forces; take a smaller box"
                ));
            }
            if side < 2.0 * cutoff {
                return Some(format!(
                    "the side of the box along {axis} is {side}{unit}, less than twice the largest cutoff, {cutoff}{unit}: take a \
                     larger box, with sides of at least {}{unit}, or a smaller cutoff",
                    2.0 * cutoff
                ));
            }
            if let Some((i, j, length)) = longest.filter(|bond| 2.0 * bond.2 >= side) {
                return Some(format!(
                    "the side of the box along {axis} is {side}{unit}, not more than twice the length {length}{unit} of the bond \
                     between {} and {}: take a larger box",
                    self.bead_label(i),
                    self.bead_label(j)
                ));
            }
        }
        let [shortest, _, longest] = sorted(lengths);
        if longest > FARTHEST * shortest {
            return Some(format!(
                "the longest side of the box, {longest:e}{unit}, is more than {FARTHEST:e} times the shortest, {shortest:e}{unit}: take sides that are closer to each other"
            ));
        }
        None
    }
}

/// A shorter or longer side is no length in any system of units, and the volume of its box is beyond the range of numbers.
const SHORTEST_SIDE: f64 = 1e-30;
const LONGEST_SIDE: f64 = 1e30;

/// The most of a side in cutoffs, and of the longest side in shortest sides. A position in single precision is a multiple of
/// 2⁻³² sides; and what is counted by the longest side in steps of the shortest, as wave vectors are, has no end otherwise.
const FARTHEST: f64 = 1e6;

fn sorted(mut lengths: [f64; 3]) -> [f64; 3] {
    lengths.sort_by(f64::total_cmp);
    lengths
}

#[cfg(test)]
mod tests {
    use crate::particles::Boundary;
    use crate::system::System;

    fn problem(lengths: [f64; 3]) -> Option<String> {
        let boundary = Boundary::Periodic { lengths };
        System { boundary, ..System::default() }.boundary_problem()
    }

    #[test]
    fn sides_are_lengths() {
        for sound in [[6.0; 3], [1e-29; 3], [1e29; 3], [6.0, 6e6, 6.0], [1e-9, 2e-9, 3e-9]] {
            assert_eq!(problem(sound), None, "{sound:?}");
        }
        for (odd, part) in [
            ([6.0, f64::NAN, 6.0], "give a positive length"),
            ([6.0, 0.0, 6.0], "give a positive length"),
            ([1e308; 3], "along x is 1e308: a side is between 1e-30 and 1e30"),
            ([5e-324; 3], "a side is between"),
            ([6.0, 6.0, 1e-30], "more than 1e6 times the shortest"),
            ([6.1e6, 6.0, 6.0], "more than 1e6 times the shortest"),
        ] {
            let said = problem(odd).unwrap_or_default();
            assert!(said.contains(part), "{odd:?}: {said}");
        }
    }
}
