//! Begins runs, goes on with them, steps them and concludes them, as the program does.
//!
//! [`begin`] opens or makes the folder of a request, [`carry_out`] steps its members and keeps the log, [`conclude`] computes and
//! writes the answer. None of them prints.

mod begin;
mod carry_out;
mod log;
mod unit;

pub use begin::{Beginning, begin, open};
pub use carry_out::{carry_out, conclude, failures, run_of_page};
pub use log::Log;
pub use unit::Unit;
