//! Systems that are made without a file, for tests and measurements: what steps them can be compared on any machine.

mod chain_of_alpha_carbons;
mod dynamics;
mod globule;
mod helix;

pub use chain_of_alpha_carbons::{sop_system, trace};
pub use dynamics::{one_stage, sop_gpu_dynamics};
pub use globule::globule;
pub use helix::helix;
