//! Autocorrelation times along the replicas, from which errors come where ladders are few.

use beadwork_analysis::autocorrelation::AutocorrelationTime;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::replicas::{self, autocorrelation_time};
use rayon::prelude::*;

use super::{Ladder, RungHistory};

/// Autocorrelation times along the replicas, in rows, of the energy and the quantities; none of what never changes, or where
/// errors come from how ladders differ.
pub(super) type ReplicaTimes = [Option<AutocorrelationTime>; 4];

/// Of ladders with the same temperatures.
pub(super) fn replica_times(ladders: &[&Ladder]) -> ReplicaTimes {
    let Some((rungs, walks)) = walks(ladders) else { return [None; 4] };
    let mut times = [None; 4];
    times.par_iter_mut().enumerate().for_each(|(which, time)| {
        let of = |walk: &RungHistory| quantity(walk, which);
        *time = autocorrelation_time(
            rungs,
            &walks.iter().map(of).collect::<Vec<replicas::RungHistory>>(),
        );
    });
    times
}

/// The time of the energy within one half of the rows or the other, whichever is longer: a drift from one half to the next
/// is no correlation.
pub(super) fn energy_time_of_halves(ladders: &[&Ladder]) -> Option<AutocorrelationTime> {
    let (rungs, walks) = walks(ladders)?;
    let of_half = |half: usize| {
        let of = |walk: &RungHistory| {
            let (first, second) = walk.split_at(walk.len() / 2);
            quantity([first, second][half], 0)
        };
        autocorrelation_time(rungs, &walks.iter().map(of).collect::<Vec<replicas::RungHistory>>())
    };
    let (first, second) = rayon::join(|| of_half(0), || of_half(1));
    [first, second].into_iter().flatten().max_by(|one, other| one.time.total_cmp(&other.time))
}

/// The number of rungs, and where all replicas were and with what values, where errors come from them.
fn walks(ladders: &[&Ladder]) -> Option<(usize, Vec<RungHistory>)> {
    let rungs = ladders.first()?.rows.len();
    // Ladders on their way, and those of which a replica failed, have no samples somewhere.
    let sampled = |rung: usize| ladders.iter().filter(|one| one.rows[rung].len() > 1).count();
    let differ = (0..rungs).all(|rung| sampled(rung) >= LEAST_BLOCKS);
    let walks = || ladders.iter().flat_map(|ladder| ladder.walks()).collect();
    (rungs > 1 && !differ).then(|| (rungs, walks()))
}

fn quantity(walk: &[(usize, [f64; 4])], which: usize) -> replicas::RungHistory {
    walk.iter().map(|(rung, values)| (*rung, values[which])).collect()
}
