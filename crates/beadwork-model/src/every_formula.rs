//! A system with every kind of term; tests and `beadwork doctor` compare all paths on it.

use crate::potentials::Parameters;
use crate::potentials::angle::{AngleFormula, AngleMaker, AngleTerm, cosine};
use crate::potentials::bonded::{BondedMaker, BondedTerm};
use crate::potentials::listed::{Angle, Angles, Pair, Pairs, Single, Singles};
use crate::potentials::pair::{PairEntry, PairFormula, PairMaker, PairTable, PairTerm};
use crate::potentials::single::{SingleFormula, SingleMaker, SingleTerm};
use crate::system::System;

/// kcal/(mol Å): a listed term gets only pairs and beads on which its force is below this.
const GENTLE: f64 = 2.0;

/// Makes one term of each kind, from its formula's `EXAMPLE`. The beads have these positions and so many types.
struct Examples<'a> {
    positions: &'a [[f64; 3]],
    types: usize,
    pair_terms: usize,
}

/// The example with parameters up to 8 % larger, so that entries differ. Whole numbers may be exponents and stay.
fn varied<F: Parameters<f64>>(example: F, number: usize) -> F {
    let factor = 1.0 + 0.02 * (number % 5) as f64;
    let vary =
        |parameter: f64| if parameter.fract() == 0.0 { parameter } else { factor * parameter };
    F::from_array(example.to_array().map(vary))
}

impl BondedMaker for Examples<'_> {
    type Output = BondedTerm;

    /// Pairs at most eight beads apart.
    fn make<F: PairFormula>(&mut self, term: fn(Pairs<F>) -> BondedTerm) -> BondedTerm {
        let beads = self.positions.len();
        let near = (0..beads).flat_map(|i| (i + 1..beads.min(i + 9)).map(move |j| (i, j)));
        let pair = |(i, j)| Pair { i, j, potential: varied(F::EXAMPLE, i + j) };
        let is_gentle = |pair: &Pair<F>| {
            let [a, b] = [self.positions[pair.i], self.positions[pair.j]];
            let r2 = [0, 1, 2].map(|axis| (a[axis] - b[axis]).powi(2)).iter().sum::<f64>();
            let force = pair.potential.force_over_distance(r2) * r2.sqrt();
            pair.potential.holds(r2) && force.abs() < GENTLE
        };
        term(near.map(pair).filter(is_gentle).collect())
    }
}

impl PairMaker for Examples<'_> {
    type Output = PairTerm;

    /// Cutoffs differ too; the last of three types does not take part in the first term.
    fn make<F: PairFormula>(&mut self, term: fn(PairTable<F>) -> PairTerm) -> PairTerm {
        self.pair_terms += 1;
        let is_first = self.pair_terms == 1;
        let entry = |a, b| PairEntry {
            potential: varied(F::EXAMPLE, a + b),
            cutoff: if is_first && b == 2 { 0.0 } else { 8.5 + (a + b) as f64 },
        };
        term(PairTable::new(self.types, entry))
    }
}

impl AngleMaker for Examples<'_> {
    type Output = AngleTerm;

    /// Angles of neighbours along the chain, and some of beads that are far apart. In a straight angle, single precision
    /// loses digits of the direction of the force.
    fn make<F: AngleFormula>(&mut self, term: fn(Angles<F>) -> AngleTerm) -> AngleTerm {
        let beads = self.positions.len();
        let along = (2..beads).map(|i| [i - 2, i - 1, i]);
        let across = (9..beads).step_by(9).map(|i| [i, i / 4, i / 2]);
        let angle = |beads: [usize; 3]| {
            let potential = varied(F::EXAMPLE, beads[0]);
            Angle { beads, potential }
        };
        let is_bent = |beads: &[usize; 3]| {
            let apart = |end: usize| {
                [0, 1, 2]
                    .map(|axis| self.positions[beads[end]][axis] - self.positions[beads[1]][axis])
            };
            cosine(apart(0), apart(2)).abs() < 0.9
        };
        term(along.chain(across.filter(is_bent)).map(angle).collect())
    }
}

impl SingleMaker for Examples<'_> {
    type Output = SingleTerm;

    fn make<F: SingleFormula>(&mut self, term: fn(Singles<F>) -> SingleTerm) -> SingleTerm {
        let single = |bead| Single { bead, potential: varied(F::EXAMPLE, bead) };
        let is_gentle = |single: &Single<F>| {
            let [x, y, z] = single.potential.force(self.positions[single.bead]);
            x * x + y * y + z * z < GENTLE * GENTLE
        };
        let singles = (0..self.positions.len()).step_by(4).map(single).filter(is_gentle);
        term(singles.collect())
    }
}

impl System {
    /// Gives a system of molecules a term of every formula: tests and `beadwork doctor` need no line for a new one.
    ///
    /// Pair terms and angles replace those of the system. Of bonded formulas and fields it adds those that the system
    /// lacks, on pairs and beads with weak forces at its start.
    pub fn add_every_formula(&mut self) {
        let types = self.types.len();
        let mut examples = Examples { positions: &self.particles.positions, types, pair_terms: 0 };
        let all = &mut self.interactions;
        all.pairs = PairTerm::each(&mut examples);
        all.angles = AngleTerm::each(&mut examples);
        for term in BondedTerm::each(&mut examples) {
            if all.bonded.iter().all(|other| other.rank() != term.rank()) {
                all.bonded.push(term);
            }
        }
        all.bonded.sort_by_key(BondedTerm::rank);
        for term in SingleTerm::each(&mut examples) {
            if all.singles.iter().all(|other| other.rank() != term.rank()) {
                all.singles.push(term);
            }
        }
        all.singles.sort_by_key(SingleTerm::rank);
    }
}
