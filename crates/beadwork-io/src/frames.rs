//! Reads trajectories that this crate wrote.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use beadwork_files::ANY_LENGTH;
use molly::{Frame, XTCReader};

use crate::{Error, FrameFormat, TrajectoryFormat, dcd, gsd_frames, xtc};

const ANGSTROMS_PER_NANOMETRE: f32 = 10.0;

thread_local! {
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Lets no panic be printed of a damaged frame. The reader of XTC frames panics on some; that is caught where frames are read, and
/// told as an error. All other panics are printed as before.
pub fn keep_quiet_of_damaged_frames() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !READING.get() {
            usual(panic);
        }
    }));
}

/// Passes each frame of a trajectory to `see`: x, y and z of each bead in turn, Å or reduced units. In a
/// box they are those of the images that beads have reached. An incomplete last frame ends the trajectory.
pub fn read(
    path: &Path,
    format: impl Into<FrameFormat>,
    mut see: impl FnMut(&[f32]),
) -> Result<(), Error> {
    read_frames(path, format.into(), false, |_| true, |_, positions, _| see(positions))
}

/// As [`read_chosen()`], with the velocities of frames that have them: those of GSD files, in the units of the system.
///
/// # Errors
/// As [`read()`].
pub fn read_moving(
    path: &Path,
    format: impl Into<FrameFormat>,
    chosen: impl Fn(usize) -> bool,
    see: impl FnMut(usize, &[f32], Option<&[f32]>),
) -> Result<(), Error> {
    read_frames(path, format.into(), true, chosen, see)
}

/// As [`read()`], of the frames alone whose numbers, from 0, are `chosen`; the others are passed over without being unpacked. `see`
/// gets the number of each frame too.
pub fn read_chosen(
    path: &Path,
    format: impl Into<FrameFormat>,
    chosen: impl Fn(usize) -> bool,
    mut see: impl FnMut(usize, &[f32]),
) -> Result<(), Error> {
    read_frames(path, format.into(), false, chosen, |number, positions, _| see(number, positions))
}

fn read_frames(
    path: &Path,
    format: FrameFormat,
    with_velocities: bool,
    chosen: impl Fn(usize) -> bool,
    mut see: impl FnMut(usize, &[f32], Option<&[f32]>),
) -> Result<(), Error> {
    let file = beadwork_files::open(path, ANY_LENGTH).map_err(Error::read(path))?;
    let bytes = file.metadata().map_err(Error::read(path))?.len();
    let outcome = match format {
        FrameFormat::Positions(TrajectoryFormat::Xtc) => {
            let see = &mut |number, positions: &[f32]| see(number, positions, None);
            read_xtc(BufReader::new(file), bytes, &chosen, see)
        }
        FrameFormat::Positions(TrajectoryFormat::Dcd) => {
            let see = &mut |number, positions: &[f32]| see(number, positions, None);
            read_dcd(BufReader::new(file), bytes, &chosen, see)
        }
        FrameFormat::Gsd => gsd_frames::read(file, with_velocities, &chosen, &mut see),
    };
    match outcome {
        Err(error) => match error.kind() {
            ErrorKind::UnexpectedEof => Ok(()),
            ErrorKind::InvalidData => Err(Error::damaged_frames(path, &error)),
            _ => Err(Error::read(path)(error)),
        },
        Ok(()) => Ok(()),
    }
}

fn read_xtc(
    mut file: BufReader<File>,
    bytes: u64,
    chosen: &impl Fn(usize) -> bool,
    see: &mut impl FnMut(usize, &[f32]),
) -> std::io::Result<()> {
    let mut frame = Frame::default();
    let (mut left, mut beads) = (bytes, None);
    for number in 0.. {
        // The library makes room for as many beads and bytes as a frame says, so these are checked before.
        let head = XtcHead::read(&mut file, left)?;
        if *beads.get_or_insert(head.beads) != head.beads {
            return Err(damaged(format!(
                "a frame has {} beads, and those before it {}",
                head.beads,
                beads.unwrap_or(0)
            )));
        }
        left -= head.frame_bytes;
        let rest = head.frame_bytes - head.bytes.len() as u64;
        if !chosen(number) {
            pass_over(&mut file, rest)?;
            continue;
        }
        let mut reader = XTCReader::new(head.bytes.as_slice().chain((&mut file).take(rest)));
        // The library panics on some damaged frames.
        READING.set(true);
        let outcome = catch_unwind(AssertUnwindSafe(|| reader.read_frame(&mut frame)));
        READING.set(false);
        outcome.unwrap_or_else(|_| Err(damaged("a frame cannot be unpacked".to_string())))?;
        frame.positions.iter_mut().for_each(|x| *x *= ANGSTROMS_PER_NANOMETRE);
        see(number, &frame.positions);
    }
    Ok(())
}

