//! The short sections: `[dynamics]`, `[random]`, `[output]`, `[analysis]`, `[run]`.

mod analysis;
mod dynamics;
mod output;
mod random;
mod run;

pub use analysis::Analysis;
pub use output::{Output, TrajectoryKind};
pub use run::{OnFailure, RunSettings};

pub(crate) use analysis::read_analysis;
pub(crate) use dynamics::{DynamicsRead, TypesWithFriction, read_dynamics, read_precision};
pub(crate) use output::{EndsChoice, OutputRead, read_output};
pub(crate) use random::{DEFAULT_SEED, RandomRead, read_random};
pub(crate) use run::read_run;
