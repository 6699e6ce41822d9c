//! [`WholeEnergy`]: the published GPU programs for replica exchange of elastic polymers (\[G\] in the book's list of
//! sources), for comparison. They compute the energy of a whole replica at each move.

use beadwork_cpu::monte_carlo::{Chain, Rung};
use beadwork_cuda::{Buffer, Device, Error, Function, Program, Stream};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_random::{NoiseKey, Purpose};
use beadwork_simulation::exchange::{Ladder, LadderState};

const THREADS: u32 = 64;
const MOST_MONOMERS: usize = 256;
const FUNCTIONS: [&str; 2] = ["beadwork_whole_energy_naive", "beadwork_whole_energy_improved"];

/// The parameter of the kernels in `whole_energy.cuh`.
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

/// How threads share the work (§4.2 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WholeEnergyScheme {
    /// Each replica has one thread.
    Naive,
    /// Each replica has a block of 64 threads, which share its pairs.
    Improved,
}

impl WholeEnergyScheme {
    /// Both schemes.
    pub const ALL: [WholeEnergyScheme; 2] = [WholeEnergyScheme::Naive, WholeEnergyScheme::Improved];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            WholeEnergyScheme::Naive => "naive",
            WholeEnergyScheme::Improved => "improved",
        }
    }
}

/// A ladder of replicas in single precision. Each move computes the whole energy of its replica; the host decides
/// exchanges. Noise and moves are those of [`ChainSamplers`](beadwork_cuda::ChainSamplers).
#[derive(Debug)]
pub struct WholeEnergy {
    stream: Stream,
    function: Function,
    scheme: WholeEnergyScheme,
    polymer: ElasticPolymer,
    sweep: u64,
    ladder: Ladder,
    rungs: Buffer<u32>,
    positions: Buffer<[f32; 4]>,
    keys: Buffer<u32>,
    accepted: Buffer<u32>,
    energies: Buffer<f32>,
    temperatures: Buffer<f32>,
    displacements: Buffer<f32>,
}

impl WholeEnergy {
    /// Replica r begins on rung r with the r-th of the `starts`, which are in units of the length.
    /// Chains of more than 256 monomers are an [`Error::Other`].
    ///
    /// # Panics
    /// Unless each rung has a start with all monomers.
    pub fn new(
        device: &Device,
        scheme: WholeEnergyScheme,
        polymer: ElasticPolymer,
        seed: u64,
        rungs: &[Rung],
        starts: &[Vec<[f64; 3]>],
    ) -> Result<Self, Error> {
        assert_eq!(starts.len(), rungs.len(), "a start for each rung");
        assert!(starts.iter().all(|start| start.len() == polymer.monomers), "monomers of a start");
        if polymer.monomers > MOST_MONOMERS {
            return Err(Error::Other {
                action: format!("sample chains of {} monomers by whole energies", polymer.monomers),
                reason: format!("The kernels have room for {MOST_MONOMERS}."),
            });
        }
        let program = program();
        let module = device.load(&program.name, &program.source)?;
        let replicas = rungs.len();
        let temperatures: Vec<f64> = rungs.iter().map(|rung| rung.temperature).collect();
        let mut sampler = WholeEnergy {
            stream: device.stream()?,
            function: module.function(FUNCTIONS[scheme as usize])?,
            scheme,
            sweep: 0,
            ladder: Ladder::new(seed, 0, LadderState::new(&temperatures)),
            rungs: Buffer::new(device, replicas)?,
            positions: Buffer::new(device, replicas * polymer.monomers)?,
            keys: Buffer::new(device, 2 * replicas)?,
            accepted: Buffer::new(device, replicas)?,
            energies: Buffer::new(device, replicas)?,
            temperatures: Buffer::new(device, replicas)?,
            displacements: Buffer::new(device, replicas)?,
            polymer,
        };
        let stream = &sampler.stream;
        let row = |[x, y, z]: &[f64; 3]| [*x as f32, *y as f32, *z as f32, 0.0];
        let rows: Vec<[f32; 4]> = starts.iter().flatten().map(row).collect();
        let key = |replica| NoiseKey::new(seed, Purpose::MonteCarloMove, replica).key_words();
        let keys: Vec<u32> = (0..replicas as u64).flat_map(key).collect();
        let unit = 4.0 * polymer.pairs.depth;
        let in_unit: Vec<f32> = temperatures.iter().map(|t| (t / unit) as f32).collect();
        let displacements: Vec<f32> = rungs.iter().map(|rung| rung.displacement as f32).collect();
        sampler.positions.upload(stream, 0, &rows)?;
        sampler.keys.upload(stream, 0, &keys)?;
        sampler.temperatures.upload(stream, 0, &in_unit)?;
        sampler.displacements.upload(stream, 0, &displacements)?;
        Ok(sampler)
    }

