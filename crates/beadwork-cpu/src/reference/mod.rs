//! The definition of the forces of a system in either precision, by simple loops.
//!
//! # The order of the sum
//! A bead's force is (p₀ + p₁) + (p₂ + p₃), then the angles that it is part of, then the fields on it alone. Bonded
//! terms, and after them the pairs within a cutoff, go to the partial sums: terms in the order of the system, partners
//! of a term in ascending order, partner j to p of j mod 4. Where several pair terms act between two beads, their
//! forces over the distance are added first. Pairs beyond the cutoff add nothing. Angles and fields follow in the order
//! of their lists.
//!
//! The rule is frozen. It allows four partners of a bead to be added at the same time with the same bits
//! (`benchmarks/README.md` has the measurement that chose four).

mod neighbours;

use std::marker::PhantomData;
use std::sync::Arc;

use beadwork_arithmetic::{Elementary, Real};
use beadwork_model::potentials::angle::{AngleFormula, AngleVisitor, outer_forces};
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairTerm, PairVisitor};
use beadwork_model::potentials::single::{SingleFormula, SingleVisitor};
use beadwork_model::potentials::{PairPotential, SinglePotential, convert};
use beadwork_model::{Angles, Boundary, Pairs, Singles, System};

pub use neighbours::NeighbourList;
pub(crate) use neighbours::{Rows, SAFETY, square};

use crate::lanes::Triple;
use beadwork_simulation::StepError;

/// The number of partial sums of a bead's force.
pub const PARTIAL_SUMS: usize = 4;

/// The partial sums of a bead.
type Sums<T> = [[T; 3]; PARTIAL_SUMS];

/// The forces of a system.
#[derive(Clone, Debug)]
pub struct Forces<T> {
    system: Arc<System>,
    neighbours: NeighbourList<T>,
}

impl<T: Real + Elementary> Forces<T> {
    /// The forces of `system`, with a neighbour list that looks `skin`, Å, beyond the cutoff.
    pub fn new(system: &Arc<System>, skin: f64) -> Self {
        check(system);
        Forces { neighbours: NeighbourList::new(system, skin), system: system.clone() }
    }

