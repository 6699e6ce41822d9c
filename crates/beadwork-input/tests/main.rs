//! Inputs: what they mean, what is refused and with which words.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "clippy.toml excuses tests, but not the functions that they call"
)]

mod assemblies;
mod beads;
mod build;
mod common;
mod contacts;
mod drives;
mod exchange;
mod extension;
mod foreign_words;
mod lammps;
mod lammps_energies;
mod orientation;
mod pair_lists;
mod paths;
mod polymers;
mod refusals;
mod requests;
mod residues;
mod residues_recognised;
mod sop_gpu;
mod start_velocities;
mod starts;
mod sweeps;
mod type_keys;
