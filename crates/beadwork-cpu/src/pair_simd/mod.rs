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

use crate::coordinates::Coordinates;
use crate::pair_simd::boxed::BoxForces;
use crate::pair_simd::moves::RUN;
use crate::pair_simd::rows::TILE_SIDE;
use crate::pair_simd::share::Share;
use crate::pair_thermal::PairThermal;
use crate::reference::verify;
use crate::space::Geometry;
use crate::team::Team;
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

/// Ranges of beads for `threads` threads: whole runs of [`RUN`] beads, as equal as possible. There is at least one
/// range; a range is empty only if the system has no beads.
pub(crate) fn ranges(beads: usize, threads: usize) -> Vec<Range<usize>> {
    let runs = beads.div_ceil(RUN).max(1);
    let threads = threads.clamp(1, runs);
    let bound = |number: usize| (runs * number / threads * RUN).min(beads);
    (0..threads).map(|number| bound(number)..bound(number + 1)).collect()
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

/// Runs each of `count` tasks on its thread of the team; without a team, the caller runs them.
pub(crate) fn each(team: Option<&Team>, count: usize, task: &(dyn Fn(usize) + Sync)) {
    match team {
        Some(team) if team.size().min(count) > 1 => {
            let threads = team.size().min(count);
            team.each(threads, &|number| (number..count).step_by(threads).for_each(task));
        }
        _ => (0..count).for_each(task),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_whole_runs_and_cover_all_beads() {
        for beads in [0, 1, 255, 256, 257, 6928, 28620] {
            for threads in [1, 2, 7, 64] {
                let ranges = ranges(beads, threads);
                assert_eq!(ranges.first().map(|range| range.start), Some(0));
                assert_eq!(ranges.last().map(|range| range.end), Some(beads));
                assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert!(ranges.iter().all(|range| range.start % RUN == 0));
                assert!(beads == 0 || ranges.iter().all(|range| !range.is_empty()));
            }
        }
    }
}
