//! Work and temperature of a clamp, a stage of constant force: the metrics of \[A\], §IV.B, for molecules that unfold.
//!
//! The work is w = ∫ f(R) dR, which a constant force makes f ΔX, with ΔX the way of the pulled beads along the force. ⟨T⟩ is the
//! temperature averaged over a window of rows, 500 in \[A\], and d⟨T⟩/dt, which \[A\] calls the conservation of temperature, its
//! slope in time: zero on the mean, and below zero where a molecule unfolds, since an unfolded one has fewer contacts whose forces
//! displace beads.

use beadwork_analysis::plot::thin;
use beadwork_analysis::statistics::{
    mean, running_slope, slope, standard_deviation, standard_error,
};

use super::Pulling;
use super::replicas::{Analysed, Line, MEANS, MOST_POINTS, Points, PulledGroup};
use super::setup::PulledRows;
use crate::data::{self, Cell, Table, TableColumn, Value};
use crate::words::time_in_words;

/// The rows of the window of \[A\].
const WINDOW: usize = 500;
/// Without a window that a person asks for, it is at most this part of a replica's rows.
const LARGEST_PART: usize = 10;
/// The stretch at the beginning is over when the work grows at this part of its first rate.
const STRETCHED_PART: f64 = 0.1;
const NANOSECONDS_PER_MICROSECOND: f64 = 1e3;
/// The rows of work and way.
const UNTIL_LAST_ROW: &str = "until the last row of the stage of each";

/// What one replica did under a constant force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClampMetrics {
    /// pN.
    force_pn: f64,
    /// pN nm: the work until the last row of the stage.
    work_pn_nm: f64,
    /// K/µs: the slope of the temperature over all rows of the stage.
    temperature_slope: Option<f64>,
    /// When the work grew fastest after the first stretch, ns, and how fast, pN nm/ns.
    fastest_work: Option<(f64, f64)>,
    /// When ⟨T⟩ fell fastest, ns, and how fast, K/µs.
    steepest_fall: Option<(f64, f64)>,
    /// K/µs: the standard error of the slope in a window, by the scatter of the temperature.
    slope_noise: Option<f64>,
}

impl ClampMetrics {
    /// nm: the way along the force.
    fn way_nm(&self) -> Option<f64> {
        (self.force_pn != 0.0).then(|| self.work_pn_nm / self.force_pn)
    }
}

impl PulledGroup {
    /// Adds the metrics of a clamp to a replica, if the group is held by a constant force.
    pub(crate) fn with_clamp(&self, analysed: Analysed, rows: &PulledRows) -> Analysed {
        if self.pulling != Pulling::Force {
            return analysed;
        }
        let PulledRows { curve, temperature_k, work_pn_nm } = rows;
        let count = work_pn_nm.len();
        let window = match self.criteria.window_points {
            0 | 1 => WINDOW.min(count / LARGEST_PART).max(2),
            asked => asked,
        };
        let times = curve.time_ns.iter().skip(window / 2).copied();
        let slopes = |values: &[f64], unit: f64| -> Points {
            let slopes = running_slope(values, window, self.interval_ns).into_iter();
            times.clone().zip(slopes.map(|slope| slope * unit)).collect()
        };
        let known = |values: &[f64]| -> Points {
            let points = curve.time_ns.iter().copied().zip(values.iter().copied());
            points.filter(|point| point.1.is_finite()).collect()
        };
        let work = known(work_pn_nm);
        let temperature_slopes = slopes(temperature_k, NANOSECONDS_PER_MICROSECOND);
        let extreme = |points: &[(f64, f64)], sign: f64| {
            let known = points.iter().copied().filter(|point| point.1.is_finite());
            known.reduce(|best, next| if sign * next.1 > sign * best.1 { next } else { best })
        };
        let force = known(&curve.force_pn).last().map(|point| point.1);
        let last = work.last().map(|point| point.1);
        let clamp = force.zip(last).map(|(force_pn, work_pn_nm)| ClampMetrics {
            force_pn,
            work_pn_nm,
            temperature_slope: slope(&known(temperature_k))
                .map(|slope| slope * NANOSECONDS_PER_MICROSECOND),
            fastest_work: extreme(after_stretch(&slopes(&rows.work_pn_nm, 1.0)), 1.0),
            steepest_fall: extreme(&temperature_slopes, -1.0),
            slope_noise: slope_noise(&known(temperature_k), window, self.interval_ns),
        });
        let Analysed { mut member, mut whole, .. } = analysed;
        for (line, points) in
            [(Line::WorkTime, work), (Line::TemperatureSlopeTime, temperature_slopes)]
        {
            member.lines[line as usize] = thin(&points, MOST_POINTS);
            for (place, _) in MEANS.iter().enumerate().filter(|(_, mean)| **mean == line) {
                whole[place].clone_from(&points);
            }
        }
        member.clamp = clamp;
        Analysed { member, whole, ..analysed }
    }

