//! Drifts between the halves of the last stage, which show that it is not in equilibrium.

use beadwork_analysis::drift::{Drift, drift};
use beadwork_analysis::statistics::standard_deviation;

use super::ladder::{Ladder, Sampled, Series};
use super::replica_times::energy_time_of_halves;

/// Drifts of the energies of ladders with the same temperatures.
#[derive(Clone, Debug, Default)]
pub(super) struct Drifts {
    /// The drift of each rung.
    pub each: Vec<Option<Drift>>,
    /// The drift of the sum over rungs of E/σ, with the standard deviation σ of each rung. It shows small drifts of all rungs.
    pub together: Option<Drift>,
}

impl Drifts {
    pub fn of(ladders: &[&Sampled<'_>], rungs: usize) -> Drifts {
        let energies = |rung: usize| -> Vec<&[f64]> {
            ladders.iter().map(|one| one.series[rung][0].as_slice()).collect()
        };
        let own: Vec<&Ladder> = ladders.iter().map(|one| one.ladder).collect();
        let replicas = energy_time_of_halves(&own);
        let each = (0..rungs).map(|rung| drift(&energies(rung), replicas)).collect();
        let deviations: Option<Vec<f64>> = (0..rungs)
            .map(|rung| standard_deviation(&energies(rung).concat()).filter(|of| *of > 0.0))
            .collect();
        let sums: Vec<Vec<f64>> = deviations
            .iter()
            .flat_map(|deviations| ladders.iter().filter_map(|one| sum(&one.series, deviations)))
            .collect();
        // The sum over all temperatures does not depend on which replica is on which rung.
        let together = || drift(&sums.iter().map(Vec::as_slice).collect::<Vec<_>>(), None);
        Drifts { each, together: (rungs > 1).then(together).flatten() }
    }
}

/// The sum of all energies in units of their standard deviations; `None` if a replica failed, since rungs then have rows at
/// different times.
fn sum(series: &[Series], deviations: &[f64]) -> Option<Vec<f64>> {
    let rows = series.first().map_or(0, |[energies, ..]| energies.len());
    let mut sums = vec![0.0; rows];
    for ([energies, ..], deviation) in series.iter().zip(deviations) {
        if energies.len() != rows {
            return None;
        }
        sums.iter_mut().zip(energies).for_each(|(sum, energy)| *sum += energy / deviation);
    }
    Some(sums)
}
