//! `beadwork doctor`: tests whether this machine computes correctly.

mod cards;
mod chains;
mod finding;
mod members;
mod pressed;
mod thorough;
mod trial;

use std::sync::Arc;
use std::time::Instant;

use beadwork::cpu::reference::Forces;
use beadwork::cpu::{CpuPath, Instructions};
use beadwork::cuda::{self, Compiler, Device};
use beadwork::device::Choice;
use beadwork::model::{Precision, System};
use clap::Args;
use serde::Serialize;

use super::failure::Failure;
use super::output::{remark, say, say_json};
use super::reference;
use super::threads::{threads_or_cores, use_threads};
use finding::{Finding, expect, finding, one_line};
use members::generated::moved;

const EXAMPLE: &str = "\
Examples:
  beadwork doctor > report.txt
  beadwork doctor --device cuda --thorough     after a new card, driver or NVRTC";

/// Test this installation: forces against the energy's slope, single against double precision, a reference run to the
/// bit, the vector instructions and the GPUs of this machine against the reference path, under a tip too, files to a
/// temporary folder.
///
/// Put the output into a report of a bug.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Doctor {
    /// The devices that are tested beside the processor: auto (all GPUs), cpu (none), cuda, or cuda with numbers of
    /// GPUs such as cuda:0,1.
    #[arg(long, default_value_t, value_name = "auto|cpu|cuda[:i,j]")]
    device: Choice,
    /// Have each GPU step generated systems, and sample generated chains, by every program that it may need (forms of
    /// blocks, precisions, integrators, generators, drives, tips, lanes of a chain), and compare the results with the
    /// reference path. Takes minutes, since all programs are compiled.
    #[arg(long)]
    thorough: bool,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    value_version: u32,
    operating_system: &'static str,
    architecture: &'static str,
    cores: usize,
    instructions: &'static str,
    gpus: Gpus,
    checks: Vec<Finding>,
    healthy: bool,
}

/// The GPUs of the machine, and what they need.
#[derive(Debug, Default, Serialize)]
struct Gpus {
    cards: Vec<Card>,
    /// The reason if there are no GPUs, or none is tested.
    reason: Option<String>,
    /// NVRTC's version and path, or the reason why there is none.
    compiler: Option<String>,
    /// The folder of compiled kernels.
    cache: Option<String>,
}

#[derive(Debug, Serialize)]
struct Card {
    number: usize,
    name: String,
    compute_capability: String,
    multiprocessors: u32,
    memory_bytes: u64,
    /// The CUDA version that the driver speaks.
    driver: String,
}

