//! Compares the words of every generator in every scheme between the kernels of a GPU and the host: 10⁹ words of each,
//! and the states after them.
//!
//! `words --device cuda [--keep FOLDER] [words of each] [generator …]`

use std::time::Instant;

use beadwork_benchmarks::generator_of;
use beadwork_cuda::{Device, Origin, Words};
use beadwork_random::{Generator, Owner, Scheme, Streams};
use beadwork_validation::Failure;
use beadwork_validation::backend::{Backend, Options};
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use indicatif::ProgressBar;
use rayon::prelude::*;

const OWNER: Owner = Owner { seed: 20101, replica: 0 };
const BEADS: u32 = 10_007;
const EACH: usize = 4;
/// Steps whose words are compared together.
const STEPS: usize = 100;

fn main() -> Result<(), Failure> {
    let Options { backend, keep, words } = Options::parse();
    let Backend::Cuda(device) = &backend else {
        return Err("the words of a GPU are compared with the host's: write --device cuda".into());
    };
    let (mut goal, mut generators) = (1_000_000_000_u64, Vec::new());
    for word in &words {
        match word.parse() {
            Ok(number) => goal = number,
            Err(_) => {
                let unknown = |names| format!("{word} is no number and no generator: {names}");
                generators.push(generator_of(word).map_err(unknown)?);
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
    let progress = ProgressBar::new(steps * combinations.len() as u64);
    let compared =
        |&(generator, scheme): &(_, _)| compare(device, generator, scheme, steps, &progress);
    let statements = combinations.par_iter().map(compared).collect::<Result<_, _>>()?;
    let conditions = format!(
        "{BEADS} beads with {EACH} words a step, {steps} steps from 0, seed {}, replica {}.",
        OWNER.seed, OWNER.replica
    );
    let table = Table::of_statements("Words of the GPU and of the host", conditions, statements);
    let question = "Do kernels draw the words of the host, integer for integer?";
    Report::new(&backend, "words", question, began, vec![table])
        .finish(keep.as_deref(), !words.is_empty())
}

/// The result as a sentence, and whether both sides are equal.
fn compare(
    device: &Device,
    generator: Generator,
    scheme: Scheme,
    steps: u64,
    progress: &ProgressBar,
) -> Result<(String, bool), Failure> {
    let began = Instant::now();
    let name = format!("{}, {}", generator.name(), scheme.name());
    let mut host = Streams::new(generator, scheme, OWNER, BEADS, EACH)?;
    let stream = device.stream()?;
    let mut card = Words::new(device, &stream, host.clone(), Origin::Card, STEPS)?;
    let each = host.words_a_step();
    let mut expected = vec![0; each * STEPS];
    let mut step = 0;
    while step < steps {
        let now = (steps - step).min(STEPS as u64) as usize;
        card.draw(&stream, step, now)?;
        for (number, words) in (step..).zip(expected.chunks_exact_mut(each).take(now)) {
            host.draw(number, |_| true, words);
        }
        let found = card.download(&stream, now)?;
        if let Some(index) = found.iter().zip(&expected).position(|(found, host)| found != host) {
            let (bead, word) = (index % each / EACH, index % EACH);
            let sentence = format!(
                "{name}: step {}, bead {bead}, word {word} is {:08x} on the GPU and {:08x} on the host.",
                step + (index / each) as u64,
                found[index],
                expected[index]
            );
            return Ok((sentence, false));
        }
        step += now as u64;
        progress.inc(now as u64);
    }
    let states = card.states(&stream)?;
    let kept = if host.states().is_some() { " and the states after them" } else { "" };
    let sentence = format!(
        "{name}: {:.3e} words{kept} are the same, {:.1} s.",
        (steps * each as u64) as f64,
        began.elapsed().as_secs_f64()
    );
    Ok((sentence, states.as_ref() == host.states()))
}
