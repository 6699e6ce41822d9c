//! Plots over the temperature.

use beadwork_analysis::Estimate;
use beadwork_analysis::plot::{Axis, COLOURS, Colour, ColourScale, Figure, Series, Style};
use beadwork_analysis::reweighting::Point;
use beadwork_analysis::thermodynamics::Thermodynamics;

use super::answer::of_errors;
use super::columns::LadderColumns;
use super::findings::Family;
use super::ladders::{Ladders, SHOWN_FAMILIES};
use crate::data::WIDE;
use crate::many_points::PointFigure;

/// The most temperatures whose energies are drawn, over all groups.
const MOST_SHOWN: usize = 16;
/// The fewest temperatures of a group, because the figure shows the overlap of neighbours.
const FEWEST_SHOWN: usize = 2;
const BINS: usize = 120;

/// A figure of a quantity over the temperature: the stem of its file name, a title, the estimates of samples and curve, and
/// their factor to the unit of the label.
struct OverTemperature {
    stem: &'static str,
    title: &'static str,
    label: fn(&LadderColumns) -> &'static str,
    sampled: fn(&Thermodynamics) -> Estimate,
    reweighted: fn(&Point) -> Estimate,
    per: fn(&LadderColumns) -> f64,
}

const OVER_TEMPERATURE: [OverTemperature; 3] = [
    OverTemperature {
        stem: "specific-heat",
        title: "Specific heat",
        label: |_| "C/(N k_B)",
        sampled: |at| at.heat_capacity_per_bead,
        reweighted: |point| point.heat_capacity_per_bead,
        per: |_| 1.0,
    },
    OverTemperature {
        stem: "size",
        title: "Size",
        label: |kind| kind.size_label,
        sampled: |at| at.observables[0].mean,
        reweighted: |point| point.observables[0].mean,
        per: |_| 1.0,
    },
    OverTemperature {
        stem: "size-growth",
        title: "Growth with temperature",
        label: |kind| kind.growth_label,
        sampled: |at| at.observables[0].temperature_derivative,
        reweighted: |point| point.observables[0].temperature_derivative,
        per: |kind| kind.growth_unit,
    },
];

/// For each rung, the number of cases counted and the number of these with a property.
type Shares = fn(&Family) -> Vec<(f64, f64)>;

/// A figure of fractions by rung: the stem of its file name, a title, a label, and counts.
const SHARES: [(&str, &str, &str, Shares); 2] = [
    ("exchanges", "Exchanges with the next temperature", "accepted", |family| family.swaps.clone()),
    (
        "flow",
        "Flow of replicas",
        "from the lowest temperature, of those from either end",
        |family| family.flow.iter().map(|(up, down)| (up + down, *up)).collect(),
    ),
];

/// The most families of ladders that are drawn of a group, at least one.
fn most_families(groups: &[Ladders]) -> usize {
    let families = groups.iter().map(|group| group.findings().families.len());
    families.max().unwrap_or(1).clamp(1, SHOWN_FAMILIES)
}

/// The figures with at least one curve: specific heat, size and its derivative, exchanges, flow of replicas, and energies. In those
/// of shares each family of ladders has a colour.
pub(crate) fn figures(groups: &[Ladders]) -> Vec<PointFigure> {
    let Some(first) = groups.first() else { return Vec::new() };
    let kind = first.kind;
    // Of reduced quantities axes have no units.
    let is_reduced = kind.kelvin.is_empty();
    let of_units: Vec<String> =
        is_reduced.then(|| "In reduced units, with k_B = 1.".to_string()).into_iter().collect();
    let figure = |title: &str, y: &str| Figure {
        title: title.to_string(),
        x: Axis::new(kind.temperature_label),
        y: Axis::new(y),
        notes: of_units.clone(),
        ..Figure::default()
    };
    let mut figures = Vec::new();
    for quantity in &OVER_TEMPERATURE {
        let mut figure = figure(quantity.title, (quantity.label)(kind));
        for (number, group) in groups.iter().enumerate() {
            group.draw_quantity(&mut figure, quantity, Colour::Palette(number));
        }
        figures.push(PointFigure::new(quantity.stem, figure));
    }
    for (stem, title, label, shares) in SHARES {
        let mut figure = figure(title, label);
        figure.y.range = Some((0.0, 1.0));
        let each = most_families(groups);
        for (number, group) in groups.iter().enumerate() {
            figure.series.extend(group.shares(shares, number * each));
            let all = group.findings().families.len();
            if all > SHOWN_FAMILIES {
                let head = group.head();
                let text = format!("{head}The first {SHOWN_FAMILIES} of {all} ladders are drawn.");
                figure.notes.push(text);
            }
        }
        figures.push(PointFigure { each, ..PointFigure::new(stem, figure) });
    }
    let mut energies = figure("Energies at each temperature", "share");
    energies.x = Axis::new(kind.energy_label);
    let sampled = groups.iter().filter(|group| group.findings().sampled_family().is_some()).count();
    for (number, group) in groups.iter().enumerate() {
        let most = (MOST_SHOWN / sampled.max(1)).max(FEWEST_SHOWN);
        group.draw_energies(&mut energies, most, number);
    }
    colour_by_temperature(&mut energies, groups);
    figures.push(PointFigure::new("energies", energies));
    figures.retain(|one| !one.figure.series.is_empty());
    figures
}

