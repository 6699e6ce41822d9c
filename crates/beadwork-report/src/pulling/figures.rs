//! Figures of pulled replicas.

use beadwork_model::externals::Pulling;
use std::borrow::Borrow;
use std::collections::BTreeSet;

use beadwork_analysis::numbers::fixed;
use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Mark, Series, Style};
use beadwork_analysis::statistics::{Histogram, automatic_width};
use beadwork_analysis::unfolding::Peak;
use rayon::prelude::*;

use super::clamps::slope_window_in_words;
use super::replicas::{Line, MEANS, Points, PulledGroup};
use super::summary::GroupSummary;
use crate::many_points::notes_on_points;
use crate::thin_lines;
use crate::words::{head, round_width, time_in_words, time_unit};

/// The axis of the force ends at this multiple of the largest unfolding force, so that the forces of the taut chain do not
/// hide the unfolding.
const HEADROOM: f64 = 2.0;
/// The windows of more groups are given as a range.
const MOST_WINDOWS: usize = 3;

/// The stem of a figure's file name, how runs must pull for it, and how it is drawn.
type FigureKind = (&'static str, fn(Pulling) -> bool, fn(&[&PulledGroup]) -> Figure);

const UNFOLDING_FORCES: &str = "unfolding-forces";

const KINDS: [FigureKind; 8] = [
    ("force-extension", grows, force_extension),
    ("force-time", grows, force_time),
    (UNFOLDING_FORCES, |pulling| pulling == Pulling::Spring, unfolding_forces),
    ("extension-time", |_| true, |groups| mean_figure(groups, 0)),
    ("temperature-time", |_| true, |groups| mean_figure(&one_of_each(groups), 1)),
    ("contacts-time", |_| true, |groups| mean_figure(&one_of_each(groups), 2)),
    ("work-time", is_clamp, |groups| mean_figure(groups, 3)),
    ("temperature-slope-time", is_clamp, |groups| mean_figure(&one_of_each(groups), 4)),
];

fn grows(pulling: Pulling) -> bool {
    pulling >= Pulling::Ramp
}

fn is_clamp(pulling: Pulling) -> bool {
    pulling == Pulling::Force
}

/// One group of each point: several drives of a replica share its temperature and contacts.
fn one_of_each<'a>(groups: &[&'a PulledGroup]) -> Vec<&'a PulledGroup> {
    let is_first =
        |place: &usize| *place == 0 || groups[*place].is_of_other_point(groups[*place - 1]);
    (0..groups.len()).filter(is_first).map(|place| groups[place]).collect()
}

/// For each line of [`MEANS`], the title of its figure and the label of its axis.
const TITLES: [(&str, &str); 5] = [
    ("Extension and time", "extension / nm"),
    ("Temperature and time", "temperature / K"),
    ("Native contacts and time", "native contacts"),
    ("Work of the clamp and time", "work / (pN nm)"),
    ("Slope of the temperature and time", "slope of the temperature / (K/µs)"),
];

/// The figures of groups, each with the stem of its file name. A group has one colour; thin lines are replicas; the bold line
/// is the replica with the median unfolding force, or the mean of the replicas.
pub fn figures(groups: &[impl Borrow<PulledGroup>]) -> Vec<(&'static str, Figure)> {
    let groups: Vec<&PulledGroup> = groups.iter().map(Borrow::borrow).collect();
    let pulling = groups.iter().map(|group| group.pulling).max().unwrap_or_default();
    // Where all springs push, there is nothing to count.
    let all_push = !groups.is_empty() && groups.iter().all(|group| group.pushes);
    let kinds = KINDS
        .into_par_iter()
        .filter(|(stem, suits, _)| suits(pulling) && !(all_push && *stem == UNFOLDING_FORCES));
    kinds.map(|(stem, _, figure)| (stem, figure(&groups))).collect()
}

impl PulledGroup {
    /// The index of the member with the median unfolding force, or of the middle one if none unfolded.
    fn representative(&self) -> usize {
        let forces = self.members.iter().map(|member| Some(member.unfolding.rupture?.force_pn));
        let mut unfolded: Vec<(f64, usize)> =
            forces.zip(0..).filter_map(|(force, place)| Some((force?, place))).collect();
        unfolded.sort_by(|one, other| one.0.total_cmp(&other.0));
        let middle = unfolded.len().saturating_sub(1) / 2;
        unfolded.get(middle).map_or(self.members.len() / 2, |member| member.1)
    }

