//! `beadwork bench polymer`: P3's replica exchange of elastic polymers, its Figs. 6 to 9: moves a second, beside a
//! program that computes the whole energy at each move and one that computes what a move changes.

mod cards;

use std::path::PathBuf;
use std::time::Instant;

use beadwork::cpu::Instructions;
use beadwork::cpu::monte_carlo::{Rung, Walker, WalkerGroup, WalkerState};
use beadwork::device::Choice;
use beadwork::model::System;
use beadwork::model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork::simulation::exchange::{Ladder, LadderState};
use clap::Args;
use serde::Serialize;

use super::checks::{Check, Estimate, Spread};
use super::machine::{Machine, processor_seconds};
use super::plain_chain::{Place, PlainChain};
use super::report::{rounded, table, words};
use super::{command, deliver, heading, largest, machine_with, named_cards};
use crate::program::Failure;
use crate::program::output::{grouped, remark, significant};

/// Temperatures of the ladder, from below the freezing of both of P3's chains to the collapse of the longer one.
const COLDEST: f64 = 0.3;
const WARMEST: f64 = 1.5;
/// Sweeps between exchanges (P3 §4.2).
const INTERVAL: u64 = 1_000;
/// Sweeps that fold the straight chain before anything is timed, with moves up to [`LARGE`].
const FOLDING: u64 = 20_000;
const LARGE: f64 = 0.1;
/// Sweeps that are compared with the plain path's.
const COMPARED: u64 = 20;
/// ⟨E⟩/N of 13 monomers at the highest temperature and its error: another program's, four runs with large moves.
const THIRTEEN: (f64, f64) = (-0.7450, 0.0006);
/// Sweeps of each walker for its own ⟨E⟩/N; the first part of them is left out.
const SAMPLED: u64 = 210_000;
const LEFT_OUT: u64 = 10_000;
const EVERY: u64 = 20;

#[derive(Debug, Args)]
pub struct Moves {
    /// Where moves are made: cpu, or cuda, or cuda with the number of a GPU such as cuda:1.
    #[arg(long, default_value_t = Choice::Cpu, value_name = "cpu|cuda[:i]")]
    device: Choice,
    /// Monomers of the chain, a row of each number of replicas for each.
    #[arg(long, value_delimiter = ',', default_values_t = [13, 55], value_parser = clap::value_parser!(u32).range(2..=10_000))]
    monomers: Vec<u32>,
    /// Replicas of the ladder.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 64], value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    replicas: Vec<u32>,
    /// Largest component of a displacement, in units of the length; by default P3's.
    #[arg(long, default_value_t = 0.01, value_parser = super::positive)]
    displacement: f64,
    /// Threads that move the replicas on the CPU.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Timed repeats; their median and extremes are printed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Seconds of a repeat, about, and of each reference beside it.
    #[arg(long, default_value_t = 0.5, value_parser = super::positive)]
    seconds: f64,
    /// Keep the result as STEM.json and STEM.md too.
    #[arg(long, value_name = "STEM")]
    save: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

/// One of the programs beside it, one chain in one thread.
#[derive(Debug, Serialize)]
struct Reference {
    /// `whole-energy` or `moved-monomer`.
    name: &'static str,
    /// Moves/s of the repeats.
    rate: Spread,
    /// How many times as many moves/s beadwork makes, repeat by repeat.
    ratio: Spread,
    /// The same by processor time, where there is one thread and the system tells.
    ratio_by_processor: Option<Spread>,
    /// Of its moves.
    acceptance: f64,
}

/// A chain in a number of replicas.
#[derive(Debug, Serialize)]
struct Row {
    monomers: u32,
    replicas: u32,
    threads: u16,
    instructions: &'static str,
    /// Sweeps of each replica in a repeat.
    sweeps: u64,
    /// Moves/s of all replicas together.
    rate: Spread,
    /// Of all moves.
    acceptance: f64,
    references: Vec<Reference>,
    checks: Vec<Check>,
}

#[derive(Debug, Serialize)]
struct Report {
    name: &'static str,
    machine: Machine,
    device: &'static str,
    command: String,
    displacement: f64,
    rows: Vec<Row>,
    holds: bool,
}

impl Moves {
    pub fn run(self) -> Result<u8, Failure> {
        let cards = named_cards(&self.device)?;
        if matches!(self.device, Choice::Cuda(_)) {
            return cards::run(&self, &cards);
        }
        let machine = machine_with(&cards);
        let mut rows = Vec::new();
        for &monomers in &self.monomers {
            for &replicas in &self.replicas {
                remark(&format!("{monomers} monomers, {replicas} replica(s) …"));
                rows.push(self.row(monomers, replicas)?);
            }
        }
        let holds = rows.iter().all(|row| row.checks.iter().all(|check| check.holds));
        let report = Report {
            name: "polymer",
            machine,
            device: "cpu",
            command: command(),
            displacement: self.displacement,
            rows,
            holds,
        };
        deliver(&report, &report.markdown(), self.save.as_deref(), self.json)?;
        Ok(if holds { 0 } else { 4 })
    }

