//! All forces of one system, in shares.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use beadwork_arithmetic::Instructions;
use beadwork_model::System;
use beadwork_random::Normal;

use crate::coordinates::Coordinates;
use crate::forces::Forces;
use crate::moves::RUN;
use crate::state::Trouble;
use crate::team::Team;
use crate::tiles::share::Share;

/// Forces of a system by tiles; the same bits as [`Forces::evaluate`].
#[derive(Clone, Debug)]
pub(crate) struct TileForces<T> {
    forces: Arc<Forces<T>>,
    instructions: Instructions,
    shares: Vec<Share<T>>,
}

/// Ranges of beads for `threads` threads: whole runs of [`RUN`] beads, as equal as they can be; at
/// least one range, and none empty but that of a system without beads.
pub(crate) fn ranges(beads: usize, threads: usize) -> Vec<Range<usize>> {
    let runs = beads.div_ceil(RUN).max(1);
    let threads = threads.clamp(1, runs);
    let bound = |number: usize| (runs * number / threads * RUN).min(beads);
    (0..threads).map(|number| bound(number)..bound(number + 1)).collect()
}

impl<T: Normal> TileForces<T> {
    /// The forces of `system` for shares of its beads.
    pub fn new(
        system: &System,
        forces: Arc<Forces<T>>,
        skin: f64,
        instructions: Instructions,
        ranges: &[Range<usize>],
    ) -> Self {
        let share = |range: &Range<usize>| Share::new(system, &forces, skin, range.clone());
        TileForces { shares: ranges.iter().map(share).collect(), forces, instructions }
    }

    /// Forces at `positions`, replacing what was in `total`; each member of the team takes a share.
    ///
    /// # Errors
    /// As [`Forces::evaluate`].
    pub fn evaluate(
        &mut self,
        positions: &Coordinates<T>,
        total: &mut Coordinates<T>,
        team: Option<&Team>,
    ) -> Result<(), Trouble> {
        let (forces, instructions) = (&*self.forces, self.instructions);
        let sound = match (self.shares.as_mut_slice(), team) {
            ([share], _) => share.evaluate(forces, instructions, positions, total.whole()),
            (shares, team) => {
                let ranges: Vec<_> = shares.iter().map(Share::beads).collect();
                let parts = total.parts(&ranges);
                let sound = AtomicBool::new(true);
                let work: Vec<_> =
                    shares.iter_mut().zip(parts).map(|work| Mutex::new(Some(work))).collect();
                each(team, work.len(), &|number| {
                    let work = work[number].lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some((share, part)) = work
                        && !share.evaluate(forces, instructions, positions, part)
                    {
                        sound.store(false, Ordering::Relaxed);
                    }
                });
                sound.into_inner()
            }
        };
        if sound { Ok(()) } else { self.verify(positions) }
    }

    fn verify(&self, positions: &Coordinates<T>) -> Result<(), Trouble> {
        self.forces.verify(|bead| positions.get(bead), positions.len())
    }

    /// Tells of all pairs i < j, ascending, that may be within the cutoff at `positions`.
    ///
    /// # Errors
    /// As [`Forces::evaluate`].
    pub fn for_each_pair(
        &mut self,
        positions: &Coordinates<T>,
        tell: &mut impl FnMut(usize, usize),
    ) -> Result<(), Trouble> {
        for share in &mut self.shares {
            if !share.refresh(self.instructions, positions) {
                self.verify(positions)?;
                return Ok(());
            }
            share.for_each_pair(tell);
        }
        Ok(())
    }
}

/// Has each member of a team, or the caller alone, do one of `count` tasks.
pub(crate) fn each(team: Option<&Team>, count: usize, task: &(dyn Fn(usize) + Sync)) {
    match team {
        Some(team) if team.size() > 1 => {
            let size = team.size();
            team.each(&|number| (number..count).step_by(size).for_each(task));
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
