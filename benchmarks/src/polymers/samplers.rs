//! The programs that move chains: beadwork on a processor or a GPU, and those that it is compared with.

use beadwork_cpu::Instructions;
use beadwork_cpu::monte_carlo::{ChainSampler, ChainSamplerState, Rung, SamplerGroup};
use beadwork_cuda::{ChainOverrides, ChainSamplers, Device, LadderBatch, Rounding, SweepSchedule};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_simulation::exchange::{Ladder, LadderState};
use rayon::prelude::*;

use super::simple_chain::SimpleChain;
use crate::kernels::WholeEnergy;
use crate::{Error, SEED};

/// Sweeps between exchanges (\[G\] §4.2).
pub(super) const INTERVAL: u64 = 1_000;

/// A chain's energy as its program has it, and the positions of its monomers.
pub type Chain = (f64, Vec<[f64; 3]>);

/// A program that moves chains.
pub trait Sampler {
    /// Makes sweeps of all chains; if `exchanging`, attempts exchanges after every [`INTERVAL`] sweeps and after the
    /// last. Returns the number of accepted moves.
    fn advance(&mut self, sweeps: u64, exchanging: bool) -> Result<u64, Error>;

    /// All chains as they are now, or one sweep later.
    fn chains(&mut self) -> Result<Vec<Chain>, Error>;

    /// Lanes of a warp that move a chain, if the number of chains decides it.
    fn lanes(&self) -> Option<u32> {
        None
    }
}

pub enum Backend<'a> {
    /// The processor, with this many threads.
    Processor(u16),
    /// A GPU, and the lanes of a replica if the user gives them.
    Card(&'a Device, Option<u32>),
}

impl Backend<'_> {
    /// The program that moves the chains of a batch there; `rounding` matters on a GPU only.
    pub fn sampler(
        &self,
        batch: LadderBatch,
        rounding: Rounding,
    ) -> Result<Box<dyn Sampler>, Error> {
        Ok(match self {
            Backend::Processor(threads) => Box::new(OnProcessor::new(batch, *threads)),
            Backend::Card(card, lanes) => {
                let overrides = ChainOverrides { lanes: *lanes, ..ChainOverrides::default() };
                Box::new(ChainSamplers::<f32>::new(card, batch, rounding, overrides)?)
            }
        })
    }
}

impl Sampler for ChainSamplers<f32> {
    fn advance(&mut self, sweeps: u64, exchanging: bool) -> Result<u64, Error> {
        let exchange_every = exchanging.then_some(INTERVAL);
        let stops = ChainSamplers::advance(
            self,
            SweepSchedule { sweeps, exchange_every, ..SweepSchedule::default() },
        )?;
        Ok(stops.iter().flat_map(|stop| &stop.accepted).sum())
    }

    fn chains(&mut self) -> Result<Vec<Chain>, Error> {
        let schedule =
            SweepSchedule { sweeps: 1, sample_every: Some(1), ..SweepSchedule::default() };
        let last = ChainSamplers::advance(self, schedule)?.pop();
        let (energies, positions) =
            last.map(|stop| (stop.energies, stop.positions)).unwrap_or_default();
        Ok(energies.into_iter().flatten().zip(positions.into_iter().flatten()).collect())
    }

    fn lanes(&self) -> Option<u32> {
        Some(ChainSamplers::lanes(self))
    }
}

impl Sampler for WholeEnergy {
    fn advance(&mut self, sweeps: u64, exchanging: bool) -> Result<u64, Error> {
        let every = if exchanging { sweeps.min(INTERVAL) as u32 } else { u32::MAX };
        Ok(WholeEnergy::advance(self, sweeps as u32, every)?)
    }

    fn chains(&mut self) -> Result<Vec<Chain>, Error> {
        Ok(self.energies()?.into_iter().zip(self.positions()?).collect())
    }
}

/// A simple program with its one chain, without exchange.
pub struct Simple {
    pub sweep: fn(&mut SimpleChain) -> u64,
    pub chain: SimpleChain,
}

impl Sampler for Simple {
    fn advance(&mut self, sweeps: u64, _exchanging: bool) -> Result<u64, Error> {
        Ok((0..sweeps).map(|_| (self.sweep)(&mut self.chain)).sum())
    }

    fn chains(&mut self) -> Result<Vec<Chain>, Error> {
        Ok(vec![(f64::from(self.chain.energy()), self.chain.positions())])
    }
}

/// The chains of a batch, in the vector lanes of some threads. Only the first ladder exchanges.
struct OnProcessor {
    polymer: ElasticPolymer,
    samplers: Vec<ChainSampler<f32>>,
    groups: Vec<SamplerGroup<f32>>,
    ladder: Ladder,
    /// The settings of each rung of the first ladder.
    rungs: Vec<Rung>,
    /// The rung of each sampler.
    at: Vec<Rung>,
}

impl OnProcessor {
    fn new(batch: LadderBatch, threads: u16) -> OnProcessor {
        let LadderBatch { polymer, ladders, .. } = batch;
        let rungs = ladders[0].rungs.clone();
        let temperatures: Vec<f64> = rungs.iter().map(|rung| rung.temperature).collect();
        let (mut samplers, mut at) = (Vec::new(), Vec::new());
        for ladder in ladders {
            for (number, positions) in (ladder.first..).zip(ladder.positions) {
                let start = ChainSamplerState { sweep: 0, positions };
                samplers.push(ChainSampler::new(&polymer, SEED, number, &start));
            }
            at.extend(ladder.rungs);
        }
        OnProcessor {
            polymer,
            samplers,
            groups: (0..threads).map(|_| SamplerGroup::new(Instructions::best())).collect(),
            ladder: Ladder::new(SEED, 0, LadderState::new(&temperatures)),
            rungs,
            at,
        }
    }

    fn sweep(&mut self, sweeps: u64) -> u64 {
        let OnProcessor { polymer, samplers, groups, at, .. } = self;
        let width = groups[0].width();
        let each = samplers.len().div_ceil(width).div_ceil(groups.len()) * width;
        let shares = samplers.par_chunks_mut(each).zip(at.par_chunks(each));
        let accepted = groups.par_iter_mut().zip(shares).map(|(group, (samplers, rungs))| {
            let together = samplers.chunks_mut(width).zip(rungs.chunks(width));
            let accepted = together.map(|(samplers, rungs)| {
                let mut samplers: Vec<&mut ChainSampler<f32>> = samplers.iter_mut().collect();
                group.advance(&mut samplers, rungs, sweeps, polymer).iter().sum::<u64>()
            });
            accepted.sum::<u64>()
        });
        accepted.sum()
    }
}

impl Sampler for OnProcessor {
    fn advance(&mut self, sweeps: u64, exchanging: bool) -> Result<u64, Error> {
        let (mut left, mut accepted) = (sweeps, 0);
        while left > 0 {
            let now = if exchanging { left.min(INTERVAL) } else { left };
            accepted += self.sweep(now);
            left -= now;
            if exchanging {
                let energy = |sampler: &ChainSampler<f32>| Some(sampler.energy(&self.polymer));
                let energies: Vec<Option<f64>> = self.samplers.iter().map(energy).collect();
                let places = self.ladder.decide(&energies);
                self.ladder.settle(&places);
                self.at = places.iter().map(|place| self.rungs[*place as usize]).collect();
            }
        }
        Ok(accepted)
    }

    fn chains(&mut self) -> Result<Vec<Chain>, Error> {
        let chain =
            |sampler: &ChainSampler<f32>| (sampler.energy(&self.polymer), sampler.positions());
        Ok(self.samplers.iter().map(chain).collect())
    }
}
