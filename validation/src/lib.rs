//! What the long comparisons share: work on threads or a GPU, statistics of tables, kept results.

pub mod agreement;
pub mod date;
pub mod elasticity;
pub mod icosahedron;
pub mod jumps;
pub mod moments;
pub mod parallel;
pub mod paths;
pub mod place;
pub mod report;
