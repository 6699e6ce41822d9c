//! Static structure factors from the frames of a stage.

use std::f64::consts::TAU;

use beadwork_analysis::numbers::fixed;
use beadwork_analysis::plot::{Axis, Figure, HeatMap};
use beadwork_analysis::structure_factor::{Peak, Plane, StructureFactor, WaveVectors};
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{Boundary, System, Units};
use beadwork_session::Error;

use super::pair_distributions::{Point, beads_of_types};
use crate::data::Value;
use crate::frames::{self, Threads};
use crate::rows::PointMembers;
use crate::words::label;

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

/// The structure factors of a box.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub(super) curves: Vec<StructureFactorCurve>,
    /// The type whose peaks are the highest.
    pub(super) kind: String,
    /// Peaks of that type with their errors, the strongest first.
    pub(super) peaks: Vec<(Peak, Option<f64>)>,
    /// The plane of the map, and the angles of the first peaks in it.
    pub(super) plane: Plane,
    pub(super) star: Vec<f64>,
    /// S of that type in the plane, up to `end` in each direction.
    pub(super) map: Vec<Vec<f64>>,
    pub(super) end: f64,
    /// q in the unit of tables over q inside.
    pub(super) unit: f64,
}

/// The most steps from the middle of a map to its edge: in a thin box they are narrow.
const MOST_STEPS: f64 = 256.0;

/// S(q) of two types, or of all beads if they have no name.
#[derive(Clone, Debug)]
pub(super) struct StructureFactorCurve {
    pub(super) types: [String; 2],
    pub(super) points: Vec<Point>,
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
        // The star has q and −q of each peak.
        let count = (self.star.len() / 2) as f64;
        vec![
            height(first.height, error).from("strongest peak of an ordered structure"),
            place("q of the strongest peak", first.length * self.unit),
            Value::new("structure_factor_peaks", "peaks ±q in a plane", "", count)
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
    pub(super) fn figure(&self, units: Units, group: &str) -> Figure {
        let unit = if units == Units::Real { "nm⁻¹" } else { "" };
        let ends = (-self.end, self.end);
        let axis = |label: String| Axis { range: Some(ends), ..Axis::new(label) };
        let direction = |axis: [f64; 3]| axis.map(|x| fixed(x, 2)).join(", ");
        let [first, second] = self.plane.axes;
        Figure {
            title: format!("Structure factor of {} in a plane{group}", self.kind),
            x: axis(label(&format!("q along ({})", direction(first)), unit)),
            y: axis(label(&format!("q along ({})", direction(second)), unit)),
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
) -> Vec<StructureFactorCurve> {
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
        Some(StructureFactorCurve { types, points })
    };
    let labels = system.type_labels();
    let kinds = labels.len();
    let name = |kind: usize| labels[kind].clone();
    let pairs = (0..kinds).flat_map(|a| (a..kinds).map(move |b| (a, b)));
    let mut curves: Vec<StructureFactorCurve> = pairs
        .filter_map(|(a, b)| curve([name(a), name(b)], &|of: &StructureFactor| of.values(a, b)))
        .collect();
    if curves.len() > 1 {
        curves.extend(curve([String::new(), String::new()], &StructureFactor::total));
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hexagonal order has six directions, which are three pairs q and −q.
    #[test]
    fn peaks_of_opposite_vectors_count_once() {
        let vector = [1.0, 0.0, 0.0];
        let peak = Peak { numbers: [1, 0, 0], vector, length: 1.0, height: 50.0 };
        let structure = Structure {
            curves: Vec::new(),
            kind: "A".to_string(),
            peaks: vec![(peak, Some(1.0))],
            plane: Plane::through(&[peak]),
            star: (0..6).map(|number| 60.0 * f64::from(number)).collect(),
            map: Vec::new(),
            end: 3.0,
            unit: 1.0,
        };
        let values = structure.values(Units::Reduced);
        let value = |name: &str| values.iter().find(|value| value.name == name).unwrap().value;
        assert_eq!(value("structure_factor_peaks"), Some(3.0));
        assert_eq!(value("least_angle_of_peaks"), Some(60.0));
    }
}
