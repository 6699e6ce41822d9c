//! Frames in GROMACS's compressed XTC format.
//!
//! `molly` encodes them. Its packing (0.7.0) overflows for very wide frames, so this file encodes
//! these itself, without the compression of small steps.

use std::ops::Range;
use std::path::Path;

use molly::{Frame, Header, Magic, XTCWriter};

use crate::Error;

/// Units of 1/1000 nm, so 0.01 Å.
const PRECISION: f32 = 1000.0;
const ANGSTROMS_PER_NANOMETRE: f64 = 10.0;

/// Coordinates are rounded to integers of 0.01 Å. The encoder adds three distances along the axes
/// in 32 bits, so the extent along an axis may be 2³¹/3 units.
const LARGEST_COORDINATE: f64 = 3.0e6;

/// An axis with more units than this is packed separately.
const LARGEST_JOINT_EXTENT: u32 = 0x00ff_ffff;

/// Steps between neighbours beyond this (2.6 µm) could lead to packings of more than 64 bits.
const LARGEST_NEIGHBOUR_STEP: u32 = 1 << 18;

/// The smallest step size of the format.
const FIRST_SMALL_INDEX: u32 = 9;

/// Up to this many beads are stored as plain numbers.
pub(crate) const LARGEST_PLAIN_FRAME: usize = 9;

/// Where a frame has its step and time, and the three vectors of its box.
pub(crate) const STEP_AND_TIME: Range<usize> = 8..16;
pub(crate) const BOX: Range<usize> = 16..52;

/// Bytes of a frame before its positions: 13 words, of which the second and the last are the number of beads, and, of frames
/// of few beads, nothing else.
pub(crate) const FRAME_HEAD_BYTES: usize = 56;
pub(crate) const BEADS_AT: usize = 4;
pub(crate) const BEADS_AGAIN_AT: usize = 52;

/// Bytes of packed frames from there to the packed bits: the precision, the corners, an index, and the number of packed bytes.
pub(crate) const PACKING_BYTES: usize = 36;

/// A word of a frame, most significant byte first.
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

pub(crate) const LARGEST_BEAD_COUNT: usize = molly::XTC_1995_MAX_NATOMS;

/// The first bytes of a frame of `beads` beads at step 0: all before the second number of beads.
pub(crate) fn head(beads: usize, sides: Option<[f64; 3]>) -> Vec<u8> {
    // The cast cannot truncate: the number of beads is at most LARGEST_BEAD_COUNT.
    let mut head = vec![Magic::Xtc1995 as u32, beads as u32, 0, 0];
    head.extend(box_vectors(sides).map(f32::to_bits));
    head.into_iter().flat_map(u32::to_be_bytes).collect()
}

/// The three vectors of a box along the axes, nm; zeros in open space.
fn box_vectors(sides: Option<[f64; 3]>) -> [f32; 9] {
    let [x, y, z] = sides.unwrap_or_default().map(|side| (side / ANGSTROMS_PER_NANOMETRE) as f32);
    [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]
}

/// One frame; positions and the sides of the box in Å, time in ps.
pub(crate) fn encode(
    path: &Path,
    step: u64,
    time_ps: f64,
    sides: Option<[f64; 3]>,
    positions: &[[f64; 3]],
) -> Result<Vec<u8>, Error> {
    let frame = frame(path, step, time_ps, sides, positions)?;
    let mut bytes = Vec::new();
    let units =
        if positions.len() > LARGEST_PLAIN_FRAME { Units::of(&frame) } else { Units::default() };
    if units.need_wide_packing() {
        units.encode(&frame, &mut bytes);
    } else {
        XTCWriter::new(&mut bytes).write_frame(&frame).map_err(Error::write(path))?;
    }
    Ok(bytes)
}

fn frame(
    path: &Path,
    step: u64,
    time_ps: f64,
    sides: Option<[f64; 3]>,
    positions: &[[f64; 3]],
) -> Result<Frame, Error> {
    let mut nanometres = Vec::with_capacity(3 * positions.len());
    for (bead, position) in positions.iter().enumerate() {
        for (axis, &value) in ['x', 'y', 'z'].into_iter().zip(position) {
            if !value.is_finite() || value.abs() > LARGEST_COORDINATE {
                return Err(Error::Coordinate {
                    path: path.to_path_buf(),
                    bead,
                    axis,
                    value,
                    limit: "XTC holds finite coordinates up to 3e6",
                });
            }
            nanometres.push((value / ANGSTROMS_PER_NANOMETRE) as f32);
        }
    }
    Ok(Frame {
        step: (step & u64::from(u32::MAX)) as u32,
        time: time_ps as f32,
        boxvec: box_vectors(sides),
        precision: PRECISION,
        positions: nanometres,
    })
}

/// Coordinates as integers of 0.01 Å.
#[derive(Default)]
struct Units {
    values: Vec<[i32; 3]>,
    smallest: [i32; 3],
    extents: [u32; 3],
}

