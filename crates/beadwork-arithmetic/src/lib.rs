//! The number type that formulas are written in, and elementary functions with the same bits everywhere.
//!
//! A formula of beadwork (a potential, a distribution) is written once, generic over [`Lane`]: the same lines run with
//! `f64` (the definition), with `f32`, and with vectors whose lanes are different replicas. Code that needs one plain
//! number of either precision asks for [`Real`]; code that fills the lanes of a machine's vector instructions asks for
//! a [`Vector`] and is run by [`Instructions::dispatch`].
//!
//! The standard library's logarithm, exponential, sine, cosine and arc cosine differ between platforms. Those of
//! [`functions`] use additions, multiplications, divisions, square roots and operations on bits only, so noise and
//! forces have the same bits on every machine.

pub mod fractions;
pub mod functions;
pub mod lane;
pub mod vector;

pub use fractions::{Fraction, displaced, nearest_image, parts_of_a_side};
pub use functions::{
    Elementary, Precision, arc_cosine, exponential, natural_logarithm, sine_cosine_of_turns,
};
pub use lane::{Lane, Real};
pub use vector::{
    Baseline, Bits, Family, Instructions, Kernel, Pair, Portable, Scalar, SpreadWords, Vector,
    Words,
};

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
