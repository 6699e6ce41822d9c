//! Averages of the last stage, for runs in which no spring pulls.

use std::fmt::Write as _;

use beadwork_analysis::statistics::{mean, standard_error};
use beadwork_analysis::table::Table;
use beadwork_input::Point;

use crate::answer::numbers;

/// Averages of all groups, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Averages(Vec<OfGroup>);

/// Averages of one group over the second half of the last stage, a value a member.
#[derive(Clone, Debug)]
struct OfGroup {
    group: String,
    /// Members that have begun, and those of them that failed.
    members: usize,
    failed: usize,
    lines: Vec<(&'static str, Vec<f64>)>,
}

/// Columns that are averaged where no spring pulls, with their names in words.
const AVERAGED: [(&str, &str); 5] = [
    ("extension_nm", "extension / nm"),
    ("total_energy_kcal_per_mol", "total energy / (kcal/mol)"),
    ("native_contacts", "native contacts"),
    ("radius_of_gyration_nm", "radius of gyration / nm"),
    ("temperature_K", "temperature / K"),
];

impl Averages {
    /// Adds a member by its table.
    pub fn add(&mut self, group: &str, point: &Point, table: &Table, failed: bool) {
        let Some(stage) = point.protocol.stages.last() else { return };
        let place = match self.0.iter().position(|averages| averages.group == group) {
            Some(place) => place,
            None => {
                let lines = AVERAGED.map(|(_, words)| (words, Vec::new())).to_vec();
                let group = group.to_string();
                self.0.push(OfGroup { group, members: 0, failed: 0, lines });
                self.0.len() - 1
            }
        };
        self.0[place].members += 1;
        self.0[place].failed += usize::from(failed);
        // The start itself says nothing of the run.
        let after_start: Vec<bool> =
            numbers(table, "step", Some(&stage.name)).iter().map(|step| *step > 0.0).collect();
        for ((column, _), (_, means)) in AVERAGED.iter().zip(&mut self.0[place].lines) {
            let values = numbers(table, column, Some(&stage.name));
            let values: Vec<f64> = values
                .into_iter()
                .zip(&after_start)
                .filter(|(_, after)| **after)
                .map(|(v, _)| v)
                .collect();
            let half: Vec<f64> =
                values[values.len() / 2..].iter().copied().filter(|v| v.is_finite()).collect();
            means.extend(mean(&half));
        }
    }

    /// Puts those of another run behind these.
    pub fn extend(&mut self, other: Averages) {
        self.0.extend(other.0);
    }

    /// The groups all of whose members failed, with how many these are.
    pub fn failed_groups(&self) -> impl Iterator<Item = (&str, usize)> {
        let failed = self.0.iter().filter(|group| group.failed == group.members);
        failed.map(|group| (group.group.as_str(), group.members))
    }

    /// A paragraph for each group.
    pub fn in_words(&self) -> String {
        let mut text = String::new();
        for averages in &self.0 {
            let (group, members) = (&averages.group, averages.members);
            if averages.lines.iter().all(|(_, values)| values.is_empty()) {
                let separator = if group.is_empty() { "" } else { ": " };
                let why = if averages.failed == members {
                    format!("all {members} replica(s) failed before the last stage had rows")
                } else {
                    format!("none of {members} replica(s) has rows of the last stage")
                };
                let _ = writeln!(text, "{group}{separator}no averages, since {why}");
                continue;
            }
            if !group.is_empty() {
                let _ = writeln!(text, "{group}:");
            }
            for (name, values) in &averages.lines {
                let Some(value) = mean(values) else { continue };
                match standard_error(values) {
                    Some(error) => {
                        let decimals = decimals(error);
                        let _ = writeln!(
                            text,
                            "{name}: {value:.decimals$} ± {error:.decimals$} (standard error of {} replicas; second half of the last stage)",
                            values.len()
                        );
                    }
                    None => {
                        let _ = writeln!(
                            text,
                            "{name}: {value:.4} (one replica; second half of the last stage)"
                        );
                    }
                }
            }
        }
        text
    }
}

/// Decimals that show two significant digits of an error.
pub(crate) fn decimals(error: f64) -> usize {
    if error > 0.0 && error.is_finite() {
        (1 - error.log10().floor() as i32).clamp(0, 12) as usize
    } else {
        4
    }
}
