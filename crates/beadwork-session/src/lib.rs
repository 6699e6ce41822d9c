//! Turns a request into a run, and continues runs.
//!
//! [`session`] makes the folder of a run and steps its members, [`device`] chooses the devices, [`extension`] makes a run
//! longer, [`part`] runs some members of an ensemble and opens folders to be read, [`tables`] gathers all rows in one file.

pub mod device;
mod error;
mod exchanges;
pub mod extension;
mod final_coordinates;
mod held_files;
mod lowest;
pub mod members_list;
#[cfg(feature = "parquet")]
mod parquet;
pub mod part;
mod record;
mod run_status;
mod segments;
pub mod session;
pub mod tables;
mod topology_names;
pub mod verification;

pub use error::{ERROR_CODES, Error};
