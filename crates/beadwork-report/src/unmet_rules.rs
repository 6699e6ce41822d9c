//! Stop rules that did not end their stage.

use std::ops::Range;

use beadwork_analysis::numbers::rounded;
use beadwork_model::{Stage, Units};
use beadwork_session::Error;

use crate::data::{Code, Finding};
use crate::indentation::tip_stages;
use crate::pulling::lifetimes::HeldStage;
use crate::rows::{MemberRows, PointMembers};
use crate::words::symbol;

/// A stop rule of a stage that some replicas have left by its duration.
#[derive(Clone, Debug)]
struct Unmet {
    /// As written: `deformation > 12 nm`.
    text: String,
    /// The column that it watches.
    column: String,
    /// The unit of the column.
    unit: &'static str,
    /// True for `>`.
    above: bool,
    /// The threshold, in the unit of the column.
    threshold: f64,
    /// Steps between its checks.
    every: u64,
    /// The value nearest to where it would hold in the rows of the stage.
    reached: Option<f64>,
    /// The replicas in which it held at a row, where it was not checked.
    held: usize,
}

impl Unmet {
    /// The rules of a stage.
    fn of(stage: &Stage, units: Units) -> Vec<Unmet> {
        let rules = stage.stops.iter().map(|rule| Unmet {
            text: rule.text.clone(),
            column: rule.column.column_in(units),
            unit: symbol(rule.column.unit_in(units)),
            above: rule.above,
            threshold: rule.threshold,
            every: rule.every,
            reached: None,
            held: 0,
        });
        rules.collect()
    }

    /// Of two values that nearer to where the rule would hold.
    fn nearer(&self, one: f64, other: f64) -> f64 {
        if self.above { one.max(other) } else { one.min(other) }
    }

    /// What one replica reached in a stage.
    fn reached_in(&self, rows: &MemberRows, stage: usize) -> Result<Option<f64>, Error> {
        if !rows.table.has(&self.column) {
            return Ok(None);
        }
        let values = rows.numbers(&self.column, Some(stage))?.into_iter();
        let known = values.filter(|value| value.is_finite());
        Ok(known.reduce(|one, other| self.nearer(one, other)))
    }

    /// Adds what one more replica reached.
    fn add(&mut self, reached: Option<f64>) {
        let holds = |value: f64| match self.above {
            true => value > self.threshold,
            false => value < self.threshold,
        };
        self.held += usize::from(reached.is_some_and(holds));
        let both = [self.reached, reached].into_iter().flatten();
        self.reached = both.reduce(|one, other| self.nearer(one, other));
    }

    /// `"deformation > 12 nm" (reached 1.5 nm)`, of a stage of so many steps.
    fn in_words(&self, steps: u64) -> String {
        let mut more = Vec::new();
        more.extend(self.reached.map(|reached| {
            format!("reached {}", format!("{} {}", rounded(reached, 3), self.unit).trim_end())
        }));
        if self.every > steps {
            more.push(format!(
                "never checked, since `stop_every` is {} steps and the stage has {steps}",
                self.every
            ));
        } else if self.held > 0 {
            more.push(format!(
                "held in {} replica(s) at rows between its checks, which are {} steps apart",
                self.held, self.every
            ));
        }
        match more.is_empty() {
            true => format!("\"{}\"", self.text),
            false => format!("\"{}\" ({})", self.text, more.join("; ")),
        }
    }
}

/// A finding for each stage that ended by its duration in some replicas before one of its rules could end it.
pub(crate) fn of_unmet_rules(of_point: &PointMembers<'_>) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for number in answered_stages(of_point) {
        let stage = &of_point.point.protocol.stages[number];
        if stage.stops.is_empty() {
            continue;
        }
        let Some(held) = HeldStage::read(of_point, number)? else { continue };
        let count = of_point.members.iter().filter(|member| held.ended_by_duration(member)).count();
        if count == 0 {
            continue;
        }
        let rules = Unmet::of(stage, of_point.point.system.units);
        let columns: Vec<&str> = rules.iter().map(|rule| rule.column.as_str()).collect();
        let mut unmet = rules.clone();
        of_point.read(
            &columns,
            |member, rows| match held.ended_by_duration(member) {
                true => {
                    let reached = rules.iter().map(|rule| rule.reached_in(&rows, number));
                    reached.collect::<Result<Vec<_>, Error>>()
                }
                false => Ok(Vec::new()),
            },
            |_, reached: Vec<Option<f64>>| {
                unmet.iter_mut().zip(reached).for_each(|(rule, reached)| rule.add(reached));
                Ok(())
            },
        )?;
        let text = in_words(&stage.name, stage.steps(), &unmet, count, of_point.members.len());
        findings.push(Finding::new(Code::UnmetRule, text));
    }
    Ok(findings)
}

