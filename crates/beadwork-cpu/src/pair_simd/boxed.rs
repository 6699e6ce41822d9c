//! Forces in a periodic box, with lanes over the pairs of a list.
//!
//! Sums of whole numbers have no order, so pairs need none either: a list of pairs is cut into as many equal parts as there
//! are threads, each with sums of its own, and a part goes through all terms in chunks that stay in the cache. Bonded
//! terms, angles and fields are those of the reference path.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use beadwork_arithmetic::{Family, Instructions, Kernel, Lane, Vector};
use beadwork_model::System;
use beadwork_random::Normal;
use beadwork_simulation::StepError;

use crate::coordinates::Coordinates;
use crate::lanes::Triple;
use crate::pair_simd::{each, pairs};
use crate::pair_thermal::{PairThermal, ThermostatTable};
use crate::reference::{self, NeighbourList, Sums, add_angles_and_fields, add_bonded, verify};
use crate::space::{Geometry, PeriodicBox, Space};
use crate::team::Team;

/// Pairs that go through all terms together.
const CHUNK: usize = 512;
/// The number of lanes of the widest vector, which divides [`CHUNK`].
const WIDEST: usize = 16;

/// The forces of a system in a box, with the bits of [`crate::reference::Forces`].
#[derive(Clone, Debug)]
pub(crate) struct BoxForces<T> {
    system: Arc<System>,
    sides: PeriodicBox<T>,
    skin: f64,
    list: NeighbourList<T>,
    /// The pairs i < j of the list, and how often the list had been built when they were copied.
    pairs: (u64, Vec<[u32; 2]>),
    terms: Vec<Arc<dyn pairs::Term<T>>>,
    thermostat: Option<ThermostatTable<T>>,
    /// One for each thread.
    parts: Vec<Part<T>>,
}

/// The work of one thread.
#[derive(Clone, Debug)]
struct Part<T> {
    /// The sums of all beads.
    sums: Vec<[i64; 3]>,
    /// Whether a force was beyond the range of the sums.
    lost: bool,
    chunk: Chunk<T>,
}

/// The separations of some pairs, their squares, and the forces over the distances.
#[derive(Clone, Debug)]
struct Chunk<T> {
    apart: [Vec<T>; 3],
    r2: Vec<T>,
    factors: Vec<T>,
}

impl<T: Normal> BoxForces<T> {
    pub fn new(system: &Arc<System>, sides: PeriodicBox<T>, skin: f64, threads: usize) -> Self {
        let types: Arc<[u16]> = system.particles.types.as_slice().into();
        let interactions = &system.interactions;
        let build = || pairs::Build { types: &types, number: PhantomData };
        let zero = || vec![T::zero(); CHUNK];
        let chunk = Chunk { apart: [zero(), zero(), zero()], r2: zero(), factors: zero() };
        let part = Part { sums: vec![[0; 3]; system.beads()], lost: false, chunk };
        let thermostat = interactions.thermostat.as_ref();
        BoxForces {
            sides,
            skin,
            list: NeighbourList::new(system, skin),
            pairs: (0, Vec::new()),
            terms: interactions.pairs.iter().map(|term| term.visit(build())).collect(),
            thermostat: thermostat.map(|one| ThermostatTable::new(one, types.clone())),
            parts: vec![part; threads.max(1)],
            system: system.clone(),
        }
    }

    /// As [`crate::pair_simd::Forces::evaluate`].
    pub fn evaluate(
        &mut self,
        instructions: Instructions,
        positions: &Coordinates<T>,
        total: &mut Coordinates<T>,
        team: Option<&Team>,
        thermal: Option<&PairThermal<'_, T>>,
    ) -> Result<(), StepError> {
        let geometry = Geometry::Periodic(self.sides);
        verify(&self.system, &geometry, |bead| positions.get(bead))?;
        let triples: Vec<_> = positions.iter().collect();
        let mut forces = vec![[T::zero(); 3]; triples.len()];
        let mut sums = Sums::new(&geometry, triples.len());
        add_bonded(&self.system, &geometry, &triples, &mut sums);
        add_angles_and_fields(&self.system, &geometry, &triples, &mut sums, &mut forces);
        if self.system.interactions.act_on_pairs() {
            self.refresh(&triples)?;
            self.add_pairs(instructions, positions, team, thermal);
            if self.parts.iter().any(|part| part.lost) {
                // The reference path names the bead.
                let mut reference = reference::Forces::new(&self.system, self.skin);
                return reference.evaluate_with(&triples, thermal, &mut forces);
            }
            self.parts.iter().for_each(|part| sums.add_whole(&part.sums));
        }
        sums.write(&mut forces)?;
        forces.into_iter().enumerate().for_each(|(bead, force)| total.set(bead, force));
        Ok(())
    }

