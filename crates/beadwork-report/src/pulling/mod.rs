//! Runs that pull: unfolding forces and curves, in words, tables and plots.

mod figures;
mod kind;
pub(crate) mod lifetimes;
mod replicas;
mod setup;
mod summary;
#[cfg(test)]
mod tests;

pub use figures::figures;
pub use kind::Pulling;
pub use replicas::{Analysed, PulledGroup};
pub(crate) use setup::{
    COLUMNS, analysed_stage, criteria, curve, pulling_of, pulling_stage, stiffest_spring,
    time_in_stage,
};
pub use summary::GroupSummary;
pub(crate) use summary::{describe, tables};
