//! The program: what it refuses, what it writes, and that no stop, thread or other member changes a bit.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "clippy.toml excuses tests, but not the functions that they call"
)]

mod bad_input;
mod beads;
mod bench;
mod chains;
mod common;
mod continued;
mod cuda;
mod cuda_ladders;
mod damaged;
mod damaged_tables;
mod devices;
mod drives;
mod early_signals;
mod export;
mod extension;
mod first_steps;
mod held;
mod hostile;
mod indentation;
mod indentation_checked;
mod kill;
mod ladders;
mod matrix;
mod oscillators;
mod outputs;
mod packed;
mod parts;
mod random;
mod release;
mod report;
mod residues;
mod schema;
mod several_gpus;
mod starts;
mod steering;
mod submit;
mod sweeps;
mod third_parties;
mod threads_refused;
mod tip_jumps;
mod unchanged_bits;
mod verify;
mod visible_text;
