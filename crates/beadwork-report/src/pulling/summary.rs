//! Unfolding forces in words, numbers and tables.

use std::fmt::Write as _;

use beadwork_analysis::statistics::{mean, standard_deviation, standard_error};
use beadwork_analysis::unfolding::{Peak, Unfolding};
use beadwork_io::table::quoted;

use super::Group;
use crate::words::head;

/// The unfolding forces of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSummary {
    /// Name of the group.
    pub group: String,
    /// Number of members.
    pub members: usize,
    /// Unfolding force of each member that unfolded, pN, in the order of the members.
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

/// One line per group: its name, if it has one, and its [`GroupSummary`].
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

/// All replicas, each with the cells of its group and number.
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
    let contacts = match peak.contacts.is_finite() {
        true => peak.contacts.to_string(),
        false => String::new(),
    };
    let Peak { force_pn, extension_nm, time_ns, fall_pn, .. } = peak;
    format!("{force_pn},{extension_nm},{time_ns},{contacts},{fall_pn}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulling::{Member, Pulling};
    use beadwork_analysis::unfolding::Criteria;

    /// A group of replicas with these unfolding forces, and a row every 20 ns.
    fn group(name: &str, forces_pn: &[Option<f64>]) -> Group {
        let criteria =
            Criteria { window_points: 500, prominence_pn: 10.0, taut_extension_nm: None };
        let mut group = Group::new(name.into(), Pulling::Spring, criteria, 20.0);
        let peak = |force_pn| Peak {
            force_pn,
            extension_nm: 4.8,
            time_ns: 40.0,
            contacts: 60.0,
            fall_pn: 80.0,
            index: 2,
        };
        group.members.extend(forces_pn.iter().zip(0..).map(|(force, number)| {
            let rupture = force.map(peak);
            let unfolding = Unfolding { rupture, peaks: rupture.into_iter().collect() };
            Member { number, unfolding, lines: Default::default() }
        }));
        group
    }

    #[test]
    fn a_group_in_one_line() {
        // Mean 121, deviations −1, 1, 0: standard deviation 1, error 1/√3.
        let forces = [Some(120.0), None, Some(122.0), Some(121.0)];
        assert_eq!(
            in_words(&[group("", &forces)]),
            "unfolding force 121.0 ± 1.0 pN (mean ± standard deviation of 3; standard error 0.6; \
             window 500 points = 10 µs); 1 of 4 not unfolded\n"
        );
    }

    #[test]
    fn groups_keep_their_order() {
        let groups = [group("5 µm/s", &[None; 2]), group("2.5 µm/s", &[Some(121.0)])];
        assert_eq!(
            in_words(&groups),
            "5 µm/s: none of 2 unfolded (window 500 points = 10 µs)\n\
             2.5 µm/s: unfolding force 121.0 pN (one replica; window 500 points = 10 µs); all of 1 unfolded\n"
        );
        assert_eq!(in_words(&[]), "");
        let summary = groups[0].summary();
        assert_eq!((summary.mean_pn, summary.not_unfolded()), (None, 2));
    }

    #[test]
    fn tables_have_a_line_for_each_replica_and_each_peak() {
        let groups = [group("a, b", &[None, Some(121.5)])];
        let rows = unfolding_csv(&groups);
        let rows: Vec<&str> = rows.lines().skip(1).collect();
        assert_eq!(rows, ["\"a, b\",0,,,,,", "\"a, b\",1,121.5,4.8,40,60,80"]);
        assert_eq!(peaks_csv(&groups).lines().nth(1), Some(rows[1]));
    }
}
