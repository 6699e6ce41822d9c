//! Code shared by the long comparisons: members on threads or a GPU, statistics of tables, stored results, figures.

pub mod agreement;
pub mod backend;
pub mod dpd;
pub mod figures;
pub mod icosahedron;
pub mod jumps;
pub mod report;

/// Why a program failed.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
