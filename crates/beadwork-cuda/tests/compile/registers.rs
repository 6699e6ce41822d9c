//! Compiles programs with NVRTC, which needs no GPU, and checks their limits of registers and local memory: a change
//! that causes spills fails.

use std::env;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use beadwork_cuda::{Compiler, Program};

/// The compute capability that all programs are compiled for.
pub const MAIN: (u32, u32) = (9, 0);

/// Resources that a function uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub function: String,
    pub registers: u32,
    /// Bytes of a thread, including spills.
    pub local_bytes: usize,
    /// Bytes that are written and read because there are too few registers.
    pub spilled: [usize; 2],
    /// Bytes of a block.
    pub static_shared_bytes: usize,
}

/// The number before a word.
fn before(line: &str, word: &str) -> Option<usize> {
    line.split_once(word)?.0.split_whitespace().last()?.parse().ok()
}

/// Parses the output of ptxas with `-v`, without the lines of other functions, inlined or called.
pub fn usages(log: &str) -> Vec<Usage> {
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
            // The frames of called functions come on top of its own.
            let all = before(line, " bytes cumulative stack size").unwrap_or(0);
            usage.local_bytes = usage.local_bytes.max(all);
        }
    }
    usages
}

/// The rows of a program's table, and the limits that it exceeds.
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

/// The compiler. Prints "skipped: no NVRTC" and returns `None` if there is none and none was named.
pub fn compiler_or_skip() -> Option<Compiler> {
    match Compiler::find() {
        Ok(compiler) => Some(compiler),
        Err(error) if env::var_os("BEADWORK_NVRTC").is_none() => {
            println!("skipped: no NVRTC. {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Compiles each program for its architecture, prints a table of its resources, and fails if they exceed the limits.
pub fn check(jobs: &[(&Program, (u32, u32))]) {
    let Some(compiler) = compiler_or_skip() else { return };
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