/// The stages of the answer: all, or the one that a person asked for, with those that have its tip.
fn answered_stages(of_point: &PointMembers<'_>) -> Range<usize> {
    let Some(asked) = of_point.asked else { return 0..of_point.point.protocol.stages.len() };
    tip_stages(of_point.point, Some(asked)).map_or(asked..asked + 1, |(stages, _)| stages)
}

/// The sentence on a stage of so many steps that ended by its duration in `count` of `all` replicas.
fn in_words(stage: &str, steps: u64, unmet: &[Unmet], count: usize, all: usize) -> String {
    let rules: Vec<String> = unmet.iter().map(|rule| rule.in_words(steps)).collect();
    let has_held = unmet.iter().any(|rule| rule.held > 0);
    let (end, advice) = match (has_held, unmet.iter().any(|rule| rule.every > steps)) {
        (true, _) => (", and no rule ended it", "check more often, by a smaller `stop_every`"),
        (false, true) => (
            ", and no rule ended it",
            "check within the stage, by a smaller `stop_every`, and make it longer or change the rule",
        ),
        (false, false) => (", before a rule could end it", "make it longer, or change the rule"),
    };
    format!(
        "stage \"{stage}\" of {count} of {all} replica(s) ended by its duration{end}: {}; {advice}",
        rules.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(above: bool, every: u64) -> Unmet {
        Unmet {
            text: format!("deformation {} 12 nm", if above { '>' } else { '<' }),
            column: "deformation_nm".into(),
            unit: "nm",
            above,
            threshold: 12.0,
            every,
            reached: None,
            held: 0,
        }
    }

    /// Of a stage of 10,000 steps.
    fn of_rule(mut rule: Unmet, reached: &[Option<f64>]) -> String {
        reached.iter().for_each(|reached| rule.add(*reached));
        in_words("indent", 10_000, &[rule], reached.len(), 3)
    }

    #[test]
    fn a_rule_that_held_between_its_checks_needs_more_of_them() {
        let said = of_rule(rule(true, 6_000), &[Some(1.5), Some(13.0)]);
        let expected = "ended by its duration, and no rule ended it: \"deformation > 12 nm\" (reached 13 nm; held in 1 replica(s) at rows between its checks, which are 6000 steps apart); check more often, by a smaller `stop_every`";
        assert!(said.ends_with(expected), "{said}");
        let said = of_rule(rule(false, 6_000), &[Some(1.5), Some(13.0)]);
        assert!(said.contains("(reached 1.5 nm; held in 1 replica(s) at rows"), "{said}");
    }

    #[test]
    fn a_rule_that_is_checked_beyond_the_stage_was_never_checked() {
        for (reached, also) in [(13.0, false), (1.5, true)] {
            let said = of_rule(rule(true, 20_000), &[Some(reached)]);
            let never = "never checked, since `stop_every` is 20000 steps and the stage has 10000";
            assert!(said.contains(never) && said.contains("by a smaller `stop_every`"), "{said}");
            assert_eq!(said.contains("make it longer"), also, "{said}");
        }
    }

    #[test]
    fn a_stage_that_no_rule_ended_says_how_far_it_came() {
        let said = |above: bool, reached: &[Option<f64>]| {
            // Far from where it would hold, whichever way.
            let threshold = if above { 12.0 } else { -12.0 };
            let text = "deformation > 12 nm".into();
            of_rule(Unmet { text, threshold, ..rule(above, 200) }, reached)
        };
        let both = said(true, &[Some(1.5), Some(3.0)]);
        assert!(both.starts_with("stage \"indent\" of 2 of 3 replica(s) ended by its"), "{both}");
        assert!(both.contains("\"deformation > 12 nm\" (reached 3 nm); make"), "{both}");
        assert!(said(false, &[Some(1.5), None, Some(3.0)]).contains("(reached 1.5 nm)"));
        assert!(said(true, &[None]).contains("\"deformation > 12 nm\"; make it longer"));
    }
}
