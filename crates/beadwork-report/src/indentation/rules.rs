//! Stop rules that did not end their stage.

use std::ops::Range;

use beadwork_analysis::numbers::rounded;
use beadwork_model::{Stage, Units};
use beadwork_session::Error;

use super::replicas::{IndentedGroup, IndentedMember};
use crate::pulling::lifetimes::HeldStage;
use crate::rows::{BegunMember, MemberRows, PointMembers};
use crate::words::symbol;

/// A stop rule of a stage with a tip.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    /// The number of the stage, and its name.
    pub stage: (usize, String),
    /// As written: `deformation > 12 nm`.
    pub text: String,
    /// The column that it watches.
    pub column: String,
    /// The unit of the column.
    pub unit: &'static str,
    /// True for `>`.
    pub above: bool,
}

/// A rule that did not end its stage of a replica.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unmet {
    pub rule: Rule,
    /// The value nearest to where it would hold in the rows of the stage.
    pub reached: Option<f64>,
}

impl Rule {
    /// The rules of some stages.
    pub fn of(stages: &[Stage], own: &Range<usize>, units: Units) -> Vec<Rule> {
        let mut rules = Vec::new();
        for number in own.clone() {
            rules.extend(stages[number].stops.iter().map(|rule| Rule {
                stage: (number, stages[number].name.clone()),
                text: rule.text.clone(),
                column: rule.column.column_in(units),
                unit: symbol(rule.column.unit_in(units)),
                above: rule.above,
            }));
        }
        rules
    }

    /// Of two values that nearer to where the rule would hold.
    fn nearer(&self, one: f64, other: f64) -> f64 {
        if self.above { one.max(other) } else { one.min(other) }
    }

    fn reached(&self, rows: &MemberRows) -> Result<Option<f64>, Error> {
        if !rows.table.has(&self.column) {
            return Ok(None);
        }
        let values = rows.numbers(&self.column, Some(self.stage.0))?.into_iter();
        let known = values.filter(|value| value.is_finite());
        Ok(known.reduce(|one, other| self.nearer(one, other)))
    }
}

/// When the stages that rules may end did so.
pub(super) struct Ends<'a>(Vec<(usize, HeldStage<'a>)>);

impl<'a> Ends<'a> {
    pub fn read(of_point: &PointMembers<'a>, rules: &[Rule]) -> Result<Ends<'a>, Error> {
        let mut numbers: Vec<usize> = rules.iter().map(|rule| rule.stage.0).collect();
        numbers.dedup();
        let mut ends = Vec::new();
        for number in numbers {
            ends.extend(HeldStage::read(of_point, number)?.map(|held| (number, held)));
        }
        Ok(Ends(ends))
    }

    /// The rules of those stages of a member that ended by their duration.
    pub fn unmet(
        &self,
        rules: &[Rule],
        member: &BegunMember<'_>,
        rows: &MemberRows,
    ) -> Result<Vec<Unmet>, Error> {
        let is_over = |rule: &&Rule| {
            let mut own = self.0.iter().filter(|(number, _)| *number == rule.stage.0);
            own.any(|(_, held)| held.ended_by_duration(member))
        };
        let unmet = |rule: &Rule| -> Result<Unmet, Error> {
            Ok(Unmet { rule: rule.clone(), reached: rule.reached(rows)? })
        };
        rules.iter().filter(is_over).map(unmet).collect()
    }
}

impl IndentedGroup {
    /// For each stage that ended by its duration, although a rule was to end it, a sentence.
    pub(super) fn unmet_rules(&self) -> Vec<String> {
        let mut stages: Vec<&(usize, String)> =
            self.setup.rules.iter().map(|rule| &rule.stage).collect();
        stages.dedup();
        stages.into_iter().filter_map(|stage| self.unmet_of(stage)).collect()
    }

    fn unmet_of(&self, stage: &(usize, String)) -> Option<String> {
        let is_of =
            |member: &&IndentedMember| member.unmet.iter().any(|unmet| unmet.rule.stage == *stage);
        let count = self.members.iter().filter(is_of).count();
        let rules = self.setup.rules.iter().filter(|rule| rule.stage == *stage);
        let in_words = |rule: &Rule| {
            let all = self.members.iter().flat_map(|member| &member.unmet);
            let reached = all.filter(|unmet| unmet.rule == *rule).filter_map(|unmet| unmet.reached);
            let reached = reached.reduce(|one, other| rule.nearer(one, other));
            let reached = reached.map_or_else(String::new, |reached| {
                format!(
                    " (reached {})",
                    format!("{} {}", rounded(reached, 3), rule.unit).trim_end()
                )
            });
            format!("\"{}\"{reached}", rule.text)
        };
        let rules: Vec<String> = rules.map(in_words).collect();
        (count > 0).then(|| {
            format!(
                "stage \"{}\" of {count} of {} replica(s) ended by its duration, before a rule could end it: {}; make it longer, or change the rule",
                stage.1,
                self.members.len(),
                rules.join(", ")
            )
        })
    }
}
