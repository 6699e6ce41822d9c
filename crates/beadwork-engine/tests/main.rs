//! Runs: continuation, failures, ladders, recorders.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "clippy.toml excuses tests, but not the functions that they call"
)]

mod checkpoint_layout;
mod common;
mod continuation;
mod failure;
mod forged;
mod ladders;
mod recorders;
