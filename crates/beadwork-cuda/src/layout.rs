//! Data as the kernels see it: the records of `kernels/topology.cuh`.

use beadwork_arithmetic::Real;
use beadwork_model::Precision;
use beadwork_random::Normal;
use bytemuck::{Pod, Zeroable};

/// Partial sums of a bead, each with a lane.
pub const LANES: usize = 4;

/// Beads for which the partners of a place are bits of one word.
pub const MOST_MASKED: usize = 128;

/// Set in a bead's flags where it does not move; the bits below are drives.
pub const FIXED: u32 = 1 << 31;

/// Drives of a stage at most: a bit each beside [`FIXED`].
pub const MOST_DRIVES: usize = 31;

/// The number that a square of a displacement along an axis is added to, so that it is rounded to whole units of 2⁻²³ of
/// it, in single precision: the power of two above 1,024 times the mean square of a thermal step, `amplitude`² Å².
fn square_base(amplitude: f64) -> f64 {
    if amplitude == 0.0 {
        return 8.0;
    }
    // Its exponent, from its bits, and one.
    let above = ((1024.0 * amplitude * amplitude).to_bits() >> 52) as i32 - 1022;
    // Within the normal numbers of single precision, with room for the units below.
    2.0_f64.powi(above.clamp(-100, 100))
}

/// The unit in which a member's squares of displacements are counted, Å²: whole numbers have sums without an order.
pub fn square_unit<T: Number>(amplitude: T) -> f64 {
    square_base(amplitude.to_f64()) / f64::from(1 << 23)
}

/// The number that squares are added to in the arithmetic of the member: its last place is the unit.
pub fn square_base_of<T: Number>(amplitude: T) -> T {
    let last_place = match T::PRECISION {
        Precision::Single => 23,
        Precision::Double => 52,
    };
    T::from_f64(square_unit(amplitude) * 2.0_f64.powi(last_place))
}

/// What is found wrong with a member of which nothing is.
pub const NOTHING: u32 = u32::MAX;
/// Set beside the number of a bead whose position is not finite; without it a number is that of a bond.
pub const NOT_FINITE: u32 = 1 << 31;
pub const NEVER: u64 = u64::MAX;

pub const SPRING: u32 = 0;
pub const FORCE: u32 = 1;
pub const FORCE_RAMP: u32 = 2;
pub const RESTRAIN: u32 = 3;

/// A number that kernels compute with.
pub trait Number: Real + Pod + Normal {
    /// Which one.
    const PRECISION: Precision;
}

impl Number for f32 {
    const PRECISION: Precision = Precision::Single;
}

