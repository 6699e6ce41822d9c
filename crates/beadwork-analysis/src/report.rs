//! The figures and the summary of a pulling run with many replicas.

mod figures;
mod summary;

use crate::unfolding::{Criteria, Curve, Unfolding};

pub use figures::pulling_figures;
pub use summary::{GroupSummary, group_summaries, pulling_summary};

/// What is known about one replica.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemberData {
    /// Name of the replica.
    pub label: String,
    /// Name of the point of a sweep, or folder, that it belongs to; may be empty when there is one
    /// only.
    pub group: String,
    /// Force, extension and contacts against time.
    pub curve: Curve,
    /// Temperature of each sample, K; may be empty.
    pub temperature_k: Vec<f64>,
    /// Time of each sample of the temperature, ns.
    pub temperature_time_ns: Vec<f64>,
    /// What counts as a peak here, and the window of all running averages.
    pub criteria: Criteria,
    /// The analysis of `curve` by these criteria.
    pub unfolding: Unfolding,
}

/// The members of each group, groups in the order in which they first appear.
fn grouped(members: &[MemberData]) -> Vec<(&str, Vec<&MemberData>)> {
    let mut groups: Vec<(&str, Vec<&MemberData>)> = Vec::new();
    for member in members {
        match groups.iter_mut().find(|group| group.0 == member.group) {
            Some(group) => group.1.push(member),
            None => groups.push((&member.group, vec![member])),
        }
    }
    groups
}

/// The median distance of neighbouring times, ns.
fn interval_ns(time_ns: &[f64]) -> Option<f64> {
    let mut distances: Vec<f64> = time_ns
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|distance| distance.is_finite() && *distance > 0.0)
        .collect();
    distances.sort_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied()
}

/// The unit for times up to this one, and how many ns it has.
fn time_unit(longest_ns: f64) -> (&'static str, f64) {
    match longest_ns {
        time if time < 2e3 => ("ns", 1.0),
        time if time < 2e6 => ("µs", 1e3),
        _ => ("ms", 1e6),
    }
}

/// The running average in words: `window 500 points = 10 µs`.
fn window_in_words(members: &[&MemberData]) -> String {
    let points = members.first().map_or(1, |member| member.criteria.window_points.max(1));
    let plural = if points == 1 { "point" } else { "points" };
    let interval = members.iter().find_map(|member| interval_ns(&member.curve.time_ns));
    match interval.map(|interval| interval * points as f64) {
        Some(time) => format!("window {points} {plural} = {}", time_in_words(time)),
        None => format!("window {points} {plural}"),
    }
}

/// A time in the unit in which the number is at least one, with three significant digits: `10 µs`.
pub fn time_in_words(time_ns: f64) -> String {
    let (unit, size) = time_unit(2.0 * time_ns);
    format!("{} {unit}", rounded(time_ns / size))
}

/// Three significant digits, without zeros at the end.
fn rounded(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
