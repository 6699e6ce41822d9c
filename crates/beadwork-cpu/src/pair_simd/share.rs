//! The forces on a range of beads, which one thread computes.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use beadwork_arithmetic::{Family, Instructions, Kernel};
use beadwork_model::System;
use beadwork_random::Normal;

use crate::arrays::aligned::Aligned;
use crate::arrays::coordinates::{Coordinates, CoordinatesPart};
use crate::noise::pair_thermal::{PairThermal, ThermostatTable};
use crate::pair_simd::bonded;
use crate::pair_simd::list::TileList;
use crate::pair_simd::pairs::{self, AddStored};
use crate::pair_simd::rows::TILE_SIDE;
use crate::pair_simd::sums::{TileSums, add_up};
use crate::pair_simd::tiles::{BLOCK_SUMS, TILE};
use crate::space::Geometry;
use crate::terms::angles_and_fields;

/// The interactions of a range of beads.
#[derive(Clone, Debug)]
pub(crate) struct Share<T> {
    beads: Range<usize>,
    bonded: Vec<Arc<dyn bonded::BondedInLanes<T>>>,
    pairs: Vec<Arc<dyn pairs::PairsInLanes<T>>>,
    thermostat: Option<ThermostatTable<T>>,
    list: TileList<T>,
    /// Angles and fields.
    angles_and_fields: Vec<Arc<dyn angles_and_fields::OuterTerm<T>>>,
    /// Zero between evaluations if `cleared` is true.
    sums: Aligned<T>,
    cleared: bool,
    /// For several pair terms: the sums of their forces over the distances.
    factors: Vec<T>,
}

impl<T: Normal> Share<T> {
    pub fn new(system: &System, skin: f64, types: &Arc<[u16]>, beads: Range<usize>) -> Self {
        let blocks = beads.start / TILE_SIDE..beads.end.div_ceil(TILE_SIDE);
        let interactions = &system.interactions;
        let bonded = interactions.bonded.iter().filter(|term| !term.pairs().is_empty());
        let build = |kind| bonded::BuildBonded { beads: beads.clone(), kind, number: PhantomData };
        let tables = interactions.pairs.iter();
        let list = TileList::new(
            system.beads(),
            types,
            blocks.clone(),
            &interactions.pair_cutoffs(),
            skin,
            &interactions.excluded,
        );
        Share {
            bonded: bonded.map(|term| term.visit(build(term.energy_kind()))).collect(),
            pairs: tables
                .map(|term| term.visit(pairs::BuildPairs { types, number: PhantomData }))
                .collect(),
            thermostat: interactions
                .thermostat
                .as_ref()
                .map(|thermostat| ThermostatTable::new(thermostat, types.clone())),
            list,
            angles_and_fields: angles_and_fields::build(
                interactions,
                &Geometry::new(system),
                &beads,
            ),
            sums: Aligned::new(T::zero(), blocks.len() * BLOCK_SUMS),
            cleared: true,
            factors: Vec::new(),
            beads,
        }
    }

    /// The range.
    pub fn beads(&self) -> Range<usize> {
        self.beads.clone()
    }

    /// Computes forces at `positions` on the beads of the range into `total`. If it returns false, a bond is broken or
    /// a coordinate is not finite, and `total` is invalid.
    pub fn evaluate(
        &mut self,
        instructions: Instructions,
        positions: &Coordinates<T>,
        thermal: Option<&PairThermal<'_, T>>,
        mut total: CoordinatesPart<'_, T>,
    ) -> bool {
        if !std::mem::replace(&mut self.cleared, false) {
            self.sums.fill(T::zero());
        }
        let mut sums = TileSums { beads: self.beads.clone(), numbers: &mut self.sums };
        if !self.bonded.iter().all(|term| term.add(instructions, positions, &mut sums)) {
            return false;
        }
        if self.pairs.is_empty() && self.thermostat.is_none() {
            if positions.first_not_finite().is_some() {
                return false;
            }
            for block in 0..sums.numbers.len() / BLOCK_SUMS {
                add_up(sums.numbers, block, &mut total);
            }
        } else if !instructions.dispatch(Refresh { list: &mut self.list, positions }) {
            return false;
        }
        let rows = &self.list.rows;
        match (self.pairs.as_slice(), self.thermostat.as_ref().zip(thermal)) {
            ([], None) if self.thermostat.is_none() => {}
            ([term], None) => term.add(instructions, rows, positions, &mut sums, &mut total),
            (several, thermostat) => {
                self.factors.clear();
                self.factors.resize(rows.tiles.len() * TILE, T::zero());
                for term in several {
                    term.add_factors(instructions, rows, positions, &mut self.factors);
                }
                if let Some((table, thermal)) = thermostat {
                    let factors = self.factors.as_mut_slice();
                    let work = pairs::AddThermostat { table, thermal, rows, positions, factors };
                    instructions.dispatch(work);
                }
                let (factors, sums, total) = (&self.factors, &mut sums, &mut total);
                instructions.dispatch(AddStored { factors, rows, positions, sums, total });
            }
        }
        self.cleared = true;
        for term in &self.angles_and_fields {
            term.add(positions, &mut total);
        }
        true
    }

    /// Updates the list of tiles for `positions`; false if a coordinate is not finite.
    pub fn refresh(&mut self, instructions: Instructions, positions: &Coordinates<T>) -> bool {
        instructions.dispatch(Refresh { list: &mut self.list, positions })
    }

    /// Calls `row` for each bead i of the range with the beads j > i of the list; both ascend.
    pub fn for_each_bead(&self, row: &mut dyn FnMut(usize, &[u32])) {
        self.list.rows.for_each_bead(row);
    }
}

/// [`TileList::refresh`], compiled for each set of instructions.
struct Refresh<'a, T> {
    list: &'a mut TileList<T>,
    positions: &'a Coordinates<T>,
}

impl<T: Normal> Kernel for Refresh<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<F: Family>(self) -> bool {
        self.list.refresh::<T::Vector<F>>(self.positions)
    }
}
