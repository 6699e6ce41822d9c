//! [`MicroStreams`], the published micro-benchmark of Brownian dynamics ([5] in the book's page on random numbers): the
//! cost of a generator where each step is a kernel.

use beadwork_cuda::{Buffer, Device, Error, Function, OLDEST_CARD, Program, Stream, program_text};
use beadwork_random::{Generator, Scheme, Streams, uniform_f32};

use super::graph_seconds;

const THREADS: u32 = 256;
const KERNEL: &str = "beadwork_micro_stream";
/// Words of a particle in a step.
const WORDS: usize = 3;
/// Steps that are compared with the host's.
const CHECKED: u64 = 3;

/// −γ, √3 √(2 kT γ/Δt) and Δt/m in units in which kT and m are 1, γ is 0.5 and Δt is 0.01.
const FRICTION: f32 = -0.5;
const AMPLITUDE: f32 = 17.320_508;
const MOBILITY: f32 = 0.01;

/// The parameter of the kernel in `micro_streams.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Round {
    velocities: u64,
    forces: u64,
    states: u64,
    step: u64,
    key: [u32; 2],
    particles: u32,
    friction: f32,
    amplitude: f32,
    mobility: f32,
}

/// Particles on a card, and a generator.
#[derive(Debug)]
pub struct MicroStreams {
    stream: Stream,
    function: Function,
    streams: Streams,
    velocities: Buffer<f32>,
    forces: Buffer<f32>,
    states: Buffer<u32>,
}

impl MicroStreams {
    /// Puts a particle at rest and without forces for each bead of the streams.
    ///
    /// # Panics
    /// If beads do not take three words, or share one sequence.
    pub fn new(device: &Device, streams: Streams) -> Result<Self, Error> {
        assert_eq!(streams.words_of_a_bead(), WORDS, "words of a bead");
        assert!(streams.scheme() != Scheme::OneForAllThreads, "a generator of each particle");
        let program = program(streams.generator(), streams.scheme());
        let module = device.load(&program.name, &program.source)?;
        let particles = streams.beads() as usize;
        let states = streams.states().map_or(0, |states| states.packed().len());
        Ok(Self {
            stream: device.stream()?,
            function: module.function(KERNEL)?,
            velocities: Buffer::new(device, 3 * particles)?,
            forces: Buffer::new(device, 3 * particles)?,
            states: Buffer::new(device, states)?,
            streams,
        })
    }

    /// Bytes that a step reads and writes for a particle: velocity, force and state.
    pub fn bytes_of_a_particle(&self) -> usize {
        let beads = self.streams.beads() as usize;
        2 * (3 + 3) * 4 + 2 * 4 * self.states.len().checked_div(beads).unwrap_or(0)
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.velocities.fill_zero(&self.stream)?;
        self.forces.fill_zero(&self.stream)?;
        match self.streams.states() {
            Some(states) => self.states.upload(&self.stream, 0, &states.packed()),
            None => Ok(()),
        }
    }

    fn step(&self, step: u64) -> Result<(), Error> {
        let particles = self.streams.beads();
        let round = Round {
            velocities: self.velocities.address(),
            forces: self.forces.address(),
            states: self.states.address(),
            step,
            key: self.streams.key().unwrap_or_default(),
            particles,
            friction: FRICTION,
            amplitude: AMPLITUDE,
            mobility: MOBILITY,
        };
        // SAFETY: the parameter is the kernel's; velocities, forces and states have all particles. They belong to `self`, and
        // freeing them waits for the card.
        unsafe {
            self.stream.launch(&self.function, particles.div_ceil(THREADS), THREADS, 0, &round)
        }
    }

    /// Wall time of this many steps, s. Each is a kernel; their launches are recorded before the clock starts.
    pub fn seconds(&mut self, steps: u64) -> Result<f64, Error> {
        self.reset()?;
        graph_seconds(&self.stream, steps, |step| self.step(step))
    }

    /// Compares velocities and forces of the first steps with the host's, to the bit. Returns the first difference as a
    /// sentence.
    pub fn check(&mut self) -> Result<Option<String>, Error> {
        self.reset()?;
        (0..CHECKED).try_for_each(|step| self.step(step))?;
        let numbers = 3 * self.streams.beads() as usize;
        let mut found = [vec![0.0; numbers], vec![0.0; numbers]];
        self.velocities.download(&self.stream, 0, &mut found[0])?;
        self.forces.download(&self.stream, 0, &mut found[1])?;
        let mut streams = self.streams.clone();
        let (mut velocities, mut forces) = (vec![0.0_f32; numbers], vec![0.0_f32; numbers]);
        let mut words = vec![0; numbers];
        for step in 0..CHECKED {
            streams.draw(step, |_| true, &mut words);
            for ((v, f), word) in velocities.iter_mut().zip(&mut forces).zip(&words) {
                let u = uniform_f32(*word);
                *f += *v * FRICTION + (u + (u - 1.0)) * AMPLITUDE;
                *v += *f * MOBILITY;
            }
        }
        let wrong = (0..numbers).find(|&place| {
            [velocities[place], forces[place]] != [found[0][place], found[1][place]]
        });
        Ok(wrong.map(|place| {
            format!(
                "particle {}, axis {} has velocity {} and force {}, on the host {} and {}",
                place / 3,
                place % 3,
                found[0][place],
                found[1][place],
                velocities[place],
                forces[place]
            )
        }))
    }
}

pub(super) fn program(generator: Generator, scheme: Scheme) -> Program {
    let kernel = include_str!("../../kernels/micro_streams.cuh");
    // All words of the table of Ran2 are on their way at once.
    let registers = if generator == Generator::Ran2 { 128 } else { 64 };
    Program {
        name: format!("micro-streams {} {}", generator.name(), scheme.name()),
        source: program_text(generator, scheme, &[("THREADS", THREADS)], kernel),
        functions: vec![KERNEL.into()],
        oldest: OLDEST_CARD,
        registers,
        local_bytes: 0,
    }
}
