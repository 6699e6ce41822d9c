//! The terms of a system, evaluated with a replica in each lane: one loop for each shape.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use beadwork_arithmetic::{Elementary, Family, Instructions, Kernel, Vector};
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairVisitor};
use beadwork_model::potentials::{PairPotential, convert};
use beadwork_model::{Pairs, System};
use beadwork_random::{Normal, pair_number, pair_words_of_members};

use crate::arrays::lanes::{Triple, in_lanes};
use crate::noise::pair_thermal::{ThermostatTable, factor};
use crate::replica_simd::arrays::{Arrays, TermOnReplicas, sum_place};
use crate::replica_simd::list::ReplicaList;
use crate::space::{Geometry, OpenSpace, PARTIAL_SUMS, Space, in_space};
use crate::terms::angles_and_fields;
use crate::terms::pair_table::{ParameterTable, ParametersOfPair};

/// A bonded term with any formula.
pub(crate) trait ReplicaTerm<T>: Debug + Send + Sync {
    /// Adds the forces; returns the bits of the lanes without a broken bond.
    fn add(&self, instructions: Instructions, arrays: &mut Arrays<'_, T>) -> u32;
}

/// A pair term with any formula.
pub(crate) trait PairTerm<T>: Debug + Send + Sync {
    /// Adds the forces of a system's only pair term in open space, then adds up the partial sums.
    fn add(&self, instructions: Instructions, list: &ReplicaList<T>, arrays: &mut Arrays<'_, T>);

    /// Adds force over distance by pair of the list and lane, at squared distances, Å², in the same order.
    fn add_factors(
        &self,
        instructions: Instructions,
        list: &ReplicaList<T>,
        squares: &[T],
        factors: &mut [T],
    );
}

/// The terms of a system.
#[derive(Clone, Debug)]
pub(crate) struct Terms<T> {
    pub bonded: Vec<Arc<dyn ReplicaTerm<T>>>,
    pub pairs: Vec<Arc<dyn PairTerm<T>>>,
    pub thermostat: Option<ThermostatTable<T>>,
    /// Angles and fields, in the order of the sum.
    pub angles_and_fields: Vec<Arc<dyn angles_and_fields::OuterTerm<T>>>,
}

impl<T: Normal> Terms<T> {
    pub fn new(system: &System) -> Self {
        let interactions = &system.interactions;
        let types: Arc<[u16]> = system.particles.types.as_slice().into();
        let build = || BuildForReplicas { types: types.clone(), number: PhantomData };
        let bonded = interactions.bonded.iter().filter(|term| !term.pairs().is_empty());
        Terms {
            bonded: bonded.map(|term| term.visit(build())).collect(),
            pairs: interactions.pairs.iter().map(|term| term.visit(build())).collect(),
            thermostat: interactions
                .thermostat
                .as_ref()
                .map(|thermostat| ThermostatTable::new(thermostat, types.clone())),
            angles_and_fields: angles_and_fields::build(
                interactions,
                &Geometry::new(system),
                &(0..system.beads()),
            ),
        }
    }

    /// Whether forces act between near pairs.
    pub fn act_on_pairs(&self) -> bool {
        !self.pairs.is_empty() || self.thermostat.is_some()
    }
}

/// Makes the terms of one shape.
struct BuildForReplicas<T> {
    types: Arc<[u16]>,
    number: PhantomData<T>,
}

impl<T: Normal> BondedVisitor for BuildForReplicas<T> {
    type Output = Arc<dyn ReplicaTerm<T>>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let entry = |pair: &beadwork_model::Pair<F>| (pair.i, pair.j, convert(pair.potential));
        Arc::new(Bonded::<F, T>(term.iter().map(entry).collect()))
    }
}

impl<T: Normal> PairVisitor for BuildForReplicas<T> {
    type Output = Arc<dyn PairTerm<T>>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Self::Output {
        Arc::new(ParameterTable::<F, T>::new(term, self.types))
    }
}

#[derive(Debug)]
struct Bonded<F: PairFormula, T: Elementary>(Vec<(usize, usize, F::In<T>)>);

impl<F: PairFormula, T: Normal> ReplicaTerm<T> for Bonded<F, T> {
    fn add(&self, instructions: Instructions, arrays: &mut Arrays<'_, T>) -> u32 {
        instructions.dispatch(TermOnReplicas { term: self, arrays })
    }
}

impl<F: PairFormula, T: Normal> Kernel for TermOnReplicas<'_, '_, Bonded<F, T>, T> {
    type Output = u32;

