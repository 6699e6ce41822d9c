//! Energies of a system in f64: the definition that every path must reproduce.

use std::ops::Range;

use rayon::prelude::*;

use crate::near_pairs::NearPairs;
use crate::particles::Boundary;
use crate::potentials::EnergyKind;
use crate::potentials::angle::{AngleFormula, AngleVisitor, cosine};
use crate::potentials::bonded::BondedVisitor;
use crate::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::potentials::single::{SingleFormula, SingleVisitor};
use crate::system::{Angles, Pairs, Singles, System};

/// Shares of the rows whose values are in memory together.
const SHARES: usize = 64;

/// Energy by kind, kcal/mol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Bonds.
    pub bonds: f64,
    /// Native contacts.
    pub contacts: f64,
    /// Angles.
    pub angles: f64,
    /// Pairs within a cutoff, except their charges.
    pub pairs: f64,
    /// Charges of pairs within a cutoff.
    pub charges: f64,
    /// Single beads.
    pub singles: f64,
}

impl Energies {
    /// The sum of all terms, kcal/mol.
    pub fn total(&self) -> f64 {
        self.bonds + self.contacts + self.angles + self.pairs + self.charges + self.singles
    }

    fn of(&mut self, kind: EnergyKind) -> &mut f64 {
        match kind {
            EnergyKind::Bond => &mut self.bonds,
            EnergyKind::Contact => &mut self.contacts,
            EnergyKind::Angle => &mut self.angles,
            EnergyKind::Pair => &mut self.pairs,
            EnergyKind::Charge => &mut self.charges,
            EnergyKind::Single => &mut self.singles,
        }
    }
}

/// The positions at which energies are computed.
#[derive(Clone, Copy)]
struct At<'a> {
    positions: &'a [[f64; 3]],
    boundary: Boundary,
}

impl At<'_> {
    /// Squared distance of two beads, Å².
    fn squared_distance(&self, i: usize, j: usize) -> f64 {
        self.boundary.squared_distance(self.positions[i], self.positions[j])
    }
}

/// The energy of a pair, and in a box its r·F, kcal/mol.
struct PairValue {
    kind: EnergyKind,
    energy: f64,
    virial: f64,
}

/// Sums of energies and of r·F.
struct Totals {
    energies: Energies,
    virial: f64,
}

impl Totals {
    fn add(&mut self, values: &[PairValue]) {
        for value in values {
            *self.energies.of(value.kind) += value.energy;
            self.virial += value.virial;
        }
    }
}

impl System {
    /// Energies at `positions`, Å. Pairs are summed in ascending order of (i, j).
    pub fn energies(&self, positions: &[[f64; 3]]) -> Energies {
        self.energies_and_virial(positions).0
    }

    /// Energies at `positions`, Å, and in a box the virial: Σ r·F of the pair terms and bonded terms, kcal/mol, each pair
    /// once. With N beads in a volume V the pressure is (N kT + virial/3)/V. Angles and fields do not count: those of angles
    /// are zero in sum. Pairs are summed in ascending order of (i, j), so no bit depends on the number of threads.
    pub fn energies_and_virial(&self, positions: &[[f64; 3]]) -> (Energies, Option<f64>) {
        let at = At { positions, boundary: self.boundary };
        let Totals { energies, virial } = self.totals(at, |totals| {
            let cutoff = self.interactions.pair_cutoff();
            let beads = positions.len();
            let near = NearPairs::new(self.boundary, beads, |bead| positions[bead], cutoff);
            for shares in near.shares().chunks(SHARES) {
                if let [rows] = shares {
                    // The pairs of few beads take less time than it takes to wake other threads.
                    totals.add(&self.pair_values(at, &near, rows.clone()));
                    continue;
                }
                let values =
                    shares.par_iter().map(|rows| self.pair_values(at, &near, rows.clone()));
                values.collect::<Vec<_>>().iter().for_each(|values| totals.add(values));
            }
        });
        (energies, (self.boundary != Boundary::Open).then_some(virial))
    }

    /// As [`System::energies`], with pairs that the caller knows to be near: `pairs` calls its argument for each bead
    /// i, ascending, with the beads j > i, ascending, that may be within the cutoff and are not excluded.
    pub fn energies_of_pairs(
        &self,
        positions: &[[f64; 3]],
        pairs: impl FnOnce(&mut dyn FnMut(usize, &[u32])),
    ) -> Energies {
        let at = At { positions, boundary: self.boundary };
        let mut values = Vec::new();
        let add_pairs = |totals: &mut Totals| {
            pairs(&mut |i, partners| {
                values.clear();
                self.add_row(at, i, partners, &mut values);
                totals.add(&values);
            });
        };
        self.totals(at, add_pairs).energies
    }

