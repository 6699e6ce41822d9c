//! Unfolding forces in numbers and tables.

use beadwork_analysis::statistics::{mean, standard_deviation, standard_error};
use beadwork_analysis::unfolding::Peak;

use super::replicas::{Line, PulledGroup, PulledMember};
use crate::data::{self, Cell, Code, Table, Value};
use crate::words::drive_in_words;

/// The unfolding forces of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSummary {
    /// The name of the group.
    pub group: String,
    /// Number of members that have begun.
    pub members: usize,
    /// Number of these that still run and have not unfolded.
    pub running: usize,
    /// Number of members that have not begun.
    pub not_begun: usize,
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
    /// What counts as unfolded, such as `unfolded: the averaged force falls by 40 pN or more before 25.3 nm`: that extension is the
    /// one at which the chain is taut.
    pub criterion: String,
    /// The drive of the forces; empty for all together.
    pub drive: String,
}

impl GroupSummary {
    /// Number of members that ended and did not unfold.
    pub fn not_unfolded(&self) -> usize {
        self.members - self.forces_pn.len() - self.running
    }

    /// How many unfolded and, in an unfinished run, how many may yet do so: `7 unfolded, 2 still run, 7 not begun`.
    pub(super) fn counts_in_words(&self) -> String {
        let count = self.forces_pn.len();
        match self.others_in_words() {
            Some(others) => format!("{count} unfolded, {others}"),
            None => format!("{count} of {} unfolded", self.members),
        }
    }