/// Leaves out the next bytes of a file, which ends no sooner.
fn pass_over(file: &mut BufReader<File>, bytes: u64) -> std::io::Result<()> {
    file.seek_relative(i64::try_from(bytes).map_err(|_| ErrorKind::InvalidData)?)
}

/// The beginning of a frame of XTC, with all that says how long it is.
struct XtcHead {
    bytes: Vec<u8>,
    beads: usize,
    frame_bytes: u64,
}

impl XtcHead {
    /// Reads the beginning of a frame of which the file has `left` bytes at most.
    fn read(file: &mut impl Read, left: u64) -> std::io::Result<XtcHead> {
        let mut bytes = vec![0; xtc::FRAME_HEAD_BYTES];
        file.read_exact(&mut bytes)?;
        let beads = xtc::word(&bytes, xtc::BEADS_AT);
        if beads != xtc::word(&bytes, xtc::BEADS_AGAIN_AT) {
            return Err(damaged("the two numbers of beads of a frame differ".to_string()));
        }
        let (beads, mut frame_bytes) = (u64::from(beads), bytes.len() as u64);
        if beads <= xtc::LARGEST_PLAIN_FRAME as u64 {
            frame_bytes += 12 * beads;
        } else {
            let head = bytes.len();
            bytes.resize(head + xtc::PACKING_BYTES, 0);
            file.read_exact(&mut bytes[head..])?;
            let packed = u64::from(xtc::word(&bytes, bytes.len() - 4));
            frame_bytes = bytes.len() as u64 + packed.next_multiple_of(4);
            // A bead takes a bit or more.
            if beads > 8 * packed {
                return Err(damaged(format!("a frame has {beads} beads in {packed} bytes")));
            }
        }
        if frame_bytes > left {
            // The end of a frame that was being written, or of one that says nonsense.
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(XtcHead { bytes, beads: beads as usize, frame_bytes })
    }
}

fn damaged(problem: String) -> std::io::Error {
    std::io::Error::new(ErrorKind::InvalidData, problem)
}

fn read_dcd(
    mut file: BufReader<File>,
    bytes: u64,
    chosen: &impl Fn(usize) -> bool,
    see: &mut impl FnMut(usize, &[f32]),
) -> std::io::Result<()> {
    let mut header = [0; dcd::HEADER_BYTES];
    file.read_exact(&mut header)?;
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let beads = word(&header[dcd::HEADER_BYTES - 8..]) as usize;
    if 4 * beads as u64 > bytes {
        return Err(ErrorKind::InvalidData.into());
    }
    let has_cell = word(&header[dcd::HAS_UNIT_CELL]) != 0;
    let mut cell = [0; dcd::UNIT_CELL_BYTES + 8];
    let mut record = vec![0; 4 * beads + 8];
    let mut positions = vec![0.0; 3 * beads];
    let cell_bytes = if has_cell { cell.len() as u64 } else { 0 };
    let frame_bytes = cell_bytes + 3 * record.len() as u64;
    let mut left = bytes.saturating_sub(header.len() as u64);
    for number in 0.. {
        if !chosen(number) {
            left = left.checked_sub(frame_bytes).ok_or(ErrorKind::UnexpectedEof)?;
            pass_over(&mut file, frame_bytes)?;
            continue;
        }
        left = left.saturating_sub(frame_bytes);
        if has_cell {
            file.read_exact(&mut cell)?;
            if word(&cell) as usize != dcd::UNIT_CELL_BYTES {
                return Err(ErrorKind::InvalidData.into());
            }
        }
        for axis in 0..3 {
            file.read_exact(&mut record)?;
            if word(&record) as usize != 4 * beads {
                return Err(ErrorKind::InvalidData.into());
            }
            for (bead, bytes) in record[4..4 + 4 * beads].chunks_exact(4).enumerate() {
                positions[3 * bead + axis] = f32::from_bits(word(bytes));
            }
        }
        see(number, &positions);
    }
    Ok(())
}
