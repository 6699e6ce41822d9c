//! The terms of a system, evaluated with a replica in each lane: one loop for each shape.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use beadwork_arithmetic::{Elementary, Family, Instructions, Kernel, Vector};
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairVisitor};
use beadwork_model::potentials::{PairPotential, convert};
use beadwork_model::{Pairs, System};
use beadwork_random::Normal;

use crate::angles_and_fields;
use crate::lanes::{Triple, in_lanes};
use crate::pair_table::{Entry, Table};
use crate::reference::PARTIAL_SUMS;
use crate::replica_simd::arrays::{Arrays, Work};
use crate::replica_simd::list::ReplicaList;

/// A bonded term with any formula.
pub(crate) trait Term<T>: Debug + Send + Sync {
    /// Adds the forces; returns the bits of the lanes without a broken bond.
    fn add(&self, instructions: Instructions, arrays: &mut Arrays<'_, T>) -> u32;
}

/// A pair term with any formula.
pub(crate) trait PairTerm<T>: Debug + Send + Sync {
    /// Adds the forces of a system's only pair term, then adds up the partial sums.
    fn add(&self, instructions: Instructions, list: &ReplicaList<T>, arrays: &mut Arrays<'_, T>);

    /// Adds force over distance of one of several terms, by pair of the list and lane.
    fn add_factors(
        &self,
        instructions: Instructions,
        list: &ReplicaList<T>,
        positions: &[T],
        factors: &mut [T],
    );
}

/// The terms of a system.
#[derive(Clone, Debug)]
pub(crate) struct Terms<T> {
    pub bonded: Vec<Arc<dyn Term<T>>>,
    pub pairs: Vec<Arc<dyn PairTerm<T>>>,
    /// Angles and fields, in the order of the sum.
    pub angles_and_fields: Vec<Arc<dyn angles_and_fields::Term<T>>>,
}

impl<T: Normal> Terms<T> {
    pub fn new(system: &System) -> Self {
        let interactions = &system.interactions;
        let types: Arc<[u16]> = system.particles.types.as_slice().into();
        let build = || Build { types: types.clone(), number: PhantomData };
        let bonded = interactions.bonded.iter().filter(|term| !term.pairs().is_empty());
        Terms {
            bonded: bonded.map(|term| term.visit(build())).collect(),
            pairs: interactions.pairs.iter().map(|term| term.visit(build())).collect(),
            angles_and_fields: angles_and_fields::build(interactions, &(0..system.beads())),
        }
    }
}

/// Makes the terms of one shape.
struct Build<T> {
    types: Arc<[u16]>,
    number: PhantomData<T>,
}

impl<T: Normal> BondedVisitor for Build<T> {
    type Output = Arc<dyn Term<T>>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let entry = |pair: &beadwork_model::Pair<F>| (pair.i, pair.j, convert(pair.potential));
        Arc::new(Bonded::<F, T>(term.iter().map(entry).collect()))
    }
}

impl<T: Normal> PairVisitor for Build<T> {
    type Output = Arc<dyn PairTerm<T>>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Self::Output {
        Arc::new(Table::<F, T>::new(term, self.types))
    }
}

/// The index, in vectors, of a bead's partial sum for a partner.
#[inline(always)]
fn sum_place(bead: usize, partner: usize) -> usize {
    (bead * PARTIAL_SUMS + partner % PARTIAL_SUMS) * 3
}

/// A bead's force from its partial sums, which it sets to zero.
#[inline(always)]
pub(crate) fn add_up<V: Vector>(sums: &mut [V::Scalar], total: &mut [V::Scalar], bead: usize) {
    let first = sum_place(bead, 0);
    let low = Triple::<V>::load(sums, first) + Triple::load(sums, first + 3);
    let high = Triple::<V>::load(sums, first + 6) + Triple::load(sums, first + 9);
    (low + high).store(total, bead * 3);
    for partial in 0..PARTIAL_SUMS {
        Triple::<V>::zero().store(sums, first + 3 * partial);
    }
}

#[derive(Debug)]
struct Bonded<F: PairFormula, T: Elementary>(Vec<(usize, usize, F::In<T>)>);

impl<F: PairFormula, T: Normal> Term<T> for Bonded<F, T> {
    fn add(&self, instructions: Instructions, arrays: &mut Arrays<'_, T>) -> u32 {
        instructions.dispatch(Work { term: self, arrays })
    }
}

impl<F: PairFormula, T: Normal> Kernel for Work<'_, '_, Bonded<F, T>, T> {
    type Output = u32;

