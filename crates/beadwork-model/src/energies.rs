//! Energies of a system in f64: the definition that every path must reproduce.

use crate::near_pairs::near_pairs;
use crate::particles::Boundary;
use crate::potentials::EnergyKind;
use crate::potentials::angle::{AngleFormula, AngleVisitor, cosine};
use crate::potentials::bonded::BondedVisitor;
use crate::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::potentials::single::{SingleFormula, SingleVisitor};
use crate::system::{Angles, Pairs, Singles, System};

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

impl System {
    /// Energies at `positions`, Å. Pairs are summed in ascending order of (i, j).
    pub fn energies(&self, positions: &[[f64; 3]]) -> Energies {
        self.energies_of_pairs(positions, |add| self.each_row_of_pairs(positions, add))
    }

    /// Calls `row` for each bead i, ascending, with the beads j > i, ascending, that may be within a cutoff and are not
    /// excluded.
    fn each_row_of_pairs(&self, positions: &[[f64; 3]], row: &mut dyn FnMut(usize, &[u32])) {
        let cutoff = self.interactions.pair_cutoff();
        let mut excluded = self.interactions.excluded.iter().copied().peekable();
        let mut kept = Vec::new();
        near_pairs(
            self.boundary,
            positions.len(),
            |bead| positions[bead],
            cutoff,
            |i, partners| {
                kept.clear();
                for &j in partners {
                    let pair = (i, j as usize);
                    // Exclusions ascend as the pairs do; those of pairs that are too far apart are skipped.
                    while excluded.next_if(|&other| other < pair).is_some() {}
                    if excluded.next_if_eq(&pair).is_none() {
                        kept.push(j);
                    }
                }
                row(i, &kept);
            },
        );
    }

    /// Σ r·F of the pair terms and bonded terms, kcal/mol: the virial, each pair once. With N beads in a volume V the
    /// pressure is (N kT + virial/3)/V. Angles and fields do not count: those of angles are zero in sum.
    pub fn virial(&self, positions: &[[f64; 3]]) -> f64 {
        let at = At { positions, boundary: self.boundary };
        let bonded = self.interactions.bonded.iter().map(|term| term.visit(BondedVirial(at)));
        let mut virial = bonded.sum();
        if !self.interactions.pairs.is_empty() {
            let types = &self.particles.types;
            self.each_row_of_pairs(positions, &mut |i, partners| {
                for term in &self.interactions.pairs {
                    let virial = &mut virial;
                    term.visit(VirialOfRow { i, partners, at, types, virial });
                }
            });
        }
        virial
    }

    /// As [`System::energies`], with pairs that the caller knows to be near: `pairs` calls its argument for each bead
    /// i, ascending, with the beads j > i, ascending, that may be within the cutoff and are not excluded.
    pub fn energies_of_pairs(
        &self,
        positions: &[[f64; 3]],
        pairs: impl FnOnce(&mut dyn FnMut(usize, &[u32])),
    ) -> Energies {
        // Sums start at −0, as those of iterators do: +0 would change the sign of the sum of bonds at rest, −0 each.
        let mut energies = Energies { bonds: -0.0, contacts: -0.0, ..Energies::default() };
        let at = At { positions, boundary: self.boundary };
        for term in &self.interactions.bonded {
            let (kind, energy) = term.visit(at);
            *energies.of(kind) += energy;
        }
        if !self.interactions.pairs.is_empty() {
            let types = &self.particles.types;
            pairs(&mut |i, partners| {
                for term in &self.interactions.pairs {
                    let energies = &mut energies;
                    term.visit(OfRow { i, partners, at, types, energies });
                }
            });
        }
        for term in &self.interactions.angles {
            energies.angles += term.visit(at);
        }
        for term in &self.interactions.singles {
            energies.singles += term.visit(at);
        }
        energies
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
    energies: &'a mut Energies,
}

impl PairVisitor for OfRow<'_> {
    type Output = ();

    fn visit<F: PairFormula>(self, term: &PairTable<F>) {
        let OfRow { i, partners, at, types, energies } = self;
        let sum = energies.of(F::ENERGY);
        for &j in partners {
            let j = j as usize;
            let entry = term.between(types[i], types[j]);
            let r2 = at.squared_distance(i, j);
            if r2 < entry.cutoff * entry.cutoff {
                *sum += entry.potential.energy(r2);
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

/// A bead i, and the beads j > i that may be near it.
struct VirialOfRow<'a> {
    i: usize,
    partners: &'a [u32],
    at: At<'a>,
    types: &'a [u16],
    virial: &'a mut f64,
}

impl PairVisitor for VirialOfRow<'_> {
    type Output = ();

    fn visit<F: PairFormula>(self, term: &PairTable<F>) {
        let VirialOfRow { i, partners, at, types, virial } = self;
        for j in partners.iter().map(|&j| j as usize) {
            let entry = term.between(types[i], types[j]);
            let r2 = at.squared_distance(i, j);
            if r2 < entry.cutoff * entry.cutoff {
                *virial += r2 * entry.potential.force_over_distance(r2);
            }
        }
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
