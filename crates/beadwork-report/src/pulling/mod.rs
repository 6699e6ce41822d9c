//! Runs that pull: unfolding forces and curves, in words, tables and plots.

mod figures;
pub(crate) mod lifetimes;
mod mean_line;
mod replicas;
mod setup;
mod summary;
#[cfg(test)]
mod tests;

pub use figures::figures;
// How a run pulls decides what can be reported.
pub use beadwork_model::externals::Pulling;
pub(crate) use mean_line::MeanLine;
pub(crate) use replicas::Points;
pub use replicas::{Analysed, PulledGroup};
pub(crate) use setup::{
    COLUMNS, WINDOW_TRAVEL, analysed_stage, began, criteria, curve, pulling_of, pulling_stage,
    stiffest_spring, time_in_stage,
};
pub use summary::GroupSummary;
pub(crate) use summary::{describe, tables};
