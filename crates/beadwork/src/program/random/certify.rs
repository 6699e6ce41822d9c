//! `beadwork random certify`: runs test batteries on words in the orders in which simulations use them, and on the words of
//! other generators.

use std::path::{Path, PathBuf};

use beadwork::random::orders::Request;
use beadwork::random::{Generator, Order, OrderedWords};
use clap::Args;
use rayon::prelude::*;

use super::super::output::{remark, say};
use super::super::threads::{threads_or_cores, use_threads};
use super::battery::{Battery, Test};
use super::outside::{Outside, Source};
use super::results::{self, Run, Verdict, judge};
use super::{Choices, generator_of, order_of, refused, stream};
use crate::program::failure::Failure;

/// Run batteries of statistical tests on generators, and record the results.
///
/// Each test is a process of its own and has a file in FOLDER; tests whose file exists are not run again, so a stopped
/// command continues where it was. A test with a p-value nearer than 1e-4 to 0 or 1 is repeated with the next seed (in
/// the order of the seeds 2^31 seeds on, where the words are others); one nearer than 1e-10 has failed. Dieharder prints
/// eight decimals, so 0 says less than 5e-9 there: such a test has failed if its repetition ends so too. summary.md
/// gathers all.
///
/// Any other generator is tested by --command, which starts a program anew for each test, or by - in place of FOLDER,
/// which takes the words of one test from standard input. Its words are 32 bits each, little-endian, without end. A
/// suspicious test is repeated with the words behind those that it was given.
///
/// TestU01's batteries need the program testu01_battery (validation/random/testu01_battery.c says
/// how it is compiled), Dieharder's the program of that name.
#[derive(Debug, Args)]
pub struct Certify {
    /// The folder of the results; or - to test the words on standard input.
    folder: PathBuf,
    /// With -: the folder of the results; without it they are printed alone.
    results: Option<PathBuf>,
    /// A generator, by its name in an input; may be given several times. By default all.
    #[arg(long, value_parser = generator_of)]
    generator: Vec<Generator>,
    /// The order of the words: system, particle, neighbors or seeds, as in `random stream`; may be repeated. By default
    /// all.
    #[arg(long, value_parser = order_of)]
    order: Vec<Order>,
    #[command(flatten)]
    choices: Choices,
    /// A command whose standard output is tested, in place of beadwork's generators, such as './mygen --seed 3'. The
    /// shell starts it anew for each test.
    #[arg(long)]
    command: Option<String>,
    /// With --command or -: the name of the generator in the results. By default the name of the program, or
    /// standard-input.
    #[arg(long)]
    name: Option<String>,
    /// The tests.
    #[arg(long, value_enum, default_value = "small-crush")]
    battery: Battery,
    /// Only these tests of the battery, by number. Of Dieharder's 200 to 203, which take the size of tuples, 203 is all
    /// sizes and 203-5 is one.
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
        beadwork::io::refuse_tilde(&self.folder)?;
        let outside = self.outside()?;
        let threads = self.threads.map_or_else(|| threads_or_cores(None), |threads| threads.max(1));
        let (folder, outcome) = match &outside {
            None => {
                let jobs = self.jobs()?;
                use_threads(threads)?;
                let jobs = jobs.into_par_iter().with_max_len(1);
                (&self.folder, jobs.try_for_each(|job| self.settle(job)))
            }
            Some(outside) if matches!(outside.source, Source::Input) => {
                return self.settle_input(outside);
            }
            Some(outside) => {
                let tests = self.tests()?;
                outside.claim(&self.folder)?;
                use_threads(threads)?;
                let tests = tests.into_par_iter().with_max_len(1);
                let folder = Some(self.folder.as_path());
                let settle = |test| self.settle_outside(outside, folder, test).map(drop);
                (&self.folder, tests.try_for_each(settle))
            }
        };
        // The results so far are summarised even after an error.
        let summary = results::summary(folder);
        outcome?;
        say(&summary?)?;
        Ok(0)
    }

    /// The generator of others that is to be tested, if it is one.
    fn outside(&self) -> Result<Option<Outside>, Failure> {
        let is_input = self.folder == Path::new("-");
        let wrong = |problem: &str| Err(Failure::input(problem.to_string()));
        let source = match (&self.command, is_input) {
            (Some(_), true) => {
                return wrong(
                    "words come from --command or from standard input (-): choose one of them",
                );
            }
            (Some(command), false) => Source::Command(command.clone()),
            (None, true) => Source::Input,
            (None, false) if self.name.is_some() => {
                return wrong(
                    "--name is for words of --command or of standard input (-): beadwork's generators have their names",
                );
            }
            (None, false) => {
                return match &self.results {
                    None => Ok(None),
                    Some(_) => wrong("there are two folders: give one, or - and one"),
                };
            }
        };
        if !is_input && self.results.is_some() {
            return wrong("there are two folders: give one");
        }
        let is_chosen = !self.generator.is_empty() || !self.order.is_empty();
        if is_chosen || self.choices.are_given() {
            return wrong(
                "--generator, --order, --scheme, --seed and --particles choose words of beadwork's generators, and here they come from elsewhere: take them away (a seed is an option of your own program)",
            );
        }
        Outside::new(source, self.name.as_deref()).map(Some)
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

    fn program(&self) -> &Path {
        self.program.as_deref().unwrap_or(Path::new(self.battery.program()))
    }

    /// Runs a test unless its result exists, and once more with another seed if it is suspicious.
    fn settle(&self, job: Job) -> Result<(), Failure> {
        let Job { mut request, test } = job;
        let mut runs = Vec::new();
        for _ in 0..2 {
            let path = results::file(&self.folder, &request, self.battery, test);
            let (statistics, is_new) = match results::read(&path)? {
                Some(statistics) => (statistics, false),
                None => {
                    let words = OrderedWords::new(request).map_err(refused)?;
                    let feed = move |input| stream::write(words, None, input);
                    let (statistics, feed) = self.battery.run(self.program(), test, feed)?;
                    let _ = feed.join();
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

    /// The one test that standard input serves.
    fn settle_input(&self, outside: &Outside) -> Result<u8, Failure> {
        let tests = self.tests()?;
        let [test] = tests.as_slice() else {
            let problem = format!(
                "standard input can be read once, and each of these {} tests needs the words from the beginning: choose one by --test, or let beadwork start your program for each test by --command",
                tests.len()
            );
            return Err(Failure::input(problem));
        };
        let folder = self.results.as_deref();
        if let Some(folder) = folder {
            let path = results::outside_file(folder, &outside.group(), self.battery, *test, 1);
            if path.exists() {
                let problem = format!(
                    "{} is there already, and nothing says whether it is of the same words: delete it, or give these ones another name by --name",
                    path.display()
                );
                return Err(Failure::input(problem));
            }
        }
        let runs = self.settle_outside(outside, folder, *test)?;
        match folder {
            Some(folder) => say(&results::summary(folder)?)?,
            None => say(&results::table_of(outside.group(), self.battery, *test, runs))?,
        }
        Ok(0)
    }

    /// Runs a test on words of others unless its result is in the folder, and if it is suspicious once more, with the words
    /// behind those that were given to it. Returns its runs.
    fn settle_outside(
        &self,
        outside: &Outside,
        folder: Option<&Path>,
        test: Test,
    ) -> Result<Vec<Run>, Failure> {
        let (battery, group) = (self.battery, outside.group());
        let file = |number: u64| {
            folder.map(|folder| results::outside_file(folder, &group, battery, test, number))
        };
        let mut runs = Vec::new();
        for (number, path) in (1..=2).filter_map(|number| Some((number, file(number)?))) {
            let Some(statistics) = results::read(&path)? else { break };
            runs.push(Run { seed: number, statistics });
        }
        if runs.len() == 2 || (!runs.is_empty() && judge(battery, &runs) != Verdict::Suspicious) {
            return Ok(runs);
        }
        // Words behind those of the first run are had by that run alone, so it is repeated too where it stands alone.
        runs.clear();
        let opened = outside.open()?;
        let progress = opened.progress();
        let mut words = opened.words;
        let _program = opened.program;
        for number in 1..=2 {
            let (statistics, feed) = battery
                .run(self.program(), test, move |input| words.feed(input))
                .map_err(|failure| outside.reason(&progress, failure))?;
            outside.refuse_nothing(&progress)?;
            if let Some(path) = file(number) {
                results::write(&path, &statistics)?;
            }
            runs.push(Run { seed: number, statistics });
            let verdict = judge(battery, &runs);
            let (name, of) = (battery.name(), group[0].as_str());
            remark(&format!("{of} {name} {test}, run {number}: {}", verdict.name()));
            if verdict != Verdict::Suspicious || number == 2 {
                break;
            }
            words = feed.join().map_err(|_| {
                Failure::machine("the thread that passes words on has ended".to_string())
            })?;
        }
        Ok(runs)
    }
}