impl Units {
    fn of(frame: &Frame) -> Self {
        let round = |value: f32| (value * frame.precision).round() as i32;
        let values: Vec<[i32; 3]> = frame.coords().map(|position| position.map(round)).collect();
        let mut smallest = [i32::MAX; 3];
        let mut largest = [i32::MIN; 3];
        for value in &values {
            for axis in 0..3 {
                smallest[axis] = smallest[axis].min(value[axis]);
                largest[axis] = largest[axis].max(value[axis]);
            }
        }
        let extents = std::array::from_fn(|axis| largest[axis].abs_diff(smallest[axis]) + 1);
        Self { values, smallest, extents }
    }

    fn packed_jointly(&self) -> bool {
        self.extents.iter().all(|&extent| extent <= LARGEST_JOINT_EXTENT)
    }

    /// Bits of one bead if its three coordinates are packed into one number of mixed radix.
    fn joint_bits(&self) -> u32 {
        let states: u128 = self.extents.iter().map(|&extent| u128::from(extent)).product();
        u128::BITS - states.leading_zeros()
    }

    fn need_wide_packing(&self) -> bool {
        let neighbours = self.values.windows(2).map(|pair| {
            (0..3).map(|axis| pair[0][axis].abs_diff(pair[1][axis])).fold(0, u32::saturating_add)
        });
        (self.packed_jointly() && self.joint_bits() > u64::BITS)
            || neighbours.min().unwrap_or(0) > LARGEST_NEIGHBOUR_STEP
    }

    /// A frame in which each bead is packed separately: a zero bit after each bead says that no small step follows.
    /// Layout after xdr3dfcoord of GROMACS's libxdrf.
    fn encode(&self, frame: &Frame, bytes: &mut Vec<u8>) {
        let beads = self.values.len();
        let header = Header {
            magic: Magic::Xtc1995,
            natoms: beads,
            step: frame.step,
            time: frame.time,
            boxvec: frame.boxvec,
            natoms_repeated: beads,
        };
        bytes.extend(header.to_be_bytes());
        bytes.extend(frame.precision.to_be_bytes());
        let largest =
            |axis: usize| self.smallest[axis].wrapping_add_unsigned(self.extents[axis] - 1);
        let corners = self.smallest.into_iter().chain((0..3).map(largest));
        bytes.extend(corners.flat_map(i32::to_be_bytes));
        bytes.extend(FIRST_SMALL_INDEX.to_be_bytes());

        let mut bits = Bits::default();
        for value in &self.values {
            let relative: [u32; 3] =
                std::array::from_fn(|axis| value[axis].abs_diff(self.smallest[axis]));
            if self.packed_jointly() {
                let number = (0..3).fold(0_u128, |number, axis| {
                    number * u128::from(self.extents[axis]) + u128::from(relative[axis])
                });
                bits.push_little_endian(number, self.joint_bits());
            } else {
                for (number, extent) in relative.into_iter().zip(self.extents) {
                    bits.push(number, u32::BITS - extent.leading_zeros());
                }
            }
            bits.push(0, 1);
        }
        let packed = bits.finish();
        bytes.extend((packed.len() as u32).to_be_bytes());
        bytes.extend(&packed);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
}

/// A stream of bits, the most significant first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl Bits {
    fn push(&mut self, value: u32, width: u32) {
        self.pending = (self.pending << width) | u64::from(value);
        self.count += width;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.pending >> self.count) as u8);
            self.pending &= (1 << self.count) - 1;
        }
    }

    /// Pushes the lowest byte first; the highest byte has only the bits that the width leaves.
    fn push_little_endian(&mut self, mut value: u128, mut width: u32) {
        while width > 0 {
            let bits = width.min(8);
            self.push((value & 0xff) as u32, bits);
            value >>= 8;
            width -= bits;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push((self.pending << (8 - self.count)) as u8);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molly::XTCReader;

    fn scattered(beads: usize, extent: f64) -> Vec<[f64; 3]> {
        (0..beads)
            .map(|bead| {
                std::array::from_fn(|axis| {
                    let number = (bead * 7919 + axis * 3571 + bead * bead * 31) % 1009;
                    (number as f64 / 1009.0 - 0.5) * extent
                })
            })
            .collect()
    }

    fn read(bytes: &[u8]) -> Frame {
        let mut frame = Frame::default();
        XTCReader::new(bytes).read_frame(&mut frame).unwrap();
        frame
    }

    #[test]
    fn both_encoders_agree_where_both_work() {
        for extent in [30.0, 1e4, 2e5, 5e5] {
            let positions = scattered(40, extent);
            let frame =
                frame(Path::new("x.xtc"), 0, 0.0, Some([30.0, 45.5, 61.0]), &positions).unwrap();
            let mut bytes = Vec::new();
            XTCWriter::new(&mut bytes).write_frame(&frame).unwrap();
            let expected = read(&bytes);
            assert_eq!(expected.boxvec, [3.0, 0.0, 0.0, 0.0, 4.55, 0.0, 0.0, 0.0, 6.1]);
            let mut bytes = Vec::new();
            Units::of(&frame).encode(&frame, &mut bytes);
            let found = read(&bytes);
            assert_eq!(found.positions, expected.positions, "extent {extent}");
            assert_eq!(found.boxvec, expected.boxvec, "extent {extent}");
        }
    }
}
