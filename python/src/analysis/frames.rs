//! What frames of positions say. Lengths are in any unit, results in its powers.

use std::f64::consts::TAU;

use beadwork::analysis as library;
use beadwork::analysis::conformations::{ContactMap, InternalDistances};
use beadwork::analysis::interruption;
use beadwork::analysis::pair_distribution::PairDistribution;
use beadwork::analysis::structure_factor::{StructureFactor, WaveVectors};
use beadwork::model::observables::{radius_of_gyration as size, radius_of_gyration_by_mass};
use beadwork::model::{Boundary, NearPairs};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyArray3, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::{Coordinates, PositionFrames, Positions, Values};
use crate::failure::Failure;
use crate::memory::check_room;
use crate::threads::{refuse_after_fork, without_python};

/// Wave vectors are all up to so many, and up to so many times 2π over the mean distance of beads, as in answers.
const MOST_VECTORS: usize = 20_000;
const BALL: f64 = 1.5;
/// Bytes of powers of exp(2πi x/L) that a thread has for each wave number along a side.
const BYTES_OF_POWERS: f64 = 1024.0;
/// Beads whose pairs are counted between two looks at signals.
const BEADS: usize = 64;

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
            _ if interruption::is_wished() => f64::NAN,
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
        frames.until_signal().for_each(|frame| distances.add(&frames.at(frame)));
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
        let beads = frames.beads;
        check_room(12.0 * (beads as f64).powi(2), "ask for the contacts of fewer beads")?;
        let mut map = ContactMap::new(beads, reach);
        frames.until_signal().for_each(|frame| map.add(&frames.at(frame)));
        Ok(Array2::from_shape_fn([beads, beads], |(i, j)| map.probability(i, j)))
    })?;
    Ok(PyArray2::from_owned_array(py, map))
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
        let threads = rayon::current_num_threads().min(frames.frames).max(1);
        let pairs = kinds * (kinds + 1) / 2;
        let bytes = 8.0 * (pairs as f64 * bins as f64) * (threads + 1) as f64;
        check_room(bytes, "ask for fewer bins or types")?;
        let volume = sides.iter().product();
        let empty = PairDistribution::new(types.counts(), volume, reach, bins);
        let share = frames.frames.div_ceil(threads);
        let of_share = |first: usize| {
            let mut counts = empty.clone();
            for frame in first..frames.frames.min(first + share) {
                count_pairs(&mut counts, &frames, frame, sides, types.of_beads, reach);
            }
            counts
        };
        let merged = |mut all: PairDistribution, more: PairDistribution| {
            all.merge(&more);
            all
        };
        // Counts are whole numbers, so that their order does not matter.
        let shares = (0..frames.frames).into_par_iter().step_by(share.max(1));
        Ok(shares.map(of_share).reduce_with(merged).unwrap_or(empty))
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
    for first in (0..positions.len()).step_by(BEADS) {
        if interruption::is_wished() {
            return;
        }
        near.pairs(first..positions.len().min(first + BEADS), |i, j, square| {
            counts.add_pair(usize::from(types[i]), usize::from(types[j]), square);
        });
    }
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
        let along: f64 = sides.iter().map(|side| longest * side / TAU).sum();
        let powers = BYTES_OF_POWERS * along * rayon::current_num_threads() as f64;
        let sums = 32.0 * vectors.numbers().len() as f64 * kinds as f64;
        check_room(powers + sums, "ask for a smaller `largest` or fewer types")?;
        let mut all = StructureFactor::new(&vectors, types.counts());
        frames
            .until_signal()
            .for_each(|frame| all.add(&vectors, &frames.at(frame), types.of_beads));
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