impl Doctor {
    pub fn run(self) -> Result<u8, Failure> {
        let most = if self.thorough { thorough::MOST_THREADS } else { usize::MAX };
        use_threads(threads_or_cores(None).min(most))?;
        let (gpus, cards) = self.gpus()?;
        let mut checks = vec![
            finding("forces are the slope of the energy", forces_are_slopes()),
            finding("single precision forces", single_precision()),
        ];
        checks.extend(reference::EXPECTED.map(|(precision, expected)| {
            let check = format!("reference run, {} precision", precision.name());
            finding(&check, reference_run(precision, expected))
        }));
        checks.extend(
            Instructions::ALL
                .into_iter()
                .filter(|i| i.is_available())
                .map(|i| finding(&format!("{} instructions", i.name()), vectors(i))),
        );
        checks.push(finding("globule under a tip", pressed::on_the_processor()));
        if self.thorough && cards.is_empty() {
            remark("note: --thorough tests the programs of GPUs, and none is tested here");
        }
        for card in &cards {
            checks.extend(cards::checks(card));
            if self.thorough {
                checks.extend(thorough::checks(card));
            }
        }
        checks.push(finding("files", files()));
        let healthy = checks.iter().all(|finding| finding.passed);
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            value_version: beadwork::engine::VALUE_VERSION,
            operating_system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            instructions: Instructions::best().name(),
            gpus,
            checks,
            healthy,
        };
        if self.json {
            say_json(&report)?;
        } else {
            say(&in_words(&report))?;
        }
        Ok(if healthy { 0 } else { 4 })
    }

    /// All GPUs, and those that are to be tested.
    fn gpus(&self) -> Result<(Gpus, Vec<Device>), Failure> {
        let none = |reason: String| (Gpus { reason: Some(reason), ..Gpus::default() }, Vec::new());
        if self.device == Choice::Cpu {
            return Ok(none("not tested, because of --device cpu".to_string()));
        }
        let cards = match self.device.cards() {
            Ok(cards) => cards,
            Err(error) if self.device == Choice::Auto => {
                return Ok(none(format!("none ({})", one_line(&error))));
            }
            Err(error) => return Err(error.into()),
        };
        let found = Compiler::find();
        let described = |compiler: &Compiler| {
            let (major, minor) = compiler.version();
            format!("{major}.{minor}, {}", compiler.place().display())
        };
        let none_found = |error: &cuda::Error| format!("none ({})", one_line(error));
        let compiler = found.as_ref().map_or_else(none_found, described);
        let can_be_used = found.is_ok() || self.device != Choice::Auto;
        let untested = "not tested, because kernels cannot be compiled here";
        let gpus = Gpus {
            cards: cards.iter().map(Card::of).collect(),
            reason: (!can_be_used).then(|| untested.to_string()),
            compiler: Some(compiler),
            cache: cuda::cache_folder().map(|folder| folder.display().to_string()),
        };
        Ok((gpus, if can_be_used { cards } else { Vec::new() }))
    }
}

impl Card {
    fn of(card: &Device) -> Card {
        let properties = card.properties();
        let version = |(major, minor): (u32, u32)| format!("{major}.{minor}");
        Card {
            number: card.ordinal(),
            name: properties.name.clone(),
            compute_capability: version(properties.compute_capability),
            multiprocessors: properties.multiprocessors,
            memory_bytes: properties.memory,
            driver: version(properties.driver),
        }
    }
}

impl Gpus {
    /// A line for each GPU, the compiler and the cache.
    fn in_words(&self) -> String {
        let mut text = String::new();
        if let Some(reason) = &self.reason {
            text.push_str(&format!("GPU: {reason}\n"));
        }
        for card in &self.cards {
            text.push_str(&format!(
                "GPU {}: {}, compute capability {}, {} multiprocessors, {:.1} GiB of memory, driver for CUDA {}\n",
                card.number,
                card.name,
                card.compute_capability,
                card.multiprocessors,
                card.memory_bytes as f64 / f64::from(1 << 30),
                card.driver
            ));
        }
        if let Some(compiler) = &self.compiler {
            let cache = self.cache.as_deref().unwrap_or("nowhere");
            text.push_str(&format!("NVRTC: {compiler}\nCompiled kernels are kept in: {cache}\n"));
        }
        text
    }
}

fn in_words(report: &Report) -> String {
    let mut text = format!(
        "beadwork {} (value version {}) on {} {}, {} core(s) with {}\n",
        report.version,
        report.value_version,
        report.operating_system,
        report.architecture,
        report.cores,
        report.instructions
    );
    text.push_str(&report.gpus.in_words());
    for finding in &report.checks {
        let word = if finding.passed { "passed" } else { "FAILED" };
        text.push_str(&format!("{word}  {}: {}\n", finding.check, finding.detail));
    }
    text.push_str(if report.healthy {
        "This installation computes what it should.\n"
    } else {
        "Something is wrong here: do not trust runs of this installation, and report the lines above.\n"
    });
    text
}

/// The reference system with slightly moved beads.
fn distorted() -> Result<(Arc<System>, Vec<[f64; 3]>), String> {
    let system = reference::helix()?;
    let positions = moved(&system.particles.positions, 0.15);
    Ok((system, positions))
}

