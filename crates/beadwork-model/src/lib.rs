//! The model: systems, units, potentials, force fields, drives, observables and protocols.
//!
//! Everything here is plain data and short formulas; none of it depends on how beads are stepped. Internal units:
//! length Å, energy kcal/mol, time ps. Temperatures are stored as energies, kB T.

pub mod advice;
mod bond_stiffness;
mod box_check;
mod contour;
pub mod drives;
mod energies;
mod error;
pub mod force_fields;
mod force_unit;
pub mod made_systems;
mod mechanics;
mod near_pairs;
pub mod observables;
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
pub use energies::Energies;
pub use error::{ERROR_CODES, Error};
pub use force_unit::ForceUnit;
pub use mechanics::{Mechanics, MechanicsState};
pub use near_pairs::{NearPairs, near_pairs};
pub use particles::{Boundary, MoleculeBeads, ParticleType, Particles, positions_of};
pub use protocol::{
    Dynamics, Exchange, Integrator, Placement, Precision, Protocol, Stage, StageKind, StopRule,
    Tuning,
};
pub use start_check::BrokenBond;
pub use system::{
    Angle, Angles, Counts, Interactions, Model, Pair, Pairs, Single, Singles, System,
};
pub use units::Units;
