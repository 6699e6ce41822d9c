//! Tests of stepping: forces, exactness, and the physical laws that every path must obey.
//!
//! Laws are tested in units where the friction and k_B T are 1 unless a test says otherwise. Statistical bounds: 4
//! standard errors for a single comparison, a χ² probability of 10⁻⁴ for a table; seeds are fixed, so a test that
//! passes once always passes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests are tests too"
)]

mod accuracy_study;
mod box_fuzz;
mod boxed;
mod boxes;
mod diffusion;
mod distributions;
mod dpd;
mod everything;
mod exact_continuation;
mod externals;
mod failure;
mod forces;
mod inertia;
mod mechanics;
mod minimiser;
mod monte_carlo;
mod neighbours;
mod noise;
mod order;
mod oscillators;
mod paths;
mod polymers;
mod push_off;
mod random_boxes;
mod residues;
mod support;
