//! [`Words`], the words of any generator in any of its schemes, in device memory.

use beadwork_random::generators::lagged_fibonacci::independent;
use beadwork_random::{Generator, Scheme, States, Streams};

use crate::compile::program::Program;
use crate::error::OLDEST_CARD;
use crate::{Buffer, Device, Error, Function, Part, Stream, program_text};

/// Threads of a block.
const THREADS: u32 = 256;

/// Where words are made. They are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// By kernels.
    Card,
    /// On the host, and copied to the card: what others compare with.
    Host,
}

/// The parameter of the kernels in `words.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Round {
    states: u64,
    words: u64,
    step: u64,
    count: u64,
    key: [u32; 2],
    beads: u32,
    each: u32,
    steps: u32,
    short_lag: u32,
    long_lag: u32,
    position: u32,
}

/// The card's [`Streams`]: the words that a generator gives the beads of a replica, step after step, bead after bead.
#[derive(Debug)]
pub struct Words {
    origin: Origin,
    /// On the card: as they were given, with the states of then. On the host they are drawn from.
    streams: Streams,
    function: Option<Function>,
    states: Buffer<u32>,
    /// Of Lagged Fibonacci: the position in its ring.
    position: usize,
    words: Buffer<u32>,
    most_steps: usize,
}

impl Words {
    /// Goes on where `streams` are, with room for the words of up to `most_steps` steps.
    pub fn new(
        device: &Device,
        stream: &Stream,
        streams: Streams,
        origin: Origin,
        most_steps: usize,
    ) -> Result<Self, Error> {
        let packed = match (origin, streams.states()) {
            (Origin::Card, Some(states)) => states.packed(),
            _ => Vec::new(),
        };
        let function = match origin {
            Origin::Host => None,
            Origin::Card => {
                let program = program(streams.generator(), streams.scheme());
                let module = device.load(&program.name, &program.source)?;
                Some(module.function(KERNEL)?)
            }
        };
        let mut states = Buffer::new(device, packed.len())?;
        states.upload(stream, 0, &packed)?;
        Ok(Self {
            origin,
            function,
            states,
            position: match streams.states() {
                Some(States::LaggedFibonacci(state)) => state.ring().1,
                _ => 0,
            },
            words: Buffer::new(device, streams.words_a_step() * most_steps)?,
            streams,
            most_steps,
        })
    }

    /// Makes the words of `steps` steps from `step` on, without waiting where they are made on the card.
    ///
    /// # Panics
    /// Where there is no room for so many steps.
    pub fn draw(&mut self, stream: &Stream, step: u64, steps: usize) -> Result<(), Error> {
        assert!(steps <= self.most_steps, "room for {} steps, asked for {steps}", self.most_steps);
        let all = self.streams.words_a_step() * steps;
        if all == 0 {
            return Ok(());
        }
        let Some(function) = self.function.clone() else {
            let mut words = vec![0; all];
            for (step, words) in (step..).zip(words.chunks_exact_mut(all / steps)) {
                self.streams.draw(step, |_| true, words);
            }
            return self.words.upload(stream, 0, &words);
        };
        let mut round = Round {
            states: self.states.address(),
            words: self.words.address(),
            step,
            count: all as u64,
            key: self.streams.key().unwrap_or_default(),
            beads: self.streams.beads(),
            each: self.streams.words_of_a_bead() as u32,
            steps: steps as u32,
            short_lag: 0,
            long_lag: 0,
            position: 0,
        };
        let blocks = |threads: usize| threads.div_ceil(THREADS as usize) as u32;
        let launch = |round: &Round, blocks: u32| {
            // SAFETY: the parameter is the kernel's; states and words are as many as it reads and writes by `round`,
            // and belong to `self`, which is borrowed for as long as a launch of it may be asked for; what frees them waits
            // for the card.
            unsafe { stream.launch(&function, blocks, THREADS, 0, round) }
        };
        match self.streams.states() {
            Some(States::LaggedFibonacci(state)) => {
                let (short, long) = state.lags();
                (round.short_lag, round.long_lag) = (short as u32, long as u32);
                let mut made = 0;
                while made < all {
                    let count = (all - made).min(independent((short, long)));
                    round.words = self.words.address() + 4 * made as u64;
                    (round.count, round.position) = (count as u64, self.position as u32);
                    launch(&round, blocks(count))?;
                    self.position = (self.position + count) % long;
                    made += count;
                }
                Ok(())
            }
            Some(States::Mt19937(_)) => launch(&round, 1),
            Some(_) => launch(&round, blocks(round.beads as usize)),
            None => launch(&round, blocks(round.beads as usize * steps)),
        }
    }

    /// Where the words of the last steps are, those of the first one first.
    pub fn buffer(&self) -> &Buffer<u32> {
        &self.words
    }

    /// The words of the last `steps` steps that were drawn.
    pub fn download(&self, stream: &Stream, steps: usize) -> Result<Vec<u32>, Error> {
        let mut words = vec![0; self.streams.words_a_step() * steps];
        self.words.download(stream, 0, &mut words)?;
        Ok(words)
    }

    /// The states, where there are such: a checkpoint's content.
    pub fn states(&self, stream: &Stream) -> Result<Option<States>, Error> {
        let Some(given) = self.streams.states() else { return Ok(None) };
        if self.origin == Origin::Host {
            return Ok(Some(given.clone()));
        }
        let mut packed = vec![0; self.states.len()];
        self.states.download(stream, 0, &mut packed)?;
        if let (States::LaggedFibonacci(_), Some(position)) = (given, packed.last_mut()) {
            *position = self.position as u32;
        }
        let states = given.unpacked(&packed);
        Ok(Some(states.map_err(|error| Error::Corrupt { what: error.to_string() })?))
    }
}

const KERNEL: &str = "beadwork_words";

/// The program that makes the words of a generator in a scheme.
pub fn program(generator: Generator, scheme: Scheme) -> Program {
    let shared = scheme == Scheme::OneForAllThreads;
    let part = if shared { Part::Sequences } else { Part::Generators };
    let kernel = include_str!("../../kernels/random/words.cuh");
    Program {
        name: format!("words {} {}", generator.name(), scheme.name()),
        source: program_text(generator, scheme, &[], &[part], kernel),
        functions: vec![KERNEL.into()],
        oldest: OLDEST_CARD,
        registers: 64,
        // The table of Ran2.
        local_bytes: if generator == Generator::Ran2 { 144 } else { 0 },
    }
}
