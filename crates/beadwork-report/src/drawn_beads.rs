//! How beads and bonds are drawn, in the pictures of an answer and in those of a page.

use beadwork_analysis::picture::{Ball, Stick};
use beadwork_model::{Boundary, Particles};

/// The part of the usual radius that beads have which are molecules of their own among larger ones, so that these are seen.
pub(crate) const SMALL: f64 = 0.35;
/// The radius of a bond over that of beads.
pub(crate) const BOND: f64 = 0.4;

/// Beads with what is drawn of them.
pub(crate) struct DrawnBeads<'a> {
    pub boundary: Boundary,
    /// Their centres.
    pub positions: &'a [[f64; 3]],
    /// The numbers of their colours.
    pub colours: &'a [usize],
    /// Whether they are molecules of their own among larger ones.
    pub are_small: &'a [bool],
    /// That of beads which are not small.
    pub radius: f64,
    pub radius_of_bonds: f64,
}

impl DrawnBeads<'_> {
    pub fn balls(&self) -> Vec<Ball> {
        let ball = |(bead, &position): (usize, &[f64; 3])| Ball {
            position,
            radius: self.radius * if self.are_small[bead] { SMALL } else { 1.0 },
            colour: self.colours[bead],
        };
        self.positions.iter().enumerate().map(ball).collect()
    }

    /// The halves of bonds, each from a bead, whose colour it has, to the middle between it and the nearest image of the other.
    pub fn halves(&self, bonds: &[(usize, usize)]) -> Vec<Stick> {
        let half = |from: usize, to: usize| {
            let begin = self.positions[from];
            let apart = self.boundary.separation(self.positions[to], begin);
            let middle = [0, 1, 2].map(|axis| begin[axis] + 0.5 * apart[axis]);
            let colour = Some(self.colours[from]);
            Stick { ends: [begin, middle], radius: self.radius_of_bonds, colour }
        };
        bonds.iter().flat_map(|&(i, j)| [half(i, j), half(j, i)]).collect()
    }
}

/// Whether each bead is a molecule of its own, where there are larger ones.
pub(crate) fn are_small(particles: &Particles) -> Vec<bool> {
    let mut are_small = vec![false; particles.len()];
    let molecules = particles.beads_of_molecules();
    if molecules.iter().any(|molecule| molecule.len() > 1) {
        let alone = molecules.iter().filter(|molecule| molecule.len() == 1);
        alone.for_each(|molecule| are_small[molecule[0] as usize] = true);
    }
    are_small
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_bonds_meet_at_the_nearest_image() {
        let drawn = DrawnBeads {
            boundary: Boundary::Periodic { lengths: [10.0; 3] },
            positions: &[[9.0, 5.0, 5.0], [1.0, 5.0, 5.0], [5.0, 5.0, 5.0]],
            colours: &[3, 4, 5],
            are_small: &[false, false, true],
            radius: 2.0,
            radius_of_bonds: BOND * 2.0,
        };
        let stick = |ends, colour| Stick { ends, radius: 0.8, colour: Some(colour) };
        let halves = [
            stick([[9.0, 5.0, 5.0], [10.0, 5.0, 5.0]], 3),
            stick([[1.0, 5.0, 5.0], [0.0, 5.0, 5.0]], 4),
        ];
        assert_eq!(drawn.halves(&[(0, 1)]), halves);
        let radii: Vec<f64> = drawn.balls().iter().map(|ball| ball.radius).collect();
        assert_eq!(radii, [2.0, 2.0, SMALL * 2.0]);
    }

    #[test]
    fn beads_alone_are_small_beside_larger_molecules() {
        let particles = |molecules: &[u32]| {
            let beads = molecules.len();
            let labels = vec![Default::default(); beads];
            let all = Particles::of_one_type(labels, vec![[0.0; 3]; beads]);
            Particles { molecules: molecules.to_vec(), ..all }
        };
        assert_eq!(are_small(&particles(&[0, 1, 0, 2])), [false, true, false, true]);
        assert_eq!(are_small(&particles(&[0, 1, 2])), [false; 3]);
    }
}
