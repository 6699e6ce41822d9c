//! Tests of the crate's public functions.

mod exchange;
mod schedule;
