//! Static structure factors from the frames of a stage.

use std::f64::consts::TAU;

use beadwork_analysis::plot::{Axis, Colour, Figure, HeatMap, Series};
use beadwork_analysis::structure_factor::{Peak, Plane, StructureFactor, WaveVectors};
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{Boundary, System, Units};
use beadwork_session::Error;

use super::pair_distributions::{Point, beads_of_types};
use super::{BeadModelGroup, named, stage_of};
use crate::data::{Cell, Table, Value};
use crate::frames::{self, Threads};
use crate::rows::PointMembers;

/// The standard errors that the strongest peak of an ordered structure exceeds: few frames have peaks by chance.
const FEWEST_ERRORS: f64 = 3.0;
/// The most wave vectors of the ball in which peaks are sought.
const MOST_VECTORS: usize = 20_000;
/// The ball ends at so many times 2π over the mean distance of beads, curves at so many.
const BALL: f64 = 1.5;
const REACH: f64 = 2.5;
/// The most products of a bead and a wave vector, over all frames of a point: some twenty seconds of two busy cores. A frame of
/// each replica is read in any case.
const MOST_PRODUCTS: f64 = 1e10;
/// The map ends at so many times the |q| of the strongest peak, the order of which it shows.
const ORDERS: f64 = 3.0;
/// The most groups with a map each.
const MOST_MAPS: usize = 8;

/// The structure factors of a box.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    curves: Vec<Curve>,
    /// The type whose peaks are the highest.
    kind: String,
    /// Peaks of that type with their errors, the strongest first.
    peaks: Vec<(Peak, Option<f64>)>,
    /// The plane of the map, and the angles of the first peaks in it.
    plane: Plane,
    star: Vec<f64>,
    /// S of that type in the plane, up to `end` in each direction.
    map: Vec<Vec<f64>>,
    end: f64,
    /// q in the unit of tables over q inside.
    unit: f64,
}

/// The most steps from the middle of a map to its edge: in a thin box they are narrow.
const MOST_STEPS: f64 = 256.0;

/// S(q) of two types, or of all beads if they have no name.
#[derive(Clone, Debug)]
struct Curve {
    types: [String; 2],
    points: Vec<Point>,
}

/// S(q) from the frames of a stage; `None` in open space and without frames.
pub(super) fn read(of_point: &PointMembers<'_>, stage: usize) -> Result<Option<Structure>, Error> {
    let system = &of_point.point.system;
    let Boundary::Periodic { lengths } = system.boundary else { return Ok(None) };
    let beads = system.beads() as f64;
    let spacing = (lengths.iter().product::<f64>() / beads).cbrt();
    let radius = WaveVectors::radius_of(lengths, MOST_VECTORS).min(BALL * TAU / spacing);
    let vectors = WaveVectors::new(lengths, radius, radius.max(REACH * TAU / spacing));
    let empty = StructureFactor::new(&vectors, beads_of_types(system));
    let products = beads * vectors.numbers().len() as f64 * of_point.members.len() as f64;
    let types = &system.particles.types;
    let blocks = frames::in_blocks(
        of_point,
        stage,
        MOST_PRODUCTS / products,
        Threads::ForFrames,
        &empty,
        |block, positions| {
            block.add(&vectors, positions, types);
        },
    )?;
    if blocks.iter().all(Vec::is_empty) || vectors.ball().is_empty() {
        return Ok(None);
    }
    let mut all = empty;
    blocks.iter().flatten().for_each(|block| all.merge(block));
    Ok(Some(Structure::new(system, &vectors, &all, &blocks)))
}

