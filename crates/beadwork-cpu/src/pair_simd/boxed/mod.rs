//! Forces in a periodic box, with lanes over pairs.
//!
//! Sums of whole numbers have no order, so neither beads nor pairs need one. Beads are sorted by cells, so that those that
//! are near lie near in memory, and threads take one share of the cells after another, each with sums of its own. Near pairs
//! are found by cells, or in a list that was made so, and go through all terms in chunks that stay in the cache. Bonded
//! terms, angles and fields are those of the reference path.

mod chunk;
mod grid;
mod list;
mod order;
mod search;
mod sums;

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use beadwork_arithmetic::Instructions;
use beadwork_model::System;
use beadwork_random::Normal;
use beadwork_simulation::StepError;

use self::chunk::{AddForces, AddThermostat, CHUNK, Chunk, Separate};
use self::list::{BoxList, CellShare};
use self::order::gather_in_slots;
use self::search::{Select, SlotPairs};
use self::sums::{SlotSums, Total};
use crate::arrays::coordinates::Coordinates;
use crate::noise::pair_thermal::{PairThermal, ThermostatTable};
use crate::pair_simd::pairs;
use crate::reference::{self, BeadSums, add_angles_and_fields, add_bonded, verify};
use crate::space::{Geometry, PeriodicBox};
use crate::teams::sharing::{dispatch_each, each};
use crate::teams::team::Team;

/// The forces of a system in a box, with the bits of [`crate::reference::Forces`].
#[derive(Clone, Debug)]
pub(crate) struct BoxForces<T> {
    system: Arc<System>,
    sides: PeriodicBox<T>,
    instructions: Instructions,
    /// The beads whose forces each thread writes.
    ranges: Vec<Range<usize>>,
    list: BoxList<T>,
    terms: Vec<Arc<dyn pairs::PairsInLanes<T>>>,
    thermostat: Option<ThermostatTable<T>>,
    /// Å/ps, by slots; empty without a thermostat.
    velocities: Coordinates<T>,
    /// One for each thread.
    parts: Vec<ThreadWork<T>>,
}

/// The work of one thread.
#[derive(Clone, Debug)]
struct ThreadWork<T> {
    /// The slots around a cell.
    around: Vec<Range<usize>>,
    /// Near pairs that have not been added yet.
    near: SlotPairs,
    added: Added<T>,
}

/// The forces that one thread has added.
#[derive(Clone, Debug)]
struct Added<T> {
    chunk: Chunk<T>,
    sums: SlotSums,
    /// Whether a force was beyond the range of the sums.
    lost: bool,
}

/// What bonded terms, angles and fields add to the forces.
#[derive(Debug, Default)]
struct OtherTerms {
    /// By beads; none without such terms.
    sums: Option<Vec<[i64; 3]>>,
    /// Whether a force was beyond the range of the sums.
    lost: bool,
}

impl<T: Normal> BoxForces<T> {
    pub fn new(
        system: &Arc<System>,
        sides: PeriodicBox<T>,
        skin: f64,
        instructions: Instructions,
        ranges: &[Range<usize>],
    ) -> Self {
        let types: Arc<[u16]> = system.particles.types.as_slice().into();
        let interactions = &system.interactions;
        let build = || pairs::BuildPairs { types: &types, number: PhantomData };
        let thermostat = interactions.thermostat.as_ref();
        let part = || ThreadWork {
            around: Vec::new(),
            near: SlotPairs::default(),
            added: Added { chunk: Chunk::new(), sums: SlotSums::new(system.beads()), lost: false },
        };
        BoxForces {
            sides,
            instructions,
            ranges: ranges.to_vec(),
            list: BoxList::new(system, sides, skin),
            terms: interactions.pairs.iter().map(|term| term.visit(build())).collect(),
            thermostat: thermostat.map(|one| ThermostatTable::new(one, types.clone())),
            velocities: Coordinates::zero(if thermostat.is_some() { system.beads() } else { 0 }),
            parts: ranges.iter().map(|_| part()).collect(),
            system: system.clone(),
        }
    }

    /// As [`crate::pair_simd::Forces::evaluate`].
    pub fn evaluate(
        &mut self,
        positions: &Coordinates<T>,
        total: &mut Coordinates<T>,
        team: Option<&Team>,
        thermal: Option<&PairThermal<'_, T>>,
    ) -> Result<(), StepError> {
        if self.system.interactions.act_on_pairs() {
            self.list.prepare(self.instructions, team, &self.ranges, positions);
            if let Some(thermal) = thermal.filter(|_| self.thermostat.is_some()) {
                let (order, to) = (&self.list.order, &mut self.velocities);
                let from = thermal.velocities;
                gather_in_slots(self.instructions, team, &self.ranges, order, from, to);
            }
        }
        let OtherTerms { sums: others, lost } = self.add_terms(positions, team, thermal)?;
        if lost {
            return self.evaluate_by_reference(positions, total, thermal);
        }
        let (sides, slots) = (&self.sides, &self.list.order.slots);
        let parts: Vec<_> = self.parts.iter().map(|part| &part.added.sums).collect();
        let (parts, others) = (parts.as_slice(), others.as_deref());
        let totals = total.parts(&self.ranges).into_iter();
        let work = totals.map(|total| Total { sides, slots, parts, others, total });
        dispatch_each(team, self.instructions, work);
        Ok(())
    }

