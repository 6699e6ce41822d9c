//! Unfolding forces in numbers, words and tables.

use std::fmt::Write as _;

use beadwork_analysis::statistics::{mean, standard_deviation, standard_error};
use beadwork_analysis::unfolding::{Peak, Unfolding};
use beadwork_io::table::quoted;

use super::Group;
use crate::words::head;

/// The unfolding forces of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSummary {
    /// The name of the group.
    pub group: String,
    /// Number of members.
    pub members: usize,
    /// The unfolding forces of the members that unfolded, pN, in the order of the members.
    pub forces_pn: Vec<f64>,
    /// Their mean, pN; `None` when none unfolded.
    pub mean_pn: Option<f64>,
    /// Their standard deviation (n − 1), pN; `None` for fewer than two.
    pub standard_deviation_pn: Option<f64>,
    /// Standard error of their mean, pN; `None` for fewer than two.
    pub standard_error_pn: Option<f64>,
    /// The running average, such as `window 500 points = 10 µs`.
    pub window: String,
}

impl GroupSummary {
    /// Number of members that did not unfold.
    pub fn not_unfolded(&self) -> usize {
        self.members - self.forces_pn.len()
    }
}

/// One line without the name of the group: `unfolding force 182.3 ± 7.1 pN (mean ± standard deviation of 15; standard error
/// 1.8; window 500 points = 10 µs); 1 of 16 not unfolded`.
impl std::fmt::Display for GroupSummary {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (count, window) = (self.forces_pn.len(), &self.window);
        match (self.mean_pn, self.standard_deviation_pn, self.standard_error_pn) {
            (Some(mean), Some(deviation), Some(error)) => write!(
                formatter,
                "unfolding force {mean:.1} ± {deviation:.1} pN (mean ± standard deviation of {count}; standard error {error:.1}; {window})"
            )?,
            (Some(mean), ..) => {
                write!(formatter, "unfolding force {mean:.1} pN (one replica; {window})")?;
            }
            _ => return write!(formatter, "none of {} unfolded ({window})", self.members),
        }
        match self.not_unfolded() {
            0 => write!(formatter, "; all of {} unfolded", self.members),
            rest => write!(formatter, "; {rest} of {} not unfolded", self.members),
        }
    }
}

impl Group {
    /// The unfolding forces in numbers.
    pub fn summary(&self) -> GroupSummary {
        let forces = self.unfolding().filter_map(|unfolding| Some(unfolding.rupture?.force_pn));
        let forces_pn: Vec<f64> = forces.collect();
        GroupSummary {
            group: self.name.clone(),
            members: self.members.len(),
            mean_pn: mean(&forces_pn),
            standard_deviation_pn: standard_deviation(&forces_pn),
            standard_error_pn: standard_error(&forces_pn),
            window: self.window_in_words(),
            forces_pn,
        }
    }
}

/// One line for each group: its name, if it has one, and its [`GroupSummary`].
pub fn in_words(groups: &[Group]) -> String {
    groups.iter().map(|group| format!("{}{}\n", head(&group.name), group.summary())).collect()
}

/// `unfolding.csv`: a line for each replica.
pub fn unfolding_csv(groups: &[Group]) -> String {
    let mut text = format!("group,replica,unfolding_force_pN,{PEAK_COLUMNS}\n");
    for (head, unfolding) in members(groups) {
        let rupture = unfolding.rupture.as_ref().map_or(",,,,".to_string(), cells);
        let _ = writeln!(text, "{head},{rupture}");
    }
    text
}

/// `peaks.csv`: a line for each peak.
pub fn peaks_csv(groups: &[Group]) -> String {
    let mut text = format!("group,replica,force_pN,{PEAK_COLUMNS}\n");
    for (head, unfolding) in members(groups) {
        for peak in &unfolding.peaks {
            let _ = writeln!(text, "{head},{}", cells(peak));
        }
    }
    text
}

const PEAK_COLUMNS: &str = "extension_nm,time_ns,native_contacts,fall_pN";

/// All replicas, each with its first cells: group and number.
fn members(groups: &[Group]) -> impl Iterator<Item = (String, &Unfolding)> {
    groups.iter().flat_map(|group| {
        let name = quoted(&group.name);
        group
            .members
            .iter()
            .map(move |member| (format!("{name},{}", member.number), &member.unfolding))
    })
}

fn cells(peak: &Peak) -> String {
    let Peak { force_pn, extension_nm, time_ns, fall_pn, contacts, .. } = peak;
    let contacts = if contacts.is_finite() { contacts.to_string() } else { String::new() };
    format!("{force_pn},{extension_nm},{time_ns},{contacts},{fall_pn}")
}
