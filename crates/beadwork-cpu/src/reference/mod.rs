//! The definition of the forces of a system in either precision, by simple loops.
//!
//! # The order of the sum
//! A bead's force is (p₀ + p₁) + (p₂ + p₃), then the angles that it is part of, then the fields on it alone. Bonded
//! terms, and after them the pairs within a cutoff, go to the partial sums: terms in the order of the system, partners
//! of a term in ascending order, partner j to p of j mod 4. Where several pair terms act between two beads, their
//! forces over the distance are added first, that of the pair thermostat last. Pairs beyond the cutoff add nothing. Angles and fields follow in the order
//! of their lists.
//!
//! In a periodic box the sums have no order: each contribution is rounded to a whole number of force units
//! ([`beadwork_model::ForceUnit`]), and the sum is converted once.
//!
//! The rule is frozen. It allows four partners of a bead to be added at the same time with the same bits
//! (`benchmarks/README.md` has the measurement that chose four).

mod neighbours;
mod sums;

use std::sync::Arc;

use beadwork_arithmetic::Real;
use beadwork_model::potentials::angle::{AngleFormula, AngleVisitor, outer_forces};
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairTerm, PairVisitor};
use beadwork_model::potentials::single::{SingleFormula, SingleVisitor};
use beadwork_model::potentials::{PairPotential, PairThermostat, SinglePotential, convert};
use beadwork_model::{Angles, Pairs, Singles, System};
use beadwork_random::Normal;

pub use neighbours::NeighbourList;
pub(crate) use neighbours::{PairRows, SAFETY};

pub(crate) use self::sums::BeadSums;
use crate::arrays::lanes::Triple;
use crate::noise::pair_thermal::PairThermal;
use crate::space::Geometry;
pub use crate::space::PARTIAL_SUMS;
use beadwork_simulation::StepError;

/// The forces of a system.
#[derive(Clone, Debug)]
pub struct Forces<T> {
    system: Arc<System>,
    geometry: Geometry<T>,
    neighbours: NeighbourList<T>,
}

impl<T: Normal> Forces<T> {
    /// The forces of `system`, with a neighbour list that looks `skin`, Å, beyond the cutoff.
    pub fn new(system: &Arc<System>, skin: f64) -> Self {
        check(system);
        let geometry = Geometry::new(system);
        Forces { neighbours: NeighbourList::new(system, skin), geometry, system: system.clone() }
    }

    /// Computes forces, kcal/(mol Å), without those of a pair thermostat, at `positions` into `forces`. Positions are in Å;
    /// in a periodic box they are coordinates as a [`crate::Coordinates`] holds them.
    ///
    /// # Errors
    /// If a bond is at its limit or beyond, a coordinate is not finite, or a force in a box is too large.
    pub fn evaluate(
        &mut self,
        positions: &[[T; 3]],
        forces: &mut [[T; 3]],
    ) -> Result<(), StepError> {
        self.evaluate_with(positions, None, forces)
    }

    /// Computes forces as [`Forces::evaluate`], with those of a pair thermostat.
    pub(crate) fn evaluate_with(
        &mut self,
        positions: &[[T; 3]],
        thermal: Option<&PairThermal<'_, T>>,
        forces: &mut [[T; 3]],
    ) -> Result<(), StepError> {
        let Forces { system, geometry, neighbours } = self;
        let geometry = &*geometry;
        verify(system, geometry, |bead| positions[bead])?;
        let interactions = &system.interactions;
        let mut sums = BeadSums::new(geometry, positions.len());
        add_bonded(system, geometry, positions, &mut sums);
        if interactions.act_on_pairs() {
            neighbours.refresh(positions)?;
            let mut pairs = AddPairs { system, positions, geometry, thermal, sums: &mut sums };
            for i in 0..positions.len() {
                neighbours.partners(i).iter().for_each(|&j| pairs.add(i, j as usize));
            }
        }
        if let Geometry::Open = geometry {
            sums.write(forces)?;
        }
        add_angles_and_fields(system, geometry, positions, &mut sums, forces);
        match geometry {
            Geometry::Open => Ok(()),
            Geometry::Periodic(_) => sums.write(forces),
        }
    }

    /// The list of near pairs, updated for `positions`.
    ///
    /// # Errors
    /// If a coordinate is not finite.
    pub fn neighbours(&mut self, positions: &[[T; 3]]) -> Result<&NeighbourList<T>, StepError> {
        self.neighbours.refresh(positions)?;
        Ok(&self.neighbours)
    }
}

