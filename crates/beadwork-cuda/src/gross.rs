//! [`Gross`]: P3's own programs for replica exchange of elastic polymers, to compare with.

use beadwork_cpu::exchange::{Ladder, LadderState};
use beadwork_cpu::monte_carlo::{Chain, Rung};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_random::{Generator, NoiseKey, Purpose};

use crate::error::OLDEST_CARD;
use crate::generators::definitions;
use crate::program::{Program, text_of};
use crate::walker_program::CHAIN_FILES;
use crate::{Buffer, Device, Error, Function, Stream};

const THREADS: u32 = 64;
const MOST_MONOMERS: usize = 256;
const FUNCTIONS: [&str; 2] = ["beadwork_gross_naive", "beadwork_gross_improved"];

/// The parameter of the kernels in `gross.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Round {
    positions: u64,
    keys: u64,
    rungs: u64,
    accepted: u64,
    energies: u64,
    temperatures: u64,
    displacements: u64,
    sweep: u64,
    chain: [f32; 6],
    replicas: u32,
    monomers: u32,
    sweeps: u32,
    padding: u32,
}

/// What has a thread (P3 §4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrossScheme {
    /// A replica.
    Naive,
    /// A pair, in a block of 64 threads a replica.
    Improved,
}

impl GrossScheme {
    /// Both.
    pub const ALL: [GrossScheme; 2] = [GrossScheme::Naive, GrossScheme::Improved];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            GrossScheme::Naive => "naive",
            GrossScheme::Improved => "improved",
        }
    }
}

/// A ladder of replicas by P3's programs, in single precision: the whole energy of a replica at each move, exchange on the
/// host. Noise and moves are those of [`Walkers`](crate::Walkers).
#[derive(Debug)]
pub struct Gross {
    stream: Stream,
    function: Function,
    scheme: GrossScheme,
    polymer: ElasticPolymer,
    sweep: u64,
    ladder: Ladder,
    places: Buffer<u32>,
    positions: Buffer<[f32; 4]>,
    keys: Buffer<u32>,
    accepted: Buffer<u32>,
    energies: Buffer<f32>,
    temperatures: Buffer<f32>,
    displacements: Buffer<f32>,
}

impl Gross {
    /// Replica r begins on rung r with the r-th of the `starts`, which are in units of the length.
    ///
    /// # Errors
    /// [`Error::Other`] for more than 256 monomers; else what the device, the compiler or memory did.
    ///
    /// # Panics
    /// Where there is not a start with all monomers for each rung.
    pub fn new(
        device: &Device,
        scheme: GrossScheme,
        polymer: ElasticPolymer,
        seed: u64,
        rungs: &[Rung],
        starts: &[Vec<[f64; 3]>],
    ) -> Result<Self, Error> {
        assert_eq!(starts.len(), rungs.len(), "a start for each rung");
        assert!(starts.iter().all(|start| start.len() == polymer.monomers), "monomers of a start");
        if polymer.monomers > MOST_MONOMERS {
            return Err(Error::Other {
                action: format!("sample chains of {} monomers as P3 does", polymer.monomers),
                reason: format!("Its programs have room for {MOST_MONOMERS} here."),
            });
        }
        let program = program();
        let module = device.load(&program.name, &program.source)?;
        let replicas = rungs.len();
        let temperatures: Vec<f64> = rungs.iter().map(|rung| rung.temperature).collect();
        let mut gross = Gross {
            stream: device.stream()?,
            function: module.function(FUNCTIONS[scheme as usize])?,
            scheme,
            sweep: 0,
            ladder: Ladder::new(seed, 0, LadderState::new(&temperatures)),
            places: Buffer::new(device, replicas)?,
            positions: Buffer::new(device, replicas * polymer.monomers)?,
            keys: Buffer::new(device, 2 * replicas)?,
            accepted: Buffer::new(device, replicas)?,
            energies: Buffer::new(device, replicas)?,
            temperatures: Buffer::new(device, replicas)?,
            displacements: Buffer::new(device, replicas)?,
            polymer,
        };
        let stream = &gross.stream;
        let row = |[x, y, z]: &[f64; 3]| [*x as f32, *y as f32, *z as f32, 0.0];
        let rows: Vec<[f32; 4]> = starts.iter().flatten().map(row).collect();
        let key = |replica| NoiseKey::new(seed, Purpose::MonteCarloMove, replica).key_words();
        let keys: Vec<u32> = (0..replicas as u64).flat_map(key).collect();
        let unit = 4.0 * polymer.pairs.depth;
        let in_unit: Vec<f32> = temperatures.iter().map(|t| (t / unit) as f32).collect();
        let displacements: Vec<f32> = rungs.iter().map(|rung| rung.displacement as f32).collect();
        gross.positions.upload(stream, 0, &rows)?;
        gross.keys.upload(stream, 0, &keys)?;
        gross.temperatures.upload(stream, 0, &in_unit)?;
        gross.displacements.upload(stream, 0, &displacements)?;
        Ok(gross)
    }

