//! Code shared by the long comparisons: members on threads or a GPU, statistics of tables, stored results, figures.

pub mod agreement;
pub mod backend;
pub mod dpd;
pub mod extrapolation;
pub mod figures;
pub mod icosahedron;
pub mod jumps;
pub mod lennard_jones;
pub mod report;
pub mod sampling;
pub mod transport;

/// Why a program failed.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

// For a test in `tests/`, cargo builds every program of this package.
#[cfg(test)]
mod tests;
