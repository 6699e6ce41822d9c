//! `bench pair-streams`: the published micro-benchmark of dissipative particle dynamics, Fig. 2 of [5] in the book's page
//! on random numbers.

use std::sync::Arc;

use beadwork_analysis::numbers::significant;
use beadwork_cuda::Device;
use beadwork_random::{Distribution, Generator, Randomness, Scheme};
use beadwork_session::device::Choice;
use clap::Args;

use super::micro_streams::VARIANTS;
use crate::kernels::{Lists, Neighbours, PARTNERS, PairLists, PairStreams, copy_rate};
use crate::options::{Options, one_card, one_of};
use crate::report::{Head, Row, remark, table_of};
use crate::statistics::Check;
use crate::timing::{Calibration, Measurement, alternate};
use crate::{Error, Outcome};

/// Half lists and atomic operations, but a generator of each pair: the cost of atomic operations alone.
const HALF_LISTS: (&str, Generator, Scheme) =
    ("SaruSaru, half lists", Generator::Saru, Scheme::OnePerCall);

const EXPLANATION: &str = "\
Each bead has 50 partners and a thread. With a generator state for each thread (pT), a pair is in the list of one of its \
beads, and atomic operations add the force to the other bead. With a micro-stream for each pair and call (pK-pT), or \
Philox, a pair is in the lists of both beads, whose threads compute the same number. \"SaruSaru, half lists\" has \
micro-streams and atomic operations: it separates the cost of atomic operations from that of generators.

Columns: the time of a call, its ratio to that of the first variant (repeat by repeat), and the bytes that a call reads \
and writes for a bead, by the formula of the paper and with the length of the list. The last column divides these bytes \
a second by those of a copy within the memory of the GPU; caches serve what is above 1.

Checks: the random words of the first calls equal the host's to the bit, forces equal those in double precision within \
rounding, and the sum of all forces is zero within rounding.

Examples:
  beadwork bench pair-streams
  beadwork bench pair-streams --beads 100000 --neighbours near --repeats 11 --save near";

#[derive(Debug, Args)]
#[command(after_help = EXPLANATION)]
pub struct PairStreamCalls {
    /// The GPU: cuda, or cuda with its number such as cuda:1.
    #[arg(long, default_value = "cuda", value_name = "cuda[:i]")]
    device: Choice,
    /// Beads, rows of each variant for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 20_000, 50_000, 100_000, 1_000_000], value_parser = clap::value_parser!(u32).range(PARTNERS as i64 + 1..=10_000_000))]
    beads: Vec<u32>,
    /// Numbers of the partners of a bead: near (the next 25 on both sides), random, or both.
    #[arg(long, value_delimiter = ',', default_value = "near,random", value_parser = neighbours_of)]
    neighbours: Vec<Neighbours>,
    /// Calls, each a kernel, in a repeat.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    calls: u64,
    #[command(flatten)]
    options: Options,
}

fn neighbours_of(name: &str) -> Result<Neighbours, String> {
    one_of(Neighbours::ALL, Neighbours::name, name)
}

impl PairStreamCalls {
    pub fn run(&self) -> Result<Outcome, Error> {
        let card = &one_card(&self.device, "pair-streams")?;
        let head = Head::new("pair-streams", std::slice::from_ref(card));
        let copy = copy_rate(card)?;
        let mut rows = Vec::new();
        for &neighbours in &self.neighbours {
            for &beads in &self.beads {
                remark(&format!("{beads} beads with {} partners …", neighbours.name()));
                rows.extend(self.rows(card, neighbours, beads, copy)?);
            }
        }
        let text = format!(
            "## Time of a call\n\n{}\nA copy on the GPU reads and writes {} bytes/s.\n",
            table_of(&rows),
            significant(copy)
        );
        // Bytes a second, read and written, of copies within the memory of the GPU.
        let conditions = Row::default().value("copy", copy).value("partners", PARTNERS);
        head.finish(&self.options, &conditions, &rows, &text)
    }

    /// A row of each variant; their repeats alternate.
    fn rows(
        &self,
        card: &Device,
        neighbours: Neighbours,
        beads: u32,
        copy: f64,
    ) -> Result<Vec<Row>, Error> {
        let pairs = Arc::new(PairLists::new(beads, neighbours));
        let of_paper = VARIANTS.map(|variant| (variant, Lists::of(variant.2)));
        let variants: Vec<_> = of_paper.into_iter().chain([(HALF_LISTS, Lists::Half)]).collect();
        let (mut calls, mut firsts) = (Vec::new(), Vec::new());
        for &((_, generator, scheme), lists) in &variants {
            let randomness = Randomness::new(generator, scheme, Distribution::Uniform)?;
            let mut of_variant = PairStreams::new(card, randomness, lists, pairs.clone())?;
            firsts.push(of_variant.check(card)?);
            calls.push(of_variant);
        }
        let bytes: Vec<[usize; 2]> = calls
            .iter()
            .map(|calls| [calls.published_bytes_of_a_bead(), calls.bytes_of_a_bead()])
            .collect();
        let calibration = Calibration { fixed: 0.0, rounds: self.calls };
        let measurements = calls.iter_mut().map(|calls| {
            Measurement::new(1.0, calibration, |count| Ok(calls.seconds(count)?.into()))
        });
        let timed = alternate(self.options.repeats, measurements.collect())?;
        let mut rows = Vec::new();
        for (place, ((variant, generator, scheme), lists)) in variants.into_iter().enumerate() {
            let microseconds = timed[place].microseconds();
            let ratio = timed[0].ratio(&timed[place]);
            let [published, counted] = bytes[place];
            let moved = counted as f64 * f64::from(beads);
            let share = moved / (1e-6 * microseconds.median) / copy;
            let row = Row::default()
                .text("variant", "variant", variant)
                .text("neighbours", "partners", neighbours.name())
                .count("beads", "beads", beads.into())
                .labelled()
                .value("generator", generator.name())
                .value("scheme", scheme.name())
                .text("lists", "lists", lists.name())
                .spread("microseconds", "us a call", Some(&microseconds), significant)
                .median("ratio", "by pT Saru", Some(&ratio), significant)
                .count("published_bytes", "bytes a bead by [5]", published as u64)
                .count("bytes", "counted", counted as u64)
                .number("share_of_copy", "of a copy's bytes/s", share, significant);
            let first = &firsts[place];
            let row = row
                .value("force_error_over_bound", first.force)
                .value("momentum_over_rounding", first.momentum);
            let quantity = "words, forces and momentum of the first calls";
            rows.push(row.checked([Check::of_equality(quantity, first.wrong())]));
        }
        Ok(rows)
    }
}