/// Gives lines that are coloured by temperature a scale, and groups a panel each; few lines have colours with names.
fn colour_by_temperature(figure: &mut Figure, groups: &[Ladders]) {
    let temperatures = figure.series.iter().filter_map(|series| match series.colour {
        Colour::Value(temperature) => Some(temperature),
        _ => None,
    });
    let temperatures: Vec<f64> = temperatures.collect();
    if temperatures.len() <= COLOURS {
        for series in &mut figure.series {
            (series.colour, series.panel) = (Colour::Automatic, None);
        }
        return;
    }
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let range = temperatures.iter().fold(ends, |(low, high), t| (low.min(*t), high.max(*t)));
    let label = groups[0].kind.temperature_label.to_string();
    figure.scale = Some(ColourScale { label, range, logarithmic: range.1 >= WIDE * range.0 });
    figure.panels = groups.iter().map(|group| group.group.clone()).collect();
    figure.series.iter_mut().for_each(|series| series.label.clear());
}

impl Ladders {
    fn label(&self, what: &str) -> String {
        match self.group.as_str() {
            "" => what.to_string(),
            name => format!("{name}, {what}"),
        }
    }

    fn draw_quantity(&self, figure: &mut Figure, quantity: &OverTemperature, colour: Colour) {
        let (findings, unit, per) = (self.findings(), self.kind.unit, (quantity.per)(self.kind));
        let (mut points, mut bars, mut estimates) = (Vec::new(), Vec::new(), Vec::new());
        for at in findings.families.iter().flat_map(|family| &family.at) {
            let (x, estimate) = (at.temperature / unit, (quantity.sampled)(at));
            points.push((x, estimate.value * per));
            if let Some(error) = estimate.error {
                let ends = [-1.0, 1.0].map(|sign| (estimate.value + sign * error) * per);
                bars.extend([(x, ends[0]), (x, ends[1]), (x, f64::NAN)]);
            }
            estimates.push(estimate);
        }
        let errors = of_errors(&estimates);
        if !errors.is_empty() {
            let note = format!("{}Vertical bars: ± one of the errors{errors}.", self.head());
            figure.notes.push(note);
        }
        let series = |label, points, style| Series { style, colour, ..Series::line(label, points) };
        figure.series.push(series(self.label("samples"), points, Style::Points));
        figure.series.push(series(String::new(), bars, Style::ErrorBars));
        if let Ok(curves) = &findings.curves {
            let point = |point: &Point| {
                (point.temperature / unit, (quantity.reweighted)(point).value * per)
            };
            let line = curves.points.iter().map(point).collect();
            figure.series.push(series(self.label("reweighted"), line, Style::Line));
        }
    }

    /// The shares of each family, in the colours from `first` on.
    fn shares(&self, shares: Shares, first: usize) -> Vec<Series> {
        let line = |(place, family): (usize, &Family)| {
            let name = match family.name.as_str() {
                "" => "measured".to_string(),
                name => format!("ladder {name}"),
            };
            let counts = shares(family);
            let counted =
                counts.iter().zip(&family.temperatures).filter(|((all, _), _)| *all > 0.0);
            let line: Vec<(f64, f64)> =
                counted.map(|((all, part), t)| (t / self.kind.unit, part / all)).collect();
            let colour = Colour::Palette(first + place);
            let series = Series { colour, ..Series::line(self.label(&name), line) };
            (!series.points.is_empty()).then_some(series)
        };
        let families = self.findings().families.iter().take(SHOWN_FAMILIES);
        families.enumerate().filter_map(line).collect()
    }

    /// Draws the energies of a bead in the first family with samples: of all rungs, or of `most` in the middle. Colours are
    /// temperatures; the panel is that of the group.
    fn draw_energies(&self, figure: &mut Figure, most: usize, number: usize) {
        let Some(family) = self.findings().sampled_family() else { return };
        let rungs = family.temperatures.len();
        if rungs > most {
            let head = self.head();
            let note = format!("{head}{most} neighbours in the middle of {rungs} temperatures.");
            figure.notes.push(note);
        }
        let energies: Vec<Vec<f64>> = (0..rungs)
            .map(|rung| {
                let ladders = family.ladders.iter().filter_map(|number| self.ladders.get(number));
                let rows = ladders.flat_map(|ladder| &ladder.rows[rung]);
                rows.map(|row| row.values[0] / self.beads as f64).collect()
            })
            .collect();
        let every = || energies.iter().flatten().copied();
        let (low, high) =
            (every().fold(f64::INFINITY, f64::min), every().fold(f64::NEG_INFINITY, f64::max));
        let width = (high - low) / BINS as f64;
        if width.is_nan() || width <= 0.0 {
            return;
        }
        let first = rungs.saturating_sub(most) / 2;
        for rung in (first..rungs.min(first + most)).filter(|&rung| !energies[rung].is_empty()) {
            let mut counts = [0.0; BINS];
            for energy in &energies[rung] {
                counts[(((energy - low) / width) as usize).min(BINS - 1)] += 1.0;
            }
            let share = |(bin, count): (usize, &f64)| {
                (low + (bin as f64 + 0.5) * width, count / energies[rung].len() as f64)
            };
            let label = format!("T = {}", self.temperature(family.temperatures[rung]));
            let histogram = counts.iter().enumerate().map(share).collect();
            let line = Series::line(self.label(&label), histogram);
            let colour = Colour::Value(family.temperatures[rung] / self.kind.unit);
            figure.series.push(Series { colour, panel: Some(number), ..line });
        }
    }
}
