//! How many pairs of near beads a system has, from its density alone.

use std::f64::consts::PI;

use crate::system::System;

impl System {
    /// The pairs of beads within the largest cutoff and a skin, Å, if beads are spread evenly over the box, or over the space that
    /// the start takes; 0 if no force acts between all near pairs.
    pub fn expected_near_pairs(&self, skin: f64) -> f64 {
        let beads = self.beads() as f64;
        if !self.interactions.act_on_pairs() || beads < 2.0 {
            return 0.0;
        }
        let reach = self.interactions.pair_cutoff() + skin;
        let neighbours = beads / self.volume_of_beads(reach) * 4.0 / 3.0 * PI * reach.powi(3);
        // Not a number, as without any reach, counts as all.
        0.5 * beads * neighbours.min(beads - 1.0)
    }

    /// Å³: that of the box, or of the start in open space, with sides of at least `thinnest`.
    fn volume_of_beads(&self, thinnest: f64) -> f64 {
        let of_start = || (0..3).map(|axis| self.extent(axis).max(thinnest)).product();
        self.boundary.volume().unwrap_or_else(of_start)
    }

    /// From the lowest to the highest bead of the start along an axis, Å.
    fn extent(&self, axis: usize) -> f64 {
        let along = self.particles.positions.iter().map(|at| at[axis]);
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        high - low
    }
}

#[cfg(test)]
mod tests {
    use beadwork_structure::Label;

    use super::*;
    use crate::interactions::Interactions;
    use crate::particles::{Boundary, Particles};
    use crate::potentials::DpdConservative;
    use crate::potentials::pair::PairTable;

    /// Beads of a line from 0 to 7.
    fn system(beads: usize, boundary: Boundary) -> System {
        let at = |bead: usize| [7.0 * bead as f64 / (beads - 1) as f64, 0.0, 0.0];
        let positions = (0..beads).map(at).collect();
        let particles = Particles::of_one_type(vec![Label::default(); beads], positions);
        let mut system = System { particles, boundary, ..System::default() };
        let soft = DpdConservative { strength: 25.0, cutoff: 1.0 };
        system.interactions.pairs = vec![PairTable::of_one_type(soft, 1.0).into()];
        system
    }

    #[test]
    fn near_pairs_follow_from_the_density() {
        let boxed = system(1_000, Boundary::Periodic { lengths: [10.0, 5.0, 2.0] });
        // Ten beads a unit of volume, in spheres of the cutoff, or of twice the cutoff.
        let expected = 500.0 * 10.0 * 4.0 / 3.0 * PI;
        assert!((boxed.expected_near_pairs(0.0) / expected - 1.0).abs() < 1e-12);
        assert!((boxed.expected_near_pairs(1.0) / (8.0 * expected) - 1.0).abs() < 1e-12);
        let open = system(1_000, Boundary::Open);
        assert!((open.expected_near_pairs(0.0) / (expected * 100.0 / 7.0) - 1.0).abs() < 1e-12);
        // No more than there are.
        assert_eq!(boxed.expected_near_pairs(100.0), 500.0 * 999.0);
        let free = System { interactions: Interactions::default(), ..boxed };
        assert_eq!(free.expected_near_pairs(1.0), 0.0);
    }
}
