//! The model: systems, units, potentials, force fields, externals, observables and protocols.
//!
//! Everything here is plain data and short formulas; none of it depends on how beads are stepped. Internal units:
//! length Å, energy kcal/mol, time ps. Temperatures are stored as energies, kB T.

pub mod advice;
mod angle_stiffness;
mod bond_stiffness;
mod box_check;
mod contour;
mod dynamics;
mod energies;
mod error;
mod every_formula;
pub mod externals;
pub mod force_fields;
mod force_unit;
mod interactions;
mod joined_beads;
pub mod made_systems;
mod mechanics;
mod models;
mod molecule_ends;
mod near_pairs;
pub mod observables;
mod pair_estimate;
mod particles;
pub mod potentials;
mod protocol;
pub mod push_off;
mod start_check;
pub mod start_positions;
pub mod sums;
mod system;
pub mod units;

pub use beadwork_random::{Distribution, Generator, Randomness, Scheme};
pub use dynamics::{Dynamics, Integrator, Precision};
pub use energies::Energies;
pub use error::{ERROR_CODES, Error};
pub use force_unit::ForceUnit;
pub use interactions::Interactions;
pub use joined_beads::JoinedBeads;
pub use mechanics::{Mechanics, MechanicsState};
pub use models::Model;
pub use near_pairs::{NearPairs, near_pairs};
pub use particles::{Boundary, MoleculeBeads, ParticleType, Particles, positions_of};
pub use potentials::listed::{Angle, Angles, Pair, Pairs, Single, Singles};
pub use protocol::{Exchange, Placement, Protocol, Stage, StageKind, StopRule, Tuning};
pub use start_check::BrokenBond;
pub use system::{Counts, System};
pub use units::Units;

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
