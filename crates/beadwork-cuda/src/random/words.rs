//! [`Words`], the words of any generator in any of its schemes, in device memory.

use beadwork_random::{Generator, Scheme, States, Streams};

use crate::compile::program::{Program, including};
use crate::error::OLDEST_CARD;
use crate::random::generators::kernels_of;
use crate::random::rounds::rounds;
use crate::{Buffer, Device, Error, Function, Stream, program_text};

/// Threads of a block.
const THREADS: u32 = 256;

/// The place where words are made. The words are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// By kernels.
    Card,
    /// On the host, then copied to the card: the reference for comparisons.
    Host,
}

/// The parameter of the kernels in `words.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Drawing {
    states: u64,
    words: u64,
    step: u64,
    count: u64,
    key: [u32; 2],
    beads: u32,
    each: u32,
    steps: u32,
    lags: [u32; 2],
    position: u32,
    first: u32,
    depth: u32,
}

/// [`Streams`] on the card: the words of a generator for the beads of a replica, step after step, bead after bead.
#[derive(Debug)]
pub struct Words {
    origin: Origin,
    /// For words made on the card, the initial states; the host draws from them.
    streams: Streams,
    functions: Vec<Function>,
    states: Buffer<u32>,
    /// The position in the ring of Lagged Fibonacci.
    position: usize,
    words: Buffer<u32>,
    most_steps: usize,
}

impl Words {
    /// Continues from `streams`, with room for the words of up to `most_steps` steps.
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
        let functions = match origin {
            Origin::Host => Vec::new(),
            Origin::Card => {
                let program = program(streams.generator(), streams.scheme());
                let module = device.load(&program.name, &program.source)?;
                let functions = program.functions.iter().map(|name| module.function(name));
                functions.collect::<Result<_, _>>()?
            }
        };
        let mut states = Buffer::new(device, packed.len())?;
        states.upload(stream, 0, &packed)?;
        Ok(Self {
            origin,
            functions,
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

    /// Makes the words of `steps` steps from `step` on; does not wait if the card makes them.
    ///
    /// # Panics
    /// If there is no room for so many steps.
    pub fn draw(&mut self, stream: &Stream, step: u64, steps: usize) -> Result<(), Error> {
        assert!(steps <= self.most_steps, "room for {} steps, asked for {steps}", self.most_steps);
        let all = self.streams.words_a_step() * steps;
        if all == 0 {
            return Ok(());
        }
        let Some(function) = self.functions.first() else {
            let mut words = vec![0; all];
            for (step, words) in (step..).zip(words.chunks_exact_mut(all / steps)) {
                self.streams.draw(step, |_| true, words);
            }
            return self.words.upload(stream, 0, &words);
        };
        let mut drawing = Drawing {
            states: self.states.address(),
            words: self.words.address(),
            step,
            count: all as u64,
            key: self.streams.key().unwrap_or_default(),
            beads: self.streams.beads(),
            each: self.streams.words_of_a_bead() as u32,
            steps: steps as u32,
            lags: [0; 2],
            position: self.position as u32,
            first: 0,
            depth: 0,
        };
        let blocks = |threads: usize| threads.div_ceil(THREADS as usize) as u32;
        let launch = |function: &Function, drawing: &Drawing, blocks: u32| {
            // SAFETY: the parameter is the kernel's. States and words have the sizes in `drawing`; they belong to `self`,
            // which is borrowed as long as a launch may be requested, and which waits for the card before it frees
            // them.
            unsafe { stream.launch(function, blocks, THREADS, 0, drawing) }
        };
        match self.streams.states() {
            Some(States::LaggedFibonacci(state)) => {
                let (short, long) = state.lags();
                drawing.lags = [short as u32, long as u32];
                for round in rounds([(drawing.lags, all as u64)].into_iter()) {
                    (drawing.first, drawing.depth) = (round.first, round.depth);
                    launch(function, &drawing, blocks(round.threads(short as u32) as usize))?;
                }
                launch(&self.functions[1], &drawing, blocks(long + 1))?;
                self.position = (self.position + all) % long;
                Ok(())
            }
            Some(States::Mt19937(_)) => launch(function, &drawing, 1),
            Some(_) => launch(function, &drawing, blocks(drawing.beads as usize)),
            None => launch(function, &drawing, blocks(drawing.beads as usize * steps)),
        }
    }

    /// The words of the last steps, oldest first.
    pub fn buffer(&self) -> &Buffer<u32> {
        &self.words
    }

    /// The words of the last `steps` steps that were drawn.
    pub fn download(&self, stream: &Stream, steps: usize) -> Result<Vec<u32>, Error> {
        let mut words = vec![0; self.streams.words_a_step() * steps];
        self.words.download(stream, 0, &mut words)?;
        Ok(words)
    }

    /// The states of generators that have any: the content of a checkpoint.
    pub fn states(&self, stream: &Stream) -> Result<Option<States>, Error> {
        let Some(given) = self.streams.states() else { return Ok(None) };
        if self.origin == Origin::Host {
            return Ok(Some(given.clone()));
        }
        let mut packed = vec![0; self.states.len()];
        self.states.download(stream, 0, &mut packed)?;
        let states = given.unpacked(&packed);
        Ok(Some(states.map_err(|error| Error::Corrupt { what: error.to_string() })?))
    }
}

/// The program that makes the words of a generator in a scheme.
pub fn program(generator: Generator, scheme: Scheme) -> Program {
    let kernel = including(&["random/words.cuh"]);
    Program {
        name: format!("words {} {}", generator.name(), scheme.name()),
        source: program_text(generator, scheme, &[("THREADS", THREADS)], &kernel),
        functions: kernels_of(generator, "beadwork_words"),
        oldest: OLDEST_CARD,
        registers: 64,
        local_bytes: 0,
    }
}