    fn row(&self, monomers: u32, replicas: u32) -> Result<Row, Failure> {
        let mut work = Work::new(monomers, replicas, self.threads);
        work.fold();
        let mut checks = vec![work.first_sweeps(self.displacement)];

        let each = f64::from(monomers);
        let sweeps = calibrated(self.seconds, |sweeps| work.advance(sweeps, self.displacement));
        let mut programs = self.programs(&work);
        for program in &mut programs {
            program.sweeps = calibrated(self.seconds, |sweeps| program.advance(sweeps));
            program.forget();
        }
        work.accepted = 0;
        let mut rates = Vec::new();
        for _ in 0..self.repeats {
            let time = Time::of(|| work.advance(sweeps, self.displacement));
            let moves = sweeps as f64 * each * f64::from(replicas);
            rates.push(moves / time.wall);
            for program in &mut programs {
                let sweeps = program.sweeps;
                let other = Time::of(|| program.advance(sweeps));
                let moves_of_other = sweeps as f64 * each;
                program.rates.push(moves_of_other / other.wall);
                let by = |ours: f64, theirs: f64| (moves / ours) / (moves_of_other / theirs);
                program.ratios.push(by(time.wall, other.wall));
                if let (1, Some(ours), Some(theirs)) =
                    (self.threads, time.processor, other.processor)
                {
                    program.ratios_by_processor.push(by(ours, theirs));
                }
            }
        }
        let moves = f64::from(self.repeats) * sweeps as f64 * each;
        let acceptance = work.accepted as f64 / (moves * f64::from(replicas));
        checks.push(work.energies());
        checks.extend(programs.iter().map(|program| program.energies(&work)));
        if monomers == 13 {
            checks.extend(work.mean_energy());
        }
        Ok(Row {
            monomers,
            replicas,
            threads: self.threads,
            instructions: Instructions::best().name(),
            sweeps,
            rate: Spread::of(rates),
            acceptance,
            references: programs
                .into_iter()
                .map(|program| Reference {
                    name: program.name,
                    rate: Spread::of(program.rates),
                    ratio: Spread::of(program.ratios),
                    ratio_by_processor: (program.ratios_by_processor.len()
                        == usize::from(self.repeats))
                    .then(|| Spread::of(program.ratios_by_processor)),
                    acceptance: program.accepted as f64
                        / (f64::from(self.repeats) * program.sweeps as f64 * each),
                })
                .collect(),
            checks,
        })
    }

