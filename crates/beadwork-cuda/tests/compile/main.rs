//! Every supported program compiles, for every generation of cards.
//!
//! All programs are compiled for compute capability 9.0, and a different one for each other generation.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests are tests too"
)]

mod includes;
mod registers;

use beadwork_cuda::{Program, chain_programs, cover, observed_programs, random_programs};
use registers::{MAIN, Usage, usages};

const OTHERS: [(u32, u32); 6] = [(7, 5), (8, 0), (8, 6), (8, 9), (10, 0), (12, 0)];

#[test]
fn programs_stay_within_their_registers() {
    let (programs, random, samplers) = (cover(), random_programs(), chain_programs());
    assert!(!programs.is_empty());
    // Spreads the choice over the table: the next program from there on that the card supports.
    let apart = |number: usize, card: (u32, u32)| {
        let from = number * programs.len() / OTHERS.len();
        programs[from..].iter().find(|program| program.oldest <= card).unwrap()
    };
    let all = programs.iter().chain(&random).chain(&samplers);
    let mut jobs: Vec<(&Program, (u32, u32))> = all.map(|program| (program, MAIN)).collect();
    jobs.extend(OTHERS.iter().enumerate().map(|(number, &other)| (apart(number, other), other)));
    registers::check(&jobs);
}

#[test]
fn measuring_programs_stay_within_their_registers() {
    let programs = observed_programs();
    let mut jobs: Vec<(&Program, (u32, u32))> = programs.iter().map(|one| (one, MAIN)).collect();
    jobs.extend(OTHERS.iter().map(|&other| (&programs[0], other)));
    registers::check(&jobs);
}

#[test]
fn files_include_what_they_use() {
    let (programs, random) = (cover(), random_programs());
    let (samplers, observed) = (chain_programs(), observed_programs());
    // Those of one kind differ in little: the last of the sample, which have boxes or minimise, and a few of the others.
    let of_steps = programs.iter().rev().enumerate();
    let of_steps = of_steps.filter(|(number, _)| number % 5 == 0 || *number < 8);
    let of_steps = of_steps.map(|(_, program)| program);
    let all = of_steps.chain(&random).chain(&samplers[..1]).chain(&observed);
    includes::check(&all.collect::<Vec<_>>());
}

#[test]
fn the_compilers_log_is_parsed() {
    let log = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'plain' for 'sm_90'\n\
        ptxas info    : Function properties for plain\n\
        ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
        ptxas info    : Used 8 registers, used 0 barriers\n\
        ptxas info    : Compiling entry function 'spilling' for 'sm_75'\n\
        ptxas info    : Function properties for helper\n\
        ptxas         .     999 bytes stack frame, 999 bytes spill stores, 999 bytes spill loads\n\
        ptxas info    : Function properties for spilling\n    \
        320 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads\n\
        ptxas info    : Used 72 registers, used 1 barriers, 328 bytes cumulative stack size, \
        256 bytes smem, 360 bytes cmem[0]\n";
    let plain = Usage { function: "plain".into(), registers: 8, ..Usage::default() };
    let spilling = Usage {
        function: "spilling".into(),
        registers: 72,
        local_bytes: 328,
        spilled: [12, 24],
        static_shared_bytes: 256,
    };
    assert_eq!(usages(log), [plain, spilling]);
}
