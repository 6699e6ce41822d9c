//! The same on a GPU, by P3's protocol: beadwork, P3's own two programs, and both programs of a core of the machine.

use std::time::Instant;

use beadwork::cpu::monte_carlo::{Rung, Walker, WalkerState};
use beadwork::cuda::{Course, Device, Population, Replicas, Rounding, Stop, WalkerWishes, Walkers};
use beadwork::model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork::simulation::AcceptanceCount;
use beadwork_benchmarks::kernels::{WholeEnergy, WholeEnergyScheme};
use serde::Serialize;

use super::{
    COMPARED, FOLDING, INTERVAL, LARGE, LEFT_OUT, Moves, SAMPLED, THIRTEEN, Time, WARMEST, Work,
    calibrated, temperatures,
};
use crate::program::Failure;
use crate::program::bench::checks::{Check, Estimate, Spread};
use crate::program::bench::machine::Machine;
use crate::program::bench::report::{rounded, table, words};
use crate::program::bench::{SEED, command, deliver, heading, largest, machine_with};
use crate::program::output::{grouped, remark, significant};

/// Sweeps of a repeat (P3 §4.2); P3's programs make fewer where these take longer than a repeat is to take.
const PROTOCOL: u64 = 4_000;
/// Chains that are compared with the plain path's, at most.
const PLAIN: usize = 64;
/// Chains and sweeps from one to the next behind ⟨E⟩/N.
const SAMPLERS: u64 = 64;
const EVERY: u64 = 100;

/// A program of one core, one chain.
#[derive(Debug, Serialize)]
struct Core {
    monomers: u32,
    /// `whole-energy` or `moved-monomer`.
    name: &'static str,
    /// Moves/s of the repeats.
    rate: Spread,
    /// Of its moves.
    acceptance: f64,
    checks: Vec<Check>,
}

/// One of P3's programs on the GPU.
#[derive(Debug, Serialize)]
struct Reference {
    /// `naive` or `improved`.
    name: &'static str,
    /// Sweeps of each replica in a repeat.
    sweeps: u64,
    /// Moves/s of the repeats, of all replicas together.
    rate: Spread,
    /// How many times as many moves/s beadwork makes, repeat by repeat.
    ratio: Spread,
    /// Of its moves.
    acceptance: f64,
}

/// A chain in a number of replicas.
#[derive(Debug, Serialize)]
struct Row {
    monomers: u32,
    replicas: u32,
    /// Lanes of a replica.
    lanes: u32,
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
    cores: Vec<Core>,
    rows: Vec<Row>,
    holds: bool,
}

/// Times the first of the cards.
pub(super) fn run(moves: &Moves, cards: &[Device]) -> Result<u8, Failure> {
    let Some(card) = cards.first() else {
        return Err(Failure::input("no GPU was named: write --device cuda".to_string()));
    };
    let machine = machine_with(&cards[..1]);
    let (mut cores, mut rows) = (Vec::new(), Vec::new());
    for &monomers in &moves.monomers {
        remark(&format!("{monomers} monomers, one core …"));
        cores.extend(of_one_core(moves, monomers));
        for &replicas in &moves.replicas {
            remark(&format!("{monomers} monomers, {replicas} replica(s) …"));
            rows.push(row(moves, card, monomers, replicas)?);
        }
    }
    let mut checks =
        cores.iter().flat_map(|core| &core.checks).chain(rows.iter().flat_map(|row| &row.checks));
    let holds = checks.all(|check| check.holds);
    let report = Report {
        name: "polymer",
        machine,
        device: "cuda",
        command: command(),
        displacement: moves.displacement,
        cores,
        rows,
        holds,
    };
    deliver(&report, &report.markdown(), moves.save.as_deref(), moves.json)?;
    Ok(if holds { 0 } else { 4 })
}

/// Both plain programs, from the middle of a small ladder that the processor folds.
fn of_one_core(moves: &Moves, monomers: u32) -> Vec<Core> {
    let mut work = Work::new(monomers, 16, 1);
    work.fold();
    let mut cores = Vec::new();
    for mut program in moves.programs(&work) {
        program.sweeps = calibrated(moves.seconds, |sweeps| program.advance(sweeps));
        program.forget();
        let sweeps = program.sweeps;
        let made = sweeps as f64 * f64::from(monomers);
        let rate = |_| made / Time::of(|| program.advance(sweeps)).wall;
        let rates: Vec<f64> = (0..moves.repeats).map(rate).collect();
        cores.push(Core {
            monomers,
            name: program.name,
            rate: Spread::of(rates),
            acceptance: program.accepted as f64 / (made * f64::from(moves.repeats)),
            checks: vec![program.energies(&work)],
        });
    }
    cores
}