    /// The mean over the replicas of what their clamps did, with its name, words and unit, and the rows that it is of; `None` if
    /// none did.
    fn clamp_mean(
        &self,
        [name, words, unit]: [&str; 3],
        rows: &str,
        of_clamp: impl Fn(&ClampMetrics) -> Option<f64>,
    ) -> Option<Value> {
        let clamps: Vec<ClampMetrics> =
            self.members.iter().filter_map(|member| member.clamp).collect();
        let values: Vec<f64> = clamps.iter().filter_map(of_clamp).collect();
        let replicas = match clamps.len() {
            1 => "one replica".to_string(),
            count => format!("{count} replicas"),
        };
        let value = Value::new(name, words, unit, mean(&values)?);
        Some(Value {
            deviation: standard_deviation(&values),
            independent_values: Some(values.len() as f64),
            ..value.with_error(standard_error(&values)).from(format!("{replicas}; {rows}"))
        })
    }
}

/// The slopes of the work after the stretch at the beginning, when the force is switched on: from where they first fall to a part of
/// the first one.
fn after_stretch(slopes: &[(f64, f64)]) -> &[(f64, f64)] {
    let Some(first) = slopes.iter().map(|point| point.1).find(|slope| slope.is_finite()) else {
        return slopes;
    };
    let is_over = |point: &(f64, f64)| point.1 <= STRETCHED_PART * first;
    slopes.iter().position(is_over).map_or(&[], |over| &slopes[over..])
}

/// K/µs: the standard error σ √(12/(n³ − n))/Δt of the slope of n independent temperatures of the scatter σ.
fn slope_noise(temperatures: &[(f64, f64)], window: usize, interval_ns: f64) -> Option<f64> {
    let temperatures: Vec<f64> = temperatures.iter().map(|point| point.1).collect();
    let count = window as f64;
    let interval = interval_ns / NANOSECONDS_PER_MICROSECOND;
    let factor = (12.0 / (count.powi(3) - count)).sqrt() / interval;
    standard_deviation(&temperatures).map(|scatter| scatter * factor)
}

/// Adds work and temperature of the clamps of a stage to an answer. The temperature is that of all beads, so drives share its slope.
pub(crate) fn describe_clamps(groups: &[PulledGroup], answer: &mut data::Group) {
    for group in groups {
        let of_drive = [
            group.clamp_mean(["clamp_work", "work of the clamp", "pN nm"], UNTIL_LAST_ROW, |one| {
                Some(one.work_pn_nm)
            }),
            group.clamp_mean(
                ["clamp_way", "way along the force", "nm"],
                UNTIL_LAST_ROW,
                ClampMetrics::way_nm,
            ),
        ];
        answer.values.extend(of_drive.into_iter().flatten().map(|value| value.of(group.of())));
    }
    let slope = groups.first().and_then(|group| {
        let names = ["temperature_slope", "slope of the temperature in time", "K/µs"];
        group.clamp_mean(names, "all rows of the stage of each", |one| one.temperature_slope)
    });
    answer.values.extend(slope);
}

/// `clamps.csv`, a line for each replica under a constant force.
pub(crate) fn clamp_table(groups: &[(usize, &PulledGroup)]) -> Option<Table> {
    let columns = [
        "replica",
        "force_pN",
        "work_pN_nm",
        "way_nm",
        "temperature_slope_K_per_us",
        "fastest_work_time_ns",
        "fastest_work_pN_nm_per_ns",
        "steepest_fall_time_ns",
        "steepest_fall_K_per_us",
        "slope_noise_K_per_us",
    ];
    let mut table = Table::new("clamps.csv", &columns);
    let has_drives = groups.iter().any(|(_, group)| !group.drive.is_empty());
    table.columns.extend(has_drives.then(|| TableColumn::new("drive")));
    for (place, group) in groups {
        for member in &group.members {
            let Some(clamp) = member.clamp else { continue };
            let time_and_value = |found: Option<(f64, f64)>| {
                [found.map(|found| found.0), found.map(|found| found.1)].map(Cell::from)
            };
            let mut cells = vec![
                Cell::from(member.number),
                Cell::from(clamp.force_pn),
                Cell::from(clamp.work_pn_nm),
                Cell::from(clamp.way_nm()),
                Cell::from(clamp.temperature_slope),
            ];
            cells.extend(time_and_value(clamp.fastest_work));
            cells.extend(time_and_value(clamp.steepest_fall));
            cells.push(Cell::from(clamp.slope_noise));
            cells.extend(has_drives.then(|| Cell::from(group.drive.as_str())));
            table.push(*place, cells);
        }
    }
    (!table.is_empty()).then_some(table)
}

/// The window of the slope of the temperature in words.
pub(super) fn slope_window_in_words(group: &PulledGroup) -> String {
    match group.criteria.window_points {
        0 | 1 => format!("{WINDOW} rows, or a tenth of a replica's if these are fewer"),
        asked => format!("{asked} rows = {}", time_in_words(group.interval_ns * asked as f64)),
    }
}
