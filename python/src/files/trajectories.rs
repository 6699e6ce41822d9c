//! Trajectories of positions alone: XTC and DCD.

use std::path::{Path, PathBuf};

use beadwork::analysis::interruption;
use beadwork::io::{TrajectoryFormat, TrajectoryHeader, TrajectoryWriter, atomic};
use beadwork::model::units::ANGSTROMS_PER_NANOMETRE;
use numpy::ndarray::Array3;
use numpy::{PyArray3, PyReadonlyArray3};
use pyo3::prelude::*;

use super::unwritten;
use crate::failure::Failure;
use crate::threads::without_python;

const PICOSECONDS_PER_NANOSECOND: f64 = 1000.0;

fn format(is_dcd: bool) -> TrajectoryFormat {
    if is_dcd { TrajectoryFormat::Dcd } else { TrajectoryFormat::Xtc }
}

/// The positions of all whole frames, nm, of frames × beads × 3.
#[pyfunction]
pub fn read_trajectory(
    py: Python<'_>,
    path: PathBuf,
    is_dcd: bool,
) -> PyResult<Bound<'_, PyArray3<f32>>> {
    let (positions, frames) = without_python(py, || {
        let unit = ANGSTROMS_PER_NANOMETRE as f32;
        let (mut positions, mut frames, mut is_full) = (Vec::new(), 0, false);
        beadwork::io::frames::read(&path, format(is_dcd), |frame| {
            is_full |= positions.try_reserve(frame.len()).is_err();
            if is_full || interruption::is_wished() {
                return;
            }
            positions.extend(frame.iter().map(|x| x / unit));
            frames += 1;
        })?;
        if is_full {
            let problem = "holds more positions than there is memory for: take a machine with more";
            return Err(Failure::machine(format!("{} {problem}", path.display())));
        }
        if frames == 0 {
            return Err(Failure::argument(format!("{} has no whole frame", path.display())));
        }
        Ok((positions, frames))
    })?;
    let beads = positions.len() / frames / 3;
    let array = Array3::from_shape_vec([frames, beads, 3], positions);
    let array = array.map_err(|error| Failure::machine(error.to_string()))?;
    Ok(PyArray3::from_owned_array(py, array))
}

/// Writes positions in nm, of frames × beads × 3, which are `interval` ns apart, and the sides of a box, nm.
#[pyfunction]
#[pyo3(signature = (path, is_dcd, positions, sides, interval))]
pub fn write_trajectory(
    py: Python<'_>,
    path: PathBuf,
    is_dcd: bool,
    positions: PyReadonlyArray3<'_, f64>,
    sides: Option<[f64; 3]>,
    interval: f64,
) -> PyResult<()> {
    let (_, beads, _) = positions.as_array().dim();
    let all = positions.as_slice()?.as_chunks::<3>().0;
    let timestep_ps = interval * PICOSECONDS_PER_NANOSECOND;
    let shared = TrajectoryHeader {
        first_step: 0,
        steps_between_frames: 1,
        timestep_ps,
        sides: sides.map(|sides| sides.map(|side| side * ANGSTROMS_PER_NANOMETRE)),
    };
    // An error leaves a file of this name as it was.
    let write = |partial: &Path| {
        let mut writer = TrajectoryWriter::create(partial, format(is_dcd), beads, shared)?;
        for (step, frame) in (0_u64..).zip(all.chunks(beads.max(1))) {
            let scale = |at: &[f64; 3]| at.map(|x| x * ANGSTROMS_PER_NANOMETRE);
            let frame: Vec<[f64; 3]> = frame.iter().map(scale).collect();
            writer.write_frame(step, step as f64 * timestep_ps, &frame)?;
        }
        writer.sync()
    };
    let write = || atomic::write_at(&path, write).map_err(|error| unwritten(&path, error));
    Ok(without_python(py, write)?)
}