fn row(moves: &Moves, card: &Device, monomers: u32, replicas: u32) -> Result<Row, Failure> {
    let polymer = ElasticPolymer::new(monomers as usize);
    let population = folded(card, polymer, replicas, moves.displacement)?;
    let mut checks = vec![first_sweeps(card, &population)?];

    let mut ours = Walkers::<f32>::new(card, population.clone(), Rounding::Fused, layout())?;
    let first = accepted(&ours.advance(Course { sweeps: COMPARED, ..Course::default() })?);
    let mut others = Vec::new();
    for scheme in WholeEnergyScheme::ALL {
        let Replicas { rungs, positions, .. } = &population.ladders[0];
        let mut sampler = WholeEnergy::new(card, scheme, polymer, SEED, rungs, positions)?;
        let found = sampler.advance(COMPARED as u32, u32::MAX)?;
        checks.push(as_many_accepted(
            scheme,
            found,
            first,
            COMPARED * u64::from(monomers) * u64::from(replicas),
        ));
        others.push(Other::calibrated(scheme, sampler, moves.seconds)?);
    }
    // Not timed: the first launch is longer.
    let course = Course { sweeps: PROTOCOL, exchange_every: Some(INTERVAL), ..Course::default() };
    ours.advance(course)?;
    let each = f64::from(monomers) * f64::from(replicas);
    let (mut rates, mut all) = (Vec::new(), 0);
    for _ in 0..moves.repeats {
        let began = Instant::now();
        let stops = ours.advance(course)?;
        let rate = PROTOCOL as f64 * each / began.elapsed().as_secs_f64();
        all += accepted(&stops);
        rates.push(rate);
        for other in &mut others {
            other.repeat(each, rate)?;
        }
    }
    checks.push(energies_of_ours(&mut ours, &polymer)?);
    for other in &others {
        let (energies, positions) = (other.sampler.energies()?, other.sampler.positions()?);
        checks.push(energies_against(other.scheme.name(), &polymer, &energies, &positions));
    }
    if monomers == 13 {
        checks.extend(mean_energy(card)?);
    }
    let repeats = f64::from(moves.repeats);
    Ok(Row {
        monomers,
        replicas,
        lanes: ours.lanes(),
        sweeps: PROTOCOL,
        rate: Spread::of(rates),
        acceptance: all as f64 / (repeats * PROTOCOL as f64 * each),
        references: others.into_iter().map(|other| other.reference(repeats * each)).collect(),
        checks,
    })
}

fn layout() -> WalkerWishes {
    WalkerWishes::default()
}

/// A ladder whose chains have folded from the straight one, and begin anew from there.
fn folded(
    card: &Device,
    polymer: ElasticPolymer,
    replicas: u32,
    displacement: f64,
) -> Result<Population, Failure> {
    let temperatures = temperatures(replicas);
    let count = temperatures.len();
    let rungs = |displacement: f64| -> Vec<Rung> {
        temperatures.iter().map(|&temperature| Rung { temperature, displacement }).collect()
    };
    let ladder = Replicas {
        first: 0,
        rungs: rungs(LARGE),
        places: (0..replicas).collect(),
        positions: vec![polymer.straight(); count],
        fits: vec![AcceptanceCount::default(); count],
    };
    let straight = Population { polymer, seed: SEED, sweep: 0, attempt: 0, ladders: vec![ladder] };
    let mut walkers = Walkers::<f32>::new(card, straight, Rounding::Fused, layout())?;
    walkers.advance(Course { sweeps: FOLDING, ..Course::default() })?;
    let mut population = walkers.population()?;
    population.sweep = 0;
    for ladder in &mut population.ladders {
        ladder.rungs = rungs(displacement);
        ladder.fits.fill(AcceptanceCount::default());
    }
    Ok(population)
}

fn accepted(stops: &[Stop]) -> u64 {
    stops.iter().flat_map(|stop| &stop.accepted).sum()
}

/// How many of the coldest chains are not where the plain path has them after some sweeps, with every operation rounded as
/// it is written.
fn first_sweeps(card: &Device, population: &Population) -> Result<Check, Failure> {
    let mut population = population.clone();
    let ladder = &mut population.ladders[0];
    let count = ladder.rungs.len().min(PLAIN);
    ladder.rungs.truncate(count);
    ladder.places.truncate(count);
    ladder.positions.truncate(count);
    ladder.fits.truncate(count);
    let Replicas { rungs, positions, .. } = ladder.clone();
    let polymer = population.polymer;
    let mut walkers = Walkers::<f32>::new(card, population, Rounding::AsWritten, layout())?;
    walkers.advance(Course { sweeps: COMPARED, ..Course::default() })?;
    let found = walkers.population()?.ladders.remove(0).positions;
    let plain = |(number, positions): (usize, Vec<[f64; 3]>)| {
        let state = WalkerState { sweep: 0, positions };
        let mut walker = Walker::<f32>::new(&polymer, SEED, number as u64, &state);
        walker.advance(COMPARED, rungs[number], &polymer);
        walker.positions()
    };
    let expected = positions.into_iter().enumerate().map(plain);
    let others = expected.zip(&found).filter(|(expected, found)| expected != *found).count();
    let quantity = format!("chains off the plain path's after {COMPARED} sweeps, as written");
    Ok(Check::of_numbers(&quantity, others as f64, 0.0, 1.0, 0.0))
}

