//! Every supported program compiles, for every generation of cards, into no more registers and
//! local memory than it says: a change that spills is seen without a GPU.
//!
//! All programs are compiled for compute capability 9.0, and for each other generation one of
//! them, another one each.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

use std::env;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use beadwork_cuda::{Compiler, Program, cover, random_programs, walker_programs};

const MAIN: (u32, u32) = (9, 0);
const OTHERS: [(u32, u32); 6] = [(7, 5), (8, 0), (8, 6), (8, 9), (10, 0), (12, 0)];

/// What a function takes on the card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Usage {
    function: String,
    registers: u32,
    /// Bytes of a thread, spilled ones among them.
    local_bytes: usize,
    /// Bytes that are written and read because registers ran out.
    spilled: [usize; 2],
    /// Bytes of a block.
    static_shared_bytes: usize,
}

/// The number that stands before a word.
fn before(line: &str, word: &str) -> Option<usize> {
    line.split_once(word)?.0.split_whitespace().last()?.parse().ok()
}

/// Reads what ptxas says with `-v`. Lines of other functions, inlined or called, are left out.
fn usages(log: &str) -> Vec<Usage> {
    let mut usages: Vec<Usage> = Vec::new();
    let mut properties_of = "";
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let function = rest.split('\'').next().unwrap().to_owned();
            usages.push(Usage { function, ..Usage::default() });
        }
        if let Some((_, function)) = line.split_once("Function properties for ") {
            properties_of = function.trim();
        }
        let Some(usage) = usages.last_mut() else { continue };
        if let Some(bytes) = before(line, " bytes stack frame")
            && properties_of == usage.function
        {
            usage.local_bytes = bytes;
            usage.spilled = [" bytes spill stores", " bytes spill loads"]
                .map(|word| before(line, word).unwrap());
        }
        if line.contains(" : Used ") {
            usage.registers = before(line, " registers").unwrap() as u32;
            usage.static_shared_bytes = before(line, " bytes smem").unwrap_or(0);
            // Where it calls others, their frames come on top of its own.
            let all = before(line, " bytes cumulative stack size").unwrap_or(0);
            usage.local_bytes = usage.local_bytes.max(all);
        }
    }
    usages
}

/// The rows of a program's table, and what is wrong with it.
fn examine(
    compiler: &Compiler,
    program: &Program,
    architecture: (u32, u32),
) -> (Vec<String>, Vec<String>) {
    let (major, minor) = architecture;
    let begin = Instant::now();
    let cubin = match compiler.compile(&program.name, &program.source, architecture) {
        Ok(cubin) => cubin,
        Err(error) => return (Vec::new(), vec![error.to_string()]),
    };
    let seconds = begin.elapsed().as_secs_f64();
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    let usages = usages(&cubin.log);
    for function in &program.functions {
        let Some(usage) = usages.iter().find(|usage| usage.function == *function) else {
            wrong.push(format!("{}: no function {function} in:\n{}", program.name, cubin.log));
            continue;
        };
        rows.push(format!(
            "{major}.{minor:<3} {:>5} of {:<3} {:>6} of {:<5} {:>6} {:>6} {:>7} {:>7.2}  {} {function}",
            usage.registers,
            program.registers,
            usage.local_bytes,
            program.local_bytes,
            usage.spilled[0],
            usage.spilled[1],
            usage.static_shared_bytes,
            seconds,
            program.name,
        ));
        if usage.local_bytes > program.local_bytes || usage.registers > program.registers {
            wrong.push(format!("too much for {major}.{minor}: {}", rows.last().unwrap()));
        }
    }
    (rows, wrong)
}

#[test]
fn programs_keep_to_their_registers() {
    let compiler = match Compiler::find() {
        Ok(compiler) => compiler,
        Err(error) if env::var_os("BEADWORK_NVRTC").is_none() => {
            println!("skipped: no NVRTC. {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let programs = cover();
    assert!(!programs.is_empty());
    let mut jobs: Vec<(&Program, (u32, u32))> =
        programs.iter().map(|program| (program, MAIN)).collect();
    // From places far apart, the next one there that the card runs.
    let apart = |number: usize, card: (u32, u32)| {
        let from = number * programs.len() / OTHERS.len();
        programs[from..].iter().find(|program| program.oldest <= card).unwrap()
    };
    let (random, walkers) = (random_programs(), walker_programs());
    jobs.extend(random.iter().chain(&walkers).map(|program| (program, MAIN)));
    jobs.extend(OTHERS.iter().enumerate().map(|(number, &other)| (apart(number, other), other)));

    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some((program, architecture)) = jobs.get(number) else { break };
                    let result = examine(&compiler, program, *architecture);
                    results.lock().unwrap().push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort();

    let (major, minor) = compiler.version();
    println!("NVRTC {major}.{minor}, {}", compiler.place().display());
    println!("card  registers   local bytes   spill stores, loads  shared seconds  program");
    let mut wrong = Vec::new();
    for (_, (rows, problems)) in results {
        rows.iter().for_each(|row| println!("{row}"));
        wrong.extend(problems);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_compilers_log_is_understood() {
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
