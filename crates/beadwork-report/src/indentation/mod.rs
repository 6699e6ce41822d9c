//! Runs with a tip: curves of force and deformation, slopes, peaks, a modulus, hysteresis; in words, tables and plots.

mod curves;
mod figures;
mod findings;
mod pictures;
mod quantities;
mod replicas;
mod setup;
mod slopes;
mod summary;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use figures::figures;
pub(crate) use pictures::{have_room, pictures};
pub(crate) use replicas::IndentedGroup;
pub(crate) use setup::tip_stages;
pub(crate) use tables::tables;
