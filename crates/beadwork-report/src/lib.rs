//! What a run folder says: unfolding forces, averages, replica exchange, oscillators; in words, as
//! tables and as plots.

pub mod answer;
mod averages;
mod notes;
mod oscillations;
mod replica_exchange;
mod rows;
