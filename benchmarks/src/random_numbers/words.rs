//! `bench random`: random numbers a second.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use beadwork_analysis::numbers::significant;
use beadwork_cuda::{Device, Origin, Words};
use beadwork_random::{Generator, Owner, Scheme, Streams, box_muller, uniform_f32};
use clap::Args;

use crate::kernels::{Numbers, Throughput, copy_seconds};
use crate::options::{OneDevice, Options, generator_of, positive};
use crate::report::{Head, Row, remark, rounded, table_of};
use crate::statistics::{Check, Spread};
use crate::timing::{Aim, Measurement};
use crate::{Error, Outcome, SEED};

const OWNER: Owner = Owner { seed: SEED, replica: 0 };
/// Words of a bead in a step.
const EACH: usize = 4;
/// Beads of the processor's rows.
const BEADS_ON_CPU: u32 = 10_000;
/// Beads in rows of generators that share a sequence: as many words as the largest lags allow to draw side by side.
const BEADS_IN_SEQUENCE: u32 = 252_550;
/// Steps whose words are drawn together in these rows.
const STEPS_IN_SEQUENCE: usize = 8;
/// Rounds in the body of the timed kernel's loop.
const UNROLLED: u32 = 4;

#[derive(Debug, Args)]
pub struct RandomNumbers {
    #[command(flatten)]
    device: OneDevice,
    /// Generators, in all their schemes; by default every one.
    #[arg(long, value_delimiter = ',', value_parser = generator_of)]
    generator: Vec<Generator>,
    /// Seconds of a repeat, about.
    #[arg(long, default_value_t = 0.1, value_parser = positive)]
    seconds: f64,
    /// MiB of memory of the GPU that numbers are written to.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    mebibytes: u32,
    /// Measure another library too, on the same GPU.
    #[arg(long, value_parser = ["curand"], requires = "curand_include")]
    peer: Option<String>,
    /// The folder that has cuRAND's headers.
    #[arg(long, value_name = "FOLDER")]
    curand_include: Option<PathBuf>,
    /// The folder of peers' sources.
    #[arg(long, default_value = "benchmarks/peers")]
    peers: PathBuf,
    #[command(flatten)]
    options: Options,
}

/// Numbers a second that a generator makes in a scheme.
#[derive(Default)]
struct Rates {
    /// Uniform numbers that stay in registers.
    uniforms: Option<Spread>,
    /// Normal numbers that stay in registers.
    normals: Option<Spread>,
    /// Uniform numbers written to memory; for generators that share a sequence, words of four bytes.
    into_memory: Option<Spread>,
    /// Words made by the host and copied to the GPU.
    copied_from_host: Option<Spread>,
    /// Checks of the first numbers; empty on the processor.
    checks: Vec<Check>,
}

impl Rates {
    fn check(&mut self, with: &str, wrong: Option<String>) {
        let quantity = format!("first numbers against {with}");
        self.checks.push(Check::of_equality(&quantity, wrong));
    }

    /// `copy` is the speed of copies, in bytes a second read and written.
    fn row(self, library: &str, generator: &str, scheme: Scheme, copy: Option<&Spread>) -> Row {
        let share = self.into_memory.as_ref().zip(copy);
        let share = share.map(|(numbers, copy)| 4.0 * numbers.median / copy.median);
        let row = Row::default()
            .text("library", "library", library)
            .text("generator", "generator", generator)
            .text("scheme", "scheme", scheme.name())
            .labelled()
            .spread("uniforms", "uniforms", self.uniforms.as_ref(), rounded)
            .spread("normals", "normals", self.normals.as_ref(), rounded)
            .median("into_memory", "into memory", self.into_memory.as_ref(), rounded)
            .shown("of a copy's bytes/s", share.map_or("-".to_string(), significant));
        let copied = self.copied_from_host.as_ref();
        let row = row.median("copied_from_host", "made on the host and copied", copied, rounded);
        row.checked(self.checks)
    }
}