/// P3's programs are offered the same moves, so that shares of accepted ones differ by less than those of other moves.
fn as_many_accepted(scheme: WholeEnergyScheme, found: u64, expected: u64, moves: u64) -> Check {
    let share = |accepted: u64| {
        // Laplace's rule, so that a few moves that are all accepted have an error too.
        let (accepted, moves) = (accepted as f64 + 1.0, moves as f64 + 2.0);
        let mean = accepted / moves;
        Estimate { mean, error: (mean * (1.0 - mean) / moves).sqrt(), values: None }
    };
    let quantity = format!("share accepted of the first {COMPARED} sweeps, {}", scheme.name());
    Check::of_means(&quantity, share(found), share(expected))
}

/// The energies that exchanges are decided by against the system's in double precision.
fn energies_of_ours(ours: &mut Walkers<f32>, polymer: &ElasticPolymer) -> Result<Check, Failure> {
    let course = Course { sweeps: 1, look_every: Some(1), ..Course::default() };
    let last = ours.advance(course)?.pop();
    let (energies, positions) =
        last.map(|stop| (stop.energies, stop.positions)).unwrap_or_default();
    let (energies, positions) = (energies.unwrap_or_default(), positions.unwrap_or_default());
    Ok(energies_against("beadwork", polymer, &energies, &positions))
}

fn energies_against(
    name: &str,
    polymer: &ElasticPolymer,
    energies: &[f64],
    positions: &[Vec<[f64; 3]>],
) -> Check {
    let system = polymer.build();
    let difference = |(energy, positions): (&f64, &Vec<[f64; 3]>)| {
        let expected = system.energies(positions).total();
        (energy - expected) / (1.0 + expected.abs())
    };
    // None at all is no agreement.
    let nothing = if energies.is_empty() { f64::NAN } else { 0.0 };
    let worst = energies.iter().zip(positions).map(difference).fold(nothing, largest);
    let quantity = format!("largest part by which an energy is not the system's, {name}");
    Check::of_numbers(&quantity, worst, 0.0, 1.0, 1e-4)
}

/// ⟨E⟩/N of 13 monomers at the highest temperature, by chains that exchange nothing.
fn mean_energy(card: &Device) -> Result<Option<Check>, Failure> {
    let polymer = ElasticPolymer::new(13);
    let one = |number: u64| Replicas {
        // Beyond those of any ladder.
        first: (1 << 32) + number,
        rungs: vec![Rung { temperature: WARMEST, displacement: LARGE }],
        places: vec![0],
        positions: vec![polymer.straight()],
        fits: vec![AcceptanceCount::default()],
    };
    let ladders = (0..SAMPLERS).map(one).collect();
    let population = Population { polymer, seed: SEED, sweep: 0, attempt: 0, ladders };
    let mut walkers = Walkers::<f32>::new(card, population, Rounding::Fused, layout())?;
    walkers.advance(Course { sweeps: LEFT_OUT, ..Course::default() })?;
    let course =
        Course { sweeps: SAMPLED - LEFT_OUT, look_every: Some(EVERY), ..Course::default() };
    let mut series = vec![Vec::new(); SAMPLERS as usize];
    for stop in walkers.advance(course)? {
        for (series, energy) in series.iter_mut().zip(stop.energies.unwrap_or_default()) {
            series.push(energy / 13.0);
        }
    }
    let (mean, error) = THIRTEEN;
    let expected = Estimate { mean, error, values: None };
    let quantity = "<E>/N at T = 1.5, epsilon";
    Ok(Estimate::of_series(&series).map(|found| Check::of_means(quantity, found, expected)))
}

/// One of P3's programs on its way.
struct Other {
    scheme: WholeEnergyScheme,
    sampler: WholeEnergy,
    sweeps: u64,
    accepted: u64,
    rates: Vec<f64>,
    ratios: Vec<f64>,
}

