//! Trajectories that were written here, read again.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use molly::{Frame, XTCReader};

use crate::{Error, TrajectoryFormat, dcd};

const ANGSTROMS_PER_NANOMETRE: f32 = 10.0;

/// Gives each frame of a trajectory to `see`, x, y and z of each bead, Å, one after another. A frame whose writing was cut
/// short ends the trajectory.
///
/// # Errors
/// A file that cannot be read or holds something else than such frames.
pub fn read(
    path: &Path,
    format: TrajectoryFormat,
    mut see: impl FnMut(&[f32]),
) -> Result<(), Error> {
    let failed = |source| Error::Read { path: path.to_path_buf(), source };
    let file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let file = BufReader::new(file);
    let outcome = match format {
        TrajectoryFormat::Xtc => read_xtc(file, &mut see),
        TrajectoryFormat::Dcd => read_dcd(file, bytes, &mut see),
    };
    match outcome {
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(failed(error)),
        _ => Ok(()),
    }
}

fn read_xtc(file: impl Read, see: &mut impl FnMut(&[f32])) -> std::io::Result<()> {
    let mut reader = XTCReader::new(file);
    let mut frame = Frame {
        step: 0,
        time: 0.0,
        boxvec: Default::default(),
        precision: 0.0,
        positions: Vec::new(),
    };
    loop {
        // The library panics where the bytes of a frame are damaged.
        catch_unwind(AssertUnwindSafe(|| reader.read_frame(&mut frame)))
            .unwrap_or_else(|_| Err(ErrorKind::InvalidData.into()))?;
        frame.positions.iter_mut().for_each(|x| *x *= ANGSTROMS_PER_NANOMETRE);
        see(&frame.positions);
    }
}

fn read_dcd(mut file: impl Read, bytes: u64, see: &mut impl FnMut(&[f32])) -> std::io::Result<()> {
    let mut header = [0; dcd::HEADER_BYTES];
    file.read_exact(&mut header)?;
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let beads = word(&header[dcd::HEADER_BYTES - 8..]) as usize;
    if 4 * beads as u64 > bytes {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut record = vec![0; 4 * beads + 8];
    let mut positions = vec![0.0; 3 * beads];
    loop {
        for axis in 0..3 {
            file.read_exact(&mut record)?;
            if word(&record) as usize != 4 * beads {
                return Err(ErrorKind::InvalidData.into());
            }
            for (bead, bytes) in record[4..4 + 4 * beads].chunks_exact(4).enumerate() {
                positions[3 * bead + axis] = f32::from_bits(word(bytes));
            }
        }
        see(&positions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrajectoryTiming, TrajectoryWriter};

    #[test]
    fn damaged_frames_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let timing = TrajectoryTiming { first_step: 0, steps_between_frames: 5, timestep_ps: 1.0 };
        for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
            let mut writer = TrajectoryWriter::create(&path, format, 20, timing).unwrap();
            let place = |bead: u32| [0.1, 1.7, 3.1].map(|factor| factor * f64::from(bead));
            writer.write_frame(0, 0.0, &(0..20).map(place).collect::<Vec<_>>()).unwrap();
            writer.sync().unwrap();
            drop(writer);
            let whole = std::fs::read(&path).unwrap();
            // Numbers of beads, and what tells how the rest is packed.
            let places = if format == TrajectoryFormat::Xtc { 4..88 } else { 264..280 };
            let mut errors = 0;
            for at in places {
                let mut damaged = whole.clone();
                damaged[at] ^= 0x7f;
                std::fs::write(&path, &damaged).unwrap();
                errors += u32::from(read(&path, format, |_| {}).is_err());
            }
            assert!(errors > 4, "{format:?}: {errors}");
            std::fs::remove_file(&path).unwrap();
        }
    }

    /// Few beads are stored as plain numbers, many are packed, and far ones packed otherwise.
    #[test]
    fn frames_are_those_that_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let timing = TrajectoryTiming { first_step: 0, steps_between_frames: 5, timestep_ps: 1.0 };
        for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
            for (beads, size) in [(2, 1.0), (40, 1.0), (40, 5e4)] {
                let path = folder.path().join("x");
                let place = |frame: usize, number: usize| {
                    size * ((frame * 7919 + number * 3571) % 1009) as f64 / 100.0
                };
                let mut writer = TrajectoryWriter::create(&path, format, beads, timing).unwrap();
                for frame in 0..3 {
                    let positions: Vec<[f64; 3]> = (0..beads)
                        .map(|bead| [0, 1, 2].map(|axis| place(frame, 3 * bead + axis)))
                        .collect();
                    writer.write_frame(5 * frame as u64, 5.0 * frame as f64, &positions).unwrap();
                }
                writer.sync().unwrap();
                drop(writer);
                let whole = std::fs::read(&path).unwrap();
                for cut in [0, 3] {
                    std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
                    let mut frame = 0;
                    read(&path, format, |found| {
                        assert_eq!(found.len(), 3 * beads);
                        for (number, &x) in found.iter().enumerate() {
                            let expected = place(frame, number);
                            let bound = 0.006 + 1e-6 * expected;
                            assert!((f64::from(x) - expected).abs() < bound, "{x} {expected}");
                        }
                        frame += 1;
                    })
                    .unwrap();
                    assert_eq!(frame, if cut == 0 { 3 } else { 2 }, "{format:?} {beads}");
                }
                std::fs::remove_file(&path).unwrap();
            }
        }
    }
}
