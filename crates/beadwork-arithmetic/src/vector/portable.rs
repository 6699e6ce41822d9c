//! [`Portable`], for architectures without a family of their own.

use super::{Family, Pair};

/// Plain numbers side by side, 128 bits of them, which the compiler may put into registers.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Family for Portable {
    type Single = Pair<Pair<f32>>;
    type Double = Pair<f64>;
}
