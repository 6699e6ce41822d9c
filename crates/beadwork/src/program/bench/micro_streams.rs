//! `beadwork bench micro-streams`: P2's micro-benchmark of Brownian dynamics, its Fig. 1.

use std::path::PathBuf;

use beadwork::cuda::Device;
use beadwork::device::Choice;
use beadwork::random::{Generator, Owner, Scheme, Streams};
use beadwork_benchmarks::kernels::{MicroStreams, copy_seconds};
use clap::Args;
use serde::Serialize;

use super::checks::Spread;
use super::machine::Machine;
use super::report::{table, words};
use super::{command, deliver, heading, machine_with};
use crate::program::Failure;
use crate::program::output::{grouped, remark, significant};

/// What P2 compares, the first with all others, and what beadwork has beside it.
const VARIANTS: [(&str, Generator, Scheme); 8] = [
    ("pT Saru", Generator::Saru, Scheme::OnePerThread),
    ("pT XORWOW", Generator::Xorwow, Scheme::OnePerThread),
    ("pK-pT SaruSaru, published", Generator::Saru, Scheme::OnePerCallPublished),
    ("pK-pT SaruSaru", Generator::Saru, Scheme::OnePerCall),
    ("pK-pT SaruTEA, published", Generator::SaruTea, Scheme::OnePerCallPublished),
    ("pK-pT SaruTEA", Generator::SaruTea, Scheme::OnePerCall),
    ("Philox4x32-10", Generator::Philox4x32x10, Scheme::Counter),
    ("Philox4x32-7", Generator::Philox4x32x7, Scheme::Counter),
];

/// Words of a particle in a step.
const EACH: usize = 3;
/// Bytes of the copies to which bytes a second are compared.
const COPY: usize = 1 << 30;

#[derive(Debug, Args)]
pub struct Steps {
    /// The GPU: cuda, or cuda with its number such as cuda:1.
    #[arg(long, default_value = "cuda", value_name = "cuda[:i]")]
    device: Choice,
    /// Particles, a row of each variant for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 20_000, 50_000, 100_000, 1_000_000], value_parser = clap::value_parser!(u32).range(1..=50_000_000))]
    particles: Vec<u32>,
    /// Steps, each a kernel, in a repeat.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    steps: u64,
    /// Timed repeats; their median and extremes are printed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Keep the result as STEM.json and STEM.md too.
    #[arg(long, value_name = "STEM")]
    save: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    variant: &'static str,
    generator: &'static str,
    scheme: &'static str,
    particles: u32,
    /// Wall time of a step, us.
    microseconds: Spread,
    /// Its median by that of the first variant with as many particles.
    ratio: f64,
    /// Bytes that a step moves for a particle.
    bytes: usize,
    /// Of the bytes a second of a copy.
    share_of_copy: f64,
    /// What differs from the host's; nothing where nothing does.
    wrong: Option<String>,
}

#[derive(Debug, Serialize)]
struct Report {
    name: &'static str,
    machine: Machine,
    device: &'static str,
    command: String,
    /// Bytes a second, read and written, of copies from one place of the GPU to another.
    copy: f64,
    rows: Vec<Row>,
    holds: bool,
}

impl Steps {
    pub fn run(self) -> Result<u8, Failure> {
        let cards = match self.device {
            Choice::Cuda(_) => self.device.cards().map_err(beadwork::Error::from)?,
            Choice::Auto | Choice::Cpu => Vec::new(),
        };
        let Some(card) = cards.first() else {
            return Err(Failure::input(
                "bench micro-streams times kernels: write --device cuda".to_string(),
            ));
        };
        // The first copies warm up.
        copy_seconds(card, COPY, 2)?;
        let times = 20;
        let seconds = copy_seconds(card, COPY, times)?;
        let copy = 2.0 * COPY as f64 * f64::from(times) / seconds;
        let mut rows: Vec<Row> = Vec::new();
        for &particles in &self.particles {
            remark(&format!("{particles} particles …"));
            let first = rows.len();
            for variant in VARIANTS {
                let mut row = self.row(card, variant, particles, copy)?;
                let reference = rows.get(first).unwrap_or(&row).microseconds.median;
                row.ratio = row.microseconds.median / reference;
                rows.push(row);
            }
        }
        let holds = rows.iter().all(|row| row.wrong.is_none());
        let machine = machine_with(&cards[..1]);
        let (name, device) = ("micro-streams", "cuda");
        let report = Report { name, machine, device, command: command(), copy, rows, holds };
        deliver(&report, &report.markdown(), self.save.as_deref(), self.json)?;
        Ok(if holds { 0 } else { 4 })
    }

    fn row(
        &self,
        card: &Device,
        (variant, generator, scheme): (&'static str, Generator, Scheme),
        particles: u32,
        copy: f64,
    ) -> Result<Row, Failure> {
        let owner = Owner { seed: super::SEED, replica: 0 };
        let streams = Streams::new(generator, scheme, owner, particles, EACH)
            .map_err(|error| Failure::machine(error.to_string()))?;
        let mut steps = MicroStreams::new(card, streams)?;
        let wrong = steps.check()?;
        let time = |_| Ok(1e6 * steps.seconds(self.steps)? / self.steps as f64);
        let times = (0..self.repeats).map(time).collect::<Result<Vec<f64>, Failure>>()?;
        let microseconds = Spread::of(times);
        let bytes = steps.bytes_of_a_particle();
        let rate = bytes as f64 * f64::from(particles) / (1e-6 * microseconds.median);
        Ok(Row {
            variant,
            generator: generator.name(),
            scheme: scheme.name(),
            particles,
            microseconds,
            ratio: 1.0,
            bytes,
            share_of_copy: rate / copy,
            wrong,
        })
    }
}

impl Report {
    fn markdown(&self) -> String {
        let mut text = heading(self.name, self.device, &self.machine, &self.command);
        text.push_str("## Time of a step\n\n");
        let mut rows = vec![words([
            "variant",
            "particles",
            "us a step",
            "lowest to highest",
            "by pT Saru",
            "bytes a particle",
            "of a copy's bytes/s",
            "first steps against the host",
        ])];
        for row in &self.rows {
            let Spread { median, lowest, highest, .. } = &row.microseconds;
            rows.push(vec![
                row.variant.to_string(),
                grouped(row.particles.into()),
                significant(*median),
                format!("{} to {}", significant(*lowest), significant(*highest)),
                significant(row.ratio),
                row.bytes.to_string(),
                significant(row.share_of_copy),
                row.wrong.clone().unwrap_or("the same".to_string()),
            ]);
        }
        text.push_str(&table(&rows));
        text.push_str(&format!(
            "\nA copy on the GPU reads and writes {} bytes/s.\n",
            significant(self.copy)
        ));
        text.push_str(if self.holds {
            "\nAll checks hold.\n"
        } else {
            "\nA CHECK FAILS: the times above are not those of these generators.\n"
        });
        text
    }
}
