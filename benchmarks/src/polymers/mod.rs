//! `bench polymer`: Monte Carlo moves a second of elastic chains in a ladder of temperatures, Figs. 6 to 9 of \[G\] in
//! the book's list of sources, compared with the published programs and a faster simple one.

mod program;
mod samplers;
mod simple_chain;

use beadwork_analysis::numbers::significant;
use beadwork_cpu::Instructions;
use beadwork_cpu::monte_carlo::{ChainSampler, ChainSamplerState, Rung};
use beadwork_cuda::{LadderBatch, Replicas, Rounding};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_simulation::AcceptanceCount;
use clap::Args;

use crate::kernels::{WholeEnergy, WholeEnergyScheme};
use crate::options::{OneDevice, Options, positive};
use crate::report::{Head, Row, remark, table, table_of};
use crate::statistics::{Check, Estimate};
use crate::timing::{Aim, Timed, alternate};
use crate::{Error, Outcome, SEED};
use program::{DRIFT, Program, ROUNDING};
use samplers::{Backend, INTERVAL, Simple};
use simple_chain::SimpleChain;

/// Temperatures of the ladder, from below the freezing of both published chains to the collapse of the longer one.
const COLDEST: f64 = 0.3;
const WARMEST: f64 = 1.5;
/// Sweeps of a repeat on a GPU (\[G\] §4.2).
const PROTOCOL: u64 = 4_000;
/// Sweeps that fold the straight chain before timing, with moves up to [`LARGE`].
const FOLDING: u64 = 20_000;
const LARGE: f64 = 0.1;
/// Sweeps and chains that are compared with the reference path.
const COMPARED: u64 = 20;
const COMPARED_CHAINS: usize = 64;
/// ⟨E⟩/N of 13 monomers at the highest temperature and its error, from four runs of another program with large moves.
const THIRTEEN: (f64, f64) = (-0.7450, 0.0006);
/// Sweeps of each chain to measure ⟨E⟩/N, sweeps that are left out first, and sweeps between samples.
const SAMPLED: u64 = 200_000;
const LEFT_OUT: u64 = 10_000;
const EVERY: u64 = 50;

#[derive(Debug, Args)]
pub struct Moves {
    #[command(flatten)]
    device: OneDevice,
    /// Monomers of the chain, a row of each number of replicas for each.
    #[arg(long, value_delimiter = ',', default_values_t = [13, 55], value_parser = clap::value_parser!(u32).range(2..=10_000))]
    monomers: Vec<u32>,
    /// Replicas of the ladder.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 64], value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    replicas: Vec<u32>,
    /// Largest component of a displacement, in units of the length; by default the published one.
    #[arg(long, default_value_t = 0.01, value_parser = positive)]
    displacement: f64,
    /// Lanes of a warp that move a replica on a GPU (4, 8, 16 or 32), instead of as many as suit the number of replicas.
    #[arg(long, value_parser = clap::value_parser!(u32).range(4..=32))]
    lanes: Option<u32>,
    /// Threads that move the replicas on the CPU.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Seconds of a repeat, about, of each program.
    #[arg(long, default_value_t = 0.5, value_parser = positive)]
    seconds: f64,
    #[command(flatten)]
    options: Options,
}

impl Moves {
    pub fn run(&self) -> Result<Outcome, Error> {
        let card = self.device.card()?;
        let head = Head::new("polymer", card.as_slice());
        let place = match (&card, self.lanes) {
            (Some(card), lanes) => Backend::Card(card, lanes),
            (None, None) => Backend::Processor(self.threads),
            (None, Some(_)) => return Err(Error::Arguments("--lanes needs --device cuda".into())),
        };
        let (mut cores, mut rows) = (Vec::new(), Vec::new());
        for &monomers in &self.monomers {
            let mut rates = Vec::new();
            if card.is_some() {
                remark(&format!("{monomers} monomers, one core …"));
                for (row, rate) in self.of_one_core(monomers)? {
                    cores.push(row);
                    rates.push(rate);
                }
            }
            for &replicas in &self.replicas {
                remark(&format!("{monomers} monomers, {replicas} replica(s) …"));
                rows.push(self.row(&place, monomers, replicas, &rates)?);
            }
        }
        self.report(&head, cores, &rows)
    }

