//! Figures of bead models: pair distributions; of residues the distribution of the size of the chain, distances along the chain and
//! contacts.

use beadwork_analysis::conformations::{ContactMap, LEAST_SEPARATION};
use beadwork_analysis::plot::{Axis, Colour, Figure, HeatMap, Series, Style};
use beadwork_analysis::statistics::{Histogram, automatic_width};

use super::conformations::CONTACT_REACH;
use super::frame_figures::{
    MOST_MAPS, by_kinds, displacements, note_on_maps, size_distributions, structure_factors,
};
use super::in_time::{in_time, traces};
use super::pair_distributions::PairDistributionCurve;
use super::replicas::{BeadModelGroup, named, stage_of};
use crate::many_points::{PointFigure, keep_labels, notes_on_points};
use crate::words::{head, label};
use beadwork_analysis::numbers::rounded;
use beadwork_model::observables::{MeasuredColumn, Observable};
use beadwork_model::{Model, Units};

/// Where the peaks of bonds are so many times higher than all else, the axis leaves them out.
const MOST_OF_BONDS: f64 = 3.0;
const SIZE: MeasuredColumn = MeasuredColumn::Whole(Observable::RadiusOfGyrationByMass);

/// The figures of groups that are drawn together, and the numbers of these groups: those of residues, and of other beads in either
/// system of units.
pub(crate) fn figures(groups: &[BeadModelGroup]) -> Vec<(Vec<usize>, Vec<PointFigure>)> {
    let is_of_residues = |group: &BeadModelGroup| matches!(group.model, Model::Residues(_));
    let sets = [(false, Units::Real), (false, Units::Reduced), (true, Units::Real)];
    let figures = |(residues, units): (bool, Units)| {
        let own = |(_, group): &(usize, &BeadModelGroup)| {
            is_of_residues(group) == residues && (residues || group.units == units)
        };
        let (numbers, own): (Vec<usize>, Vec<&BeadModelGroup>) =
            groups.iter().enumerate().filter(own).unzip();
        let figures = if residues { of_residues(&own) } else { of_beads(&own) };
        (numbers, figures)
    };
    sets.into_iter().map(figures).collect()
}

/// The figures of beads that are no residues.
fn of_beads(groups: &[&BeadModelGroup]) -> Vec<PointFigure> {
    let mut figures = in_time(groups);
    figures.extend(pair_distributions(groups));
    figures.extend(structure_factors(groups));
    figures.extend(displacements(groups));
    figures.extend(size_distributions(groups));
    figures
}

/// The pair distributions of each group, a curve for each pair of types. The axis ends where all but the pairs of bonds are seen.
fn pair_distributions(groups: &[&BeadModelGroup]) -> Option<PointFigure> {
    let of_group = |group: &&BeadModelGroup| {
        let curve = |curve: &PairDistributionCurve| {
            let points = curve.points.iter().map(|&(distance, g, _)| (distance, g)).collect();
            (curve.types.join("-"), points)
        };
        group.pair_distributions.iter().map(curve).collect()
    };
    let units = groups.first()?.units;
    let unit = if units == Units::Real { "nm" } else { "" };
    let (series, kinds) = by_kinds(groups, of_group);
    let mut figure = Figure {
        title: format!("Pair distribution functions in {}", stage_of(groups.iter().copied())),
        x: Axis::new(label("distance", unit)),
        y: Axis::new("g"),
        series,
        ..Figure::default()
    };
    let curves = || groups.iter().flat_map(|group| &group.pair_distributions);
    let highest = |of_bonds: bool| {
        let points = curves().flat_map(|curve| {
            let bonds = curve.longest_bond.unwrap_or(0.0);
            curve.points.iter().filter(move |(distance, ..)| of_bonds || *distance > bonds)
        });
        points.map(|(_, g, _)| *g).fold(0.0, f64::max)
    };
    let (all, others) = (highest(true), highest(false));
    if others > 0.0 && all > MOST_OF_BONDS * others {
        figure.y.range = Some((0.0, 1.1 * others));
        figure.notes.push(format!(
            "Pairs of bonded beads count too. The peaks of bonds reach {}, beyond the axis.",
            rounded(all, 3)
        ));
    }
    let figure = PointFigure::new("pair-distributions", figure);
    (!kinds.is_empty()).then_some(PointFigure { kinds, ..figure })
}

/// The figures of proteins of residues.
fn of_residues(groups: &[&BeadModelGroup]) -> Vec<PointFigure> {
    if groups.is_empty() {
        return Vec::new();
    }
    let title = "Size of the chain and time".to_string();
    let mut figures = vec![
        PointFigure::new("radius-of-gyration-time", traces(groups, &SIZE, title)),
        PointFigure::new("radius-of-gyration", distribution(groups)),
    ];
    let all = groups.iter().filter(|group| group.conformations.is_some()).count();
    if all > 0 {
        figures.push(PointFigure::new("internal-distances", distances(groups)));
    }
    let with: Vec<(&BeadModelGroup, &ContactMap)> = groups
        .iter()
        .filter_map(|group| Some((*group, group.conformations.as_ref()?.contacts.as_ref()?)))
        .collect();
    for (number, (group, map)) in with.into_iter().take(MOST_MAPS).enumerate() {
        let stem = match groups.len() {
            1 => "contacts".to_string(),
            _ => format!("contacts-{number}"),
        };
        let mut figure = contacts(group, map);
        figure.notes.extend(note_on_maps(all));
        figures.push(PointFigure::new(stem, figure));
    }
    figures
}

