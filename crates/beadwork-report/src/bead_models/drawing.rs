//! Figures of bead models: columns in time; of residues the size of the chain in time, its distribution, distances along
//! the chain and contacts.

use beadwork_analysis::conformations::{ContactMap, LEAST_SEPARATION};
use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, HeatMap, Mark, Series, Style};
use beadwork_analysis::statistics::{Histogram, automatic_width};

use super::columns::{Column, MOST_TRACES, Trace};
use super::conformations::CONTACT_REACH;
use super::frame_figures::{
    MOST_MAPS, by_kinds, displacements, note_on_maps, size_distributions, structure_factors,
};
use super::pair_distributions::PairDistributionCurve;
use super::replicas::{BeadModelGroup, named, stage_of};
use super::settled::{Settled, last_half};
use crate::many_points::{PointFigure, keep_labels, notes_on_points};
use crate::words::{head, label, time_unit_in};
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

/// A figure of each column in time.
fn in_time(groups: &[&BeadModelGroup]) -> Vec<PointFigure> {
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

impl BeadModelGroup {
    fn traces(&self, measured: &MeasuredColumn) -> &[Trace] {
        self.column(measured).map_or(&[], |column| &column.traces)
    }

    fn column(&self, measured: &MeasuredColumn) -> Option<&Column> {
        self.columns.iter().find(|column| column.measured == *measured)
    }
}

/// A column of each replica in time.
fn traces(groups: &[&BeadModelGroup], measured: &MeasuredColumn, title: String) -> Figure {
    let units = groups.first().map_or(Units::Real, |group| group.units);
    let ends =
        groups.iter().flat_map(|group| group.traces(measured)).filter_map(|trace| trace.last());
    let longest = ends.map(|(time, _)| *time).fold(0.0, f64::max);
    let (unit, size) = time_unit_in(units, longest);
    let mut series = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        for (replica, trace) in group.traces(measured).iter().enumerate() {
            let points = trace.iter().map(|(time, value)| (time / size, *value)).collect();
            let label = if replica == 0 { named(group) } else { "" };
            let emphasis = match group.traces(measured).len() {
                1 => Emphasis::Normal,
                _ => Emphasis::Faint,
            };
            let colour = Colour::Palette(number);
            series.push(Series { colour, emphasis, ..Series::line(label, points) });
        }
    }
    let stage = stage_of(groups.iter().copied());
    let columns = || groups.iter().filter_map(|group| group.column(measured));
    let settled = Settled::of(
        columns().flat_map(|column| column.series.iter().flat_map(|series| last_half(series))),
        columns().flat_map(|column| column.traces.iter().flatten().map(|(_, value)| *value)),
    );
    let most = groups.iter().map(|group| group.replicas()).max().unwrap_or(0);
    let left_out = (most > MOST_TRACES).then(|| {
        format!("Of each point the first {MOST_TRACES} replicas are drawn, of up to {most}.")
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
        notes: settled.map(|settled| settled.note(stage)).into_iter().chain(left_out).collect(),
        ..Figure::default()
    }
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

    /// The first stage begins where the figure does, so nothing is marked.
    #[test]
    fn a_stage_behind_others_begins_at_their_last_row() {
        let times = [0.0, 0.4, 0.8, 1.2];
        assert_eq!(beginning(0, Some(1), &times), None);
        assert_eq!(beginning(1, Some(3), &times), Some(0.8));
        assert_eq!((beginning(1, Some(1), &times), beginning(1, None, &times)), (None, None));
    }

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