impl Other {
    /// With as many sweeps in a repeat as P3 has, or as take so many seconds.
    fn calibrated(
        scheme: WholeEnergyScheme,
        sampler: WholeEnergy,
        seconds: f64,
    ) -> Result<Other, Failure> {
        let mut other = Other {
            scheme,
            sampler,
            sweeps: 1,
            accepted: 0,
            rates: Vec::new(),
            ratios: Vec::new(),
        };
        loop {
            let began = Instant::now();
            other.advance()?;
            let time = began.elapsed().as_secs_f64();
            let wanted = other.sweeps as f64 * seconds / time;
            if time > 0.1 * seconds || other.sweeps == PROTOCOL {
                other.sweeps = (wanted as u64).clamp(1, PROTOCOL);
                return Ok(other);
            }
            other.sweeps = (4 * other.sweeps).min(PROTOCOL);
        }
    }

    /// The sweeps of a repeat, with exchanges as often as P3 has them, or after the last.
    fn advance(&mut self) -> Result<u64, Failure> {
        let sweeps = self.sweeps as u32;
        Ok(self.sampler.advance(sweeps, sweeps.min(INTERVAL as u32))?)
    }

    /// `each` is the number of moves of a sweep of all replicas, `ours` the moves/s beside it.
    fn repeat(&mut self, each: f64, ours: f64) -> Result<(), Failure> {
        let began = Instant::now();
        self.accepted += self.advance()?;
        let rate = self.sweeps as f64 * each / began.elapsed().as_secs_f64();
        self.rates.push(rate);
        self.ratios.push(ours / rate);
        Ok(())
    }

    /// `moves` are those of a sweep in each of the repeats.
    fn reference(self, moves: f64) -> Reference {
        Reference {
            name: self.scheme.name(),
            sweeps: self.sweeps,
            rate: Spread::of(self.rates),
            ratio: Spread::of(self.ratios),
            acceptance: self.accepted as f64 / (moves * self.sweeps as f64),
        }
    }
}

impl Report {
    fn core(&self, monomers: u32, name: &str) -> Option<f64> {
        let core = self.cores.iter().find(|core| core.monomers == monomers && core.name == name);
        core.map(|core| core.rate.median)
    }

    fn markdown(&self) -> String {
        let mut text = heading(self.name, self.device, &self.machine, &self.command);
        text.push_str(&format!(
            "Elastic chains, single precision, displacements up to {}, temperatures {} to {WARMEST}, exchanges every \
             {INTERVAL} sweeps, copies to and fro included. P3's programs compute the whole energy at each move: *naive* \
             by one thread a replica, *improved* by 64.\n\n## Moves/s\n\n",
            significant(self.displacement),
            super::COLDEST
        ));
        let mut rows = vec![words([
            "program",
            "monomers",
            "replicas",
            "lanes",
            "moves/s",
            "lowest to highest",
            "sweeps of a repeat",
            "over a core, whole energy",
            "over a core, moved monomer",
            "beadwork by it",
            "accepted",
        ])];
        for row in &self.rows {
            let over = |rate: f64, name: &str| {
                self.core(row.monomers, name).map_or("-".into(), |core| significant(rate / core))
            };
            let mut line = |name: &str,
                            lanes: String,
                            sweeps: u64,
                            rate: &Spread,
                            ratio: String,
                            share: f64| {
                rows.push(vec![
                    name.to_string(),
                    row.monomers.to_string(),
                    grouped(row.replicas.into()),
                    lanes,
                    rounded(rate.median),
                    format!("{} to {}", rounded(rate.lowest), rounded(rate.highest)),
                    grouped(sweeps),
                    over(rate.median, "whole-energy"),
                    over(rate.median, "moved-monomer"),
                    ratio,
                    significant(share),
                ]);
            };
            line(
                "beadwork",
                row.lanes.to_string(),
                row.sweeps,
                &row.rate,
                "-".into(),
                row.acceptance,
            );
            for other in &row.references {
                let ratio = significant(other.ratio.median);
                line(other.name, "-".into(), other.sweeps, &other.rate, ratio, other.acceptance);
            }
        }
        text.push_str(&table(&rows));
        text.push_str("\n## Plain programs, one chain on one core\n\n");
        let mut rows =
            vec![words(["program", "monomers", "moves/s", "lowest to highest", "accepted"])];
        for core in &self.cores {
            rows.push(vec![
                core.name.to_string(),
                core.monomers.to_string(),
                rounded(core.rate.median),
                format!("{} to {}", rounded(core.rate.lowest), rounded(core.rate.highest)),
                significant(core.acceptance),
            ]);
        }
        text.push_str(&table(&rows));
        text.push_str("\n## Checks\n\n");
        let of_cores = self.cores.iter().map(|core| (core.monomers, "-".to_string(), &core.checks));
        let of_rows =
            self.rows.iter().map(|row| (row.monomers, grouped(row.replicas.into()), &row.checks));
        text.push_str(&super::checks_table(of_cores.chain(of_rows)));
        text.push_str(super::verdict(self.holds));
        text
    }
}
