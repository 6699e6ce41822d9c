//! How a run pulls, which decides what can be reported. For several runs, the greatest value counts.

pub use beadwork_model::externals::Pulling;
