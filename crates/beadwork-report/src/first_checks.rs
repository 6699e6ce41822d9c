//! Stages that a rule ended at its first check.

use std::collections::BTreeSet;

use beadwork_io::RunFolder;
use beadwork_model::Stage;
use beadwork_session::Error;
use beadwork_session::members_list::{StageTimes, stage_times};

use crate::data::{Code, Finding};
use crate::rows::PointMembers;

/// A finding for each stage that the first check of a rule ended in most of the replicas that have left it: such a rule holds
/// where the stage begins.
pub(crate) fn of_first_checks(of_point: &PointMembers<'_>) -> Result<Vec<Finding>, Error> {
    let stages = &of_point.point.protocol.stages;
    let units = of_point.point.system.units;
    let mut findings = Vec::new();
    for (number, stage) in stages.iter().enumerate() {
        if stage.stops.is_empty() || of_point.asked.is_some_and(|asked| asked != number) {
            continue;
        }
        let before = number.checked_sub(1).map(|before| stages[before].name.as_str());
        let (mut left, mut at_once, mut rules) = (0, 0, BTreeSet::new());
        // Members of one folder follow each other.
        let mut listed: Option<(&RunFolder, Vec<Option<StageTimes>>)> = None;
        for member in &of_point.members {
            if listed.as_ref().is_none_or(|(folder, _)| folder.root() != member.folder.root()) {
                let times = stage_times(member.folder, &stage.name, before, units)?;
                listed = Some((member.folder, times));
            }
            let times = listed.as_ref().and_then(|(_, times)| times.get(member.place)?.as_ref());
            let Some(times) = times else { continue };
            left += 1;
            let rule = stage.stops.iter().find(|rule| rule.text == times.reason);
            if let Some(rule) = rule.filter(|rule| times.steps <= rule.every) {
                at_once += 1;
                rules.insert(format!("\"{}\" after {} step(s)", rule.text, rule.every));
            }
        }
        if 2 * at_once > left {
            let rules: Vec<String> = rules.into_iter().collect();
            let text = format!(
                "stage \"{}\" ended at the first check of a rule in {at_once} of {left} replica(s), {}: {}",
                stage.name,
                rules.join(", "),
                why(stage)
            );
            findings.push(Finding::new(Code::FirstCheck, text));
        }
    }
    Ok(findings)
}

/// When the rules of a stage of fewer checks may have held long before the first one.
const FEW_CHECKS: u64 = 10;

/// Since when a rule held that the first check found, and what to do.
fn why(stage: &Stage) -> String {
    let every = stage.stops.iter().map(|rule| rule.every).max().unwrap_or(1);
    match stage.steps() / every < FEW_CHECKS {
        true => format!(
            "it began to hold before that, at a step that is not known, since checks are {every} steps apart and the stage has {}; if that is not meant, take a smaller `stop_every`, write another threshold, or < in place of >",
            stage.steps()
        ),
        false => "it held from the beginning or soon after; if that is not meant, write another threshold, or < in place of >".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use beadwork_model::observables::{MeasuredColumn, Observable};
    use beadwork_model::{StageKind, StopRule};

    use super::*;

    #[test]
    fn rare_checks_do_not_say_when_a_rule_began_to_hold() {
        let of = |every: u64| Stage {
            name: "relax".into(),
            kind: StageKind::Dynamics { steps: 10_000 },
            fixed: Vec::new(),
            externals: Vec::new(),
            stops: vec![StopRule {
                text: "radius_of_gyration < 3 nm".into(),
                column: MeasuredColumn::Whole(Observable::RadiusOfGyration),
                above: false,
                threshold: 3.0,
                every,
            }],
        };
        let often = why(&of(1_000));
        assert!(often.starts_with("it held from the beginning or soon after"), "{often}");
        let once = why(&of(9_999));
        assert!(!once.contains("soon after"), "{once}");
        assert!(once.contains("checks are 9999 steps apart and the stage has 10000"), "{once}");
    }
}
