//! The pressure tensor and the configurational temperature, which tables have on request.

use std::ops::Range;

use rayon::prelude::*;

use crate::near_pairs::NearPairs;
use crate::particles::Boundary;
use crate::potentials::angle::{AngleFormula, AngleVisitor, outer_forces};
use crate::potentials::bonded::BondedVisitor;
use crate::potentials::listed::{Angles, Pairs, Singles};
use crate::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::potentials::single::{SingleFormula, SingleVisitor};
use crate::sums::{RUN, sums};
use crate::system::System;

/// The step of the central differences of forces that give curvatures: relative to r² for pairs and to the shorter side of an
/// angle, in Å for fields. The error is its square times a third derivative, some 10⁻⁸ of the curvature for r⁻¹².
const STEP: f64 = 1e-5;

/// What follows from the forces of all terms beside energies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mechanics {
    /// xx, yy, zz, xy, xz and yz, in units of the energy over the cubed length; `None` in open space.
    pub pressure: Option<[f64; 6]>,
    /// Σ F²/Σ ∇²V, kB T in the unit of the energy; 0 where nothing has a curvature, and negative where it is negative.
    pub configurational_temperature: Option<f64>,
    /// Σ ∇²V, kcal/(mol Å²).
    pub curvature: f64,
}

/// The state of which they are measured.
#[derive(Clone, Copy, Debug)]
pub struct MechanicsState<'a> {
    /// Å.
    pub positions: &'a [[f64; 3]],
    /// Å/ps, if beads have velocities.
    pub velocities: Option<&'a [[f64; 3]]>,
    /// The forces of the interactions, kcal/(mol Å), if they are known.
    pub forces: Option<&'a [[f64; 3]]>,
    /// Whether each bead may move.
    pub free: &'a [bool],
    /// kB T of the bath.
    pub temperature: f64,
}

/// Sums over terms: Σ r F, with the components of [`Mechanics::pressure`], and the curvature ∇²V for the beads that are free.
type Totals = [f64; 7];

impl System {
    /// The pressure tensor (Σ m v v + Σ r F)/V of pairs, bonds and angles, whose mean diagonal is the pressure;
    /// and the configurational temperature Σ F²/Σ ∇²V of free beads (Butler, Ayton, Jepps and Evans, J. Chem. Phys. 109, 6519,
    /// 1998). Curvatures are differences of forces, so that no formula needs another derivative; where a force ends with a
    /// step, as that of a Lennard-Jones potential cut off, the curvature of the step is missing.
    pub fn mechanics(&self, state: MechanicsState<'_>) -> Mechanics {
        let MechanicsState { positions, velocities, forces, free, temperature } = state;
        let beads = positions.len();
        let at = At { positions, boundary: self.boundary, free };
        let mut totals = self.of_pairs(at);
        let mut add =
            |of_term: Totals| totals.iter_mut().zip(of_term).for_each(|(sum, one)| *sum += one);
        let interactions = &self.interactions;
        interactions.bonded.iter().for_each(|term| add(term.visit(at)));
        interactions.angles.iter().for_each(|term| add(term.visit(at)));
        interactions.singles.iter().for_each(|term| add(term.visit(at)));
        let [virial @ .., curvature] = totals;
        let kinetic = self.kinetic_tensor(velocities, temperature);
        let pressure = self.boundary.volume();
        let pressure =
            pressure.map(|volume| [0, 1, 2, 3, 4, 5].map(|k| (kinetic[k] + virial[k]) / volume));
        let configurational_temperature = forces.map(|forces| {
            let [squares] = sums(beads, beads, |[sum], bead| {
                if free[bead] {
                    *sum += square(forces[bead]);
                }
            });
            if curvature == 0.0 { 0.0 } else { squares / curvature }
        });
        Mechanics { pressure, configurational_temperature, curvature }
    }

    /// Σ m v v in the unit of the energy; without velocities its mean at the temperature of the bath.
    fn kinetic_tensor(&self, velocities: Option<&[[f64; 3]]>, temperature: f64) -> [f64; 6] {
        let beads = self.beads();
        let Some(velocities) = velocities else {
            return [1.0, 1.0, 1.0, 0.0, 0.0, 0.0].map(|on| on * beads as f64 * temperature);
        };
        let sums: [f64; 6] = sums(beads, beads, |sums, bead| {
            add_tensor(sums, velocities[bead], velocities[bead], self.mass(bead));
        });
        sums.map(|sum| sum / self.units.acceleration())
    }

