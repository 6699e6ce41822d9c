//! Reads trajectories that this crate wrote.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use molly::{Frame, XTCReader};

use crate::{Error, FrameFormat, TrajectoryFormat, dcd, gsd_frames};

const ANGSTROMS_PER_NANOMETRE: f32 = 10.0;

/// Passes each frame of a trajectory to `see`: x, y and z of each bead in turn, Å or reduced units. In a
/// box they are those of the images that beads have reached. An incomplete last frame ends the trajectory.
pub fn read(
    path: &Path,
    format: impl Into<FrameFormat>,
    mut see: impl FnMut(&[f32]),
) -> Result<(), Error> {
    let file = File::open(path).map_err(Error::read(path))?;
    let bytes = file.metadata().map_err(Error::read(path))?.len();
    let outcome = match format.into() {
        FrameFormat::Positions(TrajectoryFormat::Xtc) => read_xtc(BufReader::new(file), &mut see),
        FrameFormat::Positions(TrajectoryFormat::Dcd) => {
            read_dcd(BufReader::new(file), bytes, &mut see)
        }
        FrameFormat::Gsd => gsd_frames::read(file, &mut see),
    };
    match outcome {
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(Error::read(path)(error)),
        _ => Ok(()),
    }
}

fn read_xtc(file: impl Read, see: &mut impl FnMut(&[f32])) -> std::io::Result<()> {
    let mut reader = XTCReader::new(file);
    let mut frame = Frame::default();
    loop {
        // The library panics on some damaged frames.
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