    /// Both begin where a replica in the middle of the ladder is.
    fn programs(&self, work: &Work) -> [Program; 2] {
        let replica = work.walkers.len() / 2;
        let positions = work.walkers[replica].positions();
        let place = Place {
            temperature: work.rungs(self.displacement)[replica].temperature as f32,
            displacement: self.displacement as f32,
        };
        [
            ("whole-energy", PlainChain::sweep_by_whole_energy as Sweep),
            ("moved-monomer", PlainChain::sweep_by_change),
        ]
        .map(|(name, sweep)| Program {
            name,
            sweep,
            place,
            chain: PlainChain::new(&work.polymer, &positions, super::SEED),
            sweeps: 0,
            accepted: 0,
            rates: Vec::new(),
            ratios: Vec::new(),
            ratios_by_processor: Vec::new(),
        })
    }
}

/// Wall and processor time of something, s.
struct Time {
    wall: f64,
    processor: Option<f64>,
}

impl Time {
    fn of(work: impl FnOnce()) -> Time {
        let before = processor_seconds();
        let began = Instant::now();
        work();
        let wall = began.elapsed().as_secs_f64();
        // Nothing measured is no time: the system counts in hundredths of a second.
        let processor = before.zip(processor_seconds()).map(|(before, after)| after - before);
        Time { wall, processor: processor.filter(|seconds| *seconds > 0.0) }
    }
}

/// Sweeps that take about so many seconds, at least one.
fn calibrated(seconds: f64, mut advance: impl FnMut(u64)) -> u64 {
    let mut sweeps = 1;
    loop {
        let time = Time::of(|| advance(sweeps)).wall;
        if time > 0.1 * seconds {
            return ((sweeps as f64 * seconds / time) as u64).max(1);
        }
        sweeps *= 4;
    }
}

type Sweep = fn(&mut PlainChain, Place) -> u64;

/// One of the programs beside beadwork on its way.
struct Program {
    name: &'static str,
    sweep: Sweep,
    place: Place,
    chain: PlainChain,
    sweeps: u64,
    accepted: u64,
    rates: Vec<f64>,
    ratios: Vec<f64>,
    ratios_by_processor: Vec<f64>,
}

impl Program {
    fn advance(&mut self, sweeps: u64) {
        for _ in 0..sweeps {
            self.accepted += (self.sweep)(&mut self.chain, self.place);
        }
    }

    fn forget(&mut self) {
        self.accepted = 0;
    }

    /// The energy that it keeps against the system's.
    fn energies(&self, work: &Work) -> Check {
        let kept = f64::from(self.chain.energy());
        let expected = work.system.energies(&self.chain.positions()).total();
        let quantity = format!("energy that {} keeps, epsilon", self.name);
        // Sums of changes drift: each of up to 10⁸ moves may add half a unit of the last place of either sign.
        Check::of_numbers(&quantity, kept, expected, 1.0 + expected.abs(), 2e-2)
    }
}

/// Those of a ladder, with the same ratio between neighbours.
fn temperatures(replicas: u32) -> Vec<f64> {
    let last = f64::from(replicas.max(2) - 1);
    let ratio = WARMEST / COLDEST;
    (0..replicas).map(|rung| COLDEST * ratio.powf(f64::from(rung) / last)).collect()
}

/// A ladder and those that move it.
struct Work {
    polymer: ElasticPolymer,
    system: System,
    walkers: Vec<Walker<f32>>,
    groups: Vec<WalkerGroup<f32>>,
    ladder: Ladder,
    temperatures: Vec<f64>,
    accepted: u64,
}

impl Work {
    fn new(monomers: u32, replicas: u32, threads: u16) -> Work {
        let polymer = ElasticPolymer::new(monomers as usize);
        let temperatures = temperatures(replicas);
        let start = WalkerState { sweep: 0, positions: polymer.straight() };
        let walker = |replica| Walker::new(&polymer, super::SEED, replica, &start);
        Work {
            polymer,
            system: polymer.build(),
            walkers: (0..u64::from(replicas)).map(walker).collect(),
            groups: (0..threads).map(|_| WalkerGroup::new(Instructions::best())).collect(),
            ladder: Ladder::new(super::SEED, 0, LadderState::new(&temperatures)),
            temperatures,
            accepted: 0,
        }
    }

    /// The rung of each walker.
    fn rungs(&self, displacement: f64) -> Vec<Rung> {
        let temperature = |rung: &u32| self.temperatures[*rung as usize];
        let rungs = &self.ladder.state().rungs;
        rungs.iter().map(|rung| Rung { temperature: temperature(rung), displacement }).collect()
    }

