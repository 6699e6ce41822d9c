//! The words of every generator in every scheme, by the kernels of a GPU and by the host: 10⁹ of each, and the states after
//! them.
//!
//! `words --device cuda [--keep FOLDER] [words of each] [generator …]`

use std::error::Error;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use beadwork_cuda::{Device, Origin, Words};
use beadwork_random::{Generator, Owner, Scheme, Streams};
use beadwork_validation::place::{Options, Place};
use beadwork_validation::report::{Report, Table};

const OWNER: Owner = Owner { seed: 20101, replica: 0 };
const BEADS: u32 = 10_007;
/// Words of a bead at a step.
const EACH: usize = 4;
/// Steps whose words are compared together.
const STEPS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let Options { place, keep, words } = Options::read(std::env::args().skip(1))?;
    let Place::Cuda(device) = &place else {
        return Err("the words of a GPU are compared with the host's: write --device cuda".into());
    };
    let (mut goal, mut generators) = (1_000_000_000_u64, Vec::new());
    for word in &words {
        match Generator::ALL.into_iter().find(|generator| generator.name() == word) {
            Some(generator) => generators.push(generator),
            None => {
                goal = word.parse().map_err(|_| format!("{word} is no generator and no number"))?
            }
        }
    }
    if generators.is_empty() {
        generators = Generator::ALL.to_vec();
    }
    let combinations: Vec<(Generator, Scheme)> = generators
        .into_iter()
        .flat_map(|generator| generator.schemes().iter().map(move |scheme| (generator, *scheme)))
        .collect();
    let began = Instant::now();
    let steps = goal.div_ceil(u64::from(BEADS) * EACH as u64);
    let statements = all(device, &combinations, steps)?;
    let table = Table {
        title: "Words of the GPU and of the host".into(),
        conditions: format!(
            "{BEADS} beads with {EACH} words a step, {steps} steps from 0, seed {}, replica {}.",
            OWNER.seed, OWNER.replica
        ),
        runs: 1,
        comparisons: vec![],
        joint_probability: 1.0,
        statements,
    };
    let question = "Do kernels draw the words of the host, integer for integer?";
    Report::new(&place, "words", question, began.elapsed().as_secs_f64(), vec![table])
        .finish(keep.as_deref(), !words.is_empty())
}

/// A statement for each generator and scheme, on as many threads as there are.
fn all(
    device: &Device,
    combinations: &[(Generator, Scheme)],
    steps: u64,
) -> Result<Vec<(String, bool)>, String> {
    let (next, drawn, done) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let results = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(combinations.len());
    let in_all = steps * combinations.len() as u64;
    thread::scope(|scope| {
        scope.spawn(|| tell(&drawn, in_all, &done));
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&(generator, scheme)) = combinations.get(number) else { return };
                        let result = compare(device, generator, scheme, steps, &drawn);
                        let mut results =
                            results.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                        results.push((number, result));
                    }
                })
            })
            .collect();
        for worker in workers {
            let _ = worker.join();
        }
        done.store(true, Ordering::Relaxed);
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(number, _)| *number);
    if results.len() < combinations.len() {
        return Err("a thread ended before its words were compared".into());
    }
    results.into_iter().map(|(_, result)| result).collect()
}

/// Says how far it is, now and then.
#[allow(clippy::print_stderr, reason = "what people watch the program for")]
fn tell(drawn: &AtomicU64, in_all: u64, done: &AtomicBool) {
    let began = Instant::now();
    let mut told = 0;
    while !done.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
        let seconds = began.elapsed().as_secs();
        if seconds < told + 5 {
            continue;
        }
        told = seconds;
        let drawn = drawn.load(Ordering::Relaxed);
        let part = drawn as f64 / in_all as f64;
        let left = began.elapsed().as_secs_f64() * (1.0 / part.max(1e-9) - 1.0);
        eprintln!("{:.1} % of all words are compared, about {left:.0} s to go", 100.0 * part);
    }
}

/// What was found, as a sentence, and whether both sides are the same.
fn compare(
    device: &Device,
    generator: Generator,
    scheme: Scheme,
    steps: u64,
    drawn: &AtomicU64,
) -> Result<(String, bool), String> {
    let began = Instant::now();
    let words = |error: beadwork_cuda::Error| error.to_string();
    let name = format!("{}, {}", generator.name(), scheme.name());
    let mut host =
        Streams::new(generator, scheme, OWNER, BEADS, EACH).map_err(|error| error.to_string())?;
    let stream = device.stream().map_err(words)?;
    let mut card = Words::new(device, &stream, host.clone(), Origin::Card, STEPS).map_err(words)?;
    let each = host.words_a_step();
    let mut expected = vec![0; each * STEPS];
    let mut step = 0;
    while step < steps {
        let now = (steps - step).min(STEPS as u64) as usize;
        card.draw(&stream, step, now).map_err(words)?;
        for (number, words) in (step..).zip(expected.chunks_exact_mut(each).take(now)) {
            host.draw(number, |_| true, words);
        }
        let found = card.download(&stream, now).map_err(words)?;
        if let Some(place) = found.iter().zip(&expected).position(|(found, host)| found != host) {
            let (bead, word) = (place % each / EACH, place % EACH);
            let sentence = format!(
                "{name}: step {}, bead {bead}, word {word} is {:08x} on the GPU and {:08x} on the host.",
                step + (place / each) as u64,
                found[place],
                expected[place]
            );
            return Ok((sentence, false));
        }
        step += now as u64;
        drawn.fetch_add(now as u64, Ordering::Relaxed);
    }
    let states = card.states(&stream).map_err(words)?;
    let kept = if host.states().is_some() { " and the states after them" } else { "" };
    let sentence = format!(
        "{name}: {:.3e} words{kept} are the same, {:.1} s.",
        (steps * each as u64) as f64,
        began.elapsed().as_secs_f64()
    );
    Ok((sentence, states.as_ref() == host.states()))
}
