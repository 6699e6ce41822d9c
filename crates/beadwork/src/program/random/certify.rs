//! `beadwork random certify`: runs test batteries on words in the orders in which simulations use them.

use std::path::{Path, PathBuf};

use beadwork::random::orders::Request;
use beadwork::random::{Generator, Order, OrderedWords};
use clap::Args;
use rayon::prelude::*;

use super::super::output::{remark, say};
use super::super::threads::{threads_or_cores, use_threads};
use super::battery::{Battery, Test};
use super::results::{self, Run, Verdict, judge};
use super::{Choices, generator_of, order_of, refused};
use crate::program::failure::Failure;

/// Run batteries of statistical tests on generators, and record the results.
///
/// Each test is a process of its own and has a file in FOLDER; tests whose file exists are not run again, so a stopped
/// command continues where it was. A test with a p-value nearer than 1e-4 to 0 or 1 is repeated with the next seed (in
/// the order of the seeds 2^31 seeds on, where the words are others); one nearer than 1e-10 has failed. Dieharder prints
/// eight decimals, so 0 says less than 5e-9 there: such a test has failed if its repetition ends so too. summary.md
/// gathers all.
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
    /// Only these tests of the battery, by number. Of Dieharder's 200 to 203, which take the size of tuples, 203 is all
    /// sizes and 203-5 one of them.
    #[arg(long, value_delimiter = ',')]
    test: Vec<Test>,
    /// The program that runs them.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Tests at a time; by default as many as there are cores.
    #[arg(long)]
    threads: Option<usize>,
}

/// Seeds from a run of a test to its repetition.
///
/// In the order of the seeds, the next one begins the same words three words later. 2^31 seeds on they are others, for
/// the 6·10⁹ words of the first run at least; the published seeding takes seeds modulo 2^32.
fn seeds_to_repetition(order: Order) -> u64 {
    if order == Order::Seeds { 1 << 31 } else { 1 }
}

/// A test of one stream of words.
#[derive(Clone, Copy)]
struct Job {
    request: Request,
    test: Test,
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
        let tests = self.tests()?;
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

    fn tests(&self) -> Result<Vec<Test>, Failure> {
        let mut tests = self.battery.tests();
        let is_missing = |asked: &&Test| !tests.iter().any(|test| asked.includes(*test));
        if let Some(asked) = self.test.iter().find(is_missing) {
            let (battery, instead) = (self.battery.name(), self.battery.instead_of(*asked));
            let problem = format!("--test {asked}: {battery} has no such test{instead}");
            return Err(Failure::input(problem));
        }
        if !self.test.is_empty() {
            tests.retain(|test| self.test.iter().any(|asked| asked.includes(*test)));
        }
        Ok(tests)
    }

    /// Runs a test unless its result exists, and once more with another seed if it is suspicious.
    fn settle(&self, job: Job) -> Result<(), Failure> {
        let program = self.program.as_deref().unwrap_or(Path::new(self.battery.program()));
        let Job { mut request, test } = job;
        let mut runs = Vec::new();
        for _ in 0..2 {
            let path = results::file(&self.folder, &request, self.battery, test);
            let (statistics, is_new) = match results::read(&path)? {
                Some(statistics) => (statistics, false),
                None => {
                    let words = OrderedWords::new(request).map_err(refused)?;
                    let statistics = self.battery.run(program, test, words)?;
                    results::write(&path, &statistics)?;
                    (statistics, true)
                }
            };
            runs.push(Run { seed: request.seed, statistics });
            let verdict = judge(self.battery, &runs);
            if is_new {
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
            request.seed = request.seed.wrapping_add(seeds_to_repetition(request.order));
        }
        Ok(())
    }
}
