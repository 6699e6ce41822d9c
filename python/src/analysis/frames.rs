//! What frames of positions say. Lengths are in any unit, results in its powers.

use std::f64::consts::TAU;

use beadwork::analysis as library;
use beadwork::analysis::conformations::{ContactMap, InternalDistances};
use beadwork::analysis::pair_distribution::PairDistribution;
use beadwork::analysis::structure_factor::{StructureFactor, WaveVectors};
use beadwork::model::observables::{radius_of_gyration as size, radius_of_gyration_by_mass};
use beadwork::model::{Boundary, NearPairs};
use numpy::{PyArray1, PyArray2, PyArray3, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::{Coordinates, PositionFrames, Positions, Values};
use crate::failure::Failure;
use crate::threads::{refuse_after_fork, without_python};

/// Wave vectors are all up to so many, and up to so many times 2π over the mean distance of beads, as in answers.
const MOST_VECTORS: usize = 20_000;
const BALL: f64 = 1.5;

/// Mean squared displacements at lags in frames.
#[pyfunction]
pub fn displacements<'py>(
    py: Python<'py>,
    positions: Positions<'_>,
    lags: Vec<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let frames = positions.frames()?;
    let squares = without_python(py, || {
        frames.check()?;
        let beads = frames.beads.max(1);
        let of = |&lag: &usize| match frames.coordinates {
            Coordinates::Single(all) => mean_square(&all.chunks(beads).collect::<Vec<_>>(), lag),
            Coordinates::Double(all) => mean_square(&all.chunks(beads).collect::<Vec<_>>(), lag),
        };
        Ok(lags.par_iter().map(of).collect::<Vec<f64>>())
    })?;
    Ok(PyArray1::from_vec(py, squares))
}

fn mean_square<T: Copy>(frames: &[&[[T; 3]]], lag: usize) -> f64
where
    f64: From<T>,
{
    library::displacements::mean_squares(frames, &[lag])[0]
}

/// Lags in frames up to a longest one.
#[pyfunction]
pub fn displacement_lags(longest: usize) -> Vec<usize> {
    library::displacements::lags(longest)
}

/// The diffusion coefficient and the exponent of growth of mean squared displacements at ascending times.
#[pyfunction]
pub fn diffusion(times: Values<'_>, squares: Values<'_>) -> PyResult<(Option<f64>, Option<f64>)> {
    let (times, squares) = (times.as_slice()?, squares.as_slice()?);
    let coefficient = library::displacements::diffusion(times, squares);
    Ok((coefficient, library::displacements::exponent(times, squares)))
}

/// The radius of gyration of each frame; with masses about the centre of mass.
#[pyfunction]
#[pyo3(signature = (positions, masses))]
pub fn radius_of_gyration<'py>(
    py: Python<'py>,
    positions: Positions<'_>,
    masses: Option<Vec<f64>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    refuse_after_fork()?;
    let frames = positions.frames()?;
    let sizes = without_python(py, || {
        frames.check()?;
        let of = |frame: usize| match &masses {
            None => size(&frames.at(frame)),
            Some(masses) => radius_of_gyration_by_mass(&frames.at(frame), masses.iter().copied()),
        };
        Ok((0..frames.frames).into_par_iter().map(of).collect::<Vec<f64>>())
    })?;
    Ok(PyArray1::from_vec(py, sizes))
}

/// Root mean square distances by separation, and exponent and prefactor of their growth.
type PyInternalDistances<'py> = (Bound<'py, PyArray1<f64>>, Option<(f64, f64)>);

/// Distances of the beads of a chain by their separation along it.
#[pyfunction]
pub fn internal_distances<'py>(
    py: Python<'py>,
    positions: Positions<'_>,
) -> PyResult<PyInternalDistances<'py>> {
    let frames = positions.frames()?;
    let distances = without_python(py, || {
        frames.check()?;
        let mut distances = InternalDistances::new(frames.beads);
        (0..frames.frames).for_each(|frame| distances.add(&frames.at(frame)));
        Ok(distances)
    })?;
    let roots = distances.root_mean_squares().into_iter().map(|(_, root)| root).collect();
    let scaling = distances.scaling().map(|scaling| (scaling.exponent, scaling.prefactor));
    Ok((PyArray1::from_vec(py, roots), scaling))
}

/// The share of frames in which each pair of beads is nearer than `reach`.
#[pyfunction]
pub fn contact_map<'py>(
    py: Python<'py>,
    positions: Positions<'_>,
    reach: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let frames = positions.frames()?;
    let map = without_python(py, || {
        frames.check()?;
        let mut map = ContactMap::new(frames.beads, reach);
        (0..frames.frames).for_each(|frame| map.add(&frames.at(frame)));
        Ok(map.probabilities())
    })?;
    Ok(PyArray2::from_vec2(py, &map)?)
}

