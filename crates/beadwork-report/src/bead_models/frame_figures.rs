//! Figures of what frames show: structure factors, displacements and sizes of molecules.

use beadwork_analysis::plot::{Axis, Colour, Figure, Series};
use beadwork_model::Units;

use super::replicas::{BeadModelGroup, named, stage_of};
use super::sizes::SIZES;
use super::structure_factors::Structure;

/// The most groups with a map each.
const MOST_MAPS: usize = 8;

/// The curves of all groups, and a map for each of the first groups.
pub(super) fn structure_factors(groups: &[&BeadModelGroup]) -> Vec<(String, Figure)> {
    let with: Vec<(&BeadModelGroup, &Structure)> =
        groups.iter().filter_map(|group| Some((*group, group.structure.as_ref()?))).collect();
    let Some((first, _)) = with.first() else { return Vec::new() };
    let mut series = Vec::new();
    for (group, structure) in &with {
        for curve in &structure.curves {
            let [one, other] = &curve.types;
            let name = if one.is_empty() { "all".to_string() } else { format!("{one}-{other}") };
            let label = if groups.len() == 1 { name } else { format!("{}: {name}", named(group)) };
            let points = curve.points.iter().map(|&(q, s, _)| (q, s)).collect();
            let colour = Colour::Palette(series.len());
            series.push(Series { colour, ..Series::line(label, points) });
        }
    }
    let unit = if first.units == Units::Real { "q / nm⁻¹" } else { "q" };
    let curves = Figure {
        title: format!("Structure factors in {}", stage_of(groups.iter().copied())),
        x: Axis::new(unit),
        y: Axis::new("S"),
        series,
        ..Figure::default()
    };
    let mut figures = vec![("structure-factors".to_string(), curves)];
    for (number, (group, structure)) in with.iter().take(MOST_MAPS).enumerate() {
        let (stem, of) = match with.len() {
            1 => ("structure-map".to_string(), String::new()),
            _ => (format!("structure-map-{number}"), format!(": {}", named(group))),
        };
        figures.push((stem, structure.figure(group.units, &of)));
    }
    figures
}

/// The displacements of all groups.
pub(super) fn displacements(groups: &[&BeadModelGroup]) -> Option<(String, Figure)> {
    let mut series = Vec::new();
    for group in groups {
        for motion in &group.motion {
            let label = match groups.len() {
                1 => motion.of.clone(),
                _ => format!("{}: {}", named(group), motion.of),
            };
            let points = motion.points.iter().map(|&(time, square, _)| (time, square)).collect();
            let colour = Colour::Palette(series.len());
            series.push(Series { colour, ..Series::line(label, points) });
        }
    }
    let is_real = groups.first()?.units == Units::Real;
    let logarithmic = |label: &str| Axis { logarithmic: true, ..Axis::new(label) };
    let figure = Figure {
        title: format!("Mean squared displacements in {}", stage_of(groups.iter().copied())),
        x: logarithmic(if is_real { "time / ns" } else { "time" }),
        y: logarithmic(if is_real {
            "squared displacement / nm²"
        } else {
            "squared displacement"
        }),
        series,
        ..Figure::default()
    };
    (!figure.series.is_empty()).then(|| ("displacements".to_string(), figure))
}

/// The distributions of each size.
pub(super) fn size_distributions(groups: &[&BeadModelGroup]) -> Vec<(String, Figure)> {
    let Some(units) = groups.first().map(|group| group.units) else { return Vec::new() };
    let of_size = |(number, (words, column)): (usize, &(&str, &str))| {
        let mut series = Vec::new();
        for group in groups {
            for sizes in &group.sizes {
                let label = match groups.len() {
                    1 => sizes.species.clone(),
                    _ => format!("{}: {}", named(group), sizes.species),
                };
                let colour = Colour::Palette(series.len());
                let points = sizes.distribution(number);
                series.push(Series { colour, ..Series::line(label, points) });
            }
        }
        let (of_length, of_density) = match units {
            Units::Real => (" / nm", " / nm⁻¹"),
            Units::Reduced => ("", ""),
        };
        let figure = Figure {
            title: format!("Distribution of the {words} in {}", stage_of(groups.iter().copied())),
            x: Axis::new(format!("{words}{of_length}")),
            y: Axis::new(format!("probability density{of_density}")),
            series,
            ..Figure::default()
        };
        let stem = format!("{}-distribution", column.replace('_', "-"));
        (!figure.series.is_empty()).then_some((stem, figure))
    };
    SIZES.iter().enumerate().filter_map(of_size).collect()
}
