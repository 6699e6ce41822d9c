//! Members on a GPU, compared with the reference path of the CPU and with each other.
//!
//! Without a GPU each test prints "skipped: no CUDA device".
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

#[path = "../../../beadwork-cpu/tests/physics/boxed.rs"]
#[allow(dead_code)]
mod boxed;
#[path = "../../../beadwork-cpu/tests/physics/everything.rs"]
#[allow(dead_code)]
mod everything;
#[path = "../../../beadwork-cpu/tests/physics/random_boxes.rs"]
#[allow(dead_code)]
mod random_boxes;
#[path = "../../../beadwork-cpu/tests/physics/support.rs"]
#[allow(dead_code)]
mod support;

mod beads;
mod box_fuzz;
mod boxes;
mod candidates;
mod chain_samplers;
mod clusters;
mod failures;
mod filled;
mod force_limits;
mod forces;
mod minimisation;
mod observables;
mod plans;
mod same_bits;
mod sizes;
mod stepping;
mod tips;
mod velocities;