    /// Sweeps of all replicas, with an exchange after each [`INTERVAL`] and after the last.
    fn advance(&mut self, sweeps: u64, displacement: f64) {
        let mut left = sweeps;
        while left > 0 {
            let now = left.min(INTERVAL);
            self.sweep(now, displacement);
            let energy = |walker: &Walker<f32>| Some(walker.energy(&self.polymer));
            let energies: Vec<Option<f64>> = self.walkers.iter().map(energy).collect();
            let rungs = self.ladder.decide(&energies);
            self.ladder.settle(&rungs);
            left -= now;
        }
    }

    fn sweep(&mut self, sweeps: u64, displacement: f64) {
        let rungs = self.rungs(displacement);
        let Work { polymer, walkers, groups, accepted, .. } = self;
        let width = groups[0].width();
        let each = walkers.len().div_ceil(width).div_ceil(groups.len()) * width;
        let polymer = &*polymer;
        let advance = |group: &mut WalkerGroup<f32>,
                       walkers: &mut [Walker<f32>],
                       rungs: &[Rung]| {
            let mut accepted = 0;
            for (walkers, rungs) in walkers.chunks_mut(width).zip(rungs.chunks(width)) {
                let mut walkers: Vec<&mut Walker<f32>> = walkers.iter_mut().collect();
                accepted += group.advance(&mut walkers, rungs, sweeps, polymer).iter().sum::<u64>();
            }
            accepted
        };
        let mut shares = groups.iter_mut().zip(walkers.chunks_mut(each).zip(rungs.chunks(each)));
        let own = shares.next();
        *accepted += std::thread::scope(|scope| {
            let others: Vec<_> = shares
                .map(|(group, (walkers, rungs))| {
                    scope.spawn(move || advance(group, walkers, rungs))
                })
                .collect();
            let own = own.map_or(0, |(group, (walkers, rungs))| advance(group, walkers, rungs));
            // A thread that panicked has said so, and its share is missing in the acceptance.
            own + others.into_iter().filter_map(|thread| thread.join().ok()).sum::<u64>()
        });
    }

    /// From the straight chain to configurations of its temperatures, roughly.
    fn fold(&mut self) {
        self.sweep(FOLDING, LARGE);
    }

    /// How many walkers of the first group are not where the plain path has them after some sweeps.
    fn first_sweeps(&mut self, displacement: f64) -> Check {
        let rungs = self.rungs(displacement);
        let count = self.walkers.len().min(self.groups[0].width());
        let mut plain = self.walkers[..count].to_vec();
        self.sweep(COMPARED, displacement);
        let mut others = 0;
        for ((plain, rung), found) in plain.iter_mut().zip(&rungs).zip(&self.walkers) {
            plain.advance(COMPARED, *rung, &self.polymer);
            others += u32::from(plain.state() != found.state());
        }
        let quantity = format!("chains off the plain path's after {COMPARED} sweeps");
        Check::of_numbers(&quantity, f64::from(others), 0.0, 1.0, 0.0)
    }

    /// The energies that exchanges are decided by against the system's in double precision.
    fn energies(&self) -> Check {
        let difference = |walker: &Walker<f32>| {
            let expected = self.system.energies(&walker.positions()).total();
            (walker.energy(&self.polymer) - expected) / (1.0 + expected.abs())
        };
        let worst = self.walkers.iter().map(difference).fold(0.0, largest);
        let quantity = "largest part by which an energy is not the system's";
        Check::of_numbers(quantity, worst, 0.0, 1.0, 1e-4)
    }