impl RandomNumbers {
    pub fn run(&self) -> Result<Outcome, Error> {
        let card = self.device.card()?;
        if card.is_none() && self.peer.is_some() {
            return Err(Error::Arguments("--peer curand needs --device cuda".to_string()));
        }
        let head = Head::new("random", card.as_slice());
        let generators =
            if self.generator.is_empty() { &Generator::ALL[..] } else { &self.generator };
        let copy = card.as_ref().map(|card| self.copy(card)).transpose()?;
        let mut rows = Vec::new();
        for &generator in generators {
            for &scheme in generator.schemes() {
                remark(&format!("{}, {} …", generator.name(), scheme.name()));
                let rates = match &card {
                    None => self.on_cpu(generator, scheme),
                    Some(card) => self.on_card(card, generator, scheme),
                }?;
                rows.push(rates.row("beadwork", generator.name(), scheme, copy.as_ref()));
            }
        }
        if let (Some(card), Some(folder), Some(_)) = (&card, &self.curand_include, &self.peer) {
            rows.extend(self.curand(card, folder)?);
        }
        let copied = copy.as_ref().map(|copy| {
            let [median, lowest, highest] = [copy.median, copy.lowest, copy.highest].map(rounded);
            format!(
                "\nA copy on the GPU reads and writes {median} bytes/s ({lowest} to {highest}).\n"
            )
        });
        let text =
            format!("## Numbers a second\n\n{}{}", table_of(&rows), copied.unwrap_or_default());
        head.finish(&self.options, &Row::default().value("copy", copy), &rows, &text)
    }

    /// Numbers a second, if `time` makes `amount` of them in a round.
    fn rate(
        &self,
        amount: f64,
        mut time: impl FnMut(u32) -> Result<f64, Error>,
    ) -> Result<Spread, Error> {
        let time = |rounds: u64| time(rounds as u32);
        let measurement = Measurement::calibrated(amount, Aim::of(self.seconds), time)?;
        Ok(measurement.repeat(self.options.repeats)?.rate())
    }

    fn on_cpu(&self, generator: Generator, scheme: Scheme) -> Result<Rates, Error> {
        let mut streams = Streams::new(generator, scheme, OWNER, BEADS_ON_CPU, EACH)?;
        let mut words = vec![0; streams.words_a_step()];
        let mut step = 0;
        let mut rate = |use_words: fn(&[u32]) -> f32| {
            self.rate(words.len() as f64, |steps| {
                let began = Instant::now();
                for _ in 0..steps {
                    streams.draw(step, |_| true, &mut words);
                    step += 1;
                    black_box(use_words(&words));
                }
                Ok(began.elapsed().as_secs_f64())
            })
        };
        let uniforms = rate(|words| words.iter().map(|word| uniform_f32(*word)).sum())?;
        let normals = rate(|words| {
            let pairs = words.as_chunks::<2>().0.iter();
            let both = pairs.map(|[a, b]| box_muller(uniform_f32(*a), uniform_f32(*b)));
            both.map(|[x, y]| x + y).sum()
        })?;
        Ok(Rates { uniforms: Some(uniforms), normals: Some(normals), ..Rates::default() })
    }

    fn bytes(&self) -> usize {
        self.mebibytes as usize * (1 << 20)
    }

    fn on_card(&self, card: &Device, generator: Generator, scheme: Scheme) -> Result<Rates, Error> {
        let mut rates = Rates::default();
        if scheme == Scheme::OneForAllThreads {
            // Words of a shared sequence are written to memory in any case.
            let (rate, wrong) = self.words(card, generator, scheme, Origin::Card)?;
            rates.into_memory = Some(rate);
            rates.check("the host's words", wrong);
        } else {
            let threads = Throughput::threads(card, generator);
            let streams = Streams::new(generator, scheme, OWNER, threads, EACH)?;
            let mut throughput = Throughput::new(card, streams, self.bytes())?;
            rates.check("the host's numbers", throughput.check()?);
            self.in_registers(&mut throughput, &mut rates)?;
            let full = throughput.most_rounds();
            rates.into_memory = Some(self.rate(throughput.count(full), |launches| {
                Ok(throughput.seconds(Numbers::IntoMemory, full, launches)?)
            })?);
        }
        rates.copied_from_host = Some(self.words(card, generator, scheme, Origin::Host)?.0);
        Ok(rates)
    }

    /// Times uniform and normal numbers that stay in registers.
    fn in_registers(&self, timed: &mut Throughput, rates: &mut Rates) -> Result<(), Error> {
        let whole = timed.count(UNROLLED);
        let mut rate = |numbers| {
            self.rate(whole, |rounds| Ok(timed.seconds(numbers, UNROLLED * rounds, 1)?))
        };
        rates.uniforms = Some(rate(Numbers::Uniforms)?);
        rates.normals = Some(rate(Numbers::Normals)?);
        Ok(())
    }

