//! Reference runs and pressed globules on GPUs.

use std::time::Instant;

use beadwork::cuda::{Case, Device, Ensemble, LaunchOverrides, Plan, Rounding, cases};
use beadwork::model::Precision;

use super::finding::{Finding, expect, finding};
use super::members;
use super::trial::TrialError;
use crate::program::reference;

/// With the rounding of the processor a card must give the bits of the reference path, also between a tip and surfaces. With the
/// rounding of runs, all forms of blocks must give the same bits.
pub fn checks(card: &Device) -> Vec<Finding> {
    let name = format!("GPU {}", card.ordinal());
    let mut checks = Vec::new();
    for ((precision, expected), (_, recorded)) in
        reference::EXPECTED.into_iter().zip(reference::ON_GPUS)
    {
        let place = format!("{name}, {} precision", precision.name());
        let usual = LaunchOverrides::default();
        let run = || on_card(card, precision, Rounding::AsWritten, Plan::Block, usual, 1);
        let check = format!("{place}, rounded as on the processor");
        checks.push(finding(&check, expect(expected, run)));
        let in_runs = in_all_forms(card, precision, recorded);
        checks.push(finding(&format!("{place}, rounded as in runs"), in_runs));
    }
    checks.push(finding(&format!("{name}, globules under a tip"), under_a_tip(card)));
    checks
}

/// The cases of globules between a tip and surfaces that are rounded as on the processor.
fn pressed_cases() -> Vec<Case> {
    let is_exact = |case: &Case| case.pressed && case.rounding == Rounding::AsWritten;
    cases().into_iter().filter(is_exact).collect()
}

fn under_a_tip(card: &Device) -> Result<String, String> {
    let began = Instant::now();
    for case in pressed_cases() {
        if let Err(error) = members::attempt(card, case) {
            let reason = match error {
                TrialError::DoesNotFit => "it does not fit on this card".to_string(),
                TrialError::Wrong(reason) | TrialError::Over(reason) => reason,
            };
            return Err(format!("{}: {reason}", case.name()));
        }
    }
    let time = began.elapsed().as_secs_f64() * 1e3;
    Ok(format!(
        "the bits of the reference path, a lane or a block a member and in the grid plan, after {time:.0} ms"
    ))
}

fn on_card(
    card: &Device,
    precision: Precision,
    rounding: Rounding,
    plan: Plan,
    overrides: LaunchOverrides,
    members: u64,
) -> Result<String, String> {
    let ensemble = Ensemble::new(card).map_err(|error| error.to_string())?;
    let mut ensemble = ensemble.with_rounding(rounding).with_plan(plan).with_overrides(overrides);
    reference::hash_on_gpu(&mut ensemble, precision, members)
}

fn in_all_forms(
    card: &Device,
    precision: Precision,
    recorded: Option<&str>,
) -> Result<String, String> {
    let began = Instant::now();
    let form = |plan, overrides, members| {
        on_card(card, precision, Rounding::Fused, plan, overrides, members)
    };
    let usual = LaunchOverrides::default();
    let hash = form(Plan::Block, usual, 1)?;
    let shared = LaunchOverrides { members: Some(3), ..usual };
    let narrow = LaunchOverrides { threads: Some(32), ..usual };
    let lanes = LaunchOverrides { lanes: Some(true), ..usual };
    let most_blocks = card.properties().blocks_per_cluster;
    let clustered =
        |blocks: usize| LaunchOverrides { cluster: Some(blocks.min(most_blocks)), ..usual };
    for (plan, overrides, members, form_name) in [
        (Plan::Block, clustered(2), 1, "two blocks a member"),
        (Plan::Block, clustered(4), 1, "four blocks a member"),
        (Plan::Block, shared, 7, "three members a block"),
        (Plan::Block, narrow, 2, "blocks of 32 threads"),
        (Plan::Block, lanes, 9, "a lane a member"),
        (Plan::Grid, usual, 2, "the grid plan"),
    ] {
        let other = form(plan, overrides, members)?;
        if other != hash {
            return Err(format!(
                "results differ: hash {hash} of one member alone, {other} with {form_name}"
            ));
        }
    }
    let text = format!(
        "{hash} in blocks of all forms after {:.0} ms",
        began.elapsed().as_secs_f64() * 1e3
    );
    match recorded {
        None => Ok(format!("{text}; not recorded yet")),
        Some(recorded) if recorded == hash => Ok(text),
        Some(recorded) => Err(format!("{text}, expected {recorded}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a card is tested by at once must be few small members, of every layout that has tips.
    #[test]
    fn pressed_cases_are_small_and_of_every_layout() {
        let all = pressed_cases();
        assert!(all.len() < 5 && all.iter().all(|case| case.has_tip() && case.beads < 100));
        let has = |plan: Plan, many: bool| {
            all.iter().any(|case| case.plan == plan && (case.members > 1) == many)
        };
        assert!(has(Plan::Block, true) && has(Plan::Block, false) && has(Plan::Grid, false));
    }
}
