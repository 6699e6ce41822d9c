//! Headers and frames of the DCD format as CHARMM 24 and NAMD write it.
//!
//! Fortran records, little-endian, each between two 32-bit counts of its bytes: a block of 20
//! control numbers after `CORD`, titles, the number of beads; then three records for each frame,
//! all x, all y, all z, in Å. The control numbers are described in the CHARMM documentation,
//! `dynamc.doc`, and in the plugin of VMD.

use std::fmt::Display;
use std::path::Path;

use crate::Error;
use crate::trajectory::TrajectoryTiming;

/// CHARMM's unit of time in ps: √(amu Å² / (kcal/mol)), with CHARMM's own digits (TIMFAC).
const PICOSECONDS_PER_AKMA: f64 = 4.888_821_29e-2;

const CHARMM_VERSION: i32 = 24;
const TITLE_BYTES: usize = 80;
const TITLES: [&str; 2] = [
    "Written by beadwork: coordinates in Angstrom, no unit cell",
    "The exact steps and times of the frames are in the frames table of the run",
];

pub(crate) const HEADER_BYTES: usize = 92 + (12 + 2 * TITLE_BYTES) + 12;

/// The positions of the counters NSET, ISTART, NSAVC, NSTEP in the header.
pub(crate) const COUNTERS: std::ops::Range<usize> = 8..24;

/// The two counters that grow with each frame: NSET and NSTEP.
pub(crate) const GROWING_COUNTERS: [std::ops::Range<usize>; 2] = [8..12, 20..24];

/// The largest number of beads whose coordinates fit into one record.
pub(crate) const LARGEST_BEAD_COUNT: usize = i32::MAX as usize / 4;

pub(crate) fn header(
    path: &Path,
    beads: usize,
    timing: &TrajectoryTiming,
    frames: u64,
) -> Result<Vec<u8>, Error> {
    let refuse = |quantity: &str, value: &dyn Display, limit: &str| {
        let path = path.display();
        let message = format!("The header of {path} cannot hold {quantity} = {value}: {limit}.");
        Error::other("io/timing", message)
    };
    let TrajectoryTiming { first_step, steps_between_frames, timestep_ps } = *timing;
    let first_step = i32::try_from(first_step).map_err(|_| {
        let limit = "DCD counts steps to 2147483647; write XTC instead";
        refuse("the first step", &first_step, limit)
    })?;
    let interval = i32::try_from(steps_between_frames).ok().filter(|&interval| interval > 0);
    let interval = interval.ok_or_else(|| {
        let limit = "DCD needs 1 to 2147483647; write XTC instead";
        refuse("the number of steps between frames", &steps_between_frames, limit)
    })?;
    let delta = (timestep_ps / PICOSECONDS_PER_AKMA) as f32;
    if !(delta.is_finite() && delta > 0.0) {
        let limit = "it has to be positive and finite";
        return Err(refuse("the time step in ps", &timestep_ps, limit));
    }

    let clamp = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
    let mut control = [[0_u8; 4]; 20];
    control[0] = clamp(frames).to_le_bytes();
    control[1] = first_step.to_le_bytes();
    control[2] = interval.to_le_bytes();
    control[3] = clamp(frames.saturating_mul(steps_between_frames)).to_le_bytes();
    control[9] = delta.to_le_bytes();
    control[19] = CHARMM_VERSION.to_le_bytes();

    let mut bytes = Vec::with_capacity(HEADER_BYTES);
    record(&mut bytes, &[b"CORD", control.as_flattened()]);
    let titles = TITLES.map(|title| format!("{title:<TITLE_BYTES$}")).concat();
    record(&mut bytes, &[&(TITLES.len() as i32).to_le_bytes(), titles.as_bytes()]);
    record(&mut bytes, &[&(beads as i32).to_le_bytes()]);
    Ok(bytes)
}

/// One frame; positions in Å.
pub(crate) fn encode(path: &Path, positions: &[[f64; 3]]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(3 * (4 * positions.len() + 8));
    let mut values = Vec::with_capacity(4 * positions.len());
    for (index, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
        values.clear();
        for (bead, position) in positions.iter().enumerate() {
            let value = position[index] as f32;
            if !value.is_finite() {
                return Err(Error::Coordinate {
                    path: path.to_path_buf(),
                    bead,
                    axis,
                    value: position[index],
                    limit: "DCD holds finite numbers; the run has diverged",
                });
            }
            values.extend(value.to_le_bytes());
        }
        record(&mut bytes, &[&values]);
    }
    Ok(bytes)
}

fn record(bytes: &mut Vec<u8>, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    // The cast cannot truncate: the number of beads is at most LARGEST_BEAD_COUNT.
    let marker = (length as u32).to_le_bytes();
    bytes.extend(marker);
    for part in parts {
        bytes.extend(*part);
    }
    bytes.extend(marker);
}