fn evaluate<T: beadwork::random::Normal>(
    system: &Arc<System>,
    positions: &[[f64; 3]],
) -> Result<Vec<[f64; 3]>, String> {
    let positions: Vec<[T; 3]> = positions.iter().map(|p| p.map(T::from_f64)).collect();
    let mut forces = vec![[T::zero(); 3]; positions.len()];
    Forces::new(system, 4.0)
        .evaluate(&positions, &mut forces)
        .map_err(|error| format!("{error:?}"))?;
    Ok(forces.iter().map(|force| force.map(|component| component.to_f64())).collect())
}

/// Largest difference of two sets of forces over their root mean square.
fn difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let square = |force: &[f64; 3]| force.iter().map(|c| c * c).sum::<f64>();
    let scale = (b.iter().map(square).sum::<f64>() / b.len() as f64).sqrt();
    let apart = a.iter().zip(b).map(|(a, b)| square(&[0, 1, 2].map(|axis| a[axis] - b[axis])));
    apart.fold(0.0, f64::max).sqrt() / scale
}

fn judge(difference: f64, bound: f64) -> Result<String, String> {
    let text = format!("largest difference {difference:.1e} of the mean force, bound {bound:.0e}");
    if difference < bound { Ok(text) } else { Err(text) }
}

/// Central differences of step h have the error h² V‴/6, here some 1e-7 of the force.
fn forces_are_slopes() -> Result<String, String> {
    let (system, mut positions) = distorted()?;
    let forces = evaluate::<f64>(&system, &positions)?;
    let h = 1e-5;
    let mut slopes = vec![[0.0; 3]; positions.len()];
    for bead in 0..positions.len() {
        for axis in 0..3 {
            let at = positions[bead][axis];
            positions[bead][axis] = at + h;
            let up = system.energies(&positions).total();
            positions[bead][axis] = at - h;
            let down = system.energies(&positions).total();
            positions[bead][axis] = at;
            slopes[bead][axis] = (down - up) / (2.0 * h);
        }
    }
    judge(difference(&forces, &slopes), 1e-6)
}

fn single_precision() -> Result<String, String> {
    let (system, positions) = distorted()?;
    let single = evaluate::<f32>(&system, &positions)?;
    let double = evaluate::<f64>(&system, &positions)?;
    judge(difference(&single, &double), 5e-6)
}

fn reference_run(precision: Precision, expected: &str) -> Result<String, String> {
    expect(expected, || reference::hash(precision, CpuPath::Reference))
}

/// Vectors must give the bits of the reference path, with pairs in the lanes and with members in the lanes.
fn vectors(instructions: Instructions) -> Result<String, String> {
    let began = Instant::now();
    for (precision, _) in reference::EXPECTED {
        let expected = reference::hash(precision, CpuPath::Reference)?;
        let alone = reference::hash(precision, CpuPath::PairSimd(instructions))?;
        let together = reference::hash_in_group(precision, instructions)?;
        for (hash, how) in [(alone, "one member"), (together, "a group of members")] {
            if hash != expected {
                let name = precision.name();
                return Err(format!(
                    "{how} in {name} precision ends at {hash}, the reference path at {expected}"
                ));
            }
        }
    }
    let time = began.elapsed().as_secs_f64() * 1e3;
    Ok(format!("the bits of the reference path, alone and in groups, after {time:.0} ms"))
}

fn files() -> Result<String, String> {
    let path = std::env::temp_dir().join(format!("beadwork-doctor-{}", std::process::id()));
    let written = beadwork::io::checkpoint::write(&path, "doctor", b"beadwork");
    let read = written.and_then(|()| beadwork::io::checkpoint::read(&path, "doctor"));
    let _ = std::fs::remove_file(&path);
    match read {
        Ok(Some(bytes)) if bytes == b"beadwork" => {
            Ok("a checkpoint was written and read".to_string())
        }
        Ok(_) => Err("a checkpoint was read back changed".to_string()),
        Err(error) => Err(error.to_string()),
    }
}