    /// The replicas that did not unfold, still run and have not begun, in words; `None` once all have ended.
    fn others_in_words(&self) -> Option<String> {
        let others = [
            (self.not_unfolded(), "did not"),
            (self.running, "still run"),
            (self.not_begun, "not begun"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others: Vec<String> = others.map(|(count, words)| format!("{count} {words}")).collect();
        (self.running + self.not_begun > 0).then(|| others.join(", "))
    }
}

impl GroupSummary {
    /// The mean as data, with the standard error of independent replicas; `None` when none unfolded.
    pub fn value(&self) -> Option<Value> {
        let value = Value::new("unfolding_force", "unfolding force", "pN", self.mean_pn?);
        let value = value.of(drive_in_words(&self.drive));
        let count = self.forces_pn.len();
        let unfolded = match (self.running + self.not_begun, self.not_unfolded(), self.members) {
            (0, 0, 1) => "one replica".to_string(),
            (0, 0, all) => format!("all of {all} replicas unfolded"),
            (0, _, all) => format!("{count} of {all} replicas unfolded"),
            _ => self.counts_in_words(),
        };
        Some(Value {
            deviation: self.standard_deviation_pn,
            independent_values: Some(count as f64),
            ..value
                .with_error(self.standard_error_pn)
                .from(format!("{unfolded}; {}; {}", self.window, self.criterion))
        })
    }

    /// One line: the value, or that no replica unfolded.
    pub fn in_words(&self) -> String {
        if let Some(value) = self.value() {
            return value.in_words();
        }
        let by = match self.drive.as_str() {
            "" => String::new(),
            drive => format!(" by drive {drive}"),
        };
        let others =
            self.others_in_words().map_or_else(String::new, |others| format!(": {others}"));
        format!(
            "none of {} replica(s) unfolded{by}{others} ({}); {}",
            self.members, self.window, self.criterion
        )
    }
}

/// The sentence on replicas that ended without an unfolding, `left` of `all`, beside a result of the others.
pub(super) fn not_unfolded_in_words(left: usize, all: usize, result: &str) -> String {
    format!(
        "{left} of {all} replicas did not unfold and have no part in {result}; if they would have unfolded later, forces are too small"
    )
}

impl PulledGroup {
    /// The mean over replicas of the highest averaged force, for groups in which none unfolded.
    fn highest_force(&self) -> Option<Value> {
        let highest = |member: &PulledMember| {
            let forces = member.lines[Line::ForceTime as usize].iter().map(|point| point.1);
            forces.filter(|force| force.is_finite()).reduce(f64::max)
        };
        let forces: Vec<f64> = self.members.iter().filter_map(highest).collect();
        let value = Value::new("highest_force", "highest averaged force", "pN", mean(&forces)?);
        let value = value.of(self.of());
        Some(Value {
            deviation: standard_deviation(&forces),
            independent_values: Some(forces.len() as f64),
            ..value.with_error(standard_error(&forces)).from(self.window_in_words())
        })
    }

    /// The unfolding forces in numbers.
    pub fn summary(&self) -> GroupSummary {
        let forces = self.unfolding().filter_map(|unfolding| Some(unfolding.rupture?.force_pn));
        let forces_pn: Vec<f64> = forces.collect();
        let may_unfold =
            |member: &&PulledMember| member.is_running && member.unfolding.rupture.is_none();
        GroupSummary {
            group: self.name.clone(),
            members: self.members.len(),
            running: self.members.iter().filter(may_unfold).count(),
            not_begun: self.not_begun,
            mean_pn: mean(&forces_pn),
            standard_deviation_pn: standard_deviation(&forces_pn),
            standard_error_pn: standard_error(&forces_pn),
            window: self.window_in_words(),
            criterion: self.criterion_in_words(),
            drive: self.drive.clone(),
            forces_pn,
        }
    }
}

/// Adds the unfolding forces to an answer.
pub(crate) fn describe(group: &PulledGroup, answer: &mut data::Group) {
    if group.pushes {
        answer.find(Code::NotMeasured, why_pushes_have_none(&group.drive));
        return;
    }
    let summary = group.summary();
    match summary.value() {
        Some(value) => {
            answer.values.push(value);
            let (left, unfolded) = (summary.not_unfolded(), summary.forces_pn.len());
            if left > 0 {
                let result = match group.of().as_str() {
                    "" => "the mean unfolding force".to_string(),
                    drive => format!("the mean unfolding force of {drive}"),
                };
                answer.find(Code::LeftOut, not_unfolded_in_words(left, left + unfolded, &result));
            }
        }
        None => {
            answer.find(Code::NoValues, summary.in_words());
            answer.values.extend(group.highest_force());
        }
    }
    // Replicas that unfold early end early, so a share before the others have ended would be too large.
    if summary.members > 0 && summary.running == 0 {
        let share = summary.forces_pn.len() as f64 / summary.members as f64;
        // In words it stands with the force.
        let unfolded = Value::new("unfolded_share", "", "", share).of(group.of());
        // The binomial standard error; none where all or no replica unfolded, since it would be zero.
        let error = (share * (1.0 - share) / summary.members as f64).sqrt();
        let independent_values = Some(summary.members as f64);
        let unfolded = unfolded.with_error(Some(error).filter(|error| *error > 0.0));
        let unfolded = unfolded.from(summary.criterion.as_str());
        answer.values.push(Value { independent_values, ..unfolded });
    }
}

/// Why a spring that pushes has no unfolding force.
fn why_pushes_have_none(drive: &str) -> String {
    let of = if drive.is_empty() { String::new() } else { format!(" of drive {drive}") };
    format!(
        "no unfolding force{of}, since its `speed` is below 0: it pushes, and its force along its direction falls below zero as its base moves; to pull, write a `speed` above 0"
    )
}

/// `unfolding.csv`, a line for each replica, and `peaks.csv`, a line for each peak.
pub(crate) fn tables(groups: &[(usize, &PulledGroup)]) -> [Table; 2] {
    let has_drives = groups.iter().any(|(_, group)| !group.drive.is_empty());
    let drives: &[&str] = if has_drives { &["drive"] } else { &[] };
    let columns = |force| [["replica", force].as_slice(), &PEAK_COLUMNS, drives].concat();
    let mut unfolding = Table::new("unfolding.csv", &columns("unfolding_force_pN"));
    let mut peaks = Table::new("peaks.csv", &columns("force_pN"));
    for (place, group) in groups.iter().filter(|(_, group)| group.has_unfolding_forces()) {
        let drive = || has_drives.then(|| Cell::from(group.drive.as_str()));
        for PulledMember { number, unfolding: found, .. } in &group.members {
            let cells = |peak| cells(*number, peak).into_iter().chain(drive());
            unfolding.push(*place, cells(found.rupture.as_ref()));
            for peak in &found.peaks {
                peaks.push(*place, cells(Some(peak)));
            }
        }
    }
    [unfolding, peaks]
}

const PEAK_COLUMNS: [&str; 4] = ["extension_nm", "time_ns", "native_contacts", "fall_pN"];

fn cells(replica: u64, peak: Option<&Peak>) -> [Cell; 6] {
    let of_peak = |value: fn(&Peak) -> f64| Cell::from(peak.map(value));
    [
        Cell::from(replica),
        of_peak(|peak| peak.force_pn),
        of_peak(|peak| peak.extension_nm),
        of_peak(|peak| peak.time_ns),
        of_peak(|peak| peak.contacts),
        of_peak(|peak| peak.fall_pn),
    ]
}
