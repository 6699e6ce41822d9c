//! Exchanges of a ladder, and the temperatures that it places anew after them.

use beadwork_simulation::exchange::Ladder;

use crate::plan::MemberPlan;
use crate::progress::Progress;

/// Applies the decisions on one exchange, and counts them in the progress if there is one.
pub fn apply_exchange(ladder: &mut Ladder, rungs: &[u32], progress: Option<&Progress>) {
    let trips = |ladder: &Ladder| ladder.state().record.round_trips.iter().sum::<u64>();
    let moved = rungs.iter().zip(&ladder.state().rungs).filter(|(now, before)| now != before);
    let (accepted, trips_before) = (moved.count() as u64 / 2, trips(ladder));
    ladder.settle(rungs);
    if let Some(progress) = progress {
        let lowest = ladder.lowest_pair(ladder.state().attempt - 1);
        let attempted = (rungs.len() - lowest) / 2;
        progress.attempted.add(attempted as u64);
        progress.accepted.add(accepted);
        progress.round_trips.add(trips(ladder) - trips_before);
    }
}

/// Places the temperatures of a ladder anew if they are due at this attempt; `first` is its first replica. Returns a note if
/// they could not be placed as asked.
pub fn place_temperatures(ladder: &mut Ladder, first: &MemberPlan) -> Option<String> {
    let tunings = first.exchange.as_ref().map_or(&[][..], |exchange| &exchange.tunings);
    let placed = ladder.tune(tunings)?;
    let attempt = ladder.state().attempt;
    let tuning = tunings.iter().find(|tuning| tuning.is_last(attempt))?;
    (placed != tuning.by).then(|| format!(
        "the ladder of replica {}, stage \"{}\": less than half of its replicas came from the lowest temperature to the highest in the last half of the stage, so that its temperatures were placed by acceptance: make the stage longer, or write tune_temperatures = \"acceptance\"",
        first.replica, first.protocol.stages[tuning.stage].name
    ))
}
