//! `beadwork random certify`: runs test batteries on words in the orders in which simulations use them.

use std::path::{Path, PathBuf};

use beadwork::random::orders::Request;
use beadwork::random::{Generator, Order, OrderedWords};
use clap::Args;
use rayon::prelude::*;

use super::super::output::{remark, say};
use super::super::threads::{threads_or_cores, use_threads};
use super::battery::Battery;
use super::results::{self, Verdict, judge};
use super::{Choices, generator_of, order_of, refused};
use crate::program::failure::Failure;

/// Run batteries of statistical tests on generators, and record the results.
///
/// Each test is a process of its own and has a file in FOLDER; tests whose file exists are not run again, so a stopped
/// command continues where it was. A test with a p-value beyond 1e-4 of 0 or 1 is repeated with the next seed; one
/// beyond 1e-10 has failed. summary.md gathers all.
///
/// TestU01's batteries need the program testu01_battery (validation/random/testu01_battery.c says
/// how it is compiled), Dieharder's the program of that name.
#[derive(Debug, Args)]
pub struct Certify {
    /// The folder of the results.
    folder: PathBuf,
    /// A generator, by its name in an input; may be given several times. By default all.
    #[arg(long, value_parser = generator_of)]
    generator: Vec<Generator>,
    /// The order of the words: system, particle, neighbors or seeds, as in `random stream`; may be repeated. By default
    /// all.
    #[arg(long, value_parser = order_of)]
    order: Vec<Order>,
    #[command(flatten)]
    choices: Choices,
    /// The tests.
    #[arg(long, value_enum, default_value = "small-crush")]
    battery: Battery,
    /// Only these tests of the battery, by number.
    #[arg(long, value_delimiter = ',')]
    test: Vec<u32>,
    /// The program that runs them.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Tests at a time; by default as many as there are cores.
    #[arg(long)]
    threads: Option<usize>,
}

/// A test of one stream of words.
#[derive(Clone, Copy)]
struct Job {
    request: Request,
    test: u32,
}

impl Certify {
    pub fn run(self) -> Result<u8, Failure> {
        let jobs = self.jobs()?;
        use_threads(self.threads.map_or_else(|| threads_or_cores(None), |threads| threads.max(1)))?;
        let outcome = jobs.into_par_iter().with_max_len(1).try_for_each(|job| self.settle(job));
        // The results so far are summarised even after an error.
        let summary = results::summary(&self.folder);
        outcome?;
        say(&summary?)?;
        Ok(0)
    }

    fn jobs(&self) -> Result<Vec<Job>, Failure> {
        let all = self.battery.tests();
        if let Some(test) = self.test.iter().find(|test| !all.contains(test)) {
            let battery = self.battery.name();
            return Err(Failure::input(format!("--test {test}: {battery} has no such test")));
        }
        let tests = if self.test.is_empty() { all } else { self.test.clone() };
        let generators =
            if self.generator.is_empty() { &Generator::ALL[..] } else { &self.generator };
        let orders = if self.order.is_empty() { &Order::ALL[..] } else { &self.order };
        let mut jobs = Vec::new();
        for &generator in generators {
            for &order in orders {
                let request = self.choices.request(generator, order);
                OrderedWords::new(request).map_err(refused)?;
                jobs.extend(tests.iter().map(|&test| Job { request, test }));
            }
        }
        Ok(jobs)
    }

    /// Runs a test unless its result exists, and once more with the next seed if it is suspicious.
    fn settle(&self, job: Job) -> Result<(), Failure> {
        let program = self.program.as_deref().unwrap_or(Path::new(self.battery.program()));
        let Job { mut request, test } = job;
        for _ in 0..2 {
            let path = results::file(&self.folder, &request, self.battery, test);
            let (statistics, run) = match results::read(&path)? {
                Some(statistics) => (statistics, false),
                None => {
                    let words = OrderedWords::new(request).map_err(refused)?;
                    let statistics = self.battery.run(program, test, words)?;
                    results::write(&path, &statistics)?;
                    (statistics, true)
                }
            };
            let verdict = judge(&statistics);
            if run {
                remark(&format!(
                    "{} {} {} {test}, seed {}: {}",
                    request.generator.name(),
                    request.order.name(),
                    self.battery.name(),
                    request.seed,
                    verdict.name()
                ));
            }
            if verdict != Verdict::Suspicious {
                break;
            }
            request.seed = request.seed.wrapping_add(1);
        }
        Ok(())
    }
}
