//! Unfolding forces in words and numbers.

use std::fmt::Write as _;

use serde::Serialize;

use super::{MemberData, grouped, window_in_words};
use crate::statistics::{mean, standard_deviation, standard_error};

/// The unfolding forces of one group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupSummary {
    /// Name of the group.
    pub group: String,
    /// Number of members.
    pub members: usize,
    /// Unfolding force of each member that unfolded, pN, in the order of the members.
    pub forces_pn: Vec<f64>,
    /// Their mean, pN; `None` when nobody unfolded.
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

/// The summary in one line without the name of the group, such as `unfolding force 182.3 ± 7.1 pN
/// (mean ± standard deviation of 15; standard error 1.8; window 500 points = 10 µs); 1 of 16 not
/// unfolded`.
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

/// The unfolding forces of each group, groups in the order in which they first appear.
pub fn group_summaries(members: &[MemberData]) -> Vec<GroupSummary> {
    grouped(members)
        .into_iter()
        .map(|(group, members)| {
            let forces_pn: Vec<f64> = members
                .iter()
                .filter_map(|member| Some(member.unfolding.rupture?.force_pn))
                .collect();
            GroupSummary {
                group: group.to_owned(),
                members: members.len(),
                mean_pn: mean(&forces_pn),
                standard_deviation_pn: standard_deviation(&forces_pn),
                standard_error_pn: standard_error(&forces_pn),
                window: window_in_words(&members),
                forces_pn,
            }
        })
        .collect()
}

/// One line per group: its name, if it has one, and its [`GroupSummary`].
pub fn pulling_summary(members: &[MemberData]) -> String {
    let mut text = String::new();
    for summary in group_summaries(members) {
        let separator = if summary.group.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "{}{separator}{summary}", summary.group);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unfolding::{Criteria, Curve, Peak, Unfolding};

    fn member(group: &str, force_pn: Option<f64>) -> MemberData {
        let rupture = force_pn.map(|force_pn| Peak {
            force_pn,
            extension_nm: 4.8,
            time_ns: 40.0,
            contacts: 60.0,
            fall_pn: 80.0,
            index: 2,
        });
        MemberData {
            group: group.into(),
            curve: Curve { time_ns: vec![0.0, 20.0, 40.0, 60.0], ..Curve::default() },
            criteria: CRITERIA,
            unfolding: Unfolding { rupture, peaks: rupture.into_iter().collect() },
            ..MemberData::default()
        }
    }

    const CRITERIA: Criteria =
        Criteria { window_points: 500, prominence_pn: 10.0, taut_extension_nm: None };

    #[test]
    fn a_group_in_one_line() {
        // Mean 121, deviations −1, 1, 0: standard deviation 1, error 1/√3.
        let members = [Some(120.0), None, Some(122.0), Some(121.0)].map(|force| member("", force));
        assert_eq!(
            pulling_summary(&members),
            "unfolding force 121.0 ± 1.0 pN (mean ± standard deviation of 3; standard error 0.6; \
             window 500 points = 10 µs); 1 of 4 not unfolded\n"
        );
    }

    #[test]
    fn groups_keep_their_order() {
        let members =
            [member("5 µm/s", None), member("2.5 µm/s", Some(121.0)), member("5 µm/s", None)];
        assert_eq!(
            pulling_summary(&members),
            "5 µm/s: none of 2 unfolded (window 500 points = 10 µs)\n\
             2.5 µm/s: unfolding force 121.0 pN (one replica; window 500 points = 10 µs); all of 1 unfolded\n"
        );
        assert_eq!(pulling_summary(&[]), "");
    }

    #[test]
    fn a_group_without_ruptures_has_no_mean() {
        let summary = &group_summaries(&[member("a", None)])[0];
        assert_eq!((summary.mean_pn, summary.not_unfolded()), (None, 1));
    }
}
