//! [`Portable`], the family for architectures without vectors in this crate.

use super::{Family, Pair};

/// Arrays of 128 bits of plain numbers, which the compiler may keep in registers.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Family for Portable {
    type Single = Pair<Pair<f32>>;
    type Double = Pair<f64>;
}
