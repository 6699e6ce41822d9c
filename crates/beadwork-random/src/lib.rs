//! Random numbers for stochastic dynamics: generators, keyed noise, distributions.
//!
//! Noise is a pure function of the seed of the run, the [`Purpose`], the replica, the step, the bead or pair of beads
//! and the number of the draw ([`NoiseKey`]). It does not depend on threads, launches or the order of evaluation, so a
//! trajectory can be stopped, resumed, moved or run among thousands of others without changing a bit.
//!
//! ```
//! use beadwork_random::{NoiseKey, Normal, Purpose};
//!
//! let key = NoiseKey::new(20101, Purpose::ThermalForce, 7);
//! let again = NoiseKey::new(20101, Purpose::ThermalForce, 7);
//! let step = 123_456;
//! let bead = 33;
//! let normals: [f32; 3] = f32::normals(key, step, bead);
//! assert_eq!(normals, f32::normals(again, step, bead));
//! assert_ne!(normals, f32::normals(key, step + 1, bead));
//! ```
//!
//! Any generator of the catalogue ([`Generator`]) in any of its schemes ([`Scheme`]) gives the beads of a replica words
//! through [`Streams`]. Those with known flaws are there to reproduce published work.
//!
//! Everything that a trajectory depends on is frozen: outputs are listed in `known_answers.txt`, which each backend
//! reads. A change of any of them is value-breaking and needs a new value version of beadwork.

pub mod catalogue;
pub mod distributions;
pub mod error;
pub mod generators;
pub mod micro_streams;
pub mod noise;
pub mod orders;
mod packed_states;
pub mod pair_streams;
pub mod purposes;
pub mod randomness;
pub mod streams;

pub use catalogue::{Generator, Scheme};
pub use distributions::{
    Distribution, LaneCounter, Normal, box_muller, normals_from_states, normals_from_words,
    normals_in_lanes, polar, symmetric_uniform, uniform_f32, uniform_f64, ziggurat,
};
pub use error::{ERROR_CODES, Error};
pub use generators::{
    HybridTaus, LaggedFibonacci, Lcg, Mt19937, Ran2, Saru, TEA_KEY, Xorwow, hybrid_taus_in_lanes,
    lags_for, philox4x32, philox4x32_in_lanes, tea,
};
pub use noise::{MAXIMUM_STEP, NoiseKey, step_words};
pub use orders::{Order, OrderedWords};
pub use pair_streams::{PairStream, pair_number, pair_words_of_members};
pub use purposes::Purpose;
pub use randomness::Randomness;
pub use streams::{Owner, States, Streams};

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
