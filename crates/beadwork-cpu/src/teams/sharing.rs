//! How beads and work are shared out to threads.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use beadwork_arithmetic::{Instructions, Kernel};

use super::team::Team;

/// Squares are summed over runs of this many beads, then over the runs. Threads share a system by whole runs, so their
/// number does not change the bits.
pub(crate) const RUN: usize = 256;

/// Ranges of beads for `threads` threads: whole runs of [`RUN`] beads, as equal as possible. There is at least one
/// range; a range is empty only if the system has no beads.
pub(crate) fn ranges(beads: usize, threads: usize) -> Vec<Range<usize>> {
    let runs = beads.div_ceil(RUN).max(1);
    let threads = threads.clamp(1, runs);
    let bound = |number: usize| (runs * number / threads * RUN).min(beads);
    (0..threads).map(|number| bound(number)..bound(number + 1)).collect()
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

/// Dispatches each piece of work on a thread of the team.
pub(crate) fn dispatch_each<K: Kernel<Output = ()> + Send>(
    team: Option<&Team>,
    instructions: Instructions,
    work: impl Iterator<Item = K>,
) {
    let work: Vec<_> = work.map(|work| Mutex::new(Some(work))).collect();
    each(team, work.len(), &|number| {
        let work = work[number].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            instructions.dispatch(work);
        }
    });
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
