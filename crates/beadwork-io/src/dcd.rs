//! Headers and frames of the DCD format as CHARMM 24 and NAMD write it.
//!
//! Fortran records, little-endian, each between two 32-bit counts of its bytes: a block of 20
//! control numbers after `CORD`, titles, the number of beads; then three records for each frame,
//! all x, all y, all z, in Å. The control numbers are described in the CHARMM documentation,
//! `dynamc.doc`, and in the plugin of VMD.

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

/// Bytes before the first frame.
pub(crate) const HEADER_BYTES: usize = 92 + (12 + 2 * TITLE_BYTES) + 12;

/// Where the counters lie in the header: NSET, ISTART, NSAVC, NSTEP.
pub(crate) const COUNTERS: std::ops::Range<usize> = 8..24;

/// Those of the counters that grow with each frame: NSET and NSTEP.
pub(crate) const GROWING_COUNTERS: [std::ops::Range<usize>; 2] = [8..12, 20..24];

/// The most beads whose coordinates one record holds.
pub(crate) const LARGEST_BEAD_COUNT: usize = i32::MAX as usize / 4;

/// The header of a trajectory with `frames` frames.
pub(crate) fn header(
    path: &Path,
    beads: usize,
    timing: &TrajectoryTiming,
    frames: u64,
) -> Result<Vec<u8>, Error> {
    let refuse = |quantity, value: String, advice| Error::Timing {
        path: path.to_path_buf(),
        quantity,
        value,
        advice,
    };
    let first_step = i32::try_from(timing.first_step).map_err(|_| {
        refuse(
            "the first step",
            timing.first_step.to_string(),
            "DCD counts steps to 2147483647; write XTC instead",
        )
    })?;
    let interval = match i32::try_from(timing.steps_between_frames) {
        Ok(interval) if interval > 0 => interval,
        _ => {
            return Err(refuse(
                "the number of steps between frames",
                timing.steps_between_frames.to_string(),
                "DCD needs 1 to 2147483647; write XTC instead",
            ));
        }
    };
    let delta = (timing.timestep_ps / PICOSECONDS_PER_AKMA) as f32;
    if !(delta.is_finite() && delta > 0.0) {
        return Err(refuse(
            "the time step in ps",
            timing.timestep_ps.to_string(),
            "it has to be positive and finite",
        ));
    }

    let clamp = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
    let mut control = [[0_u8; 4]; 20];
    control[0] = clamp(frames).to_le_bytes();
    control[1] = first_step.to_le_bytes();
    control[2] = interval.to_le_bytes();
    control[3] = clamp(frames.saturating_mul(timing.steps_between_frames)).to_le_bytes();
    control[9] = delta.to_le_bytes();
    control[19] = CHARMM_VERSION.to_le_bytes();

    let mut bytes = Vec::with_capacity(HEADER_BYTES);
    record(&mut bytes, &[b"CORD", control.as_flattened()]);
    let titles = TITLES.map(|title| format!("{title:<TITLE_BYTES$}"));
    record(
        &mut bytes,
        &[&(TITLES.len() as i32).to_le_bytes(), titles[0].as_bytes(), titles[1].as_bytes()],
    );
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
    // Never truncates: the number of beads was compared with LARGEST_BEAD_COUNT.
    let marker = (length as u32).to_le_bytes();
    bytes.extend(marker);
    for part in parts {
        bytes.extend(*part);
    }
    bytes.extend(marker);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: TrajectoryTiming =
        TrajectoryTiming { first_step: 1000, steps_between_frames: 500, timestep_ps: 0.02 };

    fn integer(bytes: &[u8], offset: usize) -> i32 {
        i32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap())
    }

    #[test]
    fn the_header_has_the_documented_layout() {
        let bytes = header(Path::new("x.dcd"), 12, &TIMING, 3).unwrap();
        assert_eq!(bytes.len(), HEADER_BYTES);
        assert_eq!(HEADER_BYTES, 276);
        assert_eq!(integer(&bytes, 0), 84);
        assert_eq!(&bytes[4..8], b"CORD");
        let counters: Vec<i32> = (8..24).step_by(4).map(|at| integer(&bytes, at)).collect();
        assert_eq!(counters, [3, 1000, 500, 1500]);
        let delta = f32::from_le_bytes(bytes[44..48].try_into().unwrap());
        // 0.02 ps / 0.0488882129 ps = 0.40909656…
        assert!((delta - 0.409_096_5).abs() < 1e-6, "{delta}");
        assert_eq!(integer(&bytes, 48), 0, "no unit cell");
        assert_eq!(integer(&bytes, 84), 24);
        assert_eq!(integer(&bytes, 88), 84);
        assert_eq!((integer(&bytes, 92), integer(&bytes, 96)), (164, 2));
        assert_eq!(integer(&bytes, 260), 164);
        assert_eq!([264, 268, 272].map(|offset| integer(&bytes, offset)), [4, 12, 4]);
    }

    #[test]
    fn a_frame_is_three_records() {
        let bytes = encode(Path::new("x.dcd"), &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).unwrap();
        let mut expected = Vec::new();
        for pair in [[1.0_f32, 4.0], [2.0, 5.0], [3.0, 6.0]] {
            expected.extend(8_u32.to_le_bytes());
            expected.extend(pair[0].to_le_bytes());
            expected.extend(pair[1].to_le_bytes());
            expected.extend(8_u32.to_le_bytes());
        }
        assert_eq!(bytes, expected);
    }

    #[test]
    fn steps_beyond_32_bits_are_refused() {
        let path = Path::new("x.dcd");
        for timing in [
            TrajectoryTiming { first_step: 1 << 31, ..TIMING },
            TrajectoryTiming { steps_between_frames: 0, ..TIMING },
            TrajectoryTiming { timestep_ps: f64::NAN, ..TIMING },
        ] {
            assert_eq!(header(path, 1, &timing, 0).unwrap_err().code(), "io/timing");
        }
    }

    #[test]
    fn a_bead_that_is_nowhere_is_named() {
        let error = encode(Path::new("x.dcd"), &[[0.0; 3], [0.0, 0.0, f64::NAN]]).unwrap_err();
        assert!(error.to_string().starts_with("Bead 1 "));
    }
}
