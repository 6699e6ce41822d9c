//! What a run folder says: unfolding forces, averages, replica exchange, oscillators; in words, as
//! tables and as plots.
//!
//! Tables are read, analysed and drawn on all threads of the current `rayon` pool; what comes out does
//! not depend on how many there are.

pub mod answer;
mod averages;
mod notes;
mod oscillations;
pub mod pulling;
mod replica_exchange;
mod rows;
mod words;