/// Refuses systems whose lists name beads that do not exist: paths index by them without further checks.
///
/// # Panics
/// If a list names such a bead, or the system does not fit its box.
pub(crate) fn check(system: &System) {
    assert_eq!(system.boundary_problem(), None, "a system that fits its box");
    let beads = system.beads();
    let interactions = &system.interactions;
    let bonded = interactions.bonded.iter().flat_map(|term| term.pairs());
    for (i, j) in bonded.chain(interactions.excluded.iter().copied()) {
        assert!(i < j && j < beads, "pair ({i}, {j}) in a system of {beads} beads");
    }
    assert_eq!(system.particles.types.len(), beads, "a type for each bead");
    struct Check(usize);
    impl AngleVisitor for Check {
        type Output = ();

        fn visit<F: AngleFormula>(self, term: &Angles<F>) {
            for [i, j, k] in term.iter().map(|angle| angle.beads) {
                let exist = i.max(j).max(k) < self.0;
                assert!(exist && i != j && j != k && i != k, "an angle of beads {i}, {j} and {k}");
            }
        }
    }
    impl SingleVisitor for Check {
        type Output = ();

        fn visit<F: SingleFormula>(self, term: &Singles<F>) {
            for single in term {
                assert!(single.bead < self.0, "a field on bead {} of {}", single.bead, self.0);
            }
        }
    }
    interactions.angles.iter().for_each(|term| term.visit(Check(beads)));
    interactions.singles.iter().for_each(|term| term.visit(Check(beads)));
    let last_type = system.particles.types.iter().copied().max().unwrap_or(0);
    let types: Vec<usize> = interactions.pairs.iter().map(PairTerm::types).collect();
    for &count in &types {
        assert!(usize::from(last_type) < count, "type {last_type} in a table of {count}");
        assert_eq!(count, types[0], "pair terms with tables of as many types");
    }
}

/// Checks that all bonds hold and all coordinates are finite.
///
/// # Errors
/// The first error found.
pub(crate) fn verify<T: Normal>(
    system: &System,
    geometry: &Geometry<T>,
    position: impl Fn(usize) -> [T; 3],
) -> Result<(), StepError> {
    for term in &system.interactions.bonded {
        term.visit(Verify { geometry, position: &position })?;
    }
    match (0..system.beads()).find(|&bead| !geometry.is_point(position(bead))) {
        Some(bead) => Err(StepError::NotFinite { bead }),
        None => Ok(()),
    }
}

struct Verify<'a, T, P> {
    geometry: &'a Geometry<T>,
    position: &'a P,
}

impl<T: Normal, P: Fn(usize) -> [T; 3]> BondedVisitor for Verify<'_, T, P> {
    type Output = Result<(), StepError>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        if !F::BREAKS {
            return Ok(());
        }
        for pair in term {
            let [a, b] = [pair.i, pair.j].map(self.position);
            let r2 = self.geometry.square(a, b);
            let potential: F::In<T> = convert(pair.potential);
            if potential.holds(r2) {
                continue;
            }
            for (bead, position) in [(pair.i, a), (pair.j, b)] {
                if !self.geometry.is_point(position) {
                    return Err(StepError::NotFinite { bead });
                }
            }
            return Err(StepError::BrokenBond {
                i: pair.i,
                j: pair.j,
                distance: r2.sqrt().to_f64(),
                rest_length: pair.potential.rest_length(),
                limit: pair.potential.limit(),
            });
        }
        Ok(())
    }
}

/// Adds the bonded terms.
pub(crate) fn add_bonded<T: Normal>(
    system: &System,
    geometry: &Geometry<T>,
    positions: &[[T; 3]],
    sums: &mut BeadSums<T>,
) {
    for term in &system.interactions.bonded {
        term.visit(AddBonded { positions, geometry, sums });
    }
}

/// Adds angles and fields: in open space to the forces, in a box to the sums.
pub(crate) fn add_angles_and_fields<T: Normal>(
    system: &System,
    geometry: &Geometry<T>,
    positions: &[[T; 3]],
    sums: &mut BeadSums<T>,
    forces: &mut [[T; 3]],
) {
    for term in &system.interactions.angles {
        term.visit(AddAngles { positions, geometry, sums, forces });
    }
    for term in &system.interactions.singles {
        term.visit(AddSingles { positions, geometry, sums, forces });
    }
}

/// Adds the pairs of a bonded term.
struct AddBonded<'a, T> {
    positions: &'a [[T; 3]],
    geometry: &'a Geometry<T>,
    sums: &'a mut BeadSums<T>,
}

