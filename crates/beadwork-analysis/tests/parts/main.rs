//! Statistics, curves and figures, from tables and from samples of known distributions.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

mod autocorrelation;
mod bell_evans;
mod deviates;
mod displacements;
mod drift;
mod jackknife;
mod noise;
mod oscillators;
mod overlap;
mod plot;
mod quoted_errors;
mod replicas;
mod reweighting;
mod round_trips;
mod statistics;
mod structure_factor;
mod table;
mod thermodynamics;
mod unfolding;
