//! Columns of bead models in time: a line for each replica, or the median of many.

use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Mark, Series, Style};
use beadwork_model::Units;
use beadwork_model::observables::MeasuredColumn;

use super::columns::{Column, MOST_TRACES, TRACES_BESIDE_MEDIAN, Trace};
use super::replicas::{BeadModelGroup, named, stage_of};
use super::settled::{Settled, last_half};
use super::spread::AtTime;
use crate::many_points::PointFigure;
use crate::words::{label, time_unit_in};

/// The bands of more points hide each other.
const MOST_BANDS: usize = 3;

/// A figure of each column in time.
pub(super) fn in_time(groups: &[&BeadModelGroup]) -> Vec<PointFigure> {
    let mut measured: Vec<&MeasuredColumn> = Vec::new();
    for column in groups.iter().flat_map(|group| &group.columns) {
        if !measured.contains(&&column.measured) {
            measured.push(&column.measured);
        }
    }
    let named = |measured: &MeasuredColumn| {
        let title = format!("{} and time", measured.in_words(Units::Reduced));
        let title = title[..1].to_uppercase() + &title[1..];
        let stem = format!("{}-time", measured.word().replace('_', "-"));
        PointFigure::new(stem, traces(groups, measured, title))
    };
    measured.into_iter().map(named).collect()
}

impl BeadModelGroup {
    fn traces(&self, measured: &MeasuredColumn) -> &[Trace] {
        self.column(measured).map_or(&[], |column| &column.traces)
    }

    /// The median of many replicas in time, and the range of most of them; empty for few replicas.
    fn at_times(&self, measured: &MeasuredColumn) -> &[AtTime] {
        self.column(measured).map_or(&[], |column| &column.at_times)
    }

    pub(super) fn column(&self, measured: &MeasuredColumn) -> Option<&Column> {
        self.columns.iter().find(|column| column.measured == *measured)
    }
}

/// A column of each replica in time.
pub(super) fn traces(
    groups: &[&BeadModelGroup],
    measured: &MeasuredColumn,
    title: String,
) -> Figure {
    let units = groups.first().map_or(Units::Real, |group| group.units);
    let ends =
        groups.iter().flat_map(|group| group.traces(measured)).filter_map(|trace| trace.last());
    let longest = ends.map(|(time, _)| *time).fold(0.0, f64::max);
    let (unit, size) = time_unit_in(units, longest);
    let series = lines_of_replicas(groups, measured, size);
    let stage = stage_of(groups.iter().copied());
    let columns = || groups.iter().filter_map(|group| group.column(measured));
    let settled = Settled::of(
        columns().flat_map(|column| column.series.iter().flat_map(|series| last_half(series))),
        columns().flat_map(|column| column.traces.iter().flatten().map(|(_, value)| *value)),
    );
    let has_median = groups.iter().any(|group| !group.at_times(measured).is_empty());
    let of_many = has_median.then(|| {
        let shaded = match groups.len() <= MOST_BANDS {
            true => ", shaded the range from 10 to 90 % of them",
            false => "",
        };
        format!(
            "More than {MOST_TRACES} replicas: bold is their median at each time{shaded}, while at least half have rows; thin are the first {TRACES_BESIDE_MEDIAN}."
        )
    });
    Figure {
        title,
        x: Axis::new(label("time", unit)),
        y: Axis {
            range: settled.as_ref().map(|settled| settled.range),
            ..Axis::new(measured.in_words(units))
        },
        series,
        marks: beginnings(groups, stage, size),
        notes: settled.map(|settled| settled.note(stage)).into_iter().chain(of_many).collect(),
        ..Figure::default()
    }
}

/// The lines of replicas; of many replicas a few lines with the median, and the range of most values. Ranges are below all lines, and
/// medians on top.
fn lines_of_replicas(
    groups: &[&BeadModelGroup],
    measured: &MeasuredColumn,
    size: f64,
) -> Vec<Series> {
    let (mut bands, mut lines, mut medians) = (Vec::new(), Vec::new(), Vec::new());
    for (number, group) in groups.iter().enumerate() {
        let colour = Colour::Palette(number);
        let found = group.at_times(measured);
        for (replica, trace) in group.traces(measured).iter().enumerate() {
            let points = trace.iter().map(|(time, value)| (time / size, *value)).collect();
            let label = if replica == 0 && found.is_empty() { named(group) } else { "" };
            let emphasis = match group.traces(measured).len() {
                1 => Emphasis::Normal,
                _ => Emphasis::Faint,
            };
            lines.push(Series { colour, emphasis, ..Series::line(label, points) });
        }
        if found.is_empty() {
            continue;
        }
        let median = found.iter().map(|at| (at.time / size, at.median)).collect();
        let label = match group.name.as_str() {
            "" => format!("median of {}", group.replicas()),
            name => format!("{name} (median of {})", group.replicas()),
        };
        let emphasis = Emphasis::Strong;
        medians.push(Series { colour, emphasis, ..Series::line(label, median) });
        if groups.len() <= MOST_BANDS {
            let low = found.iter().map(|at| (at.time / size, at.low));
            let high = found.iter().rev().map(|at| (at.time / size, at.high));
            let outline = low.chain(high).collect();
            bands.push(Series { colour, style: Style::Band, ..Series::line("", outline) });
        }
    }
    [bands, lines, medians].concat()
}

