//! One system stepped with vectors: lanes over pairs, threads over beads.

mod bonded;
mod boxed;
mod cells;
pub(crate) mod inertial_moves;
mod list;
pub(crate) mod moves;
mod pairs;
mod rows;
mod share;
mod sums;
mod tiles;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use beadwork_arithmetic::Instructions;
use beadwork_model::System;
use beadwork_random::Normal;

use crate::arrays::coordinates::Coordinates;
use crate::noise::pair_thermal::PairThermal;
use crate::pair_simd::boxed::BoxForces;
use crate::pair_simd::rows::TILE_SIDE;
use crate::pair_simd::share::Share;
use crate::reference::verify;
use crate::space::Geometry;
use crate::teams::sharing::each;
use crate::teams::team::Team;
use beadwork_simulation::StepError;

/// The forces of a system, with the bits of [`crate::reference::Forces`].
#[derive(Clone, Debug)]
pub(crate) struct Forces<T> {
    system: Arc<System>,
    instructions: Instructions,
    /// In a box; there are no shares then.
    boxed: Option<Box<BoxForces<T>>>,
    shares: Vec<Share<T>>,
}

impl<T: Normal> Forces<T> {
    /// The forces of `system` for shares of its beads.
    pub fn new(
        system: &Arc<System>,
        skin: f64,
        instructions: Instructions,
        ranges: &[Range<usize>],
    ) -> Self {
        if let Geometry::Periodic(sides) = Geometry::new(system) {
            let boxed = BoxForces::new(system, sides, skin, instructions, ranges);
            let boxed = Some(Box::new(boxed));
            return Forces { boxed, shares: Vec::new(), system: system.clone(), instructions };
        }
        let mut types = system.particles.types.clone();
        types.resize(types.len().next_multiple_of(TILE_SIDE), 0);
        let types = types.into();
        let share = |range: &Range<usize>| Share::new(system, skin, &types, range.clone());
        let shares = ranges.iter().map(share).collect();
        Forces { boxed: None, shares, system: system.clone(), instructions }
    }

    /// Computes forces at `positions` into `total`; each thread of the team computes a share.
    ///
    /// # Errors
    /// If a bond is at its limit or beyond, or a coordinate is not finite.
    pub fn evaluate(
        &mut self,
        positions: &Coordinates<T>,
        total: &mut Coordinates<T>,
        team: Option<&Team>,
        thermal: Option<&PairThermal<'_, T>>,
    ) -> Result<(), StepError> {
        let instructions = self.instructions;
        if let Some(boxed) = &mut self.boxed {
            return boxed.evaluate(positions, total, team, thermal);
        }
        let sound = match (self.shares.as_mut_slice(), team) {
            ([share], _) => share.evaluate(instructions, positions, thermal, total.whole()),
            (shares, team) => {
                let ranges: Vec<_> = shares.iter().map(Share::beads).collect();
                let parts = total.parts(&ranges);
                let sound = AtomicBool::new(true);
                let work: Vec<_> =
                    shares.iter_mut().zip(parts).map(|work| Mutex::new(Some(work))).collect();
                each(team, work.len(), &|number| {
                    let work = work[number].lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some((share, part)) = work
                        && !share.evaluate(instructions, positions, thermal, part)
                    {
                        sound.store(false, Ordering::Relaxed);
                    }
                });
                sound.into_inner()
            }
        };
        if sound { Ok(()) } else { self.verify(positions) }
    }

    fn verify(&self, positions: &Coordinates<T>) -> Result<(), StepError> {
        verify(&self.system, &Geometry::Open, |bead| positions.get(bead))
    }

    /// Updates the lists of near pairs in open space for `positions`.
    ///
    /// # Errors
    /// If a bond is at its limit or beyond, or a coordinate is not finite.
    pub fn refresh(&mut self, positions: &Coordinates<T>) -> Result<(), StepError> {
        let instructions = self.instructions;
        let sound = self.shares.iter_mut().all(|share| share.refresh(instructions, positions));
        if sound { Ok(()) } else { self.verify(positions) }
    }

    /// Calls `row` for each bead i with the near beads j > i of the lists; both ascend.
    pub fn for_each_bead(&self, row: &mut dyn FnMut(usize, &[u32])) {
        self.shares.iter().for_each(|share| share.for_each_bead(row));
    }
}