    /// Times a ladder in alternation with the other programs. `cores` are moves/s of the simple programs if these were
    /// timed before.
    fn row(
        &self,
        place: &Backend<'_>,
        monomers: u32,
        replicas: u32,
        cores: &[f64],
    ) -> Result<Row, Error> {
        let polymer = ElasticPolymer::new(monomers as usize);
        let start = self.folded(place, polymer, replicas)?;
        let mut checks = vec![first_sweeps(place, &start)?];
        let moves = f64::from(monomers) * f64::from(replicas);
        let sampler = place.sampler(start.clone(), Rounding::Fused)?;
        let mut programs = vec![Program::new("beadwork", sampler, moves, ROUNDING)];
        let aim = Aim::of(self.seconds);
        let (aim, rounds) = match place {
            Backend::Processor(_) => {
                programs.extend(self.simple_programs(&start));
                (aim, None)
            }
            Backend::Card(card, _) => {
                let Replicas { rungs, positions, .. } = &start.ladders[0];
                for scheme in WholeEnergyScheme::ALL {
                    let sampler = WholeEnergy::new(card, scheme, polymer, SEED, rungs, positions)?;
                    let sampler = Box::new(sampler);
                    programs.push(Program::new(scheme.name(), sampler, moves, ROUNDING));
                }
                checks.extend(same_shares(&mut programs)?);
                // A warm-up, because the first launch takes longer.
                programs[0].advance(PROTOCOL, true)?;
                (Aim { first: 1, most: PROTOCOL, ..aim }, Some(PROTOCOL))
            }
        };
        let mut all = Vec::new();
        for (number, program) in programs.iter_mut().enumerate() {
            all.push(program.measurement(aim, rounds.filter(|_| number == 0))?);
        }
        let mut timed = alternate(self.options.repeats, all)?;
        if !matches!(place, Backend::Processor(1)) {
            // Processor time includes waiting here, so it is not reported.
            timed[0].times.iter_mut().for_each(|time| time.processor = None);
        }
        for program in &mut programs {
            checks.push(program.energies(&polymer)?);
        }
        if monomers == 13 {
            checks.extend(mean_energy(place)?);
        }
        Ok(self
            .with_programs(place, labelled(monomers, replicas), &programs, &timed, cores)
            .checked(checks))
    }

    /// Adds all programs to a row, beadwork's first.
    fn with_programs(
        &self,
        place: &Backend<'_>,
        row: Row,
        programs: &[Program],
        timed: &[Timed],
        cores: &[f64],
    ) -> Row {
        let row = match place {
            Backend::Card(..) => row.value("lanes", programs[0].sampler.lanes()),
            Backend::Processor(threads) => {
                row.value("threads", threads).value("instructions", Instructions::best().name())
            }
        };
        let over = |row: Row, timed: &Timed| {
            let heads = ["over a core, whole energy", "over a core, moved monomer"];
            heads.into_iter().zip(cores).fold(row, |row, (head, core)| {
                row.shown(head, significant(timed.rate().median / core))
            })
        };
        let references = programs.iter().zip(timed).skip(1).map(|(program, theirs)| {
            over(program.row(Row::default(), theirs, Some(&timed[0])), theirs)
        });
        let references = references.collect();
        over(programs[0].row(row, &timed[0], None), &timed[0]).inner_rows("references", references)
    }

    /// Times each simple program alone, from the middle of a small ladder; returns rows and moves/s.
    fn of_one_core(&self, monomers: u32) -> Result<Vec<(Row, f64)>, Error> {
        let polymer = ElasticPolymer::new(monomers as usize);
        let start = self.folded(&Backend::Processor(1), polymer, 16)?;
        let mut rows = Vec::new();
        for mut program in self.simple_programs(&start) {
            let measurement = program.measurement(Aim::of(self.seconds), None)?;
            let timed = measurement.repeat(self.options.repeats)?;
            let row = program.row(labelled(monomers, 1), &timed, None);
            rows.push((row.checked([program.energies(&polymer)?]), timed.rate().median));
        }
        Ok(rows)
    }

    /// The two simple programs. Both start from a replica in the middle of the ladder.
    fn simple_programs(&self, start: &LadderBatch) -> [Program; 2] {
        let Replicas { rungs, positions, .. } = &start.ladders[0];
        let middle = rungs.len() / 2;
        let chain = SimpleChain::new(&start.polymer, &positions[middle], rungs[middle], SEED);
        let program = |name, sweep| {
            let simple = Simple { sweep, chain: chain.clone() };
            Program::new(name, Box::new(simple), start.polymer.monomers as f64, DRIFT)
        };
        [
            program("whole-energy", SimpleChain::sweep_by_whole_energy),
            program("moved-monomer", SimpleChain::sweep_by_change),
        ]
    }

    /// A ladder whose chains have folded, starting from a straight chain, and have their sweeps counted from 0 again.
    fn folded(
        &self,
        place: &Backend<'_>,
        polymer: ElasticPolymer,
        replicas: u32,
    ) -> Result<LadderBatch, Error> {
        let last = f64::from(replicas.max(2) - 1);
        // Neighbouring temperatures have the same ratio.
        let temperature = |rung| COLDEST * (WARMEST / COLDEST).powf(f64::from(rung) / last);
        let rungs = |displacement| {
            let rung = |number| Rung { temperature: temperature(number), displacement };
            (0..replicas).map(rung).collect()
        };
        let straight = ladder(0, rungs(LARGE), vec![polymer.straight(); replicas as usize]);
        let mut sampler = place.sampler(of_ladders(polymer, vec![straight]), Rounding::Fused)?;
        sampler.advance(FOLDING, false)?;
        let positions = sampler.chains()?.into_iter().map(|(_, positions)| positions).collect();
        Ok(of_ladders(polymer, vec![ladder(0, rungs(self.displacement), positions)]))
    }