/// The time of the last row before that of a stage; `None` for the first stage, and behind a minimisation, which takes no time.
pub(super) fn beginning(stage: usize, first_row: Option<usize>, times: &[f64]) -> Option<f64> {
    let before = first_row.filter(|_| stage > 0)?.checked_sub(1)?;
    times.get(before).copied().filter(|time| *time > 0.0)
}

/// Where the stage begins that averages are of, if others are before it: one line for all groups, or one for each.
fn beginnings(groups: &[&BeadModelGroup], stage: &str, size: f64) -> Vec<Mark> {
    let began = |(number, group): (usize, &&BeadModelGroup)| Some((number, group.began?));
    let began: Vec<(usize, f64)> = groups.iter().enumerate().filter_map(began).collect();
    let all_at_once = began.iter().all(|(_, time)| *time == began[0].1);
    let shown = if all_at_once { began.len().min(1) } else { began.len() };
    let mark = |(place, &(number, time)): (usize, &(usize, f64))| Mark {
        x: time / size,
        label: match place {
            0 => stage.strip_prefix("the ").unwrap_or(stage).to_string(),
            _ => String::new(),
        },
        colour: if all_at_once { Colour::Grey } else { Colour::Palette(number) },
        ..Mark::default()
    };
    began[..shown].iter().enumerate().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use beadwork_model::observables::Observable;

    use super::*;

    fn size() -> MeasuredColumn {
        MeasuredColumn::Whole(Observable::RadiusOfGyrationByMass)
    }

    /// The first stage begins where the figure does, so nothing is marked.
    #[test]
    fn a_stage_behind_others_begins_at_their_last_row() {
        let times = [0.0, 0.4, 0.8, 1.2];
        assert_eq!(beginning(0, Some(1), &times), None);
        assert_eq!(beginning(1, Some(3), &times), Some(0.8));
        assert_eq!((beginning(1, Some(1), &times), beginning(1, None, &times)), (None, None));
    }

    /// A range, four lines and the median of each of up to three points; of more points there are no ranges.
    #[test]
    fn many_replicas_are_drawn_as_median_and_range() {
        let point = |number: usize| {
            let trace = |replica: usize| vec![(0.0, replica as f64), (1.0, 2.0)];
            let at = |time, [low, median, high]: [f64; 3]| AtTime { time, low, median, high };
            let at_times = vec![at(0.0, [1.9, 9.5, 17.1]), at(1.0, [2.0; 3])];
            let traces = (0..TRACES_BESIDE_MEDIAN).map(trace).collect();
            BeadModelGroup {
                name: format!("point {number}"),
                about: crate::data::Group { replicas: 20, ..Default::default() },
                columns: vec![Column { measured: size(), series: Vec::new(), traces, at_times }],
                ..BeadModelGroup::default()
            }
        };
        let points: Vec<BeadModelGroup> = (0..4).map(point).collect();
        let all: Vec<&BeadModelGroup> = points.iter().collect();
        let drawn = |groups: &[&BeadModelGroup]| {
            let figure = traces(groups, &size(), String::new());
            let count =
                |is: fn(&Series) -> bool| figure.series.iter().filter(|one| is(one)).count();
            let counts = [
                count(|one| one.style == Style::Band),
                count(|one| one.emphasis == Emphasis::Faint),
                count(|one| one.emphasis == Emphasis::Strong),
            ];
            (counts, figure)
        };
        let (counts, figure) = drawn(&all[..1]);
        assert_eq!(counts, [1, 4, 1]);
        assert_eq!(figure.series[0].points.len(), 4);
        assert_eq!(figure.series[5].label, "point 0 (median of 20)");
        assert_eq!(figure.series[5].points, [(0.0, 9.5), (1.0, 2.0)]);
        assert!(figure.notes[0].contains("10 to 90 %"), "{:?}", figure.notes);
        assert_eq!(drawn(&all[..3]).0, [3, 12, 3]);
        let (counts, figure) = drawn(&all);
        assert_eq!(counts, [0, 16, 4]);
        assert!(!figure.notes[0].contains('%'), "{:?}", figure.notes);
    }
}