    #[inline(always)]
    fn run<A: Family>(self) -> u32 {
        let TermOnReplicas { term, arrays } = self;
        in_space!(arrays.geometry, space => add_bonded::<F, T::Vector<A>, _>(space, term, arrays))
    }
}

#[inline(always)]
fn add_bonded<F: PairFormula, V: Vector, G: Space<V::Scalar>>(
    space: G,
    Bonded(entries): &Bonded<F, V::Scalar>,
    arrays: &mut Arrays<'_, V::Scalar>,
) -> u32
where
    V::Scalar: Elementary,
{
    let positions = arrays.positions;
    let mut sound = V::mask_from_bits(u32::MAX);
    for &(i, j, parameters) in entries {
        let potential: F::In<V> = in_lanes(parameters);
        let (a, b) = (Triple::<V>::load(positions, i * 3), Triple::load(positions, j * 3));
        let apart = space.separation(a, b);
        let r2 = apart.square();
        if F::BREAKS {
            sound = V::both(sound, potential.holds(r2));
        }
        arrays.add_pair(space, [i, j], apart * potential.force_over_distance(r2));
    }
    V::mask_to_bits(sound)
}

/// Force over distance of pairs, zero beyond the cutoff.
trait Factor<V: Vector> {
    /// Force over distance of beads i and j, pair `number` of the list.
    fn of(&self, number: usize, i: usize, j: usize, r2: V) -> V;
}

impl<V: Vector, P: PairPotential<V>> Factor<V> for ParametersOfPair<P, V> {
    #[inline(always)]
    fn of(&self, _: usize, _: usize, _: usize, r2: V) -> V {
        self.factor(r2)
    }
}

impl<F: PairFormula, V: Vector> Factor<V> for &ParameterTable<F, V::Scalar>
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

impl<F: PairFormula, T: Normal> PairTerm<T> for ParameterTable<F, T> {
    fn add(&self, instructions: Instructions, list: &ReplicaList<T>, arrays: &mut Arrays<'_, T>) {
        instructions.dispatch(AddPairs { term: self, list, arrays });
    }

    fn add_factors(
        &self,
        instructions: Instructions,
        list: &ReplicaList<T>,
        squares: &[T],
        factors: &mut [T],
    ) {
        instructions.dispatch(AddFactors { term: self, list, squares, factors });
    }
}

struct AddPairs<'a, 'b, F: PairFormula, T: Normal> {
    term: &'a ParameterTable<F, T>,
    list: &'a ReplicaList<T>,
    arrays: &'a mut Arrays<'b, T>,
}

impl<F: PairFormula, T: Normal> Kernel for AddPairs<'_, '_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddPairs { term, list, arrays } = self;
        match term.entries.as_slice() {
            [_] => {
                let entry = term.entry::<T::Vector<A>>(0);
                add_pairs::<T::Vector<A>, _>(OpenSpace, list, arrays, &entry);
            }
            _ => add_pairs::<T::Vector<A>, _>(OpenSpace, list, arrays, &term),
        }
    }
}

/// Adds the pairs of the list, which are the last terms, then adds up the partial sums.
#[inline(always)]
fn add_pairs<V: Vector, G: Space<V::Scalar>>(
    space: G,
    list: &ReplicaList<V::Scalar>,
    arrays: &mut Arrays<'_, V::Scalar>,
    factor: &impl Factor<V>,
) {
    let positions = arrays.positions;
    let mut number = 0;
    for i in 0..positions.len() / (3 * V::WIDTH) {
        let a = Triple::<V>::load(positions, i * 3);
        for partial in 0..PARTIAL_SUMS {
            let partners = list.partners(i, partial);
            if partners.is_empty() {
                continue;
            }
            let sums = G::of(arrays.sums, arrays.whole);
            let place = sum_place::<V::Scalar, G>(i, partial);
            let mut on_i = G::load::<V>(sums, place);
            for &j in partners {
                let j = j as usize;
                let apart = space.separation(a, Triple::load(positions, j * 3));
                let force = apart * factor.of(number, i, j, apart.square());
                if G::WRAPS {
                    arrays.counted &= V::mask_to_bits(space.counts(force));
                }
                let force = space.rounded(force);
                on_i = G::plus::<V>(on_i, force);
                let on_j = sum_place::<V::Scalar, G>(j, i);
                G::store::<V>(G::minus::<V>(G::load::<V>(sums, on_j), force), sums, on_j);
                number += 1;
            }
            G::store::<V>(on_i, sums, place);
        }
        // The sum of bead i is complete: partners j < i came before.
        arrays.add_up::<V, G>(space, i);
    }
}

struct AddFactors<'a, F: PairFormula, T: Normal> {
    term: &'a ParameterTable<F, T>,
    list: &'a ReplicaList<T>,
    squares: &'a [T],
    factors: &'a mut [T],
}

impl<F: PairFormula, T: Normal> Kernel for AddFactors<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddFactors { term, list, squares, factors } = self;
        add_factors::<F, T::Vector<A>>(term, list, squares, factors);
    }
}

