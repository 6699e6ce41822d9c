//! What every backend shares, by its public functions.

mod exchange;
mod schedule;
