//! Says which drifts show that a stage is not in equilibrium.

use beadwork_analysis::drift::Drift;

use super::findings::{Family, Findings};
use super::ladders::Ladders;
use crate::words::plain;

/// A drift is reported if it is at most this probable in equilibrium, allowing for all temperatures and points, or, for
/// drifts of all temperatures together, all ladders and points. So one run in a hundred has a false alarm.
const RARE: f64 = 0.005;

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