/// Types of beads, whose largest one is known.
struct Types<'a> {
    of_beads: &'a [u16],
    kinds: usize,
}

impl Types<'_> {
    fn counts(&self) -> Vec<usize> {
        let mut beads = vec![0; self.kinds];
        self.of_beads.iter().for_each(|&kind| beads[usize::from(kind)] += 1);
        beads
    }
}

/// Distances, and g of each pair of types: types × types × bins, NaN where there are no pairs.
type PyPairDistribution<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray3<f64>>);

/// Pair distribution functions of beads in a box of these sides, up to `reach`, at most half of the shortest side.
#[pyfunction]
#[pyo3(signature = (positions, sides, types, kinds, reach, bins))]
pub fn pair_distribution<'py>(
    py: Python<'py>,
    positions: Positions<'_>,
    sides: [f64; 3],
    types: PyReadonlyArray1<'_, u16>,
    kinds: usize,
    reach: f64,
    bins: usize,
) -> PyResult<PyPairDistribution<'py>> {
    let frames = positions.frames()?;
    let types = Types { of_beads: types.as_slice()?, kinds };
    let all = without_python(py, || {
        frames.check()?;
        let volume = sides.iter().product();
        let empty = PairDistribution::new(types.counts(), volume, reach, bins);
        let frame = |mut counts: PairDistribution, frame: usize| {
            count_pairs(&mut counts, &frames, frame, sides, types.of_beads, reach);
            counts
        };
        let merged = |mut all: PairDistribution, more: PairDistribution| {
            all.merge(&more);
            all
        };
        // Counts are whole numbers, so that their order does not matter.
        let all = (0..frames.frames).into_par_iter();
        Ok(all.fold(|| empty.clone(), frame).reduce(|| empty.clone(), merged))
    })?;
    let values = by_types(kinds, bins, |a, b| all.values(a, b));
    Ok((PyArray1::from_vec(py, all.distances()), PyArray3::from_vec3(py, &values)?))
}

fn count_pairs(
    counts: &mut PairDistribution,
    frames: &PositionFrames<'_>,
    frame: usize,
    sides: [f64; 3],
    types: &[u16],
    reach: f64,
) {
    let positions = frames.at(frame);
    let boundary = Boundary::Periodic { lengths: sides };
    let near = NearPairs::new(boundary, positions.len(), |bead| positions[bead], reach);
    near.pairs(0..positions.len(), |i, j, square| {
        counts.add_pair(usize::from(types[i]), usize::from(types[j]), square);
    });
    counts.end_frame();
}

/// Values of each pair of types, in both orders.
fn by_types(
    kinds: usize,
    length: usize,
    values: impl Fn(usize, usize) -> Option<Vec<f64>>,
) -> Vec<Vec<Vec<f64>>> {
    let of = |a, b| values(a, b).unwrap_or_else(|| vec![f64::NAN; length]);
    (0..kinds).map(|a| (0..kinds).map(|b| of(a, b)).collect()).collect()
}

/// |q| of each shell, S of each pair of types: types × types × shells, and S of all beads.
type PyStructureFactor<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray3<f64>>, Bound<'py, PyArray1<f64>>);

/// Structure factors of beads in a box of these sides, for wave vectors up to `longest`.
#[pyfunction]
#[pyo3(signature = (positions, sides, types, kinds, longest))]
pub fn structure_factor<'py>(
    py: Python<'py>,
    positions: Positions<'_>,
    sides: [f64; 3],
    types: PyReadonlyArray1<'_, u16>,
    kinds: usize,
    longest: f64,
) -> PyResult<PyStructureFactor<'py>> {
    let frames = positions.frames()?;
    let types = Types { of_beads: types.as_slice()?, kinds };
    let all = without_python(py, || {
        frames.check()?;
        let spacing = (sides.iter().product::<f64>() / frames.beads as f64).cbrt();
        let radius = WaveVectors::radius_of(sides, MOST_VECTORS).min(BALL * TAU / spacing);
        let vectors = WaveVectors::new(sides, radius.min(longest), longest);
        if vectors.numbers().is_empty() {
            return Err(Failure::argument(format!(
                "the box has no wave vector up to {longest}: its shortest one is {}, so ask for more",
                vectors.shell_width()
            )));
        }
        let mut all = StructureFactor::new(&vectors, types.counts());
        (0..frames.frames).for_each(|frame| all.add(&vectors, &frames.at(frame), types.of_beads));
        Ok(all)
    })?;
    let lengths = all.lengths();
    let values = by_types(kinds, lengths.len(), |a, b| all.values(a, b));
    let total = all.total().unwrap_or_else(|| vec![f64::NAN; lengths.len()]);
    Ok((
        PyArray1::from_vec(py, lengths),
        PyArray3::from_vec3(py, &values)?,
        PyArray1::from_vec(py, total),
    ))
}