    fn ruptures(&self) -> impl Iterator<Item = &Peak> {
        self.members.iter().filter_map(|member| member.unfolding.rupture.as_ref())
    }

    /// The label of the bold line: `2.5 µm/s (median of 16)`.
    fn legend(&self, kind: &str) -> String {
        match (self.name.as_str(), self.members.as_slice()) {
            ("", [only]) => format!("replica {}", only.number),
            (name, [_]) => name.to_owned(),
            ("", members) => format!("{kind} of {}", members.len()),
            (name, members) => format!("{name} ({kind} of {})", members.len()),
        }
    }
}

/// The thin lines of all groups, which so many groups share, then all bold lines, so that no group hides the bold line of another;
/// x in units of `size`.
fn layered(
    groups: &[&PulledGroup],
    sharing: usize,
    line: Line,
    size: f64,
    bold: impl Fn(&PulledGroup) -> (String, Points),
) -> Vec<Series> {
    let scaled =
        |points: &[(f64, f64)]| -> Points { points.iter().map(|(x, y)| (x / size, *y)).collect() };
    let mut series = Vec::new();
    for (number, group) in groups.iter().enumerate().filter(|(_, group)| group.members.len() > 1) {
        series.extend(thin_lines::with_lines(&group.members, sharing).map(|member| Series {
            points: scaled(&member.lines[line as usize]),
            colour: Colour::Palette(number),
            emphasis: Emphasis::Faint,
            ..Series::default()
        }));
    }
    for (number, group) in groups.iter().enumerate() {
        let (label, points) = bold(group);
        let emphasis = match group.members.len() {
            1 => Emphasis::Normal,
            _ => Emphasis::Strong,
        };
        if !points.is_empty() {
            let (points, colour) = (scaled(&points), Colour::Palette(number));
            series.push(Series { label, points, colour, emphasis, ..Series::default() });
        }
    }
    series
}

/// The lines of all members, with the representative in bold and a disc at each unfolding force.
fn force_figure(
    groups: &[&PulledGroup],
    title: &str,
    x: (Axis, f64),
    line: Line,
    place: fn(&Peak) -> f64,
) -> Figure {
    let (x, size) = x;
    let with_forces = groups.iter().copied().filter(|group| grows(group.pulling));
    let with_forces: Vec<&PulledGroup> = with_forces.collect();
    let mut series = layered(groups, with_forces.len(), line, size, |group| {
        let kind = if group.ruptures().next().is_some() { "median" } else { "one" };
        let member = group.members.get(group.representative());
        let points = member.map(|member| member.lines[line as usize].clone());
        (group.legend(kind), points.unwrap_or_default())
    });
    let forces = || {
        let members = groups.iter().flat_map(|group| &group.members);
        let points = members.flat_map(|member| &member.lines[line as usize]);
        points.map(|point| point.1).filter(|force| force.is_finite())
    };
    let (least, greatest) = (forces().fold(0.0, f64::min), forces().fold(0.0, f64::max));
    let mut ruptures = 0;
    let mut largest = 0.0f64;
    for (number, group) in groups.iter().enumerate() {
        let points: Points =
            group.ruptures().map(|peak| (place(peak) / size, peak.force_pn)).collect();
        ruptures += points.len();
        largest = points.iter().map(|point| point.1).fold(largest, f64::max);
        let (style, colour) = (Style::Points, Colour::Palette(number));
        series.push(Series { points, colour, style, ..Series::default() });
    }
    let mut y = Axis::new("force / pN");
    let bold = if ruptures > 0 { "the one with the median unfolding force" } else { "one of them" };
    let mut notes = vec![curves_in_words(&with_forces, bold, &average_in_words(&with_forces))];
    if ruptures > 0 {
        let discs = "Discs: unfolding forces, the highest values before the largest fall.";
        notes.push(discs.to_owned());
    }
    if largest > 0.0 && greatest > 1.5 * HEADROOM * largest {
        y.range = Some((1.05 * least, HEADROOM * largest));
        notes.push(format!("The taut chain reaches {greatest:.0} pN, beyond the axis."));
    }
    Figure { title: title.to_owned(), x, y, series, notes, ..Figure::default() }
}

