//! Drifts between the halves of the last stage, which show that it is not in equilibrium.

use beadwork_analysis::drift::{Drift, drift};
use beadwork_analysis::statistics::standard_deviation;

use super::findings::{Family, Findings, Sampled};
use super::replica_times::energy_time_of_halves;
use super::{Ladder, Ladders, Series};
use crate::words::plain;

/// A drift is reported if it is at most this probable in equilibrium, allowing for all temperatures and points, or, for
/// drifts of all temperatures together, all ladders and points. So one run in a hundred has a false alarm.
const RARE: f64 = 0.005;

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

impl Ladders {
    /// A note if the energies of this group drift. The test allows for the number of `groups` in the run.
    pub(super) fn note_of_drift(&self, groups: usize, findings: &Findings) -> Option<String> {
        let families = &findings.families;
        let single = families.iter().flat_map(|one| {
            let drifts = one.drifts.each.iter().enumerate();
            drifts.filter_map(move |(rung, drift)| Some((one, Some(rung), drift.as_ref()?)))
        });
        let together =
            families.iter().filter_map(|one| Some((one, None, one.drifts.together.as_ref()?)));
        let (one, rung, drift) = rarest(single, groups).or_else(|| rarest(together, groups))?;
        let what = match rung {
            Some(rung) => format!(
                "the energy drifts: at T = {}{} it is {}{} a bead {} in the second half of {} than in the first,",
                self.temperature(one.temperatures[rung]),
                one.of_ladder(),
                plain(drift.rise.abs() / self.beads as f64),
                self.kind.energy_unit,
                if drift.rise > 0.0 { "higher" } else { "lower" },
                self.stage,
            ),
            None => format!(
                "the energies drift: at all temperatures{} together they {} from the first half of {} to the second by",
                one.of_ladder(),
                if drift.rise > 0.0 { "rise" } else { "fall" },
                self.stage,
            ),
        };
        let advice = match self.one_stage {
            true => "put a stage before this one that is left out, and make this one longer too",
            false => {
                "make the stages before it longer, or put one there, and make this one longer too"
            }
        };
        Some(format!(
            "{what} {:.1} standard errors: averages include rows before equilibrium, which their errors do not show; {advice}",
            (drift.rise / drift.error).abs()
        ))
    }
}

/// The drift least probable in equilibrium, if it is rare among all drifts of this many groups.
fn rarest<'a, T: Copy>(
    drifts: impl Iterator<Item = (&'a Family, T, &'a Drift)>,
    groups: usize,
) -> Option<(&'a Family, T, &'a Drift)> {
    let found: Vec<_> = drifts.map(|drift| (drift.2.probability(), drift)).collect();
    let (probability, drift) = found.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    (probability * ((found.len() * groups) as f64) < RARE).then_some(*drift)
}
