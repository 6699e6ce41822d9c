//! Figures of indentations.

use beadwork_analysis::plot::{
    Axis, COLOURS, Colour, ColourScale, Emphasis, Figure, Series, Style,
};
use beadwork_model::Units;

use super::curves::BinMean;
use super::replicas::{AgainstDeformation, AgainstTime, IndentedGroup, Way};
use super::summary::cycle_name;
use crate::many_points::{PointFigure, notes_on_points};
use crate::pulling::Points;
use crate::thin_lines;
use crate::words::{self, time_unit};

/// The figures of groups; none without a tip. Each cycle of a group has a colour of its own against the deformation, dashed for
/// retractions; thin lines are replicas, bold ones their mean.
pub(crate) fn figures(groups: &[IndentedGroup]) -> Vec<PointFigure> {
    if groups.is_empty() {
        return Vec::new();
    }
    let of_cycles = |stem: &str, values: AgainstDeformation| PointFigure {
        each: most_cycles(groups),
        ..PointFigure::new(stem, against_deformation(groups, values))
    };
    let of_time =
        |stem: &str, line: AgainstTime| PointFigure::new(stem, against_time(groups, line));
    let mut figures = vec![
        of_cycles("force-deformation", AgainstDeformation::Force),
        of_cycles("tip-force-deformation", AgainstDeformation::TipForce),
        of_time("cantilever-force-time", AgainstTime::Force),
        of_time("tip-force-time", AgainstTime::TipForce),
        of_time("deformation-time", AgainstTime::Deformation),
    ];
    for (stem, values) in [
        ("contacts-deformation", AgainstDeformation::Contacts),
        ("contacts-between-chains-deformation", AgainstDeformation::ContactsBetweenChains),
    ] {
        if groups.iter().any(|group| group.lines(values).any(|point| point.1 > 0.0)) {
            figures.push(of_cycles(stem, values));
        }
    }
    figures
}

fn label(quantity: &str, unit: &str, groups: &[IndentedGroup]) -> String {
    let is_real = groups.iter().all(|group| group.setup.units == Units::Real);
    words::label(quantity, if is_real { unit } else { "" })
}

fn cycles_have_scale(groups: &[IndentedGroup]) -> bool {
    most_cycles(groups) > COLOURS
}

/// Gives cycles that are too many for colours of their own a scale, and several groups panels.
fn scale_cycles(figure: &mut Figure, groups: &[IndentedGroup]) {
    let cycles = most_cycles(groups);
    for series in &mut figure.series {
        if let Colour::Palette(number) = series.colour {
            series.colour = Colour::Value((number % cycles + 1) as f64);
            series.panel = Some(number / cycles);
        }
    }
    let range = (1.0, cycles as f64);
    figure.scale = Some(ColourScale { label: "cycle".to_string(), range, logarithmic: false });
    figure.panels = groups.iter().map(|group| group.about.name.clone()).collect();
}

/// The most cycles of a group, at least one.
fn most_cycles(groups: &[IndentedGroup]) -> usize {
    groups.iter().map(IndentedGroup::cycles).max().unwrap_or(1).max(1)
}

/// The dashes of lines.
fn dash(way: Way) -> usize {
    match way {
        Way::Approach => 0,
        Way::Retraction => 1,
    }
}

impl IndentedGroup {
    /// The points of all lines of replicas.
    fn lines(&self, values: AgainstDeformation) -> impl Iterator<Item = &(f64, f64)> {
        let cycles = self.members.iter().flat_map(|member| &member.cycles);
        let lines =
            cycles.flat_map(move |cycle| cycle.lines.iter().map(move |of| &of[values as usize]));
        lines.flatten().filter(|point| point.0.is_finite())
    }

    /// The label of a line: `1 µm/s, cycle 2, retraction (mean of 4)`; `replicas` are those of a mean.
    fn legend(&self, cycle: Option<(usize, Way)>, replicas: &str) -> String {
        let has_retraction = self.setup.turns;
        let way = cycle.filter(|_| has_retraction).map(|(_, way)| way_in_words(way).to_string());
        let number = cycle.filter(|_| self.cycles() > 1).map(|(number, _)| cycle_name(number));
        let name = Some(self.about.name.clone()).filter(|name| !name.is_empty());
        let of: Vec<String> = [name, number, way].into_iter().flatten().collect();
        match (of.is_empty(), self.members.as_slice()) {
            (true, [only]) => format!("replica {}", only.number),
            (false, [_]) => of.join(", "),
            (true, _) => format!("mean of {replicas}"),
            (false, _) => format!("{} (mean of {replicas})", of.join(", ")),
        }
    }
}

/// The replicas in the bins of a mean: `4`, or `3 to 4`.
fn replicas_in_words(bins: &[&BinMean]) -> String {
    let replicas = || bins.iter().map(|bin| bin.replicas);
    let (least, most) = (replicas().min().unwrap_or(0), replicas().max().unwrap_or(0));
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}