fn distribution(groups: &[&BeadModelGroup]) -> Figure {
    let of_group =
        |group: &&BeadModelGroup| group.column(&SIZE).map_or(Vec::new(), |one| one.series.concat());
    let values: Vec<Vec<f64>> = groups.iter().map(of_group).collect();
    let width = automatic_width(&values.concat()).unwrap_or(0.1);
    let of_group = |(number, (group, values)): (usize, (&&BeadModelGroup, &Vec<f64>))| {
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
        title: format!(
            "Distribution of the size of the chain in {}",
            stage_of(groups.iter().copied())
        ),
        x: Axis::new(SIZE.in_words(Units::Real)),
        y: Axis::new(label("probability density", "nm⁻¹")),
        series: groups.iter().zip(&values).enumerate().map(of_group).collect(),
        ..Figure::default()
    }
}

/// Distances of two residues; the law of each group is a line in its colour.
fn distances(groups: &[&BeadModelGroup]) -> Figure {
    let (mut series, mut laws) = (Vec::new(), Vec::new());
    for (number, group) in groups.iter().enumerate() {
        let points = group.distances();
        let colour = Colour::Palette(number);
        if let Some([exponent, prefactor]) = group.scaling {
            let law = |(s, _): &(f64, f64)| (*s, prefactor.mean * s.powf(exponent.mean));
            let fit = points.iter().skip(LEAST_SEPARATION - 1).map(law).collect();
            let (head, factor, power) = (head(&group.name), prefactor.mean, exponent.mean);
            let law = format!("{head}{factor:.3} nm s^{power:.3}");
            let label = if keep_labels(groups.len()) { law.clone() } else { String::new() };
            laws.push(law);
            series.push(Series { colour, ..Series::line(label, fit) });
        }
        // The law has the name, which is needed once.
        let label = if group.scaling.is_some() && groups.len() > 1 { "" } else { named(group) };
        series.push(Series { colour, style: Style::Points, ..Series::line(label, points) });
    }
    let mut notes = vec!["Points: root mean squares; lines: the law, fitted.".to_string()];
    if !keep_labels(groups.len()) {
        notes.extend(notes_on_points(&laws, "answers.csv"));
    }
    let logarithmic = |label: &str| Axis { logarithmic: true, ..Axis::new(label) };
    Figure {
        title: "Root mean square distance of two residues".to_string(),
        x: logarithmic("separation along the chain s"),
        y: logarithmic("distance / nm"),
        series,
        notes,
        ..Figure::default()
    }
}

fn contacts(group: &BeadModelGroup, map: &ContactMap) -> Figure {
    let probabilities = map.probabilities();
    let residues = probabilities.len() as f64;
    let range = Some((0.5, residues + 0.5));
    let axis = || Axis { range, whole_numbers: true, ..Axis::new("residue") };
    let name = if group.name.is_empty() { String::new() } else { format!(": {}", group.name) };
    Figure {
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
    }
}

#[cfg(test)]
mod tests {
    use beadwork_analysis::average::Average;

    use super::super::conformations::Conformations;
    use super::super::replicas::have_room;
    use super::*;

    /// Of ten points one has no frames: the others have curves, and the first eight of them maps.
    #[test]
    fn as_many_contacts_are_drawn_as_readers_look_at() {
        let mut points: Vec<BeadModelGroup> = Vec::new();
        for number in 0..10 {
            let conformations = || Conformations {
                blocks: Vec::new(),
                contacts: have_room(&points, |one| one.conformations.is_some())
                    .then(|| ContactMap::new(2, CONTACT_REACH)),
            };
            let conformations = (number != 1).then(conformations);
            let name = format!("point {number}");
            points.push(BeadModelGroup { name, conformations, ..BeadModelGroup::default() });
        }
        assert!(points[9].conformations.as_ref().is_some_and(|one| one.contacts.is_none()));
        let figures = of_residues(&points.iter().collect::<Vec<_>>());
        let maps = figures.iter().filter(|one| one.figure.map.is_some());
        let maps: Vec<(&str, &str)> =
            maps.map(|one| (one.stem.as_str(), one.figure.title.as_str())).collect();
        assert_eq!(maps.len(), MOST_MAPS);
        assert_eq!(maps[1], ("contacts-1", "Contacts: point 2"));
        let last = &figures[figures.len() - 1].figure.notes;
        assert!(last.contains(&"The first 8 of 9 points have a map.".to_string()), "{last:?}");
    }

    /// Where colours are a scale, labels with laws would be lost.
    #[test]
    fn laws_of_many_points_are_in_notes() {
        let average = |mean: f64| Average { mean, error: None, independent: 1.0, is_known: false };
        let point = |number: usize| BeadModelGroup {
            name: format!("point {number}"),
            scaling: Some([average(0.5), average(0.38)]),
            ..BeadModelGroup::default()
        };
        let drawn = |count: usize| {
            let points: Vec<BeadModelGroup> = (0..count).map(point).collect();
            distances(&points.iter().collect::<Vec<_>>())
        };
        let (few, many) = (drawn(2), drawn(9));
        let law = "point 1: 0.380 nm s^0.500";
        assert_eq!((few.series[2].label.as_str(), few.notes.len()), (law, 1));
        assert!(many.series.iter().all(|series| series.label.is_empty()));
        assert_eq!((many.notes[2].as_str(), many.notes.len()), (&*format!("{law}."), 10));
        assert_eq!(many.notes[9], "And 1 group more: answers.csv has all.");
    }
}