    /// Computes the forces by the reference path, whose errors name the bead.
    fn evaluate_by_reference(
        &self,
        positions: &Coordinates<T>,
        total: &mut Coordinates<T>,
        thermal: Option<&PairThermal<'_, T>>,
    ) -> Result<(), StepError> {
        let triples: Vec<_> = positions.iter().collect();
        let mut forces = vec![[T::zero(); 3]; triples.len()];
        let mut reference = reference::Forces::new(&self.system, 0.0);
        reference.evaluate_with(&triples, thermal, &mut forces)?;
        forces.into_iter().enumerate().for_each(|(bead, force)| total.set(bead, force));
        Ok(())
    }

    /// Adds the forces of all pairs to the sums of the threads. Returns the sums of the other terms, and whether any force was beyond
    /// the range of sums. The first thread computes the other terms while the rest begin with pairs.
    fn add_terms(
        &mut self,
        positions: &Coordinates<T>,
        team: Option<&Team>,
        thermal: Option<&PairThermal<'_, T>>,
    ) -> Result<OtherTerms, StepError> {
        let BoxForces { sides, instructions, list, terms, thermostat, velocities, system, .. } =
            self;
        let thermal = thermostat.as_ref().zip(thermal);
        let adder = Adder { sides, instructions: *instructions, list, terms, thermal, velocities };
        let shares: &[CellShare] =
            if system.interactions.act_on_pairs() { &list.shares } else { &[] };
        let work: Vec<_> = self.parts.iter_mut().map(Mutex::new).collect();
        let (next, others) = (AtomicUsize::new(0), Mutex::new(Ok(OtherTerms::default())));
        each(team, work.len(), &|number| {
            if number == 0 {
                let found = other_terms(system, &Geometry::Periodic(*sides), positions);
                *others.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
            let part = &mut **work[number].lock().unwrap_or_else(PoisonError::into_inner);
            part.added.sums.begin();
            part.added.lost = false;
            while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
                adder.add_share(share, part);
            }
            adder.add_chunks(&mut part.near, &mut part.added, 1);
        });
        let mut others = others.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        others.lost |= self.parts.iter().any(|part| part.added.lost);
        Ok(others)
    }
}

/// What bonded terms, angles and fields add; an error if a bond does not hold.
fn other_terms<T: Normal>(
    system: &System,
    geometry: &Geometry<T>,
    positions: &Coordinates<T>,
) -> Result<OtherTerms, StepError> {
    verify(system, geometry, |bead| positions.get(bead))?;
    let interactions = &system.interactions;
    let bonded = interactions.bonded.is_empty() && interactions.angles.is_empty();
    if bonded && interactions.singles.is_empty() {
        return Ok(OtherTerms::default());
    }
    let triples: Vec<_> = positions.iter().collect();
    let mut sums = BeadSums::new(geometry, triples.len());
    add_bonded(system, geometry, &triples, &mut sums);
    add_angles_and_fields(system, geometry, &triples, &mut sums, &mut []);
    Ok(match sums {
        BeadSums::Fixed { sums, lost, .. } => OtherTerms { sums: Some(sums), lost: lost.is_some() },
        BeadSums::Ordered(_) => OtherTerms::default(),
    })
}

/// What all threads share while they add the forces of pairs.
struct Adder<'a, T> {
    sides: &'a PeriodicBox<T>,
    instructions: Instructions,
    list: &'a BoxList<T>,
    terms: &'a [Arc<dyn pairs::PairsInLanes<T>>],
    thermal: Option<(&'a ThermostatTable<T>, &'a PairThermal<'a, T>)>,
    velocities: &'a Coordinates<T>,
}

impl<T: Normal> Adder<'_, T> {
    /// Adds the pairs of a share of the cells; some may wait for the next chunk.
    fn add_share(&self, share: &CellShare, part: &mut ThreadWork<T>) {
        let (list, sides, instructions) = (self.list, self.sides, self.instructions);
        let ThreadWork { around, near, added } = part;
        for cell in share.cells.clone() {
            list.order.around(list.grid(), cell, around);
            around.iter().for_each(|slots| added.sums.touch(slots.clone()));
            if !list.is_listed() {
                list.search(instructions, cell, around, near, |near| {
                    self.add_chunks(near, added, CHUNK);
                });
            }
        }
        if !list.is_listed() {
            return;
        }
        let SlotPairs { first, second, count } = &share.pairs;
        let (first, second) = (&first[..*count], &second[..*count]);
        for (first, second) in first.chunks(CHUNK).zip(second.chunks(CHUNK)) {
            let (places, limit, listed) = (&list.places, list.square_cutoff(), [first, second]);
            instructions.dispatch(Select { sides, places, listed, limit, pairs: &mut *near });
            self.add_chunks(near, added, CHUNK);
        }
    }

    /// Adds near pairs in chunks for as long as there are at least `fewest`.
    fn add_chunks(&self, near: &mut SlotPairs, added: &mut Added<T>, fewest: usize) {
        let Adder { sides, instructions, list, velocities, .. } = *self;
        let Added { chunk, sums, lost } = added;
        let mut done = 0;
        while near.count - done >= fewest {
            let pairs = done..near.count.min(done + CHUNK);
            chunk.take(&list.order.beads, &near.first[pairs.clone()], &near.second[pairs.clone()]);
            instructions.dispatch(Separate { sides, places: &list.places, chunk });
            for term in self.terms {
                let (beads, r2, factors) = chunk.factors();
                term.add_factors_of(instructions, beads, r2, factors);
            }
            if let Some((table, thermal)) = self.thermal {
                instructions.dispatch(AddThermostat { table, thermal, velocities, chunk });
            }
            *lost |= !instructions.dispatch(AddForces { sides, chunk, sums: sums.all() });
            done = pairs.end;
        }
        near.remove_first(done);
    }
}
