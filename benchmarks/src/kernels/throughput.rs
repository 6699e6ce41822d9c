//! [`Throughput`]: how many numbers a card makes: uniform and normal ones in registers, and uniform ones into memory.

use std::time::Instant;

use beadwork_cuda::{
    Buffer, Device, Error, Function, Module, OLDEST_CARD, Program, Stream, program_text,
};
use beadwork_random::{Generator, Scheme, Streams, box_muller, uniform_f32};

const THREADS: u32 = 256;

/// Blocks of a multiprocessor: as many threads as it holds, or as its registers allow.
const fn blocks_of(generator: Generator) -> u32 {
    match generator {
        // More would leave its threads too few registers to draw without local memory.
        Generator::Ran2 => 4,
        _ => 8,
    }
}

/// Rounds in the body of the unrolled loop.
const UNROLLED: u32 = 4;
/// Numbers of a thread in a round.
const EACH: usize = 4;
/// Rounds that are compared with the host's.
const CHECKED: u32 = 8;
/// Allowed difference of sums of normal numbers: the card fuses products, the host does not.
const TOLERANCE: f32 = 1e-4;

/// The kind of numbers, and where they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// Uniform numbers, which stay in registers.
    Uniforms,
    /// Normal numbers (Box and Muller, single precision, as in runs), which stay in registers.
    Normals,
    /// Uniform numbers, which each thread writes 16 bytes at a time.
    IntoMemory,
}

impl Numbers {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Uniforms, Self::Normals, Self::IntoMemory];

    fn function(self) -> &'static str {
        match self {
            Self::Uniforms => "beadwork_uniforms",
            Self::Normals => "beadwork_normals",
            Self::IntoMemory => "beadwork_into_memory",
        }
    }
}

/// The parameter of the kernels in `throughput.cuh`, and of those of peers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Round {
    states: u64,
    sums: u64,
    numbers: u64,
    key: [u32; 2],
    rounds: u32,
    padding: u32,
}

/// A generator on a card. Each bead has a thread, and the card runs all threads at a time.
#[derive(Debug)]
pub struct Throughput {
    stream: Stream,
    functions: [Function; 3],
    streams: Streams,
    blocks: u32,
    states: Buffer<u32>,
    sums: Buffer<f32>,
    numbers: Buffer<f32>,
}

impl Throughput {
    /// For streams of [`Throughput::threads`] beads with four words a step, with this many bytes for numbers.
    ///
    /// # Panics
    /// If the streams have other numbers of beads or words, or share one sequence.
    pub fn new(device: &Device, streams: Streams, bytes: usize) -> Result<Self, Error> {
        let program = program(streams.generator(), streams.scheme());
        let module = device.load(&program.name, &program.source)?;
        let functions = Numbers::ALL.map(|numbers| module.function(numbers.function()));
        Self::of_functions(device, streams, bytes, functions)
    }

    /// Measures functions of another library, which take the same parameter. The one for memory writes words.
    ///
    /// # Panics
    /// As [`Throughput::new`].
    pub fn of_library(
        device: &Device,
        streams: Streams,
        module: &Module,
        prefix: &str,
    ) -> Result<Self, Error> {
        let function = |what: &str| module.function(&format!("{prefix}_{what}"));
        let functions = ["uniforms", "normals", "words"].map(function);
        Self::of_functions(device, streams, 1 << 20, functions)
    }

    fn of_functions(
        device: &Device,
        streams: Streams,
        bytes: usize,
        [uniforms, normals, into_memory]: [Result<Function, Error>; 3],
    ) -> Result<Self, Error> {
        assert!(streams.scheme() != Scheme::OneForAllThreads, "such words are made by `Words`");
        let threads = Self::threads(device, streams.generator());
        assert_eq!((streams.beads(), streams.words_of_a_bead()), (threads, EACH), "of each thread");
        let round = EACH * threads as usize;
        let rounds = (bytes / (4 * round)).max(CHECKED as usize);
        let states = streams.states().map_or(0, |states| states.packed().len());
        Ok(Self {
            stream: device.stream()?,
            functions: [uniforms?, normals?, into_memory?],
            blocks: threads / THREADS,
            states: Buffer::new(device, states)?,
            sums: Buffer::new(device, threads as usize)?,
            numbers: Buffer::new(device, round * (rounds - rounds % UNROLLED as usize))?,
            streams,
        })
    }

    /// Threads that the card runs at a time.
    pub fn threads(device: &Device, generator: Generator) -> u32 {
        device.properties().multiprocessors * blocks_of(generator) * THREADS
    }

    /// The most rounds whose numbers fit into memory.
    pub fn most_rounds(&self) -> u32 {
        (self.numbers.len() / (EACH * self.streams.beads() as usize)) as u32
    }

    /// Numbers that all threads make in this many rounds.
    pub fn count(&self, rounds: u32) -> f64 {
        EACH as f64 * f64::from(self.streams.beads()) * f64::from(rounds)
    }