    /// Measures the rate of words by [`Words`], and compares them with the host's.
    fn words(
        &self,
        card: &Device,
        generator: Generator,
        scheme: Scheme,
        origin: Origin,
    ) -> Result<(Spread, Option<String>), Error> {
        let streams = Streams::new(generator, scheme, OWNER, BEADS_IN_SEQUENCE, EACH)?;
        let amount = (streams.words_a_step() * STEPS_IN_SEQUENCE) as f64;
        let mut drawn = DrawnWords::new(card, streams, origin, STEPS_IN_SEQUENCE)?;
        let wrong = drawn.first_difference()?;
        let rate =
            self.rate(amount, |rounds| drawn.seconds(rounds as usize * STEPS_IN_SEQUENCE))?;
        Ok((rate, wrong))
    }

    fn copy(&self, card: &Device) -> Result<Spread, Error> {
        let bytes = self.bytes();
        self.rate(2.0 * bytes as f64, |times| Ok(copy_seconds(card, bytes, times)?))
    }

    /// cuRAND's Philox and XORWOW, with as many threads as beadwork's.
    fn curand(&self, card: &Device, folder: &Path) -> Result<Vec<Row>, Error> {
        let file = self.peers.join("curand.cu");
        let source = std::fs::read_to_string(&file).map_err(|error| {
            Error::Arguments(format!(
                "{} cannot be read: {error}. Run this in a checkout of beadwork, or name its folder benchmarks/peers by --peers",
                file.display()
            ))
        })?;
        let module = card.load_including("curand", &source, folder)?;
        let generators = [
            ("philox", "Philox4_32_10", Generator::Philox4x32x10),
            ("xorwow", "XORWOW", Generator::Xorwow),
        ];
        let row = |(name, title, generator): (&'static str, &'static str, Generator)| {
            remark(&format!("cuRAND's {title} …"));
            let scheme = generator.schemes()[0];
            let threads = Throughput::threads(card, generator);
            let streams = Streams::new(generator, scheme, OWNER, threads, EACH)?;
            let prefix = format!("curand_{name}");
            let mut peer = Throughput::of_library(card, streams, &module, &prefix)?;
            let mut rates = Rates::default();
            rates.check("beadwork's words", peer.check_words()?);
            self.in_registers(&mut peer, &mut rates)?;
            Ok(rates.row("cuRAND", title, scheme, None))
        };
        generators.into_iter().map(row).collect()
    }
}

/// Words that are drawn into the memory of a card, step by step.
pub struct DrawnWords {
    stream: beadwork_cuda::Stream,
    words: Words,
    /// The streams at their start.
    host: Streams,
    step: u64,
    /// Steps whose words are drawn at once.
    together: usize,
}

impl DrawnWords {
    pub fn new(
        card: &Device,
        streams: Streams,
        origin: Origin,
        together: usize,
    ) -> Result<DrawnWords, Error> {
        let stream = card.stream()?;
        let words = Words::new(card, &stream, streams.clone(), origin, together)?;
        Ok(DrawnWords { stream, words, host: streams, step: 0, together })
    }

    /// Compares the words of the first step with the host's.
    pub fn first_difference(&mut self) -> Result<Option<String>, Error> {
        self.words.draw(&self.stream, 0, 1)?;
        self.step = 1;
        let found = self.words.download(&self.stream, 1)?;
        let mut expected = vec![0; found.len()];
        self.host.draw(0, |_| true, &mut expected);
        let place = found.iter().zip(&expected).position(|(found, host)| found != host);
        Ok(place.map(|place| format!("word {place} of step 0 is another than the host's")))
    }

    /// Wall time of this many further steps, s.
    pub fn seconds(&mut self, steps: usize) -> Result<f64, Error> {
        let began = Instant::now();
        let mut left = steps;
        while left > 0 {
            let now = left.min(self.together);
            self.words.draw(&self.stream, self.step, now)?;
            self.step += now as u64;
            left -= now;
        }
        self.stream.wait()?;
        Ok(began.elapsed().as_secs_f64())
    }
}
