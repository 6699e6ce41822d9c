//! Figures of indentations.

use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series, Style};
use beadwork_model::Units;

use super::replicas::{AgainstTime, IndentedGroup, PressingForce, Way};
use super::summary::cycle_name;
use crate::pulling::Points;
use crate::words::time_unit;

/// Colours of the palette before they come again, dashed.
const COLOURS: usize = 8;

/// The figures of groups, each with the stem of its file name; none without a tip. A group has one colour, dashed for
/// retractions; thin lines are replicas, bold ones their mean.
pub(crate) fn figures(groups: &[IndentedGroup]) -> Vec<(&'static str, Figure)> {
    if groups.is_empty() {
        return Vec::new();
    }
    vec![
        ("force-deformation", force_deformation(groups, PressingForce::Cantilever)),
        ("tip-force-deformation", force_deformation(groups, PressingForce::Tip)),
        ("cantilever-force-time", against_time(groups, AgainstTime::Force)),
        ("tip-force-time", against_time(groups, AgainstTime::TipForce)),
        ("deformation-time", against_time(groups, AgainstTime::Deformation)),
    ]
}

fn label(words: &str, unit: &str, groups: &[IndentedGroup]) -> String {
    match groups.iter().all(|group| group.setup.units == Units::Real) {
        true => format!("{words} / {unit}"),
        false => words.to_string(),
    }
}

fn colour(group: usize, way: Way) -> Colour {
    match way {
        Way::Approach => Colour::Palette(group % COLOURS),
        Way::Retraction => Colour::Palette(group % COLOURS + COLOURS),
    }
}

impl IndentedGroup {
    /// The label of a line: `1 µm/s, cycle 2, retraction (mean of 4)`.
    fn legend(&self, cycle: Option<(usize, Way)>) -> String {
        let has_retraction = self.setup.turns;
        let way = cycle.filter(|_| has_retraction).map(|(_, way)| match way {
            Way::Approach => "approach".to_string(),
            Way::Retraction => "retraction".to_string(),
        });
        let number = cycle.filter(|_| self.cycles() > 1).map(|(number, _)| cycle_name(number));
        let name = Some(self.about.name.clone()).filter(|name| !name.is_empty());
        let of: Vec<String> = [name, number, way].into_iter().flatten().collect();
        match (of.is_empty(), self.members.as_slice()) {
            (true, [only]) => format!("replica {}", only.number),
            (false, [_]) => of.join(", "),
            (true, members) => format!("mean of {}", members.len()),
            (false, members) => format!("{} (mean of {})", of.join(", "), members.len()),
        }
    }
}

fn force_deformation(groups: &[IndentedGroup], force: PressingForce) -> Figure {
    let (mut faint, mut bold, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    for (number, group) in groups.iter().enumerate() {
        let has_many = group.members.len() > 1;
        let curve = group.mean_curve();
        for cycle in 0..group.cycles() {
            for way in [Way::Approach, Way::Retraction] {
                let colour = colour(number, way);
                let lines: Vec<&Points> = group
                    .cycle(cycle)
                    .map(|cycle| &cycle.lines[way as usize][force as usize])
                    .filter(|line| line.iter().any(|point| point.0.is_finite()))
                    .collect();
                let bins = curve.iter().filter(|bin| (bin.cycle, bin.way) == (cycle, way));
                let mean: Points =
                    bins.map(|bin| (bin.deformation, bin.forces[force as usize])).collect();
                let label = group.legend(Some((cycle, way)));
                match (has_many, lines.as_slice()) {
                    (false, [line]) => {
                        bold.push(Series { colour, ..Series::line(label, line.to_vec()) });
                    }
                    _ => {
                        faint.extend(lines.into_iter().map(|line| Series {
                            colour,
                            emphasis: Emphasis::Faint,
                            ..Series::line(String::new(), line.clone())
                        }));
                        if !mean.is_empty() {
                            let emphasis = Emphasis::Strong;
                            bold.push(Series { colour, emphasis, ..Series::line(label, mean) });
                        }
                    }
                }
            }
            if force == PressingForce::Cantilever {
                let found = group.cycle(cycle).filter_map(|cycle| cycle.pressed.peak);
                let points = found.map(|peak| (peak.deformation, peak.force)).collect();
                let (style, colour) = (Style::Points, colour(number, Way::Approach));
                peaks.push(Series { style, colour, ..Series::line(String::new(), points) });
            }
        }
    }
    let series: Vec<Series> = faint.into_iter().chain(bold).chain(peaks).collect();
    let (title, y) = match force {
        PressingForce::Cantilever => ("Force and deformation", "force of the cantilever"),
        PressingForce::Tip => ("Force on the tip and deformation", "force on the tip"),
    };
    let mut x = Axis::new(label("deformation", "nm", groups));
    x.range = shown(&series);
    let mut notes = vec![in_words(
        groups,
        "mean over replicas in bins of deformation in which more than half of them have been",
    )];
    if force == PressingForce::Cantilever {
        notes.push("Discs: the largest averaged forces.".to_string());
    }
    if groups.iter().any(|group| group.setup.turns) {
        notes.push("Dashed: the base goes back.".to_string());
    }
    Figure {
        title: title.to_string(),
        x,
        y: Axis::new(label(y, "pN", groups)),
        series,
        notes,
        ..Figure::default()
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
        series.extend(group.members.iter().map(|member| Series {
            colour: colour(number, Way::Approach),
            emphasis: Emphasis::Faint,
            ..Series::line(String::new(), scaled(&member.against_time[line as usize]))
        }));
    }
    for (number, group) in groups.iter().enumerate() {
        let (emphasis, points) = match group.members.as_slice() {
            [only] => (Emphasis::Normal, only.against_time[line as usize].clone()),
            _ => (Emphasis::Strong, group.means[line as usize].points()),
        };
        let colour = colour(number, Way::Approach);
        let label = group.legend(None);
        series.push(Series { colour, emphasis, ..Series::line(label, scaled(&points)) });
    }
    let (title, words, y) = match line {
        AgainstTime::Force => ("Force of the cantilever and time", "force of the cantilever", "pN"),
        AgainstTime::TipForce => ("Force on the tip and time", "force on the tip", "pN"),
        AgainstTime::Deformation => ("Deformation and time", "deformation", "nm"),
    };
    Figure {
        title: title.to_string(),
        x: Axis::new(if real { format!("time / {unit}") } else { "time".to_string() }),
        y: Axis::new(label(words, y, groups)),
        series,
        notes: vec![
            in_words(groups, "mean over replicas still running (drawn while at least half run)"),
            "Time counts from the beginning of the stage.".to_string(),
        ],
        ..Figure::default()
    }
}

/// A note on the thin and bold lines, and on the windows.
fn in_words(groups: &[IndentedGroup], bold: &str) -> String {
    let mut windows: Vec<String> =
        groups.iter().map(|group| group.setup.window_in_words()).collect();
    windows.dedup();
    let average = match windows.as_slice() {
        [one] => format!("Running average, {one}."),
        _ => "Running averages.".to_string(),
    };
    match groups.iter().any(|group| group.members.len() > 1) {
        true => format!("Thin: single replicas; bold: {bold}. {average}"),
        false => average,
    }
}