    /// As [`crate::pair_simd::Forces::for_each_bead`].
    pub fn for_each_bead(&self, row: &mut dyn FnMut(usize, &[u32])) {
        (0..self.system.beads()).for_each(|i| row(i, self.list.partners(i)));
    }

    /// Updates the list of near pairs for `positions`.
    pub fn refresh(&mut self, positions: &[[T; 3]]) -> Result<(), StepError> {
        self.list.refresh(positions)?;
        let (built, pairs) = &mut self.pairs;
        if *built != self.list.rebuilds() {
            *built = self.list.rebuilds();
            pairs.clear();
            for i in 0..positions.len() {
                pairs.extend(self.list.partners(i).iter().map(|&j| [i as u32, j]));
            }
        }
        Ok(())
    }

    fn add_pairs(
        &mut self,
        instructions: Instructions,
        positions: &Coordinates<T>,
        team: Option<&Team>,
        thermal: Option<&PairThermal<'_, T>>,
    ) {
        let BoxForces { sides, pairs: (_, pairs), terms, thermostat, parts, .. } = self;
        let thermal = thermostat.as_ref().zip(thermal);
        let length = pairs.len().div_ceil(parts.len()).max(1);
        let mut shares = pairs.chunks(length);
        let work: Vec<_> = parts
            .iter_mut()
            .map(|part| Mutex::new((part, shares.next().unwrap_or_default())))
            .collect();
        each(team, work.len(), &|number| {
            let mut work = work[number].lock().unwrap_or_else(PoisonError::into_inner);
            let (part, pairs) = &mut *work;
            part.sums.fill([0; 3]);
            part.lost = false;
            for pairs in pairs.chunks(CHUNK) {
                let Part { sums, lost, chunk } = &mut **part;
                instructions.dispatch(Separate { sides, pairs, positions, chunk });
                for term in terms.iter() {
                    term.add_factors_of(instructions, pairs, &chunk.r2, &mut chunk.factors);
                }
                if let Some((table, thermal)) = thermal {
                    instructions.dispatch(AddThermostat { table, thermal, pairs, chunk });
                }
                *lost |= !instructions.dispatch(Add { sides, pairs, chunk, sums });
            }
        });
    }
}

/// Computes the separations of a chunk's pairs, and sets the forces to zero. Pairs beyond the last are far apart.
struct Separate<'a, T> {
    sides: &'a PeriodicBox<T>,
    pairs: &'a [[u32; 2]],
    positions: &'a Coordinates<T>,
    chunk: &'a mut Chunk<T>,
}

impl<T: Normal> Kernel for Separate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let Separate { sides, pairs, positions, chunk } = self;
        let axes = positions.slices();
        for first in (0..pairs.len()).step_by(T::Vector::<A>::WIDTH) {
            let (a, b) = ends::<T::Vector<A>>(axes, pairs, first);
            let apart = sides.separation(a, b);
            let Triple([x, y, z]) = apart;
            x.store(&mut chunk.apart[0][first..]);
            y.store(&mut chunk.apart[1][first..]);
            z.store(&mut chunk.apart[2][first..]);
            apart.square().store(&mut chunk.r2[first..]);
        }
        let padded = pairs.len().next_multiple_of(WIDEST);
        chunk.r2[pairs.len()..padded].fill(T::from_f64(1e30));
        chunk.factors[..padded].fill(T::zero());
    }
}

