//! Each part of the model by its public functions.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod advice;
mod elastic_polymer;
mod energies;
mod externals;
mod made_systems;
mod mechanics;
mod near_pairs;
mod observables;
mod oscillators;
mod particles;
mod potentials;
mod protocol;
mod pulling;
mod residues;
mod sums;
mod units;
