//! Turns a request into a run, and continues runs.
//!
//! [`session`] makes the folder of a run and steps its members, [`device`] chooses the devices, [`extension`] makes a run
//! longer, [`steering`] steps a run in pieces, [`part`] runs some members of an ensemble and opens folders to be read, [`tables`] gathers all rows in one file.

mod begun_members;
mod comparison;
pub mod device;
mod error;
mod exchanges;
pub mod export;
pub mod extension;
mod extension_mark;
mod filling;
mod final_coordinates;
mod fingerprint;
mod held_files;
mod lost;
mod lowest;
pub mod members_list;
mod other_input;
mod outputs;
#[cfg(feature = "parquet")]
mod parquet;
pub mod part;
mod plan;
mod record;
mod refusals;
mod run_status;
mod segments;
pub mod session;
pub mod steering;
pub mod tables;
mod topologies;
mod topology_names;
pub mod verification;
mod viewer_positions;

pub use error::{BAD_INPUT, ERROR_CODES, Error, MACHINE};

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
