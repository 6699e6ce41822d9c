//! Figures of what frames show: structure factors, displacements and sizes of molecules.

use beadwork_analysis::plot::{Axis, COLOURS, Colour, Figure, Series, Style};
use beadwork_model::Units;

use super::replicas::{BeadModelGroup, named, stage_of};
use super::sizes::SIZES;
use super::structure_factors::Structure;
use crate::words::{label, time_unit_in};

/// The most groups with a map each.
const MOST_MAPS: usize = 8;
/// Kinds of curves that readers tell apart by dashes; more have a panel each.
const MOST_DASHES: usize = 3;
/// More panels are too small to read.
const MOST_PANELS: usize = 60;

/// A curve and its kind, such as a pair of types.
type OfKind = (String, Vec<(f64, f64)>);

/// A figure of curves that each group has of several kinds: colours are groups, dashes or panels kinds. With one group, colours are
/// kinds as long as there are colours.
pub(super) fn by_kinds(
    groups: &[&BeadModelGroup],
    curves: impl Fn(&&BeadModelGroup) -> Vec<OfKind>,
) -> Figure {
    let of_groups: Vec<Vec<OfKind>> = groups.iter().map(curves).collect();
    let mut kinds: Vec<&String> = Vec::new();
    for (kind, _) in of_groups.iter().flatten() {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    // Many groups lie over each other as it is.
    let most = match groups.len() {
        1 => COLOURS,
        count if count > COLOURS => 1,
        _ => MOST_DASHES,
    };
    let has_panels = kinds.len() > most;
    let shown = if has_panels { MOST_PANELS } else { kinds.len() };
    let mut figure = Figure::default();
    for (number, (group, curves)) in groups.iter().zip(&of_groups).enumerate() {
        for (place, (kind, points)) in curves.iter().enumerate() {
            let of_kind = kinds.iter().position(|other| *other == kind).unwrap_or(0);
            // Two points show no course between them.
            let style = if points.len() > 2 { Style::Line } else { Style::Points };
            let line = Series { style, ..Series::line(String::new(), points.clone()) };
            figure.series.extend(match (groups.len(), has_panels) {
                _ if of_kind >= shown => None,
                (1, false) => {
                    Some(Series { colour: Colour::Palette(of_kind), label: kind.clone(), ..line })
                }
                (1, true) => {
                    Some(Series { colour: Colour::Palette(0), panel: Some(of_kind), ..line })
                }
                (_, has_panels) => Some(Series {
                    label: if place == 0 { named(group).to_string() } else { String::new() },
                    colour: Colour::Palette(number),
                    panel: has_panels.then_some(of_kind),
                    dash: if has_panels { 0 } else { of_kind },
                    ..line
                }),
            });
        }
    }
    if has_panels {
        figure.panels = kinds.iter().take(shown).map(|kind| (*kind).clone()).collect();
    } else if groups.len() > 1 {
        // Entries of the legend for the dashes alone.
        figure.series.extend(kinds.iter().enumerate().map(|(dash, kind)| Series {
            colour: Colour::Grey,
            dash,
            ..Series::line((*kind).clone(), Vec::new())
        }));
    }
    if shown < kinds.len() {
        figure
            .notes
            .push(format!("The first {shown} of {} are drawn; the table has all.", kinds.len()));
    }
    figure
}

/// The curves of all groups, and a map for each of the first groups.
pub(super) fn structure_factors(groups: &[&BeadModelGroup]) -> Vec<(String, Figure)> {
    let with: Vec<(&BeadModelGroup, &Structure)> =
        groups.iter().filter_map(|group| Some((*group, group.structure.as_ref()?))).collect();
    let Some((first, _)) = with.first() else { return Vec::new() };
    let of_group = |group: &&BeadModelGroup| {
        let curves = group.structure.iter().flat_map(|structure| &structure.curves);
        let curve = curves.map(|curve| {
            let [one, other] = &curve.types;
            let kind = if one.is_empty() { "all".to_string() } else { format!("{one}-{other}") };
            (kind, curve.points.iter().map(|&(q, s, _)| (q, s)).collect())
        });
        curve.collect()
    };
    let unit = if first.units == Units::Real { "nm⁻¹" } else { "" };
    let curves = Figure {
        title: format!("Structure factors in {}", stage_of(groups.iter().copied())),
        x: Axis::new(label("q", unit)),
        y: Axis::new("S"),
        ..by_kinds(groups, of_group)
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
    let units = groups.first()?.units;
    let times = groups.iter().flat_map(|group| &group.motion).flat_map(|motion| &motion.points);
    let (unit, size) = time_unit_in(units, times.map(|point| point.0).fold(0.0, f64::max));
    let of_group = |group: &&BeadModelGroup| {
        let curves = group.motion.iter().map(|motion| {
            let points = motion.points.iter();
            (motion.of.clone(), points.map(|&(time, square, _)| (time / size, square)).collect())
        });
        curves.collect()
    };
    let logarithmic = |label: String| Axis { logarithmic: true, ..Axis::new(label) };
    let area = if units == Units::Real { "nm²" } else { "" };
    let figure = Figure {
        title: format!("Mean squared displacements in {}", stage_of(groups.iter().copied())),
        x: logarithmic(label("time", unit)),
        y: logarithmic(label("squared displacement", area)),
        ..by_kinds(groups, of_group)
    };
    (!figure.series.is_empty()).then(|| ("displacements".to_string(), figure))
}

/// The distributions of each size.
pub(super) fn size_distributions(groups: &[&BeadModelGroup]) -> Vec<(String, Figure)> {
    let Some(units) = groups.first().map(|group| group.units) else { return Vec::new() };
    let of_size = |(number, (words, column)): (usize, &(&str, &str))| {
        let of_group = |group: &&BeadModelGroup| {
            let curves = group.sizes.iter();
            curves.map(|sizes| (sizes.species.clone(), sizes.distribution(number))).collect()
        };
        let [of_length, of_density] = match units {
            Units::Real => ["nm", "nm⁻¹"],
            Units::Reduced => ["", ""],
        };
        let figure = Figure {
            title: format!("Distribution of the {words} in {}", stage_of(groups.iter().copied())),
            x: Axis::new(label(words, of_length)),
            y: Axis::new(label("probability density", of_density)),
            ..by_kinds(groups, of_group)
        };
        let stem = format!("{}-distribution", column.replace('_', "-"));
        (!figure.series.is_empty()).then_some((stem, figure))
    };
    SIZES.iter().enumerate().filter_map(of_size).collect()
}
