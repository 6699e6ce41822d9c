//! The answer of a run folder in words, tables and plots: unfolding forces, indentation, averages, replica exchange,
//! oscillators.
//!
//! Tables are read, analysed and drawn on all threads of the current `rayon` pool; results do not depend on their number.

pub mod answer;
mod averages;
mod bead_models;
mod choices;
pub mod data;
pub mod drawing;
mod drawn_beads;
mod earlier;
mod first_checks;
mod frames;
mod in_boxes;
mod indentation;
mod lower_bounds;
mod many_points;
mod molecules;
mod notes;
mod oscillations;
pub mod page;
pub mod pulling;
mod replica_exchange;
mod rows;
mod thin_lines;
mod unmet_rules;
mod words;

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
