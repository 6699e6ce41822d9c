//! Energies of a system in f64: the definition that every path must reproduce.

use std::ops::Range;

use rayon::prelude::*;

use crate::near_pairs::NearPairs;
use crate::particles::Boundary;
use crate::potentials::EnergyKind;
use crate::potentials::angle::{AngleFormula, AngleVisitor, cosine};
use crate::potentials::bonded::BondedVisitor;
use crate::potentials::listed::{Angle, Angles, Pair, Pairs, Single, Singles};
use crate::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::potentials::single::{SingleFormula, SingleVisitor};
use crate::sums::{RUN, have_runs, runs, sum};
use crate::system::System;

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

/// Sums of energies and of r·F.
#[derive(Clone, Copy)]
struct Totals {
    energies: Energies,
    virial: f64,
}

impl Totals {
    /// Sums of nothing. They begin at −0, as those of iterators do.
    const NONE: Totals = {
        let none = -0.0;
        let [bonds, contacts, angles, pairs, charges, singles] = [none; 6];
        Totals {
            energies: Energies { bonds, contacts, angles, pairs, charges, singles },
            virial: none,
        }
    };

    /// Adds sums of pairs.
    fn add(&mut self, other: &Totals) {
        let Totals { energies, virial } = other;
        self.energies.pairs += energies.pairs;
        self.energies.charges += energies.charges;
        self.virial += virial;
    }
}

/// Adds rows of pairs, ascending, to sums: pair after pair, or in a large system the sums of rows in runs.
struct AddRows<'a> {
    totals: &'a mut Totals,
    /// The number of the present run, and its sums; `None` in small systems.
    run: Option<(usize, Totals)>,
}

impl<'a> AddRows<'a> {
    fn new(totals: &'a mut Totals, beads: usize) -> Self {
        AddRows { totals, run: have_runs(beads).then_some((0, Totals::NONE)) }
    }

    /// Adds the row of bead i, which `add` adds to sums.
    fn add(&mut self, i: usize, add: impl FnOnce(&mut Totals)) {
        let Some((number, run)) = &mut self.run else { return add(self.totals) };
        if i / RUN > *number {
            self.totals.add(run);
            (*number, *run) = (i / RUN, Totals::NONE);
        }
        let mut row = Totals::NONE;
        add(&mut row);
        run.add(&row);
    }