impl<T: Normal> BondedVisitor for AddBonded<'_, T> {
    type Output = ();

    fn visit<F: PairFormula>(self, term: &Pairs<F>) {
        for pair in term {
            let apart = self.geometry.separation(self.positions[pair.i], self.positions[pair.j]);
            let potential: F::In<T> = convert(pair.potential);
            let factor = potential.force_over_distance(Triple(apart).square());
            self.sums.add_pair(pair.i, pair.j, (Triple(apart) * factor).0);
        }
    }
}

/// Adds the forces of all pair terms, and of the pair thermostat, between two beads.
struct AddPairs<'a, T> {
    system: &'a System,
    positions: &'a [[T; 3]],
    geometry: &'a Geometry<T>,
    thermal: Option<&'a PairThermal<'a, T>>,
    sums: &'a mut BeadSums<T>,
}

impl<T: Normal> AddPairs<'_, T> {
    fn add(&mut self, i: usize, j: usize) {
        let apart = Triple(self.geometry.separation(self.positions[i], self.positions[j]));
        let kinds = &self.system.particles.types;
        let (types, r2) = ([kinds[i], kinds[j]], apart.square());
        let interactions = &self.system.interactions;
        let over_distance = |term: &PairTerm| term.visit(ForceOverDistance { types, r2 });
        let factors = interactions.pairs.iter().filter_map(over_distance);
        let thermostat = self.thermal.zip(interactions.thermostat.as_ref());
        let dissipative = thermostat.and_then(|(thermal, PairThermostat { table, noise })| {
            let entry = table.between(types[0], types[1]);
            let acts = r2.less_than(T::from_f64(entry.cutoff * entry.cutoff));
            acts.then(|| thermal.factor(entry.potential, *noise, [i, j], apart, r2))
        });
        if let Some(factor) = factors.chain(dissipative).reduce(|sum, factor| sum + factor) {
            self.sums.add_pair(i, j, (apart * factor).0);
        }
    }
}

/// Force over distance of a pair term; `None` beyond its cutoff.
struct ForceOverDistance<T> {
    types: [u16; 2],
    r2: T,
}

impl<T: Normal> PairVisitor for ForceOverDistance<T> {
    type Output = Option<T>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Option<T> {
        let entry = term.between(self.types[0], self.types[1]);
        let potential: F::In<T> = convert(entry.potential);
        let acts = self.r2.less_than(T::from_f64(entry.cutoff * entry.cutoff));
        acts.then(|| potential.force_over_distance(self.r2))
    }
}

/// Adds the angles of a term: in open space to the forces, in a box to the sums.
struct AddAngles<'a, T> {
    positions: &'a [[T; 3]],
    geometry: &'a Geometry<T>,
    sums: &'a mut BeadSums<T>,
    forces: &'a mut [[T; 3]],
}

impl<T: Normal> AngleVisitor for AddAngles<'_, T> {
    type Output = ();

    fn visit<F: AngleFormula>(self, term: &Angles<F>) {
        let AddAngles { positions, geometry, sums, forces } = self;
        for angle in term {
            let beads @ [i, j, k] = angle.beads;
            let from_middle = |bead: usize| geometry.separation(positions[bead], positions[j]);
            let potential: F::In<T> = convert(angle.potential);
            let (on_i, on_k) = outer_forces(&potential, from_middle(i), from_middle(k));
            if geometry.is_periodic() {
                sums.add_three(beads, on_i, on_k);
                continue;
            }
            let on_j = [0, 1, 2].map(|axis| -(on_i[axis] + on_k[axis]));
            for (bead, force) in beads.into_iter().zip([on_i, on_j, on_k]) {
                add_force(&mut forces[bead], force);
            }
        }
    }
}

fn add_force<T: Real>(sum: &mut [T; 3], force: [T; 3]) {
    sum.iter_mut().zip(force).for_each(|(sum, force)| *sum += force);
}

/// Adds the fields of a term: in open space to the forces, in a box to the sums.
struct AddSingles<'a, T> {
    positions: &'a [[T; 3]],
    geometry: &'a Geometry<T>,
    sums: &'a mut BeadSums<T>,
    forces: &'a mut [[T; 3]],
}

impl<T: Normal> SingleVisitor for AddSingles<'_, T> {
    type Output = ();

    fn visit<F: SingleFormula>(self, term: &Singles<F>) {
        let AddSingles { positions, geometry, sums, forces } = self;
        for single in term {
            let potential: F::In<T> = convert(single.potential);
            let at = geometry.near(positions[single.bead], single.potential.anchor());
            let force = potential.force(at);
            if geometry.is_periodic() {
                sums.add_one(single.bead, force);
            } else {
                add_force(&mut forces[single.bead], force);
            }
        }
    }
}