impl Number for f64 {
    const PRECISION: Precision = Precision::Double;
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FeneBond<T> {
    pub partner: u32,
    pub number: u32,
    pub stiffness: T,
    pub limit: T,
    pub length: T,
    pub padding: [T; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HarmonicBond<T> {
    pub partner: u32,
    pub padding: u32,
    pub stiffness: T,
    pub length: T,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NativeContact<T> {
    pub partner: u32,
    pub padding: u32,
    pub scale: T,
    pub square_length: T,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Trap<T> {
    pub stiffness: T,
    pub centre: [T; 3],
}

/// Addresses of the columns of partners.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Table {
    pub counts: u64,
    pub entries: u64,
}

/// The first bond and the first contact of a bead in tables for a lane a member, and how many each partial sum has, a
/// byte each.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct LaneHead {
    pub first_bond: u32,
    pub first_contact: u32,
    pub bonds: u32,
    pub contacts: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Topology<T> {
    pub lane_bond_count: u32,
    pub lane_contact_count: u32,
    pub beads: u32,
    pub list_capacity: u32,
    pub fene_bonds: Table,
    pub harmonic_bonds: Table,
    pub native_contacts: Table,
    pub excluded: Table,
    pub masks: u64,
    pub lane_heads: u64,
    pub lane_bonds: u64,
    pub lane_contacts: u64,
    pub trap_starts: u64,
    pub traps: u64,
    pub repulsion_scale: T,
    pub square_cutoff: T,
    pub square_list: T,
    pub square_shift: T,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Drive {
    pub kind: u32,
    pub pulled_count: u32,
    pub pulled: u64,
    pub anchors: u64,
    pub update_every: u64,
    pub stiffness: f64,
    pub travel: f64,
    pub strength: f64,
    pub timestep: f64,
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
    pub topology: u64,
    pub flags: u64,
    pub positions: u64,
    pub noise_states: u64,
    pub sample_positions: u64,
    pub sample_noise_states: u64,
    pub list: u64,
    pub first_drive: u32,
    pub drives: u32,
    pub first_segment: u32,
    pub segments: u32,
    pub first_slot: u32,
    pub steps: u32,
    pub step: u64,
    pub stage_step: u64,
    pub key: [u32; 2],
    pub mobility: T,
    pub amplitude: T,
    pub square_base: T,
    pub padding: T,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Outcome {
    pub segments: u32,
    pub overflow: u32,
    pub what: u32,
    pub length: f32,
    pub step: u64,
    pub predicted: u32,
    pub padding: u32,
}

impl Outcome {
    /// Before anything happened.
    pub fn fresh() -> Outcome {
        Outcome { what: NOTHING, ..Zeroable::zeroed() }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Launch {
    pub members: u64,
    pub member_count: u32,
    pub members_per_block: u32,
    pub drives_per_member: u32,
    pub padding: u32,
    pub segments: u64,
    pub drives: u64,
    pub sample_drives: u64,
    pub sums: u64,
    pub sample_sums: u64,
    pub outcomes: u64,
}

/// How far a member is that is stepped by launches.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Course {
    pub trouble: u64,
    pub steps: u32,
    pub end: u32,
    pub segment: u32,
    pub far: u32,
    pub pairs: u32,
    pub padding: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Looks {
    pub segments: u64,
    pub sample_drives: u64,
    pub sample_sums: u64,
    pub outcomes: u64,
}

/// A pair of beads and where the halves of what acts between them are written.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct PairSeat {
    pub i: u32,
    pub j: u32,
    pub slot_i: u32,
    pub slot_j: u32,
}

/// Addresses of the pairs of a term and of their parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Pairs {
    pub seats: u64,
    pub parameters: u64,
}

/// Members of one system that are stepped by launches (`kernels/launches.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Fleet<T> {
    pub topology: Topology<T>,
    pub members: u32,
    pub drives_per_member: u32,
    pub fene_pairs: u32,
    pub harmonic_pairs: u32,
    pub contact_pairs: u32,
    pub harmonic_row: u32,
    pub contact_row: u32,
    pub repulsion_row: u32,
    pub rows: u32,
    pub cell_mask: u32,
    pub state_words: u32,
    pub short_lag: u32,
    pub long_lag: u32,
    pub side_by_side: u32,
    pub cells_per_angstrom: f64,
    pub iteration: u64,
    pub overflow: u64,
    pub looks: u64,
    pub records: u64,
    pub courses: u64,
    pub sums: u64,
    pub drives: u64,
    pub shares: u64,
    pub positions: u64,
    pub predicted: u64,
    pub references: u64,
    pub partial_sums: u64,
    pub first_forces: u64,
    pub kicks: u64,
    pub square_displacements: u64,
    pub noise_states: u64,
    pub neighbour_counts: u64,
    pub neighbours: u64,
    pub cell_heads: u64,
    pub cell_links: u64,
    pub fene: Pairs,
    pub harmonic: Pairs,
    pub contacts: Pairs,
    pub repelling: u64,
    pub halves: u64,
    pub generator_states: u64,
    pub words: u64,
}

/// What a kernel of the launches plan is given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Round<T> {
    pub fleet: Fleet<T>,
    pub ahead: u32,
    pub predicted: u32,
}

/// Records of either precision are plain data.
macro_rules! plain {
    ($($record:ident)*) => {
        $(
            // SAFETY: every field is a number or an array of numbers, for which zero bytes are valid.
            unsafe impl<T: Number> Zeroable for $record<T> {}
            // SAFETY: besides that, the layout is C's and has no padding in either precision; a test adds up the sizes.
            unsafe impl<T: Number> Pod for $record<T> {}
        )*
    };
}

plain!(FeneBond HarmonicBond NativeContact Trap Topology Member Fleet);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_no_padding() {
        fn check<T>() {
            let number = size_of::<T>();
            assert_eq!(size_of::<FeneBond<T>>(), 8 + 6 * number);
            assert_eq!(size_of::<HarmonicBond<T>>(), 8 + 2 * number);
            assert_eq!(size_of::<NativeContact<T>>(), 8 + 2 * number);
            assert_eq!(size_of::<Trap<T>>(), 4 * number);
            assert_eq!(size_of::<Topology<T>>(), 16 + 4 * 16 + 6 * 8 + 4 * number);
            assert_eq!(size_of::<Member<T>>(), 7 * 8 + 6 * 4 + 2 * 8 + 8 + 4 * number);
            assert_eq!(size_of::<Fleet<T>>(), size_of::<Topology<T>>() + 14 * 4 + 31 * 8);
            assert_eq!(size_of::<Round<T>>(), size_of::<Fleet<T>>() + 8);
        }
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn squares_are_counted_finely_enough_and_without_running_over() {
        for amplitude in [1e-12_f32, 1e-4, 0.0438, 3.0, 1e9] {
            let unit = square_unit(amplitude);
            let square = f64::from(amplitude) * f64::from(amplitude);
            assert!(unit > 2e-5 * square / 2.0 && unit < 3e-4 * square, "{amplitude}: {unit}");
            assert_eq!(square_base_of(amplitude).to_bits() & 0x7f_ffff, 0);
            // The next number above the base is one unit away.
            let base = square_base_of(amplitude);
            let next = f32::from_bits(base.to_bits() + 1);
            assert_eq!(f64::from(next) - f64::from(base), unit);
            let wide = f64::from(amplitude);
            let base = square_base_of(wide);
            assert_eq!(f64::from_bits(base.to_bits() + 1) - base, square_unit(wide));
        }
        assert!(square_unit(0.0_f32) > 0.0);
    }
}
