//! Runs that pull: unfolding forces and curves, in words, tables and plots.

mod clamps;
mod figures;
pub(crate) mod lifetimes;
pub(crate) mod loading_rates;
mod mean_line;
mod replicas;
mod setup;
mod shared_molecules;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use clamps::{clamp_table, describe_clamps};
pub use figures::figures;
// How a run pulls decides what can be reported.
pub use beadwork_model::externals::Pulling;
pub(crate) use mean_line::MeanLine;
pub(crate) use replicas::Points;
pub use replicas::{Analysed, PulledGroup};
pub(crate) use setup::{
    COLUMNS, DriveColumns, analysed_stage, began, criteria, drives, loading, pulling_stage, pushes,
    rows_of, stiffest_spring, time_in_stage, window_travel,
};
pub use summary::GroupSummary;
pub(crate) use summary::{describe, tables};