impl Structure {
    fn new(
        system: &System,
        vectors: &WaveVectors,
        all: &StructureFactor,
        blocks: &[Vec<StructureFactor>],
    ) -> Structure {
        let unit = match system.units {
            Units::Real => ANGSTROMS_PER_NANOMETRE,
            Units::Reduced => 1.0,
        };
        let of_kind = |kind: usize| {
            let heights = all.of_ball(kind).unwrap_or_default();
            let peaks = Peak::find(vectors, &heights);
            let highest = heights.iter().copied().fold(0.0, f64::max);
            (peaks.first().map_or(0.0, |peak| peak.height), highest, kind, heights, peaks)
        };
        let kinds = (0..system.types.len()).map(of_kind);
        let highest = kinds.reduce(|a, b| if (b.0, b.1) > (a.0, a.1) { b } else { a });
        let (_, _, kind, heights, mut peaks) = highest.unwrap_or_default();
        let of_replica = |blocks: &Vec<StructureFactor>| -> Vec<Vec<f64>> {
            blocks.iter().filter_map(|block| block.of_ball(kind)).collect()
        };
        let of_blocks: Vec<Vec<Vec<f64>>> = blocks.iter().map(of_replica).collect();
        let error = |peak: &Peak| {
            let place = vectors.place(peak.numbers)?;
            frames::average(&of_blocks, |block| block[place])?.error
        };
        let is_known =
            |peak: &Peak| error(peak).is_some_and(|error| peak.height > FEWEST_ERRORS * error);
        if !peaks.first().is_some_and(is_known) {
            peaks.clear();
        }
        let plane = Plane::through(&peaks);
        let end = peaks.first().map_or(vectors.radius(), |peak| ORDERS * peak.length);
        let steps = (end.min(vectors.radius()) / vectors.shell_width()).ceil().min(MOST_STEPS);
        Structure {
            curves: curves(system, all, blocks, unit),
            kind: system.type_labels().into_iter().nth(kind).unwrap_or_default(),
            star: plane.star(&peaks),
            map: plane.map(vectors, &heights, steps as i32),
            end: (steps + 0.5) * vectors.shell_width() * unit,
            plane,
            peaks: peaks.into_iter().map(|peak| (peak, error(&peak))).collect(),
            unit,
        }
    }

    /// The direction across the plane of the peaks, if there are peaks.
    pub fn normal(&self) -> Option<[f64; 3]> {
        (!self.peaks.is_empty()).then(|| self.plane.normal())
    }

    /// Order and its peaks, or where S is largest.
    pub fn values(&self, units: Units) -> Vec<Value> {
        let unit = if units == Units::Real { "nm⁻¹" } else { "" };
        let place = |words: &str, q: f64| {
            Value::new("structure_factor_position", words, unit, q).of(self.kind.as_str())
        };
        let height = |s: f64, error: Option<f64>| {
            let words = "largest structure factor";
            Value::new("structure_factor_height", words, "", s)
                .of(self.kind.as_str())
                .with_error(error)
        };
        let Some(&(first, error)) = self.peaks.first() else {
            let alone = [self.kind.clone(), self.kind.clone()];
            let curve = self.curves.iter().find(|curve| curve.types == alone);
            let points = curve.into_iter().flat_map(|curve| curve.points.iter().copied());
            let highest = points.reduce(|a, b| if b.1 > a.1 { b } else { a });
            return highest.map_or_else(Vec::new, |(q, s, error)| {
                let q = place("q of the largest structure factor", q);
                vec![
                    height(s, error).from("no peak of an ordered structure that exceeds its error"),
                    q,
                ]
            });
        };
        let turned = self.star.iter().cycle().skip(1).take(self.star.len());
        let gaps = || self.star.iter().zip(turned.clone()).map(|(a, b)| (b - a).rem_euclid(360.0));
        let angle = |name: &str, words: &str, degrees: f64| {
            Value::new(name, words, "degrees", degrees).of(self.kind.as_str())
        };
        let count = self.star.len() as f64;
        vec![
            height(first.height, error).from("strongest peak of an ordered structure"),
            place("q of the strongest peak", first.length * self.unit),
            Value::new("structure_factor_peaks", "peaks in a plane", "", count)
                .of(self.kind.as_str()),
            angle(
                "least_angle_of_peaks",
                "least angle between peaks",
                gaps().fold(f64::INFINITY, f64::min),
            ),
            angle(
                "largest_angle_of_peaks",
                "largest angle between peaks",
                gaps().fold(0.0, f64::max),
            ),
        ]
    }

    /// S in the plane of the peaks.
    fn figure(&self, units: Units, group: &str) -> Figure {
        let unit = if units == Units::Real { " / nm⁻¹" } else { "" };
        let ends = (-self.end, self.end);
        let axis = |label: String| Axis { range: Some(ends), ..Axis::new(label) };
        let direction = |axis: [f64; 3]| axis.map(|x| format!("{x:.2}")).join(", ");
        let [first, second] = self.plane.axes;
        Figure {
            title: format!("Structure factor of {} in a plane{group}", self.kind),
            x: axis(format!("q along ({}){unit}", direction(first))),
            y: axis(format!("q along ({}){unit}", direction(second))),
            map: Some(HeatMap {
                x: ends,
                y: ends,
                cells: self.map.clone(),
                label: "S".to_string(),
                logarithmic: true,
            }),
            ..Figure::default()
        }
    }
}