fn way_in_words(way: Way) -> &'static str {
    match way {
        Way::Approach => "approach",
        Way::Retraction => "retraction",
    }
}

fn against_deformation(groups: &[IndentedGroup], values: AgainstDeformation) -> Figure {
    let series = curves(groups, values);
    let (title, y, unit) = match values {
        AgainstDeformation::Force => ("Force and deformation", "force of the cantilever", "pN"),
        AgainstDeformation::TipForce => {
            ("Force on the tip and deformation", "force on the tip", "pN")
        }
        AgainstDeformation::Contacts => {
            ("Native contacts and deformation", "native contacts that hold", "")
        }
        AgainstDeformation::ContactsBetweenChains => (
            "Contacts between chains and deformation",
            "native contacts between chains that hold",
            "",
        ),
    };
    let mut x = Axis::new(label("deformation", "nm", groups));
    x.range = shown(&series);
    let mut figure = Figure {
        title: title.to_string(),
        x,
        y: Axis::new(label(y, unit, groups)),
        series,
        notes: notes_on_deformation(groups, values),
        ..Figure::default()
    };
    if cycles_have_scale(groups) {
        scale_cycles(&mut figure, groups);
    }
    figure
}

/// The lines of replicas, then those over all of them and on top the peaks, so that none hides a bold one.
fn curves(groups: &[IndentedGroup], values: AgainstDeformation) -> Vec<Series> {
    let (mut faint, mut bold, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    let (cycles, has_scale) = (most_cycles(groups), cycles_have_scale(groups));
    for (number, group) in groups.iter().enumerate() {
        let has_many = group.members.len() > 1;
        let curve = group.mean_curve();
        for cycle in 0..group.cycles() {
            let colour = Colour::Palette(number * cycles + cycle);
            for way in [Way::Approach, Way::Retraction] {
                let dash = dash(way);
                let lines: Vec<&Points> = group
                    .cycle(cycle)
                    .map(|cycle| &cycle.lines[way as usize][values as usize])
                    .filter(|line| line.iter().any(|point| point.0.is_finite()))
                    .collect();
                let thin = thin_lines::with_lines(&lines, groups.len());
                let bins = curve.iter().filter(|bin| (bin.cycle, bin.way) == (cycle, way));
                let bins: Vec<&BinMean> = bins.collect();
                let mean = bins.iter().map(|bin| (bin.deformation, bin.means[values as usize]));
                let mean: Points = mean.collect();
                let label = match has_scale {
                    true if number + cycle > 0 => String::new(),
                    true => way_in_words(way).to_string(),
                    false => group.legend(Some((cycle, way)), &replicas_in_words(&bins)),
                };
                match (has_many, lines.as_slice()) {
                    (false, [line]) => {
                        bold.push(Series { colour, dash, ..Series::line(label, line.to_vec()) });
                    }
                    _ => {
                        faint.extend(thin.map(|line| Series {
                            colour,
                            dash,
                            emphasis: Emphasis::Faint,
                            ..Series::line(String::new(), line.to_vec())
                        }));
                        if !mean.is_empty() {
                            let emphasis = Emphasis::Strong;
                            bold.push(Series {
                                colour,
                                dash,
                                emphasis,
                                ..Series::line(label, mean)
                            });
                        }
                    }
                }
            }
            if values == AgainstDeformation::Force {
                peaks.extend(peaks_of(group, cycle).map(|series| Series { colour, ..series }));
            }
        }
    }
    faint.into_iter().chain(bold).chain(peaks).collect()
}

/// The largest averaged forces of a cycle: discs where a peak was passed, rings where none was.
fn peaks_of(group: &IndentedGroup, cycle: usize) -> impl Iterator<Item = Series> {
    let of = move |(style, is_passed): (Style, bool)| {
        let all = group.cycle(cycle).filter_map(|cycle| cycle.pressed.peak);
        let own = all.filter(|peak| peak.is_passed == is_passed);
        let points: Points = own.map(|peak| (peak.deformation, peak.force)).collect();
        (!points.is_empty()).then(|| Series { style, ..Series::line(String::new(), points) })
    };
    [(Style::Points, true), (Style::Rings, false)].into_iter().filter_map(of)
}

fn notes_on_deformation(groups: &[IndentedGroup], values: AgainstDeformation) -> Vec<String> {
    let bold = "mean over replicas of their rows, without a running average, in bins of deformation in which more than half of them have been";
    let has_line = |group: &IndentedGroup| group.lines(values).next().is_some();
    let mut notes = vec![in_words(groups, bold, has_line)];
    if groups.iter().any(|group| group.cycles() > 1) {
        notes.push("Deformations of all cycles count from the first contact.".to_string());
    }
    if groups.iter().any(|group| group.setup.turns) {
        notes.push("Dashed: the base goes back.".to_string());
    }
    if values == AgainstDeformation::Force {
        let text =
            "Discs: peaks of the averaged force; rings: largest forces, where no peak was passed.";
        notes.push(text.to_string());
        notes.extend(notes_on_drag(groups));
    }
    notes
}

/// The drag of the tips: a note for all points, or one for each where they differ.
fn notes_on_drag(groups: &[IndentedGroup]) -> Vec<String> {
    let named =
        |group: &IndentedGroup| Some((group.about.name.clone(), group.drag_of_tip_in_words()?));
    let drags: Vec<(String, String)> = groups.iter().filter_map(named).collect();
    match drags.first() {
        Some((_, first)) if drags.iter().any(|(_, drag)| drag != first) => {
            let each = drags.iter().map(|(name, drag)| format!("{name}: drag: {drag}"));
            notes_on_points(&each.collect::<Vec<String>>(), "answers.csv")
        }
        first => first.map(|(_, drag)| format!("Drag: {drag}.")).into_iter().collect(),
    }
}

/// The deformations that are drawn: the way before contact as far as a quarter of the largest deformation.
fn shown(series: &[Series]) -> Option<(f64, f64)> {
    let depths = series.iter().flat_map(|series| &series.points).map(|point| point.0);
    let (least, most) = depths
        .filter(|depth| depth.is_finite())
        .fold((0.0, 0.0), |(least, most): (f64, f64), depth| (least.min(depth), most.max(depth)));
    (least < -0.25 * most && most > 0.0).then_some((-0.25 * most, 1.02 * most))
}

fn against_time(groups: &[IndentedGroup], line: AgainstTime) -> Figure {
    let real = groups.iter().all(|group| group.setup.units == Units::Real);
    let longest = groups.iter().map(|group| group.longest).fold(0.0, f64::max);
    let (unit, size) = if real { time_unit(longest) } else { ("", 1.0) };
    let scaled = |points: &[(f64, f64)]| -> Points {
        points.iter().map(|(time, value)| (time / size, *value)).collect()
    };
    let mut series = Vec::new();
    for (number, group) in groups.iter().enumerate().filter(|(_, group)| group.members.len() > 1) {
        series.extend(thin_lines::with_lines(&group.members, groups.len()).map(|member| Series {
            colour: Colour::Palette(number),
            emphasis: Emphasis::Faint,
            ..Series::line(String::new(), scaled(&member.against_time[line as usize]))
        }));
    }
    for (number, group) in groups.iter().enumerate() {
        let (emphasis, points) = match group.members.as_slice() {
            [only] => (Emphasis::Normal, only.against_time[line as usize].clone()),
            _ => (Emphasis::Strong, group.means[line as usize].points()),
        };
        let colour = Colour::Palette(number);
        let label = group.legend(None, &group.members.len().to_string());
        series.push(Series { colour, emphasis, ..Series::line(label, scaled(&points)) });
    }
    let (title, words, y) = match line {
        AgainstTime::Force => ("Force of the cantilever and time", "force of the cantilever", "pN"),
        AgainstTime::TipForce => ("Force on the tip and time", "force on the tip", "pN"),
        AgainstTime::Deformation => ("Deformation and time", "deformation", "nm"),
    };
    Figure {
        title: title.to_string(),
        x: Axis::new(label("time", unit, groups)),
        y: Axis::new(label(words, y, groups)),
        series,
        notes: vec![
            in_words(
                groups,
                "their mean over replicas still running (drawn while at least half run)",
                |group| group.longest > 0.0,
            ),
            from_the_stage(groups),
        ],
        ..Figure::default()
    }
}

/// From where time counts; replicas may go on to a stage at different times.
fn from_the_stage(groups: &[IndentedGroup]) -> String {
    match groups.iter().find(|group| group.setup.stage_names.len() > 1) {
        Some(group) => format!(
            "Time counts from the beginning of the first of {}; the next ones begin when each replica comes to them.",
            group.setup.stages_in_words()
        ),
        None => "Time counts from the beginning of the stage.".to_string(),
    }
}

/// A note on the thin and bold lines, and on the windows of those groups that have lines: a window that is longer than a curve leaves
/// none.
fn in_words(
    groups: &[IndentedGroup],
    bold: &str,
    has_line: impl Fn(&IndentedGroup) -> bool,
) -> String {
    let drawn = groups.iter().filter(|group| has_line(group));
    let mut windows: Vec<String> = drawn.map(|group| group.setup.window_in_words()).collect();
    windows.dedup();
    let average = match windows.as_slice() {
        [] => {
            return format!(
                "Line: {bold}. The window of the running average is longer than the curves."
            );
        }
        [one] => format!("running average, {one}"),
        _ => "running averages".to_string(),
    };
    let sizes: Vec<usize> = groups.iter().map(|group| group.members.len()).collect();
    match sizes.iter().any(|size| *size > 1) {
        true => {
            format!("Thin: {average}, of {}; bold: {bold}.", thin_lines::in_words(&sizes))
        }
        false => format!("Line: {average}."),
    }
}