fn force_extension(groups: &[&PulledGroup]) -> Figure {
    let x = (Axis::new("extension / nm"), 1.0);
    let title = "Force and extension";
    let mut figure = force_figure(groups, title, x, Line::ForceExtension, |peak| peak.extension_nm);
    // There is one mark for all groups, so it is drawn only if they have the same limit.
    let mut limits = groups.iter().map(|group| group.criteria.taut_extension_nm);
    let limit = limits.next().flatten().filter(|limit| limits.all(|other| other == Some(*limit)));
    let members = groups.iter().flat_map(|group| &group.members);
    let mut points = members.flat_map(|member| &member.lines[Line::ForceExtension as usize]);
    if let Some(x) = limit.filter(|limit| points.any(|point| point.0 >= *limit)) {
        figure.marks.push(Mark { x, label: "taut from here".to_owned(), ..Mark::default() });
    }
    figure
}

fn force_time(groups: &[&PulledGroup]) -> Figure {
    let x = time_axis(groups);
    let mut figure =
        force_figure(groups, "Force and time", x, Line::ForceTime, |peak| peak.time_ns);
    figure.notes.extend(from_the_stage(groups));
    figure
}

/// The lines of all members against time, with their mean in bold.
fn mean_figure(groups: &[&PulledGroup], which: usize) -> Figure {
    let (x, size) = time_axis(groups);
    let bold = |group: &PulledGroup| (group.legend("mean"), group.means[which].points());
    let (title, label) = TITLES[which];
    let average = match (MEANS[which], groups.first()) {
        (Line::WorkTime, _) => "Not averaged".to_owned(),
        (Line::TemperatureSlopeTime, Some(group)) => {
            format!("Slopes of lines through {}", slope_window_in_words(group))
        }
        _ => average_in_words(groups),
    };
    let bold_line = "mean over replicas still running (drawn while at least half run)";
    let mut notes = vec![curves_in_words(groups, bold_line, &average)];
    notes.extend(from_the_stage(groups));
    let expected = groups.iter().filter_map(|group| group.temperature.as_deref());
    let expected: BTreeSet<&str> = expected.collect();
    if MEANS[which] == Line::TemperatureTime && !expected.is_empty() {
        let expected = expected.into_iter().collect::<Vec<&str>>().join(", ");
        notes.push(format!("The drift of each step shifts the estimate to about {expected}."));
    }
    // Where the first replica of a group stops, its mean begins to be one of survivors.
    let mark = |(number, group): (usize, &&PulledGroup)| {
        let x = group.means[which].first_end().filter(|_| group.members.len() > 1)? / size;
        Some(Mark { x, colour: Colour::Palette(number), ..Mark::default() })
    };
    let mut marks: Vec<Mark> = groups.iter().enumerate().filter_map(mark).collect();
    if let Some(first) = marks.first_mut() {
        first.label = "first replica stops".to_owned();
    }
    Figure {
        title: title.to_owned(),
        x,
        y: Axis::new(label),
        series: layered(groups, groups.len(), MEANS[which], size, bold),
        marks,
        notes,
        ..Figure::default()
    }
}

/// The axis of time in a unit that suits all groups, and the length of the unit in ns.
fn time_axis(groups: &[&PulledGroup]) -> (Axis, f64) {
    let (unit, size) = time_unit(groups.iter().map(|group| group.longest_ns).fold(0.0, f64::max));
    (Axis::new(format!("time / {unit}")), size)
}

fn from_the_stage(groups: &[&PulledGroup]) -> Option<String> {
    let is_of_stage = groups.iter().any(|group| group.is_of_stage);
    is_of_stage.then(|| "Time counts from the beginning of the stage that is drawn.".to_owned())
}