    /// Makes sweeps and attempts an exchange on the host after every `every` sweeps, including the copies to and from
    /// it. Returns the number of accepted moves.
    pub fn advance(&mut self, sweeps: u32, every: u32) -> Result<u64, Error> {
        let mut all = 0;
        let mut left = sweeps;
        let replicas = self.rungs.len();
        while left > 0 {
            let now = left.min(every);
            self.rungs.upload(&self.stream, 0, &self.ladder.state().rungs)?;
            self.launch(now)?;
            self.sweep += u64::from(now);
            left -= now;
            let mut accepted = vec![0; replicas];
            self.accepted.download(&self.stream, 0, &mut accepted)?;
            all += accepted.into_iter().map(u64::from).sum::<u64>();
            let energies = self.energies()?;
            if now == every {
                let energies: Vec<Option<f64>> = energies.into_iter().map(Some).collect();
                let rungs = self.ladder.decide(&energies);
                self.ladder.settle(&rungs);
            }
        }
        Ok(all)
    }

    fn launch(&self, sweeps: u32) -> Result<(), Error> {
        let replicas = self.rungs.len() as u32;
        let round = Round {
            positions: self.positions.address(),
            keys: self.keys.address(),
            rungs: self.rungs.address(),
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
            WholeEnergyScheme::Naive => replicas.div_ceil(THREADS),
            WholeEnergyScheme::Improved => replicas,
        };
        // SAFETY: the parameter is the kernel's; arrays have all replicas and monomers. They belong to `self`, and freeing
        // them waits for the card.
        unsafe { self.stream.launch(&self.function, blocks, THREADS, 0, &round) }
    }

    /// Energies of all replicas after the last sweeps, in units of ε; exchanges are decided by them.
    pub fn energies(&self) -> Result<Vec<f64>, Error> {
        let mut energies = vec![0.0; self.energies.len()];
        self.energies.download(&self.stream, 0, &mut energies)?;
        let unit = 4.0 * self.polymer.pairs.depth;
        Ok(energies.into_iter().map(|energy: f32| unit * f64::from(energy)).collect())
    }

    /// Positions of all replicas, in units of the length.
    pub fn positions(&self) -> Result<Vec<Vec<[f64; 3]>>, Error> {
        let mut rows = vec![[0.0; 4]; self.positions.len()];
        self.positions.download(&self.stream, 0, &mut rows)?;
        let position = |row: &[f32; 4]| [0, 1, 2].map(|axis| f64::from(row[axis]));
        let replicas = rows.chunks_exact(self.polymer.monomers);
        Ok(replicas.map(|rows| rows.iter().map(position).collect()).collect())
    }

    /// The ladder.
    pub fn ladder(&self) -> &Ladder {
        &self.ladder
    }
}

pub(super) fn program() -> Program {
    let kernels = include_str!("../../kernels/whole_energy.cuh");
    super::published("monte-carlo by whole energies", kernels, &FUNCTIONS)
}
