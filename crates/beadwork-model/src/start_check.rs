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
        if interactions.pairs.is_empty() || reach <= 0.0 {
            return None;
        }
        let positions = &self.particles.positions;
        let near = NearPairs::new(self.boundary, self.beads(), |bead| positions[bead], reach);
        let acts = |i, j| interactions.excluded.binary_search(&(i, j)).is_err();
        near.first(|i, j, _| self.overlap(i, j) && acts(i, j))
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
