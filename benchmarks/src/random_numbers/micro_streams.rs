//! `bench micro-streams`: the published micro-benchmark of Brownian dynamics, Fig. 1 of [5] in the book's page on
//! random numbers.

use beadwork_analysis::numbers::significant;
use beadwork_cuda::Device;
use beadwork_random::{Generator, Owner, Scheme, Streams};
use beadwork_session::device::Choice;
use clap::Args;

use crate::kernels::{MicroStreams, copy_rate};
use crate::options::{Options, one_card};
use crate::report::{Head, Row, remark, table_of};
use crate::statistics::Check;
use crate::timing::{Calibration, Measurement};
use crate::{Error, Outcome, SEED};

/// The variants of the paper, of which the first is compared with all others, and beadwork's own.
pub const VARIANTS: [(&str, Generator, Scheme); 8] = [
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

#[derive(Debug, Args)]
pub struct MicroStreamSteps {
    /// The GPU: cuda, or cuda with its number such as cuda:1.
    #[arg(long, default_value = "cuda", value_name = "cuda[:i]")]
    device: Choice,
    /// Particles, a row of each variant for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 20_000, 50_000, 100_000, 1_000_000], value_parser = clap::value_parser!(u32).range(1..=50_000_000))]
    particles: Vec<u32>,
    /// Steps, each a kernel, in a repeat.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    steps: u64,
    #[command(flatten)]
    options: Options,
}

impl MicroStreamSteps {
    pub fn run(&self) -> Result<Outcome, Error> {
        let card = &one_card(&self.device, "micro-streams")?;
        let head = Head::new("micro-streams", std::slice::from_ref(card));
        let copy = copy_rate(card)?;
        let mut rows = Vec::new();
        for &particles in &self.particles {
            remark(&format!("{particles} particles …"));
            let mut first = None;
            for variant in VARIANTS {
                rows.push(self.row(card, variant, particles, copy, &mut first)?);
            }
        }
        let text = format!(
            "## Time of a step\n\n{}\nA copy on the GPU reads and writes {} bytes/s.\n",
            table_of(&rows),
            significant(copy)
        );
        // Bytes a second, read and written, of copies within the memory of the GPU.
        head.finish(&self.options, &Row::default().value("copy", copy), &rows, &text)
    }

    fn row(
        &self,
        card: &Device,
        (variant, generator, scheme): (&'static str, Generator, Scheme),
        particles: u32,
        copy: f64,
        first: &mut Option<f64>,
    ) -> Result<Row, Error> {
        let owner = Owner { seed: SEED, replica: 0 };
        let streams = Streams::new(generator, scheme, owner, particles, EACH)?;
        let mut steps = MicroStreams::new(card, streams)?;
        let wrong = steps.check()?;
        let bytes = steps.bytes_of_a_particle();
        let calibration = Calibration { fixed: 0.0, rounds: self.steps };
        let run = |count| Ok(steps.seconds(count)?.into());
        let timed = Measurement::new(1.0, calibration, run).repeat(self.options.repeats)?;
        let microseconds = timed.microseconds();
        let ratio = microseconds.median / *first.get_or_insert(microseconds.median);
        let moved = bytes as f64 * f64::from(particles);
        let share = moved / (1e-6 * microseconds.median) / copy;
        let row = Row::default()
            .text("variant", "variant", variant)
            .count("particles", "particles", particles.into())
            .labelled()
            .value("generator", generator.name())
            .value("scheme", scheme.name())
            .spread("microseconds", "us a step", Some(&microseconds), significant)
            .number("ratio", "by pT Saru", ratio, significant)
            .count("bytes", "bytes a particle", bytes as u64)
            .number("share_of_copy", "of a copy's bytes/s", share, significant);
        let check = Check::of_equality("first steps against the host's, to the bit", wrong);
        Ok(row.checked([check]))
    }
}
