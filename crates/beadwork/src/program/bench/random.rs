//! `beadwork bench random`: how many random numbers a second.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use beadwork::cuda::{Device, Origin, Words};
use beadwork::device::Choice;
use beadwork::random::{Generator, Owner, Scheme, Streams, box_muller, uniform_f32};
use beadwork_benchmarks::kernels::{Numbers, Throughput, copy_seconds};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::checks::Spread;
use super::machine::Machine;
use super::report::{rounded, table, words};
use super::{command, deliver, generator_of, heading, machine_with, named_cards};
use crate::program::Failure;
use crate::program::output::{remark, significant};

/// Whose numbers are timed.
const OWNER: Owner = Owner { seed: super::SEED, replica: 0 };
/// Words of a bead in a step.
const EACH: usize = 4;
/// Beads of the processor's rows.
const BEADS_ON_CPU: u32 = 10_000;
/// Beads of rows that share a sequence: as many words as the largest lags allow side by side.
const BEADS_IN_SEQUENCE: u32 = 252_550;
/// Steps whose words are drawn together there.
const STEPS_IN_SEQUENCE: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PeerName {
    Curand,
}

#[derive(Debug, Args)]
pub struct RandomNumbers {
    /// Where numbers are made: cpu (one thread), or cuda, or cuda with the number of a GPU such as cuda:1.
    #[arg(long, default_value_t = Choice::Cpu, value_name = "cpu|cuda[:i]")]
    device: Choice,
    /// Generators, in all their schemes; by default every one.
    #[arg(long, value_delimiter = ',', value_parser = generator_of)]
    generator: Vec<Generator>,
    /// Timed repeats; their median and extremes are printed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Seconds of a repeat, about.
    #[arg(long, default_value_t = 0.1, value_parser = super::positive)]
    seconds: f64,
    /// MiB of memory of the GPU that numbers are written to.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    mebibytes: u32,
    /// Another library beside it, on the same GPU.
    #[arg(long, value_enum, requires = "curand_include")]
    peer: Option<PeerName>,
    /// The folder that has cuRAND's headers.
    #[arg(long, value_name = "FOLDER")]
    curand_include: Option<PathBuf>,
    /// The folder of peers' sources.
    #[arg(long, default_value = "benchmarks/peers")]
    peers: PathBuf,
    /// Keep the result as STEM.json and STEM.md too.
    #[arg(long, value_name = "STEM")]
    save: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

/// A generator in a scheme, in numbers a second.
#[derive(Debug, Serialize)]
struct Row {
    /// `beadwork` or the peer.
    library: &'static str,
    generator: &'static str,
    scheme: &'static str,
    /// Uniform ones that stay in registers.
    uniforms: Option<Spread>,
    /// Normal ones that stay in registers.
    normals: Option<Spread>,
    /// Uniform ones written to memory; of generators that share a sequence words, four bytes each too.
    into_memory: Option<Spread>,
    /// Words made by the host and copied to the GPU.
    copied_from_host: Option<Spread>,
    /// What the first numbers were compared with.
    checked: &'static str,
    /// What differs; nothing where nothing does.
    wrong: Option<String>,
}

#[derive(Debug, Serialize)]
struct Report {
    name: &'static str,
    machine: Machine,
    device: &'static str,
    command: String,
    /// Bytes a second, read and written, of copies from one place of the GPU to another.
    copy: Option<Spread>,
    rows: Vec<Row>,
    holds: bool,
}

impl RandomNumbers {
    pub fn run(self) -> Result<u8, Failure> {
        let cards = named_cards(&self.device)?;
        let card = cards.first();
        if card.is_none() && self.peer.is_some() {
            return Err(Failure::input("--peer curand needs --device cuda".to_string()));
        }
        let machine = machine_with(&cards[..cards.len().min(1)]);
        let generators = if self.generator.is_empty() {
            Generator::ALL.to_vec()
        } else {
            self.generator.clone()
        };
        let mut rows = Vec::new();
        for generator in generators {
            for &scheme in generator.schemes() {
                remark(&format!("{}, {} …", generator.name(), scheme.name()));
                rows.push(match card {
                    None => self.on_cpu(generator, scheme),
                    Some(card) if scheme == Scheme::OneForAllThreads => {
                        self.of_sequence(card, generator, scheme)
                    }
                    Some(card) => self.on_card(card, generator, scheme),
                }?);
            }
        }
        let copy = card.map(|card| self.copy(card)).transpose()?;
        if let (Some(card), Some(folder)) = (card, &self.curand_include)
            && self.peer == Some(PeerName::Curand)
        {
            rows.extend(self.curand(card, folder)?);
        }
        let holds = rows.iter().all(|row| row.wrong.is_none());
        let device = if card.is_some() { "cuda" } else { "cpu" };
        let report =
            Report { name: "random", machine, device, command: command(), copy, rows, holds };
        deliver(&report, &report.markdown(), self.save.as_deref(), self.json)?;
        Ok(if holds { 0 } else { 4 })
    }