/// The triples of both beads of the pairs from `first` on, a pair in each lane; lanes beyond the last pair repeat it.
#[inline(always)]
fn ends<V: Vector>(
    axes: [&[V::Scalar]; 3],
    pairs: &[[u32; 2]],
    first: usize,
) -> (Triple<V>, Triple<V>) {
    let mut lanes = [[[V::zero().lane(0); WIDEST]; 3]; 2];
    for lane in 0..V::WIDTH {
        let pair = pairs[(first + lane).min(pairs.len() - 1)];
        for (lanes, bead) in lanes.iter_mut().zip(pair) {
            for (lanes, axis) in lanes.iter_mut().zip(axes) {
                lanes[lane] = axis[bead as usize];
            }
        }
    }
    let [[a, b, c], [x, y, z]] = &lanes;
    (Triple([V::load(a), V::load(b), V::load(c)]), Triple([V::load(x), V::load(y), V::load(z)]))
}

/// Adds the force over distance of the pair thermostat.
struct AddThermostat<'a, T> {
    table: &'a ThermostatTable<T>,
    thermal: &'a PairThermal<'a, T>,
    pairs: &'a [[u32; 2]],
    chunk: &'a mut Chunk<T>,
}

impl<T: Normal> Kernel for AddThermostat<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddThermostat { table, thermal, pairs, chunk } = self;
        let axes = thermal.velocities.slices();
        let last = pairs.len() - 1;
        for first in (0..pairs.len()).step_by(T::Vector::<A>::WIDTH) {
            let pair = |lane: usize| pairs[(first + lane).min(last)];
            let entry = table.gathered::<T::Vector<A>>(pair);
            let r2 = T::Vector::<A>::load(&chunk.r2[first..]);
            let acts = r2.less_than(entry.square_cutoff);
            if !T::Vector::<A>::any(acts) {
                continue;
            }
            let (a, b) = ends::<T::Vector<A>>(axes, pairs, first);
            let [x, y, z] = &chunk.apart;
            let apart = Triple([
                T::Vector::<A>::load(&x[first..]),
                T::Vector::<A>::load(&y[first..]),
                T::Vector::<A>::load(&z[first..]),
            ]);
            let over_distance = thermal.factors(table.normal, entry, pair, apart, a - b, r2);
            let over_distance = T::Vector::<A>::select(acts, over_distance, T::Vector::<A>::zero());
            let stored = &mut chunk.factors[first..];
            (T::Vector::<A>::load(stored) + over_distance).store(stored);
        }
    }
}

/// Adds the forces of a chunk to the sums; false if one is beyond their range.
struct Add<'a, T> {
    sides: &'a PeriodicBox<T>,
    pairs: &'a [[u32; 2]],
    chunk: &'a Chunk<T>,
    sums: &'a mut [[i64; 3]],
}

impl<T: Normal> Kernel for Add<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Family>(self) -> bool {
        let Add { sides, pairs, chunk, sums } = self;
        let [x, y, z] = &chunk.apart;
        let mut counts = true;
        for first in (0..pairs.len()).step_by(T::Vector::<A>::WIDTH) {
            let apart = Triple([
                T::Vector::<A>::load(&x[first..]),
                T::Vector::<A>::load(&y[first..]),
                T::Vector::<A>::load(&z[first..]),
            ]);
            let force = apart * T::Vector::<A>::load(&chunk.factors[first..]);
            let used = pairs.len() - first;
            let bits = T::Vector::<A>::mask_to_bits(sides.counts(force));
            counts &= bits.trailing_ones() as usize >= used.min(T::Vector::<A>::WIDTH);
            let whole = Space::<T>::rounded::<T::Vector<A>>(*sides, force);
            for (lane, &[i, j]) in pairs[first..].iter().take(T::Vector::<A>::WIDTH).enumerate() {
                for axis in 0..3 {
                    let on_i = &mut sums[i as usize][axis];
                    *on_i = on_i.wrapping_add(whole[axis][lane]);
                    let on_j = &mut sums[j as usize][axis];
                    *on_j = on_j.wrapping_sub(whole[axis][lane]);
                }
            }
        }
        counts
    }
}
