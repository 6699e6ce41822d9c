//! What is simulated: systems, units, potentials, force fields, drives, observables and protocols.
//!
//! Everything here is plain data and short formulas; nothing knows how it is stepped.
//! Internal units: length Å, energy kcal/mol, time ps. Temperature is held as energy, kB T.

pub mod advice;
pub mod drives;
mod error;
pub mod force_fields;
pub mod observables;
pub mod potentials;
mod protocol;
mod system;
pub mod units;

pub use beadwork_random::{Distribution, Generator, Randomness, Scheme};
pub use error::{ERROR_CODES, Error};
pub use protocol::{
    Dynamics, Exchange, Integrator, Placement, Precision, Protocol, Stage, StageKind, StopRule,
    Tuning,
};
pub use system::{Counts, Energies, Interactions, Model, Pair, Repulsion, System, Trap};