    /// Adds the last run.
    fn finish(self) {
        if let Some((_, run)) = &self.run {
            self.totals.add(run);
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
    /// are zero in sum. Pairs are summed in ascending order of (i, j); of more than 1,024 beads ([`crate::sums`]) those of a
    /// bead i first, then 256 beads, then all. So no bit depends on the number of threads.
    pub fn energies_and_virial(&self, positions: &[[f64; 3]]) -> (Energies, Option<f64>) {
        let at = At { positions, boundary: self.boundary };
        let Totals { energies, virial } = self.totals(at, |totals| {
            let cutoff = self.interactions.pair_cutoff();
            let beads = positions.len();
            let near = NearPairs::new(self.boundary, beads, |bead| positions[bead], cutoff);
            if !have_runs(beads) {
                self.add_near(at, &near, 0..beads, AddRows::new(totals, beads));
                return;
            }
            let runs: Vec<Range<usize>> = runs(beads).collect();
            let of_run = |rows: Range<usize>| {
                let mut run = Totals::NONE;
                let number = rows.start / RUN;
                let rows_of_run = AddRows { totals: &mut run, run: Some((number, Totals::NONE)) };
                self.add_near(at, &near, rows, rows_of_run);
                run
            };
            let sums: Vec<Totals> = runs.into_par_iter().map(of_run).collect();
            sums.iter().for_each(|run| totals.add(run));
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
        let add_pairs = |totals: &mut Totals| {
            let mut rows = AddRows::new(totals, positions.len());
            pairs(&mut |i, partners| {
                rows.add(i, |totals| self.add_row(at, i, partners, totals));
            });
            rows.finish();
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
            *totals.energies.of(term.energy_kind()) += term.visit(at);
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

    /// Adds the rows of some beads i: their pairs with beads j > i, in ascending order of (i, j).
    fn add_near(&self, at: At<'_>, near: &NearPairs, beads: Range<usize>, mut rows: AddRows<'_>) {
        self.each_row(near, beads, |i, partners| {
            rows.add(i, |totals| self.add_row(at, i, partners, totals));
        });
        rows.finish();
    }

    /// Calls `act` for each of some beads i, ascending, with the near beads j > i that are not excluded, ascending.
    pub(crate) fn each_row(
        &self,
        near: &NearPairs,
        beads: Range<usize>,
        mut act: impl FnMut(usize, &[u32]),
    ) {
        let excluded = &self.interactions.excluded;
        let first = excluded.partition_point(|&(i, _)| i < beads.start);
        let mut excluded = excluded[first..].iter().copied().peekable();
        let mut kept = Vec::new();
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
            act(i, &kept);
        });
    }

    /// Adds the pairs of a bead i and the beads j > i that may be near it.
    fn add_row(&self, at: At<'_>, i: usize, partners: &[u32], totals: &mut Totals) {
        let types = &self.particles.types;
        for term in &self.interactions.pairs {
            term.visit(OfRow { i, partners, at, types, totals });
        }
    }
}

impl BondedVisitor for At<'_> {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> f64 {
        let energy = |pair: &Pair<F>| pair.potential.energy(self.squared_distance(pair.i, pair.j));
        sum(self.positions.len(), term.len(), |number| energy(&term[number]))
    }
}

/// A bead i, and the beads j > i that may be near it.
struct OfRow<'a> {
    i: usize,
    partners: &'a [u32],
    at: At<'a>,
    types: &'a [u16],
    totals: &'a mut Totals,
}

impl PairVisitor for OfRow<'_> {
    type Output = ();

    fn visit<F: PairFormula>(self, term: &PairTable<F>) {
        let OfRow { i, partners, at, types, totals } = self;
        let energy = totals.energies.of(F::ENERGY);
        for j in partners.iter().map(|&j| j as usize) {
            let entry = term.between(types[i], types[j]);
            let r2 = at.squared_distance(i, j);
            if r2 < entry.cutoff * entry.cutoff {
                *energy += entry.potential.energy(r2);
                if at.boundary != Boundary::Open {
                    totals.virial += r2 * entry.potential.force_over_distance(r2);
                }
            }
        }
    }
}

/// The virial of a bonded term.
struct BondedVirial<'a>(At<'a>);

impl BondedVisitor for BondedVirial<'_> {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> f64 {
        let virial = |pair: &Pair<F>| {
            let r2 = self.0.squared_distance(pair.i, pair.j);
            r2 * pair.potential.force_over_distance(r2)
        };
        sum(self.0.positions.len(), term.len(), |number| virial(&term[number]))
    }
}

impl AngleVisitor for At<'_> {
    type Output = f64;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> f64 {
        let energy = |angle: &Angle<F>| {
            let [i, j, k] = angle.beads.map(|bead| self.positions[bead]);
            let apart = |outer| self.boundary.separation(outer, j);
            angle.potential.energy(cosine(apart(i), apart(k)))
        };
        sum(self.positions.len(), term.len(), |number| energy(&term[number]))
    }
}

impl SingleVisitor for At<'_> {
    type Output = f64;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> f64 {
        let At { positions, boundary } = self;
        let energy = |single: &Single<F>| {
            let anchor = single.potential.anchor();
            single.potential.energy(boundary.near(positions[single.bead], anchor))
        };
        // This sum starts at +0: published tables were computed so.
        0.0 + sum(positions.len(), term.len(), |number| energy(&term[number]))
    }
}