#[inline(always)]
fn add_factors<F: PairFormula, V: Vector>(
    term: &ParameterTable<F, V::Scalar>,
    list: &ReplicaList<V::Scalar>,
    squares: &[V::Scalar],
    factors: &mut [V::Scalar],
) where
    V::Scalar: Elementary,
{
    let mut number = 0;
    for i in 0..list.beads() {
        for &j in list.all_partners(i) {
            let place = number * V::WIDTH;
            number += 1;
            let r2 = V::load(&squares[place..]);
            let entry = term.entry::<V>(term.number(i, j as usize));
            let near = r2.less_than(entry.square_cutoff);
            // Most pairs of a list have no charges, whose formula costs most.
            if !V::any(near) {
                continue;
            }
            let over_distance = V::select(near, entry.potential.force_over_distance(r2), V::zero());
            let stored = &mut factors[place..];
            (V::load(stored) + over_distance).store(stored);
        }
    }
}

/// Computes the squared distances, Å², by pair of the list and lane.
pub(crate) struct SquaredDistances<'a, T> {
    pub geometry: &'a Geometry<T>,
    pub list: &'a ReplicaList<T>,
    pub positions: &'a [T],
    pub squares: &'a mut [T],
}

impl<T: Normal> Kernel for SquaredDistances<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        in_space!(*self.geometry, space => {
            compute_squares::<T::Vector<A>, _>(space, self.list, self.positions, self.squares);
        });
    }
}

#[inline(always)]
fn compute_squares<V: Vector, G: Space<V::Scalar>>(
    space: G,
    list: &ReplicaList<V::Scalar>,
    positions: &[V::Scalar],
    squares: &mut [V::Scalar],
) {
    let mut number = 0;
    for i in 0..list.beads() {
        let a = Triple::<V>::load(positions, i * 3);
        for &j in list.all_partners(i) {
            let apart = space.separation(a, Triple::load(positions, j as usize * 3));
            apart.square().store(&mut squares[number * V::WIDTH..]);
            number += 1;
        }
    }
}

/// The velocities of members in a step, and the noise of their pairs, in lanes.
#[derive(Clone, Copy)]
pub(crate) struct LanesThermal<'a, T> {
    /// In the order of positions.
    pub velocities: &'a [T],
    /// The key and the step of each lane.
    pub keys: &'a [[u32; 2]],
    pub steps: &'a [[u32; 2]],
    /// See [`crate::noise::pair_thermal::noise_size`].
    pub sizes: &'a [T],
}

/// Adds the force over distance of the pair thermostat, by pair of the list and lane.
pub(crate) struct AddThermostat<'a, T> {
    pub table: &'a ThermostatTable<T>,
    pub thermal: LanesThermal<'a, T>,
    pub geometry: &'a Geometry<T>,
    pub list: &'a ReplicaList<T>,
    pub positions: &'a [T],
    pub factors: &'a mut [T],
}

impl<T: Normal> Kernel for AddThermostat<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        in_space!(*self.geometry, space => add_thermostat::<T::Vector<A>, _>(space, self));
    }
}

#[inline(always)]
fn add_thermostat<V: Vector, G: Space<V::Scalar>>(space: G, work: AddThermostat<'_, V::Scalar>)
where
    V::Scalar: Normal,
{
    let AddThermostat { table, thermal, list, positions, factors, .. } = work;
    let LanesThermal { velocities, keys, steps, sizes } = thermal;
    let key =
        [V::words_from_lanes(|lane| keys[lane][0]), V::words_from_lanes(|lane| keys[lane][1])];
    let step =
        [V::words_from_lanes(|lane| steps[lane][0]), V::words_from_lanes(|lane| steps[lane][1])];
    let size = V::load(sizes);
    let mut number = 0;
    for i in 0..positions.len() / (3 * V::WIDTH) {
        let a = Triple::<V>::load(positions, i * 3);
        for &j in list.all_partners(i) {
            let place = number * V::WIDTH;
            number += 1;
            let j = j as usize;
            let apart = space.separation(a, Triple::load(positions, j * 3));
            let (entry, r2) = (table.between(i, j).in_lanes::<V>(), apart.square());
            let acts = r2.less_than(entry.square_cutoff);
            if !V::any(acts) {
                continue;
            }
            let relative = Triple::<V>::load(velocities, i * 3) - Triple::load(velocities, j * 3);
            let words = pair_words_of_members::<V>(key, step, i as u32, j as u32);
            let random = pair_number::<V>(words, table.normal);
            let over_distance =
                factor(entry.formula, entry.root * size, random, apart, relative, r2);
            let over_distance = V::select(acts, over_distance, V::zero());
            let stored = &mut factors[place..];
            (V::load(stored) + over_distance).store(stored);
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
        let AddStored { factors, list, arrays } = self;
        in_space!(arrays.geometry, space => {
            add_pairs::<T::Vector<A>, _>(space, list, arrays, &Stored(factors));
        });
    }
}
