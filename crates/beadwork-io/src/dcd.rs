//! Headers and frames of the DCD format as CHARMM 24 and NAMD write it.
//!
//! Fortran records, little-endian, each between two 32-bit counts of its bytes: a block of 20
//! control numbers after `CORD`, titles, the number of beads; then three records for each frame,
//! all x, all y, all z, in Å. The control numbers are described in the CHARMM documentation,
//! `dynamc.doc`, and in the plugin of VMD.
//!
//! In a box a record of six 64-bit numbers comes before these three, which the eleventh control number announces. It has
//! a, γ, b, β, α, c. NAMD writes the cosines of the angles there, X-PLOR degrees, and CHARMM, from version 22 on, the
//! lower triangle of a symmetric matrix: xx, xy, yy, xz, yz, zz. Of a rectangular box NAMD and CHARMM write the same
//! numbers, a, 0, b, 0, 0, c, and so does this file.

use std::fmt::Display;
use std::path::Path;

use crate::Error;
use crate::trajectory::TrajectoryHeader;

/// CHARMM's unit of time in ps: √(amu Å² / (kcal/mol)), with CHARMM's own digits (TIMFAC).
const PICOSECONDS_PER_AKMA: f64 = 4.888_821_29e-2;

const CHARMM_VERSION: i32 = 24;
const TITLE_BYTES: usize = 80;
const OPEN_TITLE: &str = "Written by beadwork: coordinates in Angstrom, no unit cell";
const BOX_TITLE: &str = "Written by beadwork: coordinates and unit cells in Angstrom";
const TIMES_TITLE: &str =
    "The exact steps and times of the frames are in the frames table of the run";

pub(crate) const HEADER_BYTES: usize = 92 + (12 + 2 * TITLE_BYTES) + 12;

/// The control number that says whether frames have a unit cell.
pub(crate) const HAS_UNIT_CELL: std::ops::Range<usize> = 48..52;

/// Bytes of a unit cell.
pub(crate) const UNIT_CELL_BYTES: usize = 48;

/// The positions of the counters NSET, ISTART, NSAVC, NSTEP in the header.
pub(crate) const COUNTERS: std::ops::Range<usize> = 8..24;

/// The two counters that grow with each frame: NSET and NSTEP.
pub(crate) const GROWING_COUNTERS: [std::ops::Range<usize>; 2] = [8..12, 20..24];

/// The largest number of beads whose coordinates fit into one record.
pub(crate) const LARGEST_BEAD_COUNT: usize = i32::MAX as usize / 4;

pub(crate) fn header(
    path: &Path,
    beads: usize,
    shared: &TrajectoryHeader,
    frames: u64,
) -> Result<Vec<u8>, Error> {
    let refuse = |quantity: &str, value: &dyn Display, limit: &str| {
        let path = path.display();
        let message = format!("The header of {path} cannot hold {quantity} = {value}: {limit}.");
        Error::other("io/timing", message)
    };
    let TrajectoryHeader { first_step, steps_between_frames, timestep_ps, sides } = *shared;
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
    control[10] = i32::from(sides.is_some()).to_le_bytes();
    control[19] = CHARMM_VERSION.to_le_bytes();

    let mut bytes = Vec::with_capacity(HEADER_BYTES);
    record(&mut bytes, &[b"CORD", control.as_flattened()]);
    let titles = [if sides.is_some() { BOX_TITLE } else { OPEN_TITLE }, TIMES_TITLE];
    let text = titles.map(|title| format!("{title:<TITLE_BYTES$}")).concat();
    record(&mut bytes, &[&(titles.len() as i32).to_le_bytes(), text.as_bytes()]);
    record(&mut bytes, &[&(beads as i32).to_le_bytes()]);
    Ok(bytes)
}

/// One frame; positions and the sides of the box in Å.
pub(crate) fn encode(
    path: &Path,
    sides: Option<[f64; 3]>,
    positions: &[[f64; 3]],
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(UNIT_CELL_BYTES + 8 + 3 * (4 * positions.len() + 8));
    if let Some([x, y, z]) = sides {
        let cell = [x, 0.0, y, 0.0, 0.0, z].map(f64::to_le_bytes);
        record(&mut bytes, &[cell.as_flattened()]);
    }
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
                    limit: "DCD holds finite numbers up to 3.4e38",
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
