//! Figures of what frames show: structure factors, displacements and sizes of molecules.

use beadwork_analysis::plot::{Axis, Colour, Figure, Series, Style};
use beadwork_model::Units;

use super::replicas::{BeadModelGroup, named, stage_of};
use super::sizes::SIZES;
use super::structure_factors::Structure;
use crate::many_points::PointFigure;
use crate::words::{label, time_unit_in};

/// The most points with a map, or a picture, each; a picture of a million beads takes seconds.
pub(super) const MOST_MAPS: usize = 8;

/// A curve and its kind, such as a pair of types.
type OfKind = (String, Vec<(f64, f64)>);

/// The curves that each group has of several kinds, and the names of the kinds; colours are those of [`PointFigure`].
pub(super) fn by_kinds(
    groups: &[&BeadModelGroup],
    curves: impl Fn(&&BeadModelGroup) -> Vec<OfKind>,
) -> (Vec<Series>, Vec<String>) {
    let of_groups: Vec<Vec<OfKind>> = groups.iter().map(curves).collect();
    let mut kinds: Vec<String> = Vec::new();
    for (kind, _) in of_groups.iter().flatten() {
        if !kinds.contains(kind) {
            kinds.push(kind.clone());
        }
    }
    let count = kinds.len();
    let curve = |number: usize, (kind, points): OfKind| {
        let of_kind = kinds.iter().position(|other| *other == kind).unwrap_or(0);
        // Two points show no course between them.
        let style = if points.len() > 2 { Style::Line } else { Style::Points };
        let colour = Colour::Palette(number * count + of_kind);
        Series { style, colour, ..Series::line(String::new(), points) }
    };
    let of_group = |(number, curves): (usize, Vec<OfKind>)| {
        curves.into_iter().map(move |of_kind| (number, of_kind))
    };
    let all = of_groups.into_iter().enumerate().flat_map(of_group);
    let series = all.map(|(number, of_kind)| curve(number, of_kind)).collect();
    (series, kinds)
}

/// A sentence if there are more points than those that have a map.
pub(super) fn note_on_maps(points: usize) -> Option<String> {
    (points > MOST_MAPS).then(|| format!("The first {MOST_MAPS} of {points} points have a map."))
}

/// The curves of all groups, and a map for each of the first groups.
pub(super) fn structure_factors(groups: &[&BeadModelGroup]) -> Vec<PointFigure> {
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
    let (series, kinds) = by_kinds(groups, of_group);
    let curves = Figure {
        title: format!("Structure factors in {}", stage_of(groups.iter().copied())),
        x: Axis::new(label("q", unit)),
        y: Axis::new("S"),
        series,
        ..Figure::default()
    };
    let curves = PointFigure { kinds, ..PointFigure::new("structure-factors", curves) };
    let mut figures = vec![curves];
    for (number, (group, structure)) in with.iter().take(MOST_MAPS).enumerate() {
        let (stem, of) = match with.len() {
            1 => ("structure-map".to_string(), String::new()),
            _ => (format!("structure-map-{number}"), format!(": {}", named(group))),
        };
        let mut map = structure.figure(group.units, &of);
        map.notes.extend(note_on_maps(with.len()));
        figures.push(PointFigure::new(stem, map));
    }
    figures
}

/// The displacements of all groups.
pub(super) fn displacements(groups: &[&BeadModelGroup]) -> Option<PointFigure> {
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
    let (series, kinds) = by_kinds(groups, of_group);
    let figure = Figure {
        title: format!("Mean squared displacements in {}", stage_of(groups.iter().copied())),
        x: logarithmic(label("time", unit)),
        y: logarithmic(label("squared displacement", area)),
        series,
        ..Figure::default()
    };
    (!kinds.is_empty()).then(|| PointFigure { kinds, ..PointFigure::new("displacements", figure) })
}

/// The distributions of each size.
pub(super) fn size_distributions(groups: &[&BeadModelGroup]) -> Vec<PointFigure> {
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
        let (series, kinds) = by_kinds(groups, of_group);
        let figure = Figure {
            title: format!("Distribution of the {words} in {}", stage_of(groups.iter().copied())),
            x: Axis::new(label(words, of_length)),
            y: Axis::new(label("probability density", of_density)),
            series,
            ..Figure::default()
        };
        let stem = format!("{}-distribution", column.replace('_', "-"));
        (!kinds.is_empty()).then(|| PointFigure { kinds, ..PointFigure::new(stem, figure) })
    };
    SIZES.iter().enumerate().filter_map(of_size).collect()
}
