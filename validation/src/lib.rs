//! What the long comparisons share: members on threads or a GPU, statistics of tables, kept results, figures.

pub mod agreement;
pub mod backend;
pub mod figures;
pub mod icosahedron;
pub mod jumps;
pub mod report;

/// Why a program has no result.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