    /// The sums of all pair terms, those of runs of beads side by side.
    fn of_pairs(&self, at: At<'_>) -> Totals {
        let mut totals = [0.0; 7];
        if self.interactions.pairs.is_empty() {
            return totals;
        }
        let (beads, cutoff) = (at.positions.len(), self.interactions.pair_cutoff());
        let near = NearPairs::new(self.boundary, beads, |bead| at.positions[bead], cutoff);
        let of_run = |rows: Range<usize>| {
            let mut totals = [0.0; 7];
            self.each_row(&near, rows, |i, partners| {
                for term in &self.interactions.pairs {
                    let types = &self.particles.types;
                    term.visit(OfRow { i, partners, at, types, totals: &mut totals });
                }
            });
            totals
        };
        let runs: Vec<Range<usize>> =
            (0..beads).step_by(RUN).map(|first| first..beads.min(first + RUN)).collect();
        let of_runs: Vec<Totals> = runs.into_par_iter().map(of_run).collect();
        for run in of_runs {
            totals.iter_mut().zip(run).for_each(|(sum, of_run)| *sum += of_run);
        }
        totals
    }
}

/// The positions of beads, and which are free.
#[derive(Clone, Copy)]
struct At<'a> {
    positions: &'a [[f64; 3]],
    boundary: Boundary,
    free: &'a [bool],
}

impl At<'_> {
    fn apart(&self, i: usize, j: usize) -> [f64; 3] {
        self.boundary.separation(self.positions[i], self.positions[j])
    }

    /// Adds the virial and the curvature of a pair of beads.
    fn add_pair<F: PairFormula>(&self, totals: &mut Totals, [i, j]: [usize; 2], formula: &F) {
        let apart = self.apart(i, j);
        let r2 = square(apart);
        let over_distance = formula.force_over_distance(r2);
        add_tensor(totals, apart, apart, over_distance);
        // With the force F = r f(r²) the curvature is −3 f − 2 r² f′, for either bead.
        let step = STEP * r2;
        let change =
            formula.force_over_distance(r2 + step) - formula.force_over_distance(r2 - step);
        let free = [i, j].iter().filter(|&&bead| self.free[bead]).count();
        totals[6] -= free as f64 * (3.0 * over_distance + change / STEP);
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
        for j in partners.iter().map(|&j| j as usize) {
            let entry = term.between(types[i], types[j]);
            if at.boundary.squared_distance(at.positions[i], at.positions[j])
                < entry.cutoff * entry.cutoff
            {
                at.add_pair(totals, [i, j], &entry.potential);
            }
        }
    }
}

impl BondedVisitor for At<'_> {
    type Output = Totals;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Totals {
        sums(self.positions.len(), term.len(), |totals, number| {
            let pair = &term[number];
            self.add_pair(totals, [pair.i, pair.j], &pair.potential);
        })
    }
}

impl AngleVisitor for At<'_> {
    type Output = Totals;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Totals {
        sums(self.positions.len(), term.len(), |totals, number| {
            let angle = &term[number];
            let [i, j, k] = angle.beads;
            let [a, b] = [self.apart(i, j), self.apart(k, j)];
            // The forces on the three beads, where one of them is moved along an axis.
            let forces = |bead: usize, axis: usize, by: f64| {
                let (mut a, mut b) = (a, b);
                match bead {
                    0 => a[axis] += by,
                    1 => {
                        a[axis] -= by;
                        b[axis] -= by;
                    }
                    _ => b[axis] += by,
                }
                let (on_i, on_k) = outer_forces(&angle.potential, a, b);
                [on_i, [0, 1, 2].map(|axis| -on_i[axis] - on_k[axis]), on_k]
            };
            let [on_i, _, on_k] = forces(0, 0, 0.0);
            add_tensor(totals, a, on_i, 1.0);
            add_tensor(totals, b, on_k, 1.0);
            let step = STEP * square(a).min(square(b)).sqrt();
            for place in (0..3).filter(|&place| self.free[angle.beads[place]]) {
                for axis in 0..3 {
                    let force = |by: f64| forces(place, axis, by)[place][axis];
                    totals[6] -= (force(step) - force(-step)) / (2.0 * step);
                }
            }
        })
    }
}

impl SingleVisitor for At<'_> {
    type Output = Totals;

    /// Fields add curvature alone: they are outside of the system, and have no virial in a periodic box.
    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> Totals {
        sums(self.positions.len(), term.len(), |totals: &mut Totals, number| {
            let single = &term[number];
            if !self.free[single.bead] {
                return;
            }
            let near = self.boundary.near(self.positions[single.bead], single.potential.anchor());
            for axis in 0..3 {
                let force = |by: f64| {
                    let mut moved = near;
                    moved[axis] += by;
                    single.potential.force(moved)[axis]
                };
                totals[6] -= (force(STEP) - force(-STEP)) / (2.0 * STEP);
            }
        })
    }
}

/// Adds a factor times the components xx, yy, zz, xy, xz and yz of the product of two vectors.
fn add_tensor(sums: &mut [f64], a: [f64; 3], b: [f64; 3], factor: f64) {
    let axes = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    sums.iter_mut().zip(axes).for_each(|(sum, (k, l))| *sum += factor * a[k] * b[l]);
}

fn square(a: [f64; 3]) -> f64 {
    a.iter().map(|component| component * component).sum()
}