    /// Makes sweeps, and attempts an exchange on the host after each `every` of them, copies to and fro included; returns how
    /// many moves were accepted.
    ///
    /// # Errors
    /// What the device did.
    pub fn advance(&mut self, sweeps: u32, every: u32) -> Result<u64, Error> {
        let mut all = 0;
        let mut left = sweeps;
        let replicas = self.places.len();
        while left > 0 {
            let now = left.min(every);
            self.places.upload(&self.stream, 0, &self.ladder.state().rungs)?;
            self.launch(now)?;
            self.sweep += u64::from(now);
            left -= now;
            let (mut accepted, mut energies) = (vec![0; replicas], vec![0.0; replicas]);
            self.accepted.download(&self.stream, 0, &mut accepted)?;
            self.energies.download(&self.stream, 0, &mut energies)?;
            all += accepted.into_iter().map(u64::from).sum::<u64>();
            if now == every {
                let energies: Vec<Option<f64>> =
                    energies.into_iter().map(|energy| Some(self.in_epsilon(energy))).collect();
                let rungs = self.ladder.decide(&energies);
                self.ladder.settle(&rungs);
            }
        }
        Ok(all)
    }

    fn launch(&self, sweeps: u32) -> Result<(), Error> {
        let replicas = self.places.len() as u32;
        let round = Round {
            positions: self.positions.address(),
            keys: self.keys.address(),
            rungs: self.places.address(),
            accepted: self.accepted.address(),
            energies: self.energies.address(),
            temperatures: self.temperatures.address(),
            displacements: self.displacements.address(),
            sweep: self.sweep,
            chain: Chain::<f32>::new(&self.polymer).numbers(),
            replicas,
            monomers: self.polymer.monomers as u32,
            sweeps,
            padding: 0,
        };
        let blocks = match self.scheme {
            GrossScheme::Naive => replicas.div_ceil(THREADS),
            GrossScheme::Improved => replicas,
        };
        // SAFETY: the parameter is the kernel's; arrays are of all replicas and monomers. They belong to `self`, and what
        // frees them waits for the card.
        unsafe { self.stream.launch(&self.function, blocks, THREADS, 0, &round) }
    }

    fn in_epsilon(&self, energy: f32) -> f64 {
        4.0 * self.polymer.pairs.depth * f64::from(energy)
    }

    /// Energies of all replicas after the sweeps last made, in units of ε: what exchanges are decided by.
    ///
    /// # Errors
    /// What the device did.
    pub fn energies(&self) -> Result<Vec<f64>, Error> {
        let mut energies = vec![0.0; self.energies.len()];
        self.energies.download(&self.stream, 0, &mut energies)?;
        Ok(energies.into_iter().map(|energy| self.in_epsilon(energy)).collect())
    }

    /// Positions of all replicas, in units of the length.
    ///
    /// # Errors
    /// What the device did.
    pub fn positions(&self) -> Result<Vec<Vec<[f64; 3]>>, Error> {
        let mut rows = vec![[0.0; 4]; self.positions.len()];
        self.positions.download(&self.stream, 0, &mut rows)?;
        let place = |row: &[f32; 4]| [0, 1, 2].map(|axis| f64::from(row[axis]));
        let replicas = rows.chunks_exact(self.polymer.monomers);
        Ok(replicas.map(|rows| rows.iter().map(place).collect()).collect())
    }

    /// The ladder.
    pub fn ladder(&self) -> &Ladder {
        &self.ladder
    }
}

/// The program of [`Gross`].
pub fn program() -> Program {
    let mut all = vec![("DOUBLE", 0), ("FUSED", 1)];
    let generator = Generator::Philox4x32x10;
    all.extend(definitions(generator, generator.schemes()[0]));
    let own = [include_str!("../kernels/gross.cuh")];
    Program {
        name: "monte-carlo by P3's programs".into(),
        source: text_of(&all, &[CHAIN_FILES.as_slice(), &own].concat()),
        functions: FUNCTIONS.map(String::from).into(),
        oldest: OLDEST_CARD,
        registers: 128,
        local_bytes: 0,
    }
}