/// The windows of the running averages.
fn average_in_words(groups: &[&PulledGroup]) -> String {
    let windows: Vec<String> = groups.iter().map(|group| group.window_in_words()).collect();
    match windows.as_slice() {
        _ if groups.iter().all(|group| group.criteria.window_points <= 1) => {
            "No running average".to_owned()
        }
        [first, rest @ ..] if rest.iter().all(|other| other == first) => {
            format!("Running average, {first}")
        }
        _ if groups.len() <= MOST_WINDOWS => {
            let each = groups.iter().zip(&windows);
            let each: Vec<String> =
                each.map(|(group, window)| format!("{}: {window}", group.name)).collect();
            format!("Running averages, {}", each.join("; "))
        }
        _ => {
            let times = groups.iter().map(|group| group.window_ns());
            let (least, most) = times.fold((f64::INFINITY, 0.0_f64), |(least, most), time| {
                (least.min(time), most.max(time))
            });
            format!("Running averages over {} to {}", time_in_words(least), time_in_words(most))
        }
    }
}

/// A note on the thin and bold lines, and on what is drawn.
fn curves_in_words(groups: &[&PulledGroup], bold: &str, average: &str) -> String {
    let sizes: Vec<usize> = groups.iter().map(|group| group.members.len()).collect();
    match sizes.iter().any(|size| *size > 1) {
        true => format!("Thin: {}; bold: {bold}. {average}.", thin_lines::in_words(&sizes)),
        false => format!("{average}."),
    }
}

fn unfolding_forces(groups: &[&PulledGroup]) -> Figure {
    let pulled = groups.iter().enumerate().filter(|(_, group)| group.has_unfolding_forces());
    let (places, summaries): (Vec<usize>, Vec<GroupSummary>) =
        pulled.map(|(place, group)| (place, group.summary())).unzip();
    let width = summaries
        .iter()
        .filter_map(|summary| automatic_width(&summary.forces_pn))
        .reduce(f64::min)
        .map_or(5.0, round_width);
    let mut figure = Figure {
        title: "Unfolding forces".to_owned(),
        x: Axis::new("unfolding force / pN"),
        y: Axis { whole_numbers: true, ..Axis::new("number of replicas") },
        ..Figure::default()
    };
    for (summary, number) in summaries.iter().zip(places) {
        // A group whose spread is too large for the width is in the notes only.
        let histogram = Histogram::with_bin_width(&summary.forces_pn, width, 0.0);
        let Some(Histogram { edges, counts }) = histogram else { continue };
        let colour = Colour::Palette(number);
        let counts = counts.iter().map(|&count| count as f64);
        let comma = if summary.group.is_empty() { "" } else { ", " };
        let label = format!("{}{comma}n = {}", summary.group, summary.forces_pn.len());
        let centres = edges.iter().map(|edge| edge + 0.5 * width);
        let (points, style) = (centres.zip(counts).collect(), Style::Bars { width });
        figure.series.push(Series { colour, style, ..Series::line(label, points) });
        if let Some(x) = summary.mean_pn {
            let label = match summary.standard_deviation_pn {
                Some(deviation) => format!("mean {} ± {deviation:.1} pN", fixed(x, 1)),
                None => format!("{} pN", fixed(x, 1)),
            };
            figure.marks.push(Mark { x, label, colour, ..Mark::default() });
        }
    }
    figure.notes = histogram_notes(&summaries);
    if summaries.iter().any(|summary| !summary.forces_pn.is_empty()) {
        figure.notes.push(format!("Bins of {width} pN. Dashed: mean."));
    }
    figure
}

fn histogram_notes(summaries: &[GroupSummary]) -> Vec<String> {
    if let [only] = summaries {
        let text = format!("{}{}.", head(&only.group), only.in_words());
        let mut characters = text.chars();
        let first = characters.next().into_iter().flat_map(char::to_uppercase);
        return vec![first.chain(characters).collect()];
    }
    let said: Vec<String> = summaries
        .iter()
        .map(|summary| {
            let GroupSummary { group, window, .. } = summary;
            let value =
                match (summary.mean_pn, summary.standard_deviation_pn, summary.standard_error_pn) {
                    (Some(mean), Some(deviation), Some(error)) => {
                        let mean = fixed(mean, 1);
                        format!("{mean} ± {deviation:.1} pN, standard error {error:.1}, ")
                    }
                    (Some(mean), ..) => format!("{} pN, ", fixed(mean, 1)),
                    _ => String::new(),
                };
            format!("{group}: {value}{}, {window}", summary.counts_in_words())
        })
        .collect();
    let mut notes = notes_on_points(&said, "unfolding.csv");
    if !summaries.is_empty() {
        notes.push("Numbers are mean ± standard deviation.".to_owned());
    }
    notes
}
