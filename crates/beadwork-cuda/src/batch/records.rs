//! Data in the layout of the kernels: the records of `kernels/system.cuh`.

use beadwork_arithmetic::Real;
use beadwork_model::Precision;
use beadwork_model::externals::PARAMETERS;
use beadwork_random::Normal;
use bytemuck::{Pod, Zeroable};

use crate::tables::MOST_TERMS;

/// The number of partial sums of a bead, each of which has a lane.
pub const PARTIAL_SUMS: usize = 4;

/// The most beads for which one word has a bit for each partner of a slot.
pub const MOST_MASKED: usize = 128;

/// Set in the flags of a bead that does not move; each bit below is an external.
pub const FIXED: u32 = 1 << 31;

/// The most externals of a stage: one bit each, besides [`FIXED`].
pub const MOST_EXTERNALS: usize = 31;

/// The number to which a squared displacement along an axis is added, which rounds it to units of 2⁻²³ of the number in
/// single precision: the power of two above 1,024 times the mean square of a thermal step, `amplitude`² Å².
fn square_base(amplitude: f64) -> f64 {
    if amplitude == 0.0 {
        return 8.0;
    }
    // The exponent of the mean square from its bits, plus one.
    let above = ((1024.0 * amplitude * amplitude).to_bits() >> 52) as i32 - 1022;
    // Limits the exponent to normal numbers of single precision whose units are normal too.
    2.0_f64.powi(above.clamp(-100, 100))
}

/// The unit of a member's squared displacements, Å². Sums of integers do not depend on the order.
pub fn square_unit<T: Number>(amplitude: T) -> f64 {
    square_base(amplitude.to_f64()) / f64::from(1 << 23)
}

/// The number to which squares are added, in the member's precision: its last bit is worth one unit.
pub fn square_base_of<T: Number>(amplitude: T) -> T {
    let last_place = match T::PRECISION {
        Precision::Single => 23,
        Precision::Double => 52,
    };
    T::from_f64(square_unit(amplitude) * 2.0_f64.powi(last_place))
}

/// The error number of a member without an error.
pub const NOTHING: u32 = u32::MAX;
/// Set with the number of a bead whose position is not finite; a number without it is that of a bond. In open space.
pub const NOT_FINITE: u32 = 1 << 31;

/// Set with an external that cannot act: its number times [`EXTERNAL_BEADS`], and a bead plus one, or 0 for itself.
pub const EXTERNAL: u32 = 1 << 30;
pub const EXTERNAL_BEADS: u32 = 1 << 25;

/// In a box: what an error is, in the upper bits of its number (`kernels/system.cuh`).
pub mod in_a_box {
    pub const KIND: u32 = 3 << 30;
    pub const BROKEN: u32 = 1 << 30;
    pub const TOO_LARGE: u32 = 2 << 30;
}

pub const NEVER: u64 = u64::MAX;

/// A number that kernels compute with.
pub trait Number: Real + Pod + Normal {
    /// The precision.
    const PRECISION: Precision;

    /// The upper bits of a coordinate in a box, a signed number of 2⁻³² sides.
    fn fraction(self) -> u32;
}

impl Number for f32 {
    const PRECISION: Precision = Precision::Single;

    fn fraction(self) -> u32 {
        self.to_bits()
    }
}

impl Number for f64 {
    const PRECISION: Precision = Precision::Double;

    fn fraction(self) -> u32 {
        (self.to_bits() >> 32) as u32
    }
}

/// Addresses of the columns of partners.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Columns {
    pub counts: u64,
    pub entries: u64,
}

/// Addresses of the entries of beads, and of the index of each bead's first entry.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Rows {
    pub starts: u64,
    pub entries: u64,
}

/// A periodic box (`kernels/space.cuh`); zeros in open space.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Sides<T> {
    pub part: [T; 3],
    pub parts: [T; 3],
    pub quarter: T,
    pub limit: T,
    pub unit: f64,
    pub units: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct System<T> {
    pub beads: u32,
    pub list_capacity: u32,
    pub row_bytes: u32,
    pub types: u32,
    pub bonded: [Columns; MOST_TERMS],
    pub row_heads: u64,
    pub row_entries: u64,
    pub row_counts: [u32; MOST_TERMS],
    pub excluded: Columns,
    pub masks: u64,
    pub type_of: u64,
    pub bead_order: u64,
    pub square_lists: u64,
    pub square_inners: u64,
    pub acting: u64,
    pub pairs: [u64; MOST_TERMS],
    pub angles: [Rows; MOST_TERMS],
    pub singles: [Rows; MOST_TERMS],
    pub thermostat: u64,
    pub square_list: T,
    pub square_shift: T,
    pub square_inner: T,
    pub square_inner_shift: T,
    pub sides: Sides<T>,
}

impl<T: Number> System<T> {
    /// A record of zeros.
    pub fn zeroed_record() -> Self {
        Zeroable::zeroed()
    }

