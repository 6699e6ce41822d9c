//! The timed kernels compile, for the oldest and the main generation of cards.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests are tests too"
)]

#[path = "../../crates/beadwork-cuda/tests/compile/registers.rs"]
mod registers;

use beadwork_benchmarks::kernels::programs;
use beadwork_cuda::OLDEST_CARD;

#[test]
fn timed_programs_need_no_more_registers_than_allowed() {
    let programs = programs();
    let mut jobs: Vec<_> = programs.iter().map(|program| (program, registers::MAIN)).collect();
    jobs.push((&programs[0], OLDEST_CARD));
    registers::check(&jobs);
}
