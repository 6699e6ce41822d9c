//! Reads the positions and velocities in GSD files that [`GsdWriter`](crate::GsdWriter) wrote.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};

use crate::gsd_layout::{ENTRY_BYTES, HEADER_BYTES, MAGIC, NAME_UNIT};

/// Where a frame has what it says about positions and velocities. It has all but images and velocities.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    sides: u64,
    positions: u64,
    beads: usize,
    images: Option<u64>,
    velocities: Option<u64>,
}

/// Passes the number and the positions of each chosen frame to `see`, in a box those of the images that beads have reached, and, if
/// they are asked for, the velocities of frames that have them.
pub(crate) fn read(
    file: File,
    with_velocities: bool,
    chosen: &impl Fn(usize) -> bool,
    see: &mut impl FnMut(usize, &[f32], Option<&[f32]>),
) -> std::io::Result<()> {
    let bytes = file.metadata()?.len();
    let mut file = BufReader::new(file);
    let frames = frames(&mut file, bytes, with_velocities)?.into_iter().enumerate();
    for (number, frame) in frames.filter(|(number, _)| chosen(*number)) {
        // The first number of a box is its first side; the last three are tilts, zero in all our files.
        let sides: Vec<f32> = numbers(&mut file, frame.sides, 3, f32::from_le_bytes)?;
        let mut positions =
            numbers(&mut file, frame.positions, 3 * frame.beads, f32::from_le_bytes)?;
        if let Some(place) = frame.images {
            let images = numbers(&mut file, place, 3 * frame.beads, i32::from_le_bytes)?;
            for (axis, (x, image)) in positions.iter_mut().zip(images).enumerate() {
                *x = (f64::from(*x) + f64::from(image) * f64::from(sides[axis % 3])) as f32;
            }
        }
        let velocities = frame
            .velocities
            .map(|place| numbers(&mut file, place, 3 * frame.beads, f32::from_le_bytes));
        see(number, &positions, velocities.transpose()?.as_deref());
    }
    Ok(())
}

/// The places of each whole frame, as the index says.
fn frames(
    file: &mut (impl Read + Seek),
    bytes: u64,
    with_velocities: bool,
) -> std::io::Result<Vec<Places>> {
    let header = part(file, 0, HEADER_BYTES as u64, bytes)?;
    let word = |at: usize| u64_at(&header, at);
    if word(0) != MAGIC {
        return Err(ErrorKind::InvalidData.into());
    }
    let (index, entries, list, units) = (word(8), word(16), word(24), word(32));
    let names = part(file, list, units.saturating_mul(NAME_UNIT as u64), bytes)?;
    let names: Vec<&[u8]> = names.split(|byte| *byte == 0).collect();
    let index = part(file, index, entries.saturating_mul(ENTRY_BYTES), bytes)?;
    let mut frames: Vec<Places> = Vec::new();
    for entry in index.chunks_exact(ENTRY_BYTES as usize) {
        let (frame, rows, place) = (u64_at(entry, 0), u64_at(entry, 8), u64_at(entry, 16));
        if place == 0 {
            break;
        }
        if frame == frames.len() as u64 {
            frames.push(Places::default());
        }
        let last = (frame + 1 == frames.len() as u64).then_some(()).and(frames.last_mut());
        let found = last.ok_or(ErrorKind::InvalidData)?;
        match names.get(usize::from(u16::from_le_bytes([entry[28], entry[29]]))) {
            Some(&b"configuration/box") => found.sides = place,
            Some(&b"particles/image") => found.images = Some(place),
            Some(&b"particles/velocity") if with_velocities => found.velocities = Some(place),
            Some(&b"particles/position") => {
                found.positions = place;
                found.beads = usize::try_from(rows).map_err(|_| ErrorKind::InvalidData)?;
            }
            _ => {}
        }
    }
    let ends = |frame: &Places| {
        let length = 12_u64.saturating_mul(frame.beads as u64);
        let last = frame.images.max(frame.velocities).unwrap_or(0).max(frame.positions);
        last.saturating_add(length)
    };
    if frames.iter().any(|frame| frame.sides == 0 || frame.positions == 0) {
        return Err(ErrorKind::InvalidData.into());
    }
    Ok(frames.into_iter().take_while(|frame| ends(frame) <= bytes).collect())
}

fn part(
    file: &mut (impl Read + Seek),
    place: u64,
    length: u64,
    bytes: u64,
) -> std::io::Result<Vec<u8>> {
    if place.saturating_add(length) > bytes {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let mut part = vec![0; length as usize];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut part)?;
    Ok(part)
}

/// Numbers of four bytes.
fn numbers<T>(
    file: &mut (impl Read + Seek),
    place: u64,
    count: usize,
    number: impl Fn([u8; 4]) -> T,
) -> std::io::Result<Vec<T>> {
    let bytes = part(file, place, 4 * count as u64, u64::MAX)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| number(*bytes)).collect())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