    fn report(&self, head: &Head, cores: Vec<Row>, rows: &[Row]) -> Result<Outcome, Error> {
        let lines = rows.iter().flat_map(|row| {
            std::iter::once(row).chain(row.inner_ones()).map(move |program| row.line(program))
        });
        let mut text = format!(
            "Elastic chains, single precision, displacements up to {}, temperatures {COLDEST} to {WARMEST}, exchanges \
             every {INTERVAL} sweeps. The programs *whole-energy*, *naive* (one thread a replica) and *improved* (64) \
             compute the energy of a whole chain at each move, *moved-monomer* what the move changes; on a processor they \
             move one chain in one thread. On a GPU copies both ways are included.\n\n## Moves/s\n\n{}",
            significant(self.displacement),
            table(lines)
        );
        let mut conditions = Row::default().value("displacement", self.displacement);
        if !cores.is_empty() {
            let table = table_of(&cores);
            text.push_str(&format!("\n## Simple programs, one chain on one core\n\n{table}"));
            conditions = conditions.inner_rows("cores", cores);
        }
        head.finish(&self.options, &conditions, rows, &text)
    }
}

fn labelled(monomers: u32, replicas: u32) -> Row {
    let row = Row::default().count("monomers", "monomers", monomers.into());
    row.count("replicas", "replicas", replicas.into()).labelled()
}

/// A ladder of chains with numbers from `first` on; chain r is on rung r.
fn ladder(first: u64, rungs: Vec<Rung>, positions: Vec<Vec<[f64; 3]>>) -> Replicas {
    let rung_of = (0..rungs.len() as u32).collect();
    let fits = vec![AcceptanceCount::default(); rungs.len()];
    Replicas { first, rungs, rung_of, positions, fits }
}

fn of_ladders(polymer: ElasticPolymer, ladders: Vec<Replicas>) -> LadderBatch {
    LadderBatch { polymer, seed: SEED, sweep: 0, attempt: 0, ladders }
}

/// Counts the coldest chains that differ from the reference path after some sweeps. A GPU rounds every operation as
/// written here.
fn first_sweeps(place: &Backend<'_>, start: &LadderBatch) -> Result<Check, Error> {
    let polymer = start.polymer;
    let Replicas { mut rungs, mut positions, .. } = start.ladders[0].clone();
    rungs.truncate(COMPARED_CHAINS);
    positions.truncate(COMPARED_CHAINS);
    let compared = ladder(0, rungs.clone(), positions.clone());
    let mut sampler = place.sampler(of_ladders(polymer, vec![compared]), Rounding::AsWritten)?;
    // A GPU returns the chains one sweep later.
    let seen = COMPARED - u64::from(matches!(place, Backend::Card(..)));
    sampler.advance(seen, false)?;
    let reference = |(number, positions): (usize, Vec<[f64; 3]>)| {
        let state = ChainSamplerState { sweep: 0, positions };
        let mut sampler = ChainSampler::<f32>::new(&polymer, SEED, number as u64, &state);
        sampler.advance(COMPARED, rungs[number], &polymer);
        sampler.positions()
    };
    let expected = positions.into_iter().enumerate().map(reference);
    let found = sampler.chains()?;
    let others = expected.zip(&found).filter(|(expected, found)| *expected != found.1).count();
    let missing = rungs.len() - found.len();
    let quantity = format!("chains off the reference path's after {COMPARED} sweeps");
    Ok(Check::of_difference(&quantity, (others + missing) as f64, 0.0))
}

/// All programs make the same proposals, so their accepted shares should differ by less than those of different moves.
fn same_shares(programs: &mut [Program]) -> Result<Vec<Check>, Error> {
    for program in &mut *programs {
        program.advance(COMPARED, false)?;
    }
    let expected = programs[0].share();
    let check = |program: &Program| {
        let quantity = format!("share accepted of the first {COMPARED} sweeps, {}", program.name);
        Check::of_means(&quantity, program.share(), expected)
    };
    Ok(programs[1..].iter().map(check).collect())
}

/// Checks ⟨E⟩/N of 13 monomers at the highest temperature, by chains without exchange.
fn mean_energy(place: &Backend<'_>) -> Result<Option<Check>, Error> {
    let polymer = ElasticPolymer::new(13);
    let rung = Rung { temperature: WARMEST, displacement: LARGE };
    // These replica numbers exceed those of any ladder.
    let one = |number: u64| ladder((1 << 32) + number, vec![rung], vec![polymer.straight()]);
    let count = if let Backend::Card(..) = place { 64 } else { 16 };
    let batch = of_ladders(polymer, (0..count).map(one).collect());
    let mut sampler = place.sampler(batch, Rounding::Fused)?;
    sampler.advance(LEFT_OUT, false)?;
    let mut series = vec![Vec::new(); count as usize];
    for _ in 0..SAMPLED / EVERY {
        sampler.advance(EVERY - 1, false)?;
        for (series, (energy, _)) in series.iter_mut().zip(sampler.chains()?) {
            series.push(energy / 13.0);
        }
    }
    let (mean, error) = THIRTEEN;
    let expected = Estimate { mean, error, values: None };
    let quantity = "<E>/N at T = 1.5, epsilon";
    Ok(Estimate::of_series(&series).map(|found| Check::of_means(quantity, found, expected)))
}