    /// Wall time of `launches` launches of this many rounds, s.
    ///
    /// # Panics
    /// If numbers go into memory and do not fit.
    pub fn seconds(&mut self, numbers: Numbers, rounds: u32, launches: u32) -> Result<f64, Error> {
        let writes = numbers == Numbers::IntoMemory;
        assert!(!writes || rounds <= self.most_rounds(), "memory for {rounds} rounds");
        if let Some(states) = self.streams.states() {
            self.states.upload(&self.stream, 0, &states.packed())?;
        }
        let round = Round {
            states: self.states.address(),
            sums: self.sums.address(),
            numbers: self.numbers.address(),
            key: self.streams.key().unwrap_or_default(),
            rounds,
            padding: 0,
        };
        let function = &self.functions[numbers as usize];
        self.stream.wait()?;
        let began = Instant::now();
        for _ in 0..launches {
            // SAFETY: the parameter is the kernel's; states and sums have all threads, and `numbers` has room for the rounds
            // of the kernels that write there. They belong to `self`, and freeing them waits for the card.
            unsafe { self.stream.launch(function, self.blocks, THREADS, 0, &round)? };
        }
        self.stream.wait()?;
        Ok(began.elapsed().as_secs_f64())
    }

    /// The numbers that one launch of the first rounds writes into memory, as bits.
    fn written(&mut self) -> Result<Vec<u32>, Error> {
        self.seconds(Numbers::IntoMemory, CHECKED, 1)?;
        let mut found = vec![0.0; self.streams.words_a_step() * CHECKED as usize];
        self.numbers.download(&self.stream, 0, &mut found)?;
        Ok(found.into_iter().map(f32::to_bits).collect())
    }

    /// The words of the first rounds, computed on the host: round after round, four of each thread.
    fn expected(&self) -> Vec<u32> {
        let mut streams = self.streams.clone();
        let each = streams.words_a_step();
        let mut words = vec![0; each * CHECKED as usize];
        for (step, words) in (0..).zip(words.chunks_exact_mut(each)) {
            streams.draw(step, |_| true, words);
        }
        words
    }

    /// Compares the first rounds of the timed functions with the host's. Returns the first difference as a sentence.
    pub fn check(&mut self) -> Result<Option<String>, Error> {
        let words = self.expected();
        let threads = self.streams.beads() as usize;
        for (numbers, allowed) in [(Numbers::Uniforms, 0.0), (Numbers::Normals, TOLERANCE)] {
            self.seconds(numbers, CHECKED, 1)?;
            let mut found = vec![0.0; threads];
            self.sums.download(&self.stream, 0, &mut found)?;
            for (thread, found) in found.into_iter().enumerate() {
                let rounds = words.chunks_exact(EACH * threads);
                let of_thread = rounds.map(|round| &round[EACH * thread..][..EACH]);
                let expected = sum(numbers, of_thread);
                let same = (found - expected).abs() <= allowed;
                // A sum that is NaN is wrong, too.
                if !same {
                    return Ok(Some(format!(
                        "the sum of thread {thread}'s {numbers:?} is {found}, the host's {expected}"
                    )));
                }
            }
        }
        let numbers = words.iter().map(|word| uniform_f32(*word).to_bits());
        let place = self.written()?.into_iter().zip(numbers).position(|(a, b)| a != b);
        Ok(place.map(|place| format!("number {place} in memory is another than the host's")))
    }

    /// Compares the first words that another library (cuRAND) wrote with those of the host.
    pub fn check_words(&mut self) -> Result<Option<String>, Error> {
        let place = self.written()?.iter().zip(self.expected()).position(|(a, b)| *a != b);
        Ok(place.map(|place| format!("word {place} is another than beadwork's")))
    }
}

/// The sum in the order of the kernels, rounded as they round it.
fn sum<'a>(numbers: Numbers, rounds: impl Iterator<Item = &'a [u32]>) -> f32 {
    let (mut first, mut second) = (0.0_f32, 0.0_f32);
    for words in rounds {
        for pair in words.chunks_exact(2) {
            let [a, b] = [uniform_f32(pair[0]), uniform_f32(pair[1])];
            let [a, b] = if numbers == Numbers::Normals { box_muller(a, b) } else { [a, b] };
            first += a;
            second += b;
        }
    }
    first + second
}

/// Wall time of `times` copies of this many bytes within the memory of a card, s: the bound that the memory sets.
pub fn copy_seconds(device: &Device, bytes: usize, times: u32) -> Result<f64, Error> {
    let stream = device.stream()?;
    let mut from = Buffer::<u64>::new(device, bytes / 8)?;
    let mut to = Buffer::new(device, bytes / 8)?;
    from.fill_zero(&stream)?;
    to.copy_from(&stream, &from)?;
    stream.wait()?;
    let began = Instant::now();
    for _ in 0..times {
        to.copy_from(&stream, &from)?;
    }
    stream.wait()?;
    Ok(began.elapsed().as_secs_f64())
}

/// Bytes a second that a copy within the memory of a card reads and writes, after a warm-up.
pub fn copy_rate(device: &Device) -> Result<f64, Error> {
    const BYTES: usize = 1 << 30;
    const COPIES: u32 = 20;
    copy_seconds(device, BYTES, 2)?;
    Ok(2.0 * BYTES as f64 * f64::from(COPIES) / copy_seconds(device, BYTES, COPIES)?)
}

pub(super) fn program(generator: Generator, scheme: Scheme) -> Program {
    let definitions =
        [("THREADS", THREADS), ("UNROLLED", UNROLLED), ("BLOCKS", blocks_of(generator))];
    let kernels = include_str!("../../kernels/throughput.cuh");
    Program {
        name: format!("throughput {} {}", generator.name(), scheme.name()),
        source: program_text(generator, scheme, &definitions, kernels),
        functions: Numbers::ALL.map(|numbers| numbers.function().to_owned()).into(),
        oldest: OLDEST_CARD,
        registers: 65_536 / (THREADS * blocks_of(generator)) / 8 * 8,
        local_bytes: 0,
    }
}