/// The means of all frames, with the standard errors of the means of blocks.
fn curves(
    system: &System,
    all: &StructureFactor,
    blocks: &[Vec<StructureFactor>],
    unit: f64,
) -> Vec<Curve> {
    let curve = |types: [String; 2], of: &dyn Fn(&StructureFactor) -> Option<Vec<f64>>| {
        let of_replica = |blocks: &Vec<StructureFactor>| -> Vec<Vec<f64>> {
            blocks.iter().filter_map(of).collect()
        };
        let of_blocks: Vec<Vec<Vec<f64>>> = blocks.iter().map(of_replica).collect();
        let point = |(shell, (q, s)): (usize, (f64, f64))| {
            let average = frames::average(&of_blocks, |block| block[shell]);
            (q * unit, s, average.and_then(|average| average.error))
        };
        let points = all.lengths().into_iter().zip(of(all)?).enumerate().map(point).collect();
        Some(Curve { types, points })
    };
    let labels = system.type_labels();
    let kinds = labels.len();
    let name = |kind: usize| labels[kind].clone();
    let pairs = (0..kinds).flat_map(|a| (a..kinds).map(move |b| (a, b)));
    let mut curves: Vec<Curve> = pairs
        .filter_map(|(a, b)| curve([name(a), name(b)], &|of: &StructureFactor| of.values(a, b)))
        .collect();
    if curves.len() > 1 {
        curves.extend(curve([String::new(), String::new()], &StructureFactor::total));
    }
    curves
}

/// The curves of all groups, and a map for each of the first groups.
pub(super) fn figures(groups: &[&BeadModelGroup]) -> Vec<(String, Figure)> {
    let with: Vec<(&BeadModelGroup, &Structure)> =
        groups.iter().filter_map(|group| Some((*group, group.structure.as_ref()?))).collect();
    let Some((first, _)) = with.first() else { return Vec::new() };
    let mut series = Vec::new();
    for (group, structure) in &with {
        for Curve { types: [one, other], points } in &structure.curves {
            let name = if one.is_empty() { "all".to_string() } else { format!("{one}-{other}") };
            let label = if groups.len() == 1 { name } else { format!("{}: {name}", named(group)) };
            let points = points.iter().map(|&(q, s, _)| (q, s)).collect();
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

/// `structure-factors.csv` and `structure-peaks.csv`; none without frames.
pub(super) fn tables(groups: &[BeadModelGroup]) -> Vec<Table> {
    let with: Vec<(usize, &Structure)> = groups
        .iter()
        .enumerate()
        .filter_map(|(place, group)| Some((place, group.structure.as_ref()?)))
        .collect();
    let Some((first, _)) = with.first() else { return Vec::new() };
    let unit = if groups[*first].units == Units::Real { "_per_nm" } else { "" };
    let [x, y, z, q] = ["qx", "qy", "qz", "q"].map(|name| format!("{name}{unit}"));
    let columns = ["type", "other_type", &q, "s", "standard_error"];
    let mut curves = Table::new("structure-factors.csv", &columns);
    let columns = ["type", &x, &y, &z, &q, "s", "standard_error", "angle_in_plane_degrees"];
    let mut peaks = Table::new("structure-peaks.csv", &columns);
    for (place, structure) in with {
        for Curve { types, points } in &structure.curves {
            for (q, s, error) in points {
                let names = types.iter().map(|name| Cell::from(name.as_str()));
                let numbers = [Cell::from(*q), Cell::from(*s), Cell::from(*error)];
                curves.push(place, names.chain(numbers));
            }
        }
        for (peak, error) in &structure.peaks {
            // q and −q are two peaks of one height.
            for sign in [1.0, -1.0] {
                let vector = peak.vector.map(|q| sign * q);
                let [x, y, z] = vector.map(|q| q * structure.unit);
                let numbers = [x, y, z, peak.length * structure.unit, peak.height].map(Cell::from);
                let last = [*error, structure.plane.angle(vector)].map(Cell::from);
                let kind = [Cell::from(structure.kind.as_str())];
                peaks.push(place, kind.into_iter().chain(numbers).chain(last));
            }
        }
    }
    vec![curves, peaks]
}
