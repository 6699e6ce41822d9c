//! Autocorrelation times along the replicas. They give the errors if there are few ladders.

use beadwork_analysis::autocorrelation::AutocorrelationTime;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::replicas::autocorrelation_time;
use rayon::prelude::*;

use super::ladder::{Ladder, RungHistory};

/// Autocorrelation times along the replicas, in rows, of the energy and the three quantities; `None` for constant ones, and if
/// errors come from the differences of ladders.
pub(super) type ReplicaTimes = [Option<AutocorrelationTime>; 4];

pub(super) fn replica_times(ladders: &[&Ladder]) -> ReplicaTimes {
    let mut times = [None; 4];
    if let Some((rungs, histories)) = histories(ladders) {
        times.par_iter_mut().enumerate().for_each(|(which, time)| {
            *time = time_of(rungs, histories.iter().map(Vec::as_slice), which);
        });
    }
    times
}

/// The time of the energy within each half of the rows, the longer of the two. A drift from one half to the other does not
/// count as a correlation.
pub(super) fn energy_time_of_halves(ladders: &[&Ladder]) -> Option<AutocorrelationTime> {
    let (rungs, histories) = histories(ladders)?;
    let halves = histories.iter().map(|history| history.split_at(history.len() / 2));
    let (first, second) = rayon::join(
        || time_of(rungs, halves.clone().map(|halves| halves.0), 0),
        || time_of(rungs, halves.clone().map(|halves| halves.1), 0),
    );
    [first, second].into_iter().flatten().max_by(|one, other| one.time.total_cmp(&other.time))
}

/// The number of rungs and the history of each replica, if errors come from these.
fn histories(ladders: &[&Ladder]) -> Option<(usize, Vec<RungHistory>)> {
    let rungs = ladders.first()?.rows.len();
    // A ladder that has steps left, or of which a replica failed, may lack samples on some rungs.
    let sampled = |rung: usize| ladders.iter().filter(|one| one.rows[rung].len() > 1).count();
    let differ = (0..rungs).all(|rung| sampled(rung) >= LEAST_BLOCKS);
    let histories = || ladders.iter().flat_map(|ladder| ladder.histories()).collect();
    (rungs > 1 && !differ).then(|| (rungs, histories()))
}

fn time_of<'a>(
    rungs: usize,
    histories: impl Iterator<Item = &'a [(usize, [f64; 4])]>,
    which: usize,
) -> Option<AutocorrelationTime> {
    let value = |(rung, values): &(usize, [f64; 4])| (*rung, values[which]);
    let of = |history: &'a [(usize, [f64; 4])]| history.iter().map(value).collect();
    autocorrelation_time(rungs, &histories.map(of).collect::<Vec<_>>())
}
