//! How many pairs of near beads a system has, from its density alone.

use std::f64::consts::PI;

use crate::interactions::Interactions;
use crate::potentials::pair::PairCutoffs;
use crate::system::System;

impl Interactions {
    /// The pairs of beads within the cutoff of their types and a skin, Å, if so many beads of each type are spread evenly over a
    /// volume, Å³, which may depend on how thick it must be at least; 0 if no force acts between all near pairs. Lists on the CPU
    /// have these pairs.
    pub fn expected_near_pairs(
        &self,
        of_types: &[f64],
        volume: impl Fn(f64) -> f64,
        skin: f64,
    ) -> f64 {
        if !self.act_on_pairs() {
            return 0.0;
        }
        let cutoffs = self.pair_cutoffs();
        sum_over_types(&cutoffs, of_types, |a, b, [of_a, of_b]| {
            let reach = cutoffs.reach(a, b, skin);
            if reach <= 0.0 {
                return 0.0;
            }
            let part = 4.0 / 3.0 * PI * reach.powi(3) / volume(reach);
            let others = if a == b { of_b - 1.0 } else { of_b };
            // Each pair counts for both of its beads. Not a number counts as all.
            0.5 * of_a * (of_b * part).min(others)
        })
    }
}

impl System {
    /// As [`Interactions::expected_near_pairs`] for its beads in the box, or in the space that the start takes.
    pub fn expected_near_pairs(&self, skin: f64) -> f64 {
        let extents = [0, 1, 2].map(|axis| self.extent(axis));
        let volume = |thinnest: f64| {
            let of_start = || extents.iter().map(|extent| extent.max(thinnest)).product();
            self.boundary.volume().unwrap_or_else(of_start)
        };
        self.interactions.expected_near_pairs(&self.beads_of_types(), volume, skin)
    }

    /// The beads in a cube around a bead whose sides are the cutoff of their types, on average over all beads, if those of each type
    /// are spread evenly over a box; `None` in open space.
    pub(crate) fn beads_in_cubes(&self, cutoffs: &PairCutoffs) -> Option<f64> {
        let volume = self.boundary.volume()?;
        let around = |a: u16, b: u16, [of_a, of_b]: [f64; 2]| {
            of_a * of_b * cutoffs.between(a, b).powi(3) / volume
        };
        Some(sum_over_types(cutoffs, &self.beads_of_types(), around) / self.beads() as f64)
    }

    /// How many beads each type has.
    pub(crate) fn beads_of_types(&self) -> Vec<f64> {
        let mut counts: Vec<f64> = Vec::new();
        for kind in self.particles.types.iter().map(|&kind| usize::from(kind)) {
            if kind >= counts.len() {
                counts.resize(kind + 1, 0.0);
            }
            counts[kind] += 1.0;
        }
        counts
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

/// The sum of a function of two types and of how many beads they have, over all ordered pairs of types that have beads.
fn sum_over_types(
    cutoffs: &PairCutoffs,
    beads_of_types: &[f64],
    function: impl Fn(u16, u16, [f64; 2]) -> f64,
) -> f64 {
    // Types with the same cutoffs count as one.
    let all: [f64; 1] = [beads_of_types.iter().sum()];
    let beads: &[f64] = if cutoffs.types() == 1 { &all } else { beads_of_types };
    let numbered = (0..).zip(beads.iter().copied());
    let present: Vec<(u16, f64)> = numbered.filter(|&(_, count)| count > 0.0).collect();
    let pairs = present.iter().flat_map(|a| present.iter().map(move |b| (a, b)));
    pairs.map(|(&(a, of_a), &(b, of_b))| function(a, b, [of_a, of_b])).sum()
}

#[cfg(test)]
mod tests {
    use beadwork_structure::Label;

    use super::*;
    use crate::particles::{Boundary, Particles};
    use crate::potentials::DpdConservative;
    use crate::potentials::pair::{PairEntry, PairTable};

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
        assert_eq!(boxed.beads_in_cubes(&boxed.interactions.pair_cutoffs()), Some(10.0));
        let free = System { interactions: Interactions::default(), ..boxed };
        assert_eq!(free.expected_near_pairs(1.0), 0.0);
    }

    /// Ten large beads in a solvent add pairs of their own alone.
    #[test]
    fn near_pairs_have_the_cutoffs_of_their_types() {
        let mut mixed = system(1_000, Boundary::Periodic { lengths: [10.0; 3] });
        mixed.particles.types = (0..1_000).map(|bead| u16::from(bead < 10)).collect();
        let cutoff = |a: usize, b: usize| [1.0, 2.0, 3.0][a + b];
        let entry = |a, b| {
            let potential = DpdConservative { strength: 25.0, cutoff: cutoff(a, b) };
            PairEntry { potential, cutoff: cutoff(a, b) }
        };
        mixed.interactions.pairs = vec![PairTable::new(2, entry).into()];
        let pairs = 0.5 * 990.0 * 990.0 + 990.0 * 10.0 * 8.0 + 0.5 * 10.0 * 10.0 * 27.0;
        let expected = pairs * 4.0 / 3.0 * PI / 1_000.0;
        assert!((mixed.expected_near_pairs(0.0) / expected - 1.0).abs() < 1e-12);
        let cubes = mixed.beads_in_cubes(&mixed.interactions.pair_cutoffs()).unwrap();
        assert!((cubes / (2.0 * pairs / 1e6) - 1.0).abs() < 1e-12, "{cubes}");
        // Without forces between the large and the small ones, there are no pairs of them.
        let apart = |a: usize, b: usize| if a == b { cutoff(a, b) } else { 0.0 };
        let entry = |a, b| PairEntry { cutoff: apart(a, b), ..entry(a, b) };
        mixed.interactions.pairs = vec![PairTable::new(2, entry).into()];
        let expected = (0.5 * 990.0 * 990.0 + 0.5 * 100.0 * 27.0) * 4.0 / 3.0 * PI / 1_000.0;
        assert!((mixed.expected_near_pairs(0.0) / expected - 1.0).abs() < 1e-12);
    }
}