    /// ⟨E⟩/N at the highest temperature, by a group of walkers that exchange nothing.
    fn mean_energy(&self) -> Option<Check> {
        let group = &mut WalkerGroup::new(Instructions::best());
        let start = WalkerState { sweep: 0, positions: self.polymer.straight() };
        // Numbers of replicas beyond those of any ladder.
        let replicas = (1 << 32)..(1 << 32) + group.width() as u64;
        let walker = |replica| Walker::<f32>::new(&self.polymer, super::SEED, replica, &start);
        let mut walkers: Vec<Walker<f32>> = replicas.map(walker).collect();
        let rungs = vec![Rung { temperature: WARMEST, displacement: LARGE }; walkers.len()];
        let mut series = vec![Vec::new(); walkers.len()];
        let monomers = self.polymer.monomers as f64;
        for sweep in (0..SAMPLED).step_by(EVERY as usize) {
            let mut members: Vec<&mut Walker<f32>> = walkers.iter_mut().collect();
            group.advance(&mut members, &rungs, EVERY, &self.polymer);
            if sweep >= LEFT_OUT {
                for (series, walker) in series.iter_mut().zip(&walkers) {
                    series.push(walker.energy(&self.polymer) / monomers);
                }
            }
        }
        let (mean, error) = THIRTEEN;
        let expected = Estimate { mean, error, values: None };
        let quantity = "<E>/N at T = 1.5, epsilon";
        Estimate::of_series(&series).map(|found| Check::of_means(quantity, found, expected))
    }
}

impl Report {
    fn markdown(&self) -> String {
        let mut text = heading(self.name, self.device, &self.machine, &self.command);
        text.push_str(&format!(
            "Elastic chains, single precision, displacements up to {}, temperatures {COLDEST} to {WARMEST}, exchanges \
             every {INTERVAL} sweeps.\n\n## Moves/s\n\n",
            significant(self.displacement)
        ));
        let mut rows = vec![words([
            "monomers",
            "replicas",
            "threads",
            "instructions",
            "moves/s",
            "lowest to highest",
            "sweeps of a repeat",
            "accepted",
        ])];
        for row in &self.rows {
            let Spread { median, lowest, highest, .. } = &row.rate;
            rows.push(vec![
                row.monomers.to_string(),
                grouped(row.replicas.into()),
                row.threads.to_string(),
                row.instructions.to_string(),
                rounded(*median),
                format!("{} to {}", rounded(*lowest), rounded(*highest)),
                grouped(row.sweeps),
                significant(row.acceptance),
            ]);
        }
        text.push_str(&table(&rows));
        text.push_str("\n## Plain programs in the same run, one chain, one thread\n\n");
        let mut rows = vec![words([
            "program",
            "monomers",
            "replicas",
            "moves/s",
            "beadwork by it",
            "lowest to highest",
            "by processor time",
            "accepted",
        ])];
        for row in &self.rows {
            for reference in &row.references {
                let Spread { median, lowest, highest, .. } = &reference.ratio;
                let by_processor = reference.ratio_by_processor.as_ref();
                rows.push(vec![
                    reference.name.to_string(),
                    row.monomers.to_string(),
                    grouped(row.replicas.into()),
                    rounded(reference.rate.median),
                    significant(*median),
                    format!("{} to {}", significant(*lowest), significant(*highest)),
                    by_processor.map_or("-".to_string(), |ratio| significant(ratio.median)),
                    significant(reference.acceptance),
                ]);
            }
        }
        text.push_str(&table(&rows));
        text.push_str("\n## Checks\n\n");
        let of_rows = self.rows.iter();
        let of_rows = of_rows.map(|row| (row.monomers, grouped(row.replicas.into()), &row.checks));
        text.push_str(&checks_table(of_rows));
        text.push_str(verdict(self.holds));
        text
    }
}

/// A line for each check of chains of so many monomers in so many replicas.
fn checks_table<'a>(all: impl Iterator<Item = (u32, String, &'a Vec<Check>)>) -> String {
    let mut rows =
        vec![words(["monomers", "replicas", "quantity", "found", "expected", "apart", ""])];
    for (monomers, replicas, checks) in all {
        for check in checks {
            let unit = if check.found_error.is_some() { " s.e." } else { "" };
            rows.push(vec![
                monomers.to_string(),
                replicas.clone(),
                check.quantity.clone(),
                significant(check.found),
                significant(check.expected),
                format!("{}{unit} of {}", significant(check.deviation), significant(check.allowed)),
                if check.holds { "holds" } else { "FAILS" }.to_string(),
            ]);
        }
    }
    table(&rows)
}

fn verdict(holds: bool) -> &'static str {
    match holds {
        true => "\nAll checks hold.\n",
        false => "\nA CHECK FAILS: the speeds above are not those of this physics.\n",
    }
}
