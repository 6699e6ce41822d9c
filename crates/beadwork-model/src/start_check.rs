//! Whether a system can be simulated from its start.

use crate::near_pairs::NearPairs;
use crate::particles::Particles;
use crate::potentials::PairTerm;
use crate::potentials::bonded::BondedVisitor;
use crate::potentials::listed::Pairs;
use crate::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::system::System;

/// An energy of two beads, in the unit of the energy, that no sound start has; its force is still a number of single
/// precision.
const MOST_ENERGY: f64 = 1e12;
/// Beads with such an energy are far nearer than the largest cutoff.
const NEAR: f64 = 0.2;

/// A bond that does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrokenBond {
    /// The beads.
    pub beads: [usize; 2],
    /// Their distance, Å.
    pub distance: f64,
    /// Å: the rest length, and the deviation at which the bond breaks.
    pub rest_length: f64,
    /// Å.
    pub limit: f64,
}

impl System {
    /// The first bond that does not hold at the start.
    pub fn broken_bond(&self) -> Option<BrokenBond> {
        self.interactions.bonded.iter().find_map(|term| term.visit(FindBroken(self)))
    }

    /// The first two beads of the start that are so near each other that their energy is beyond all bounds.
    pub fn overlapping_beads(&self) -> Option<[usize; 2]> {
        let interactions = &self.interactions;
        let reach = NEAR * interactions.pair_cutoff();
        // Soft beads are not looked for: of a crowded start, all pairs would be visited.
        if reach <= 0.0 || self.most_energy_in_one_place() <= MOST_ENERGY {
            return None;
        }
        let positions = &self.particles.positions;
        let near = NearPairs::new(self.boundary, self.beads(), |bead| positions[bead], reach);
        let acts = |i, j| interactions.excluded.binary_search(&(i, j)).is_err();
        near.first(|i, j, _| self.overlap(i, j) && acts(i, j))
    }

    /// The largest energy, without its sign, of two beads in one place, where repulsions are largest; infinite if it is for any two
    /// types, or is not a number.
    fn most_energy_in_one_place(&self) -> f64 {
        self.interactions.pairs.iter().map(|term| term.visit(InOnePlace)).sum()
    }

    fn overlap(&self, i: usize, j: usize) -> bool {
        let Particles { positions, types, .. } = &self.particles;
        let r2 = self.boundary.squared_distance(positions[i], positions[j]);
        let types = [types[i], types[j]];
        let energy = |term: &PairTerm| term.visit(EnergyOf { types, r2 });
        let energy: f64 = self.interactions.pairs.iter().map(energy).sum();
        !energy.is_finite() || energy.abs() > MOST_ENERGY
    }
}

struct FindBroken<'a>(&'a System);

impl BondedVisitor for FindBroken<'_> {
    type Output = Option<BrokenBond>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let System { particles, boundary, .. } = self.0;
        let squared = |i: usize, j: usize| {
            boundary.squared_distance(particles.positions[i], particles.positions[j])
        };
        let pair = term.iter().find(|pair| !pair.potential.holds(squared(pair.i, pair.j)))?;
        Some(BrokenBond {
            beads: [pair.i, pair.j],
            distance: squared(pair.i, pair.j).sqrt(),
            rest_length: pair.potential.rest_length(),
            limit: pair.potential.limit(),
        })
    }
}

/// The largest energy of a pair term, without its sign, of two beads in one place; infinite if any is, or is not a number.
struct InOnePlace;

impl PairVisitor for InOnePlace {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> f64 {
        let acting = term.entries().iter().filter(|entry| entry.cutoff > 0.0);
        let sizes = acting.map(|entry| entry.potential.energy(0.0).abs());
        sizes.map(|size| if size.is_nan() { f64::INFINITY } else { size }).fold(0.0, f64::max)
    }
}

/// The energy of two beads of a pair term; 0 beyond its cutoff.
pub(crate) struct EnergyOf {
    pub types: [u16; 2],
    pub r2: f64,
}

impl PairVisitor for EnergyOf {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> f64 {
        let entry = term.between(self.types[0], self.types[1]);
        match self.r2 < entry.cutoff * entry.cutoff {
            true => entry.potential.energy(self.r2),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use beadwork_structure::Label;

    use super::*;
    use crate::potentials::DpdConservative;
    use crate::potentials::pair::{LennardJones, Morse};

    /// Two beads in one place.
    fn system(terms: Vec<PairTerm>) -> System {
        let particles = Particles::of_one_type(vec![Label::default(); 2], vec![[0.0; 3]; 2]);
        let mut system = System { particles, ..System::default() };
        system.interactions.pairs = terms;
        system
    }

    /// All beads of a crowded start of soft beads are near each other, and none overlap.
    #[test]
    fn soft_beads_are_not_searched_for_overlaps() {
        let soft = || PairTable::of_one_type(DpdConservative { strength: 25.0, cutoff: 1.0 }, 1.0);
        let well = PairTable::of_one_type(Morse::shifted(2.0, 1.5, 4.0, 12.0), 12.0);
        let hard = LennardJones::weeks_chandler_andersen(1.0, 1.0);
        let hard = PairTable::of_one_type(hard, hard.cutoff);
        assert_eq!(system(vec![]).most_energy_in_one_place(), 0.0);
        let energy = system(vec![soft().into()]).most_energy_in_one_place();
        assert_eq!(energy, 12.5);
        let both = system(vec![soft().into(), well.into()]);
        assert!(both.most_energy_in_one_place() < 1e9 && both.overlapping_beads().is_none());
        let hard = system(vec![soft().into(), hard.into()]);
        assert!(hard.most_energy_in_one_place() > MOST_ENERGY);
        assert_eq!(hard.overlapping_beads(), Some([0, 1]));
    }
}
