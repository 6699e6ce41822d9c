//! Averages over the last stage, for runs without a spring.

use std::fmt::Write as _;

use beadwork_analysis::statistics::{mean, standard_error};
use beadwork_model::Protocol;
use beadwork_model::observables::Observable;
use beadwork_session::Error;

use crate::rows::{LeftOut, Rows};
use crate::words::{decimals, head};

/// The columns that are averaged, and their names in words.
const AVERAGED: [(&str, &str); 6] = [
    (Observable::Extension.column(), "extension / nm"),
    (Observable::TotalEnergy.column(), "total energy / (kcal/mol)"),
    (Observable::PotentialEnergy.column(), "potential energy / (kcal/mol)"),
    (Observable::NativeContacts.column(), "native contacts"),
    (Observable::RadiusOfGyration.column(), "radius of gyration / nm"),
    (Observable::Temperature.column(), "temperature / K"),
];

/// Averages of one group over the second half of the last stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Averages {
    /// Members that have begun, and how many of them failed.
    members: usize,
    failed: usize,
    /// For each column of [`AVERAGED`], one value for each member with rows.
    means: [Vec<f64>; 6],
    left_out: [LeftOut; 6],
}

pub(crate) fn columns() -> impl Iterator<Item = &'static str> {
    AVERAGED.iter().map(|(column, _)| *column).chain(["step"])
}

/// For each column of [`AVERAGED`], the mean of one member and the number of rows left out.
pub(crate) fn of_member(
    rows: &Rows,
    protocol: &Protocol,
) -> Result<[(Option<f64>, usize); 6], Error> {
    let steps = rows.table.counts("step")?;
    // The start is not a sample.
    let last = protocol.stages.len().saturating_sub(1);
    let after_start: Vec<usize> = rows.of_stage(Some(last)).filter(|&row| steps[row] > 0).collect();
    let half = &after_start[after_start.len() / 2..];
    let mut averages = [(None, 0); 6];
    for (average, (column, _)) in averages.iter_mut().zip(AVERAGED) {
        if !rows.table.has(column) {
            continue;
        }
        let values = rows.table.numbers(column)?;
        let known: Vec<f64> =
            half.iter().map(|&row| values[row]).filter(|value| value.is_finite()).collect();
        *average = (mean(&known), half.len() - known.len());
    }
    Ok(averages)
}

impl Averages {
    /// Adds the result of [`of_member`].
    pub fn add(&mut self, averages: [(Option<f64>, usize); 6], failed: bool) {
        self.members += 1;
        self.failed += usize::from(failed);
        for (number, (mean, left_out)) in averages.into_iter().enumerate() {
            self.means[number].extend(mean);
            self.left_out[number].add(left_out);
        }
    }

    /// The number of members, if all of them failed.
    pub fn all_failed(&self) -> Option<usize> {
        (self.failed == self.members).then_some(self.members)
    }

    /// A paragraph for a group of this name.
    pub fn in_words(&self, group: &str) -> String {
        if self.means.iter().all(Vec::is_empty) {
            let why = match self.all_failed() {
                Some(all) => format!("all {all} replica(s) failed before the last stage had rows"),
                None => format!("none of {} replica(s) has rows of the last stage", self.members),
            };
            return format!("{}no averages, since {why}\n", head(group));
        }
        let mut text = if group.is_empty() { String::new() } else { format!("{group}:\n") };
        for (values, (_, name)) in self.means.iter().zip(AVERAGED) {
            let Some(value) = mean(values) else { continue };
            let _ = match standard_error(values) {
                Some(error) => {
                    let (decimals, count) = (decimals(error), values.len());
                    writeln!(
                        text,
                        "{name}: {value:.decimals$} ± {error:.decimals$} (standard error of {count} replicas; second half of the last stage)"
                    )
                }
                None => writeln!(
                    text,
                    "{name}: {value:.4} (one replica; second half of the last stage)"
                ),
            };
        }
        for (left_out, (column, _)) in self.left_out.iter().zip(AVERAGED) {
            if let Some(note) = left_out.note(column) {
                let _ = writeln!(text, "note: {}{note}", head(group));
            }
        }
        text
    }
}