    /// Rates of so many repeats of about the seconds asked for: `time` takes how many rounds, `count` says what they make.
    fn rates(
        &self,
        count: impl Fn(u32) -> f64,
        mut time: impl FnMut(u32) -> Result<f64, Failure>,
    ) -> Result<Spread, Failure> {
        // Until a repeat takes a measurable time; the first ones warm up.
        let mut rounds = 16;
        let mut seconds = time(rounds)?;
        while seconds < 0.2 * self.seconds && rounds < 1 << 26 {
            rounds *= 4;
            seconds = time(rounds)?;
        }
        let wanted = f64::from(rounds) * self.seconds / seconds;
        let rounds = ((wanted / 4.0).ceil() as u32).max(1) * 4;
        let repeats = 0..self.repeats;
        let rates =
            repeats.map(|_| Ok(count(rounds) / time(rounds)?)).collect::<Result<_, Failure>>();
        Ok(Spread::of(rates?))
    }

    fn streams(generator: Generator, scheme: Scheme, beads: u32) -> Result<Streams, Failure> {
        Streams::new(generator, scheme, OWNER, beads, EACH)
            .map_err(|error| Failure::machine(error.to_string()))
    }

    fn on_cpu(&self, generator: Generator, scheme: Scheme) -> Result<Row, Failure> {
        let mut streams = Self::streams(generator, scheme, BEADS_ON_CPU)?;
        let mut words = vec![0; streams.words_a_step()];
        let each = words.len() as f64;
        let count = |steps: u32| f64::from(steps) * each;
        let mut step = 0;
        let mut rate = |use_words: fn(&[u32]) -> f32| {
            self.rates(count, |steps| {
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
        Ok(Row {
            library: "beadwork",
            generator: generator.name(),
            scheme: scheme.name(),
            uniforms: Some(uniforms),
            normals: Some(normals),
            into_memory: None,
            copied_from_host: None,
            checked: "-",
            wrong: None,
        })
    }

    fn bytes(&self) -> usize {
        self.mebibytes as usize * (1 << 20)
    }

    fn on_card(&self, card: &Device, generator: Generator, scheme: Scheme) -> Result<Row, Failure> {
        let threads = Throughput::threads(card, generator);
        let streams = Self::streams(generator, scheme, threads)?;
        let mut throughput = Throughput::new(card, streams, self.bytes())?;
        let wrong = throughput.check()?;
        let whole = throughput.count(1);
        let mut in_registers = |numbers: Numbers| {
            self.rates(
                |rounds| whole * f64::from(rounds),
                |rounds| throughput.seconds(numbers, rounds, 1).map_err(Failure::from),
            )
        };
        let uniforms = in_registers(Numbers::Uniforms)?;
        let normals = in_registers(Numbers::Normals)?;
        let full = throughput.most_rounds();
        let into_memory = self.rates(
            |launches| whole * f64::from(full) * f64::from(launches),
            |launches| {
                throughput.seconds(Numbers::IntoMemory, full, launches).map_err(Failure::from)
            },
        )?;
        Ok(Row {
            library: "beadwork",
            generator: generator.name(),
            scheme: scheme.name(),
            uniforms: Some(uniforms),
            normals: Some(normals),
            into_memory: Some(into_memory),
            copied_from_host: Some(self.words(card, generator, scheme, Origin::Host)?.0),
            checked: "the host's numbers",
            wrong,
        })
    }

    /// Words of a generator that all threads share lie in memory in any case.
    fn of_sequence(
        &self,
        card: &Device,
        generator: Generator,
        scheme: Scheme,
    ) -> Result<Row, Failure> {
        let (into_memory, wrong) = self.words(card, generator, scheme, Origin::Card)?;
        Ok(Row {
            library: "beadwork",
            generator: generator.name(),
            scheme: scheme.name(),
            uniforms: None,
            normals: None,
            into_memory: Some(into_memory),
            copied_from_host: Some(self.words(card, generator, scheme, Origin::Host)?.0),
            checked: "the host's words",
            wrong,
        })
    }

    /// The rate of words by [`Words`], and what differs from the host's.
    fn words(
        &self,
        card: &Device,
        generator: Generator,
        scheme: Scheme,
        origin: Origin,
    ) -> Result<(Spread, Option<String>), Failure> {
        let streams = Self::streams(generator, scheme, BEADS_IN_SEQUENCE)?;
        let each = streams.words_a_step();
        let stream = card.stream()?;
        let mut host = streams.clone();
        let mut words = Words::new(card, &stream, streams, origin, STEPS_IN_SEQUENCE)?;
        words.draw(&stream, 0, 1)?;
        let found = words.download(&stream, 1)?;
        let mut expected = vec![0; each];
        host.draw(0, |_| true, &mut expected);
        let place = found.iter().zip(&expected).position(|(found, host)| found != host);
        let wrong = place.map(|place| format!("word {place} of step 0 is another than the host's"));
        let mut step = 1;
        let rate = self.rates(
            |rounds| (each * STEPS_IN_SEQUENCE) as f64 * f64::from(rounds),
            |rounds| {
                let began = Instant::now();
                for _ in 0..rounds {
                    words.draw(&stream, step, STEPS_IN_SEQUENCE)?;
                    step += STEPS_IN_SEQUENCE as u64;
                }
                stream.wait()?;
                Ok(began.elapsed().as_secs_f64())
            },
        )?;
        Ok((rate, wrong))
    }

    /// Bytes a second that are read and written by copies.
    fn copy(&self, card: &Device) -> Result<Spread, Failure> {
        let bytes = self.bytes();
        self.rates(
            |times| 2.0 * bytes as f64 * f64::from(times),
            |times| copy_seconds(card, bytes, times).map_err(Failure::from),
        )
    }

    /// cuRAND's Philox and XORWOW, in beadwork's threads.
    fn curand(&self, card: &Device, folder: &Path) -> Result<Vec<Row>, Failure> {
        let file = self.peers.join("curand.cu");
        let source = std::fs::read_to_string(&file).map_err(|error| {
            Failure::input(format!(
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
            let streams = Self::streams(generator, scheme, threads)?;
            let mut throughput = Throughput::new(card, streams, 1 << 20)?;
            let whole = throughput.count(1);
            let mut peer = throughput.peer(&module, name)?;
            let same = peer.has_the_same_words()?;
            let mut rate = |numbers: Numbers| {
                self.rates(
                    |rounds| whole * f64::from(rounds),
                    |rounds| peer.seconds(numbers, rounds).map_err(Failure::from),
                )
            };
            Ok(Row {
                library: "cuRAND",
                generator: title,
                scheme: scheme.name(),
                uniforms: Some(rate(Numbers::Uniforms)?),
                normals: Some(rate(Numbers::Normals)?),
                into_memory: None,
                copied_from_host: None,
                checked: "beadwork's words",
                wrong: (!same).then(|| "its words are others than beadwork's".to_string()),
            })
        };
        generators.into_iter().map(row).collect()
    }
}

impl Report {
    fn markdown(&self) -> String {
        let mut text = heading(self.name, self.device, &self.machine, &self.command);
        text.push_str("## Numbers a second\n\n");
        let mut rows = vec![words([
            "library",
            "generator",
            "scheme",
            "uniforms",
            "lowest to highest",
            "normals",
            "lowest to highest",
            "into memory",
            "of a copy's bytes/s",
            "made on the host and copied",
        ])];
        for row in &self.rows {
            let median = |spread: &Option<Spread>| {
                spread.as_ref().map_or("-".to_string(), |spread| rounded(spread.median))
            };
            let range = |spread: &Option<Spread>| {
                spread.as_ref().map_or("-".to_string(), |spread| {
                    format!("{} to {}", rounded(spread.lowest), rounded(spread.highest))
                })
            };
            let share = match (&row.into_memory, &self.copy) {
                (Some(numbers), Some(copy)) => significant(4.0 * numbers.median / copy.median),
                _ => "-".to_string(),
            };
            rows.push(vec![
                row.library.to_string(),
                row.generator.to_string(),
                row.scheme.to_string(),
                median(&row.uniforms),
                range(&row.uniforms),
                median(&row.normals),
                range(&row.normals),
                median(&row.into_memory),
                share,
                median(&row.copied_from_host),
            ]);
        }
        text.push_str(&table(&rows));
        if let Some(copy) = &self.copy {
            text.push_str(&format!(
                "\nA copy on the GPU reads and writes {} bytes/s ({} to {}).\n",
                rounded(copy.median),
                rounded(copy.lowest),
                rounded(copy.highest)
            ));
        }
        if self.device == "cuda" {
            text.push_str("\n## Checks\n\n");
            for row in &self.rows {
                let found = row.wrong.clone().unwrap_or("the same".to_string());
                text.push_str(&format!(
                    "- {} {}, {}, first numbers against {}: {found}\n",
                    row.library, row.generator, row.scheme, row.checked
                ));
            }
        }
        text.push_str(if self.holds {
            "\nAll checks hold.\n"
        } else {
            "\nA CHECK FAILS: the speeds above are not those of these generators.\n"
        });
        text
    }
}
