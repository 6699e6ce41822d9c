//! Files of structures and beads, read as their writers mean them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "clippy.toml excuses tests, but not the functions that they call"
)]

mod assemblies;
mod awkward;
mod axes;
mod configurations;
mod fasta;
mod residue_columns;
mod selection;
mod shared_data;
mod terminators;