    /// Adds `base` to all addresses.
    pub fn move_by(&mut self, base: u64) {
        for columns in self.bonded.iter_mut().chain([&mut self.excluded]) {
            columns.counts += base;
            columns.entries += base;
        }
        for rows in self.angles.iter_mut().chain(&mut self.singles) {
            rows.starts += base;
            rows.entries += base;
        }
        let single = [
            &mut self.row_heads,
            &mut self.row_entries,
            &mut self.masks,
            &mut self.type_of,
            &mut self.bead_order,
            &mut self.square_lists,
            &mut self.square_inners,
            &mut self.acting,
            &mut self.thermostat,
        ];
        for address in single.into_iter().chain(&mut self.pairs) {
            *address += base;
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct External {
    pub kind: u32,
    pub pulled_count: u32,
    pub pulled: u64,
    pub numbers: u64,
    pub parameters: [f64; PARAMETERS],
    pub origin: [f64; 3],
    pub direction: [f64; 3],
    pub held: [f64; 3],
    pub work: f64,
    pub last_force: [f64; 3],
    pub last_centre: [f64; 3],
    pub last_step: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Sums {
    pub force: f64,
    pub force_steps: u64,
    pub square_displacements: u64,
    pub padding: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Segment {
    pub steps: u32,
    pub row: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Member<T> {
    pub system: u64,
    pub flags: u64,
    pub positions: u64,
    pub noise_states: u64,
    pub words: u64,
    pub sample_positions: u64,
    pub sample_noise_states: u64,
    pub list: u64,
    pub velocities: u64,
    pub forces: u64,
    pub inertia: u64,
    pub sample_velocities: u64,
    pub sample_forces: u64,
    pub sample_crossings: u64,
    pub first_external: u32,
    pub externals: u32,
    pub first_segment: u32,
    pub segments: u32,
    pub first_sample: u32,
    pub steps: u32,
    pub step: u64,
    pub stage_step: u64,
    pub timestep: f64,
    pub mixing: f64,
    pub square_tolerance: f64,
    pub downhill: u32,
    pub unused: u32,
    pub lags: [u32; 2],
    pub key: [u32; 2],
    pub pair_key: [u32; 2],
    pub pair_noise: T,
    pub padding: T,
    pub mobility: T,
    pub amplitude: T,
    pub square_base: T,
    pub half_step: T,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Outcome {
    pub segments: u32,
    pub overflow: u32,
    pub what: u32,
    pub length: f32,
    pub step: u64,
    pub ahead: u32,
    pub padding: u32,
    pub timestep: f64,
    pub mixing: f64,
    pub downhill: u32,
    pub made: u32,
}

impl Outcome {
    /// An outcome before the launch.
    pub fn fresh() -> Outcome {
        Outcome { what: NOTHING, ..Zeroable::zeroed() }
    }
}

/// Bytes of `GridMeeting` of `kernels/groups/grid.cuh`.
pub const GRID_MEETING: usize = 360;

/// The memory of a member in the grid plan, with its cells.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct GridMember {
    pub meeting: u64,
    pub rows: u64,
    pub order: u64,
    pub weights: u64,
    pub taken: u64,
    pub moving: u64,
    pub sides: [u32; 3],
    pub bits: u32,
    pub counts: u64,
    pub starts: u64,
    pub totals: u64,
    pub ranks: u64,
    pub sorted: u64,
    pub outer: u64,
    pub outer_counts: u64,
    pub references: u64,
    pub entered: u64,
    pub count: u64,
    pub per_length: f64,
    pub bricks: Bricks,
}

/// The bricks of cells that blocks take.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Bricks {
    pub sides: [u32; 3],
    pub counts: [u32; 3],
    pub room: u32,
    pub excludes: u32,
    pub fixes: u32,
    pub padding: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Launch {
    pub members: u64,
    pub member_count: u32,
    pub members_per_block: u32,
    pub externals_per_member: u32,
    pub blocks_per_member: u32,
    pub stepping: u32,
    pub padding: u32,
    pub segments: u64,
    pub externals: u64,
    pub sample_externals: u64,
    pub sums: u64,
    pub sample_sums: u64,
    pub outcomes: u64,
    pub grids: u64,
    pub places: [u32; 12],
}

/// Implements the traits of plain data for records of either precision.
macro_rules! plain {
    ($($record:ident)*) => {
        $(
            // SAFETY: every field is a number or an array of numbers, for which zero bytes are valid.
            unsafe impl<T: Number> Zeroable for $record<T> {}
            // SAFETY: moreover, the layout is C's and has no padding in either precision; a test adds up the sizes.
            unsafe impl<T: Number> Pod for $record<T> {}
        )*
    };
}

plain!(Sides System Member);

#[cfg(test)]
#[path = "../../tests/unit/records.rs"]
mod tests;
