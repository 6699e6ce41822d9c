//! What the long comparisons share: work on two threads or a GPU, statistics of tables, kept results.

pub mod agreement;
pub mod date;
pub mod jumps;
pub mod parallel;
pub mod place;
pub mod report;
