//! Figures of proteins of residues: size in time, its distribution, distances along the chain, contacts.

use beadwork_analysis::conformations::LEAST_SEPARATION;
use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, HeatMap, Mark, Series, Style};
use beadwork_analysis::statistics::{Histogram, automatic_width};

use super::Group;
use super::conformations::CONTACT_REACH;
use crate::words::time_unit;

/// The most groups with a contact map each.
const MOST_MAPS: usize = 8;
const SIZE: &str = "radius of gyration by mass / nm";

/// The figures of groups, each with the stem of its file name.
pub(crate) fn figures(groups: &[Group]) -> Vec<(String, Figure)> {
    if groups.is_empty() {
        return Vec::new();
    }
    let mut figures = vec![
        ("radius-of-gyration-time".to_string(), sizes(groups)),
        ("radius-of-gyration".to_string(), distribution(groups)),
    ];
    let with_frames = |group: &&Group| group.conformations.is_some();
    if groups.iter().any(|group| with_frames(&group)) {
        figures.push(("internal-distances".to_string(), distances(groups)));
    }
    let maps = groups.iter().filter(with_frames).take(MOST_MAPS).enumerate();
    figures.extend(maps.filter_map(|(number, group)| {
        let stem = match groups.len() {
            1 => "contacts".to_string(),
            _ => format!("contacts-{number}"),
        };
        Some((stem, contacts(group)?))
    }));
    figures
}

fn named(group: &Group) -> &str {
    if group.name.is_empty() { "run" } else { &group.name }
}

fn sizes(groups: &[Group]) -> Figure {
    let ends = groups.iter().flat_map(|group| &group.traces).filter_map(|trace| trace.last());
    let (unit, size) = time_unit(ends.map(|(time, _)| *time).fold(0.0, f64::max));
    let mut series = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        for (replica, trace) in group.traces.iter().enumerate() {
            let points = trace.iter().map(|(time, value)| (time / size, *value)).collect();
            let label = if replica == 0 { named(group) } else { "" };
            let emphasis = match group.traces.len() {
                1 => Emphasis::Normal,
                _ => Emphasis::Faint,
            };
            let colour = Colour::Palette(number);
            series.push(Series { colour, emphasis, ..Series::line(label, points) });
        }
    }
    let began = groups.first().and_then(|group| group.began).filter(|time| *time > 0.0);
    let mark =
        |time: f64| Mark { x: time / size, label: "last stage".to_string(), colour: Colour::Grey };
    Figure {
        title: "Size of the chain and time".to_string(),
        x: Axis::new(format!("time / {unit}")),
        y: Axis::new(SIZE),
        series,
        marks: began.map(mark).into_iter().collect(),
        ..Figure::default()
    }
}

fn distribution(groups: &[Group]) -> Figure {
    let values: Vec<Vec<f64>> =
        groups.iter().map(|group| group.columns[0].series.concat()).collect();
    let width = automatic_width(&values.concat()).unwrap_or(0.1);
    let of_group = |(number, (group, values)): (usize, (&Group, &Vec<f64>))| {
        let histogram = Histogram::with_bin_width(values, width, 0.0).unwrap_or_default();
        let total: f64 = values.len() as f64 * width;
        let centres = histogram.edges.iter().map(|edge| edge + 0.5 * width);
        let points = centres.zip(&histogram.counts);
        let points = points.map(|(centre, &count)| (centre, count as f64 / total)).collect();
        Series {
            style: Style::Bars { width },
            colour: Colour::Palette(number),
            ..Series::line(named(group), points)
        }
    };
    Figure {
        title: "Distribution of the size of the chain in the last stage".to_string(),
        x: Axis::new(SIZE),
        y: Axis::new("probability density / nm⁻¹"),
        series: groups.iter().zip(&values).enumerate().map(of_group).collect(),
        ..Figure::default()
    }
}

fn distances(groups: &[Group]) -> Figure {
    let mut series = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let points = group.distances();
        let colour = Colour::Palette(number);
        if let Some((exponent, prefactor)) = group.scaling() {
            let law = |(s, _): &(f64, f64)| (*s, prefactor.value * s.powf(exponent.value));
            let label = format!("{:.3} nm s^{:.3}", prefactor.value, exponent.value);
            let fit = points.iter().skip(LEAST_SEPARATION - 1).map(law).collect();
            series.push(Series { colour: Colour::Grey, ..Series::line(label, fit) });
        }
        series.push(Series {
            colour,
            style: Style::Points,
            emphasis: Emphasis::Faint,
            ..Series::line(named(group), points)
        });
    }
    let logarithmic = |label: &str| Axis { logarithmic: true, ..Axis::new(label) };
    Figure {
        title: "Root mean square distance of two residues".to_string(),
        x: logarithmic("separation along the chain s"),
        y: logarithmic("distance / nm"),
        series,
        ..Figure::default()
    }
}

fn contacts(group: &Group) -> Option<Figure> {
    let probabilities = group.conformations.as_ref()?.contacts.probabilities();
    let residues = probabilities.len() as f64;
    let range = Some((0.5, residues + 0.5));
    let axis = || Axis { range, whole_numbers: true, ..Axis::new("residue") };
    let name = if group.name.is_empty() { String::new() } else { format!(": {}", group.name) };
    Some(Figure {
        title: format!("Contacts{name}"),
        x: axis(),
        y: axis(),
        map: Some(HeatMap {
            x: (0.5, residues + 0.5),
            y: (0.5, residues + 0.5),
            cells: probabilities,
            label: "probability of contact".to_string(),
            logarithmic: true,
        }),
        notes: vec![format!(
            "Two residues are in contact if they are less than {CONTACT_REACH} nm apart."
        )],
        ..Figure::default()
    })
}
