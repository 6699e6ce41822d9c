//! Averages of the last stage, for runs in which no spring pulls.

use std::fmt::Write as _;

use beadwork_analysis::statistics::{mean, standard_error};
use beadwork_input::Point;
use beadwork_session::Error;

use crate::rows::{LeftOut, Rows};

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
    left_out: Vec<LeftOut>,
}

/// Columns that are averaged where no spring pulls, with their names in words.
const AVERAGED: [(&str, &str); 5] = [
    ("extension_nm", "extension / nm"),
    ("total_energy_kcal_per_mol", "total energy / (kcal/mol)"),
    ("native_contacts", "native contacts"),
    ("radius_of_gyration_nm", "radius of gyration / nm"),
    ("temperature_K", "temperature / K"),
];

/// The columns that averages are made from.
pub(crate) fn columns() -> Vec<&'static str> {
    AVERAGED.iter().map(|(column, _)| *column).chain(["step"]).collect()
}

impl Averages {
    /// Adds a member by its table.
    pub fn add(
        &mut self,
        group: &str,
        point: &Point,
        rows: &Rows,
        failed: bool,
    ) -> Result<(), Error> {
        let Some(stage) = point.protocol.stages.len().checked_sub(1) else { return Ok(()) };
        let place = match self.0.iter().position(|averages| averages.group == group) {
            Some(place) => place,
            None => {
                let lines = AVERAGED.map(|(_, words)| (words, Vec::new())).to_vec();
                let group = group.to_string();
                let left_out = vec![LeftOut::default(); AVERAGED.len()];
                self.0.push(OfGroup { group, members: 0, failed: 0, lines, left_out });
                self.0.len() - 1
            }
        };
        self.0[place].members += 1;
        self.0[place].failed += usize::from(failed);
        // The start itself says nothing of the run.
        let steps = rows.table.counts("step")?;
        let after_start: Vec<usize> =
            rows.of_stage(Some(stage)).filter(|&row| steps[row] > 0).collect();
        let half = &after_start[after_start.len() / 2..];
        let of_group = &mut self.0[place];
        let lines = AVERAGED.iter().zip(&mut of_group.lines).zip(&mut of_group.left_out);
        for (((column, _), (_, means)), left_out) in lines {
            let values = rows.table.numbers(column)?;
            let known: Vec<f64> =
                half.iter().map(|&row| values[row]).filter(|value| value.is_finite()).collect();
            left_out.add(half.len() - known.len());
            means.extend(mean(&known));
        }
        Ok(())
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
            for (left_out, (column, _)) in averages.left_out.iter().zip(AVERAGED) {
                if let Some(note) = left_out.note(column) {
                    let _ = writeln!(text, "note: {note}");
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