    #[inline(always)]
    fn run<A: Family>(self) -> u32 {
        add_bonded::<F, T::Vector<A>>(self.term, self.arrays)
    }
}

#[inline(always)]
fn add_bonded<F: PairFormula, V: Vector>(
    Bonded(entries): &Bonded<F, V::Scalar>,
    arrays: &mut Arrays<'_, V::Scalar>,
) -> u32
where
    V::Scalar: Elementary,
{
    let Arrays { positions, sums, .. } = arrays;
    let mut sound = V::mask_from_bits(u32::MAX);
    for &(i, j, parameters) in entries {
        let potential: F::In<V> = in_lanes(parameters);
        let apart = Triple::<V>::load(positions, i * 3) - Triple::load(positions, j * 3);
        let r2 = apart.square();
        if F::BREAKS {
            sound = V::both(sound, potential.holds(r2));
        }
        let force = apart * potential.force_over_distance(r2);
        let (on_i, on_j) = (sum_place(i, j), sum_place(j, i));
        (Triple::load(sums, on_i) + force).store(sums, on_i);
        (Triple::load(sums, on_j) - force).store(sums, on_j);
    }
    V::mask_to_bits(sound)
}

/// Force over distance of pairs, zero beyond the cutoff.
trait Factor<V: Vector> {
    /// Force over distance of beads i and j, pair `number` of the list.
    fn of(&self, number: usize, i: usize, j: usize, r2: V) -> V;
}

impl<V: Vector, P: PairPotential<V>> Factor<V> for Entry<P, V> {
    #[inline(always)]
    fn of(&self, _: usize, _: usize, _: usize, r2: V) -> V {
        self.factor(r2)
    }
}

impl<F: PairFormula, V: Vector> Factor<V> for &Table<F, V::Scalar>
where
    V::Scalar: Elementary,
{
    #[inline(always)]
    fn of(&self, _: usize, i: usize, j: usize, r2: V) -> V {
        self.entry::<V>(self.number(i, j)).factor(r2)
    }
}

/// Factors that were stored before, by pair of the list and lane.
struct Stored<'a, T>(&'a [T]);

impl<V: Vector> Factor<V> for Stored<'_, V::Scalar> {
    #[inline(always)]
    fn of(&self, number: usize, _: usize, _: usize, _: V) -> V {
        V::load(&self.0[number * V::WIDTH..])
    }
}

impl<F: PairFormula, T: Normal> PairTerm<T> for Table<F, T> {
    fn add(&self, instructions: Instructions, list: &ReplicaList<T>, arrays: &mut Arrays<'_, T>) {
        instructions.dispatch(AddPairs { term: self, list, arrays });
    }

    fn add_factors(
        &self,
        instructions: Instructions,
        list: &ReplicaList<T>,
        positions: &[T],
        factors: &mut [T],
    ) {
        instructions.dispatch(AddFactors { term: self, list, positions, factors });
    }
}

struct AddPairs<'a, 'b, F: PairFormula, T: Normal> {
    term: &'a Table<F, T>,
    list: &'a ReplicaList<T>,
    arrays: &'a mut Arrays<'b, T>,
}

impl<F: PairFormula, T: Normal> Kernel for AddPairs<'_, '_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddPairs { term, list, arrays } = self;
        match term.entries.as_slice() {
            [_] => add_pairs::<T::Vector<A>>(list, arrays, &term.entry::<T::Vector<A>>(0)),
            _ => add_pairs::<T::Vector<A>>(list, arrays, &term),
        }
    }
}

/// Adds the pairs of the list, which are the last terms, then adds up the partial sums.
#[inline(always)]
fn add_pairs<V: Vector>(
    list: &ReplicaList<V::Scalar>,
    arrays: &mut Arrays<'_, V::Scalar>,
    factor: &impl Factor<V>,
) {
    let Arrays { positions, sums, total } = arrays;
    let mut number = 0;
    for i in 0..positions.len() / (3 * V::WIDTH) {
        let a = Triple::<V>::load(positions, i * 3);
        for partial in 0..PARTIAL_SUMS {
            let partners = list.partners(i, partial);
            if partners.is_empty() {
                continue;
            }
            let place = sum_place(i, partial);
            let mut on_i = Triple::<V>::load(sums, place);
            for &j in partners {
                let j = j as usize;
                let apart = a - Triple::load(positions, j * 3);
                let force = apart * factor.of(number, i, j, apart.square());
                on_i += force;
                let on_j = sum_place(j, i);
                (Triple::load(sums, on_j) - force).store(sums, on_j);
                number += 1;
            }
            on_i.store(sums, place);
        }
        // The sum of bead i is complete: partners j < i came before.
        add_up::<V>(sums, total, i);
    }
}

struct AddFactors<'a, F: PairFormula, T: Normal> {
    term: &'a Table<F, T>,
    list: &'a ReplicaList<T>,
    positions: &'a [T],
    factors: &'a mut [T],
}

impl<F: PairFormula, T: Normal> Kernel for AddFactors<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddFactors { term, list, positions, factors } = self;
        let mut number = 0;
        for i in 0..positions.len() / (3 * T::Vector::<A>::WIDTH) {
            let a = Triple::<T::Vector<A>>::load(positions, i * 3);
            for &j in list.all_partners(i) {
                let j = j as usize;
                let apart = a - Triple::load(positions, j * 3);
                let over_distance = term.of(number, i, j, apart.square());
                let stored = &mut factors[number * T::Vector::<A>::WIDTH..];
                (T::Vector::<A>::load(stored) + over_distance).store(stored);
                number += 1;
            }
        }
    }
}

/// Adds the forces of pairs whose factors were stored before.
pub(crate) struct AddStored<'a, 'b, T> {
    pub factors: &'a [T],
    pub list: &'a ReplicaList<T>,
    pub arrays: &'a mut Arrays<'b, T>,
}

impl<T: Normal> Kernel for AddStored<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        add_pairs::<T::Vector<A>>(self.list, self.arrays, &Stored(self.factors));
    }
}
