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
    /// The value nearest to where it would hold in the rows of the stage.
    reached: Option<f64>,
}

impl Unmet {
    /// The rules of a stage.
    fn of(stage: &Stage, units: Units) -> Vec<Unmet> {
        let rules = stage.stops.iter().map(|rule| Unmet {
            text: rule.text.clone(),
            column: rule.column.column_in(units),
            unit: symbol(rule.column.unit_in(units)),
            above: rule.above,
            reached: None,
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
        let both = [self.reached, reached].into_iter().flatten();
        self.reached = both.reduce(|one, other| self.nearer(one, other));
    }

    /// `"deformation > 12 nm" (reached 1.5 nm)`.
    fn in_words(&self) -> String {
        let reached = self.reached.map_or_else(String::new, |reached| {
            format!(" (reached {})", format!("{} {}", rounded(reached, 3), self.unit).trim_end())
        });
        format!("\"{}\"{reached}", self.text)
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
        let text = in_words(&stage.name, &unmet, count, of_point.members.len());
        findings.push(Finding::new(Code::UnmetRule, text));
    }
    Ok(findings)
}

/// The stages of the answer: all, or the one that a person asked for, with those that have its tip.
fn answered_stages(of_point: &PointMembers<'_>) -> Range<usize> {
    let Some(asked) = of_point.asked else { return 0..of_point.point.protocol.stages.len() };
    tip_stages(of_point.point, Some(asked)).map_or(asked..asked + 1, |(stages, _)| stages)
}

/// The sentence on a stage that ended by its duration in `count` of `all` replicas.
fn in_words(stage: &str, unmet: &[Unmet], count: usize, all: usize) -> String {
    let rules: Vec<String> = unmet.iter().map(Unmet::in_words).collect();
    format!(
        "stage \"{stage}\" of {count} of {all} replica(s) ended by its duration, before a rule could end it: {}; make it longer, or change the rule",
        rules.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_no_rule_ended_says_how_far_it_came() {
        let rule = |above: bool| Unmet {
            text: "deformation > 12 nm".into(),
            column: "deformation_nm".into(),
            unit: "nm",
            above,
            reached: None,
        };
        let said = |above: bool, reached: &[Option<f64>]| {
            let mut rule = rule(above);
            reached.iter().for_each(|reached| rule.add(*reached));
            in_words("indent", &[rule], reached.len(), 3)
        };
        let both = said(true, &[Some(1.5), Some(3.0)]);
        assert!(both.starts_with("stage \"indent\" of 2 of 3 replica(s) ended by its"), "{both}");
        assert!(both.contains("\"deformation > 12 nm\" (reached 3 nm); make"), "{both}");
        assert!(said(false, &[Some(1.5), None, Some(3.0)]).contains("(reached 1.5 nm)"));
        assert!(said(true, &[None]).contains("\"deformation > 12 nm\"; make it longer"));
    }
}