    /// Computes forces, kcal/(mol Å), at `positions`, Å, into `forces`.
    ///
    /// # Errors
    /// If a bond is at its limit or beyond, or a coordinate is not finite.
    pub fn evaluate(
        &mut self,
        positions: &[[T; 3]],
        forces: &mut [[T; 3]],
    ) -> Result<(), StepError> {
        let Forces { system, neighbours } = self;
        verify(system, |bead| positions[bead])?;
        let interactions = &system.interactions;
        let mut sums: Vec<Sums<T>> = vec![[[T::zero(); 3]; PARTIAL_SUMS]; positions.len()];
        for term in &interactions.bonded {
            term.visit(AddBonded { positions, sums: &mut sums });
        }
        if !interactions.pairs.is_empty() {
            neighbours.refresh(positions)?;
            for i in 0..positions.len() {
                for &j in neighbours.partners(i) {
                    add_pair(system, i, j as usize, positions, &mut sums);
                }
            }
        }
        for (force, [a, b, c, d]) in forces.iter_mut().zip(sums) {
            *force = [0, 1, 2].map(|axis| (a[axis] + b[axis]) + (c[axis] + d[axis]));
        }
        for term in &interactions.angles {
            term.visit(AddAngles { positions, forces });
        }
        for term in &interactions.singles {
            term.visit(AddSingles { positions, forces });
        }
        Ok(())
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
/// If a list names such a bead.
pub(crate) fn check(system: &System) {
    // All paths of this crate subtract coordinates. With a second boundary this line does not compile.
    let Boundary::Open = system.boundary;
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
pub(crate) fn verify<T: Real + Elementary>(
    system: &System,
    position: impl Fn(usize) -> [T; 3],
) -> Result<(), StepError> {
    for term in &system.interactions.bonded {
        term.visit(Verify { position: &position, number: PhantomData })?;
    }
    match (0..system.beads()).find(|&bead| !finite(position(bead))) {
        Some(bead) => Err(StepError::NotFinite { bead }),
        None => Ok(()),
    }
}

struct Verify<'a, T, P> {
    position: &'a P,
    number: PhantomData<T>,
}

impl<T: Real + Elementary, P: Fn(usize) -> [T; 3]> BondedVisitor for Verify<'_, T, P> {
    type Output = Result<(), StepError>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        if !F::BREAKS {
            return Ok(());
        }
        for pair in term {
            let [a, b] = [pair.i, pair.j].map(self.position);
            let r2 = square(a, b);
            let potential: F::In<T> = convert(pair.potential);
            if potential.holds(r2) {
                continue;
            }
            for (bead, position) in [(pair.i, a), (pair.j, b)] {
                if !finite(position) {
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

#[inline(always)]
pub(crate) fn finite<T: Real>(position: [T; 3]) -> bool {
    position.iter().all(|component| component.is_finite())
}

/// Adds the pairs of a bonded term.
struct AddBonded<'a, T> {
    positions: &'a [[T; 3]],
    sums: &'a mut [Sums<T>],
}

impl<T: Real + Elementary> BondedVisitor for AddBonded<'_, T> {
    type Output = ();

    fn visit<F: PairFormula>(self, term: &Pairs<F>) {
        for pair in term {
            let apart = Triple(self.positions[pair.i]) - Triple(self.positions[pair.j]);
            let potential: F::In<T> = convert(pair.potential);
            add(self.sums, pair.i, pair.j, apart * potential.force_over_distance(apart.square()));
        }
    }
}

/// Adds the force on i from j, and its opposite on j.
fn add<T: Real>(sums: &mut [Sums<T>], i: usize, j: usize, Triple(force): Triple<T>) {
    for (axis, component) in force.into_iter().enumerate() {
        sums[i][j % PARTIAL_SUMS][axis] += component;
        sums[j][i % PARTIAL_SUMS][axis] -= component;
    }
}

/// Adds the forces of all pair terms between two beads.
fn add_pair<T: Real + Elementary>(
    system: &System,
    i: usize,
    j: usize,
    positions: &[[T; 3]],
    sums: &mut [Sums<T>],
) {
    let apart = Triple(positions[i]) - Triple(positions[j]);
    let types = [system.particles.types[i], system.particles.types[j]];
    let over_distance =
        |term: &PairTerm| term.visit(ForceOverDistance { types, r2: apart.square() });
    let factors = system.interactions.pairs.iter().filter_map(over_distance);
    if let Some(factor) = factors.reduce(|sum, factor| sum + factor) {
        add(sums, i, j, apart * factor);
    }
}

/// Force over distance of a pair term; `None` beyond its cutoff.
struct ForceOverDistance<T> {
    types: [u16; 2],
    r2: T,
}

impl<T: Real + Elementary> PairVisitor for ForceOverDistance<T> {
    type Output = Option<T>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Option<T> {
        let entry = term.between(self.types[0], self.types[1]);
        let potential: F::In<T> = convert(entry.potential);
        let acts = self.r2.less_than(T::from_f64(entry.cutoff * entry.cutoff));
        acts.then(|| potential.force_over_distance(self.r2))
    }
}

/// Adds the angles of a term.
struct AddAngles<'a, T> {
    positions: &'a [[T; 3]],
    forces: &'a mut [[T; 3]],
}

impl<T: Real + Elementary> AngleVisitor for AddAngles<'_, T> {
    type Output = ();

    fn visit<F: AngleFormula>(self, term: &Angles<F>) {
        for angle in term {
            let beads @ [i, j, k] = angle.beads;
            let from_middle =
                |bead: usize| (Triple(self.positions[bead]) - Triple(self.positions[j])).0;
            let potential: F::In<T> = convert(angle.potential);
            let (on_i, on_k) = outer_forces(&potential, from_middle(i), from_middle(k));
            let on_j = [0, 1, 2].map(|axis| -(on_i[axis] + on_k[axis]));
            for (bead, force) in beads.into_iter().zip([on_i, on_j, on_k]) {
                add_force(&mut self.forces[bead], force);
            }
        }
    }
}

fn add_force<T: Real>(sum: &mut [T; 3], force: [T; 3]) {
    sum.iter_mut().zip(force).for_each(|(sum, force)| *sum += force);
}

/// Adds the fields of a term.
struct AddSingles<'a, T> {
    positions: &'a [[T; 3]],
    forces: &'a mut [[T; 3]],
}

impl<T: Real + Elementary> SingleVisitor for AddSingles<'_, T> {
    type Output = ();

    fn visit<F: SingleFormula>(self, term: &Singles<F>) {
        for single in term {
            let potential: F::In<T> = convert(single.potential);
            let force = potential.force(self.positions[single.bead]);
            add_force(&mut self.forces[single.bead], force);
        }
    }
}
