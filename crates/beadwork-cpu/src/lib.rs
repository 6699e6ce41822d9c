//! CPU paths that step members: neighbour search, forces, noise, integrators.
//!
//! [`mod@reference`] is the definition ([`CpuPath::Reference`]). The other paths give the same bits faster:
//! [`CpuPath::PairSimd`] steps one member with lanes over pairs and beads, [`Group`] steps several members with one
//! lane each. A trajectory depends on the system, the protocol and the replica number alone: instructions, skin,
//! rebuilds of neighbour lists and other members do not change it.

mod aligned;
mod angles_and_fields;
mod coordinates;
mod dynamics;
mod force_path;
mod free;
mod inertia;
mod inertial;
mod integrators;
mod kicks;
mod lanes;
mod measure;
mod member;
mod minimiser;
pub mod monte_carlo;
mod noise;
mod pair_simd;
mod pair_table;
mod pair_thermal;
mod places;
mod pulling;
mod reaches;
pub mod reference;
mod replica_simd;
mod space;
mod stepper;
mod team;
mod team_size;
mod view;
mod whole_sum;

pub use beadwork_arithmetic::Instructions;
pub use coordinates::Coordinates;
pub use member::Member;
pub use minimiser::StepControl;
pub use replica_simd::Group;
pub use space::PeriodicBox;
pub use stepper::{CpuPath, Stepper};
pub use view::{DescentView, MemberView, MotionView, NoiseSource, Progress};
