//! CPU paths that step members: neighbour search, forces, noise, integrators.
//!
//! [`mod@reference`] is the definition ([`CpuPath::Reference`]). The other paths give the same bits faster:
//! [`CpuPath::PairSimd`] steps one member with lanes over pairs and beads, [`Group`] steps several members with one
//! lane each. A trajectory depends on the system, the protocol and the replica number alone: instructions, skin,
//! rebuilds of neighbour lists and other members do not change it.

mod arrays;
mod integrators;
mod member;
pub mod monte_carlo;
mod noise;
mod pair_simd;
pub mod reference;
mod replica_simd;
mod space;
mod stepping;
mod teams;
mod terms;
mod velocities;

pub use arrays::coordinates::Coordinates;
pub use beadwork_arithmetic::Instructions;
pub use member::Member;
pub use replica_simd::Group;
pub use space::PeriodicBox;
pub use stepping::{
    CpuPath, DescentView, MemberView, MotionView, NoiseSource, Progress, StepControl, Stepper,
};

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