    /// The sums of all terms, those of pairs by `add_pairs`.
    fn totals(&self, at: At<'_>, add_pairs: impl FnOnce(&mut Totals)) -> Totals {
        // Sums start at −0, as those of iterators do: +0 would change the sign of the sum of bonds at rest, −0 each.
        let energies = Energies { bonds: -0.0, contacts: -0.0, ..Energies::default() };
        let bonded = &self.interactions.bonded;
        let virial = match self.boundary {
            Boundary::Open => 0.0,
            _ => bonded.iter().map(|term| term.visit(BondedVirial(at))).sum(),
        };
        let mut totals = Totals { energies, virial };
        for term in bonded {
            let (kind, energy) = term.visit(at);
            *totals.energies.of(kind) += energy;
        }
        if !self.interactions.pairs.is_empty() {
            add_pairs(&mut totals);
        }
        for term in &self.interactions.angles {
            totals.energies.angles += term.visit(at);
        }
        for term in &self.interactions.singles {
            totals.energies.singles += term.visit(at);
        }
        totals
    }

    /// The values of the pairs of some beads i and the beads j > i, in ascending order of (i, j).
    fn pair_values(&self, at: At<'_>, near: &NearPairs, beads: Range<usize>) -> Vec<PairValue> {
        let excluded = &self.interactions.excluded;
        let first = excluded.partition_point(|&(i, _)| i < beads.start);
        let mut excluded = excluded[first..].iter().copied().peekable();
        let (mut kept, mut values) = (Vec::new(), Vec::new());
        near.rows(beads, |i, partners| {
            kept.clear();
            for &j in partners {
                let pair = (i, j as usize);
                // Exclusions ascend as the pairs do; those of pairs that are too far apart are skipped.
                while excluded.next_if(|&other| other < pair).is_some() {}
                if excluded.next_if_eq(&pair).is_none() {
                    kept.push(j);
                }
            }
            self.add_row(at, i, &kept, &mut values);
        });
        values
    }

    /// Adds the values of the pairs of a bead i and the beads j > i that may be near it.
    fn add_row(&self, at: At<'_>, i: usize, partners: &[u32], values: &mut Vec<PairValue>) {
        let types = &self.particles.types;
        for term in &self.interactions.pairs {
            term.visit(OfRow { i, partners, at, types, values });
        }
    }
}

impl BondedVisitor for At<'_> {
    type Output = (EnergyKind, f64);

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let energy = |pair: &crate::system::Pair<F>| {
            pair.potential.energy(self.squared_distance(pair.i, pair.j))
        };
        (F::ENERGY, term.iter().map(energy).sum())
    }
}

/// A bead i, and the beads j > i that may be near it.
struct OfRow<'a> {
    i: usize,
    partners: &'a [u32],
    at: At<'a>,
    types: &'a [u16],
    values: &'a mut Vec<PairValue>,
}

impl PairVisitor for OfRow<'_> {
    type Output = ();

    fn visit<F: PairFormula>(self, term: &PairTable<F>) {
        let OfRow { i, partners, at, types, values } = self;
        for j in partners.iter().map(|&j| j as usize) {
            let entry = term.between(types[i], types[j]);
            let r2 = at.squared_distance(i, j);
            if r2 < entry.cutoff * entry.cutoff {
                let virial = match at.boundary {
                    Boundary::Open => 0.0,
                    _ => r2 * entry.potential.force_over_distance(r2),
                };
                values.push(PairValue {
                    kind: F::ENERGY,
                    energy: entry.potential.energy(r2),
                    virial,
                });
            }
        }
    }
}

/// The virial of a bonded term.
struct BondedVirial<'a>(At<'a>);

impl BondedVisitor for BondedVirial<'_> {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> f64 {
        let virial = |pair: &crate::system::Pair<F>| {
            let r2 = self.0.squared_distance(pair.i, pair.j);
            r2 * pair.potential.force_over_distance(r2)
        };
        term.iter().map(virial).sum()
    }
}

impl AngleVisitor for At<'_> {
    type Output = f64;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> f64 {
        let energy = |angle: &crate::system::Angle<F>| {
            let [i, j, k] = angle.beads.map(|bead| self.positions[bead]);
            let apart = |outer| self.boundary.separation(outer, j);
            angle.potential.energy(cosine(apart(i), apart(k)))
        };
        term.iter().map(energy).sum()
    }
}

impl SingleVisitor for At<'_> {
    type Output = f64;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> f64 {
        let At { positions, boundary } = self;
        let energy = |single: &crate::system::Single<F>| {
            let anchor = single.potential.anchor();
            single.potential.energy(boundary.near(positions[single.bead], anchor))
        };
        // This sum starts at +0: published tables were computed so.
        term.iter().fold(0.0, |sum, single| sum + energy(single))
    }
}
