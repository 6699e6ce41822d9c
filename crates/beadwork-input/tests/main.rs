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
mod beads_from_files;
mod beads_refused;
mod build;
mod common;
mod contacts;
mod drives;
mod exchange;
mod extension;
mod files;
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
mod settings_refused;
mod sop_gpu;
mod sop_gpu_refused;
mod sop_gpu_tips;
mod stages;
mod stages_refused;
mod start_velocities;
mod starts;
mod sweep_points;
mod sweeps;
mod type_keys;
