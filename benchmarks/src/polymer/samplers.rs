//! What moves chains: beadwork on a processor or a GPU, and the programs beside it.

use beadwork_cpu::Instructions;
use beadwork_cpu::monte_carlo::{Rung, Walker, WalkerGroup, WalkerState};
use beadwork_cuda::{Course, Device, Population, Rounding, WalkerWishes, Walkers};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_simulation::exchange::{Ladder, LadderState};

use super::INTERVAL;
use super::simple_chain::SimpleChain;
use crate::kernels::WholeEnergy;
use crate::{Error, SEED};

/// The energy that a program has for a chain, and where the monomers are.
pub type Chain = (f64, Vec<[f64; 3]>);

/// A program that moves chains.
pub trait Sampler {
    /// Makes sweeps of all chains, where that is asked for with an exchange after each [`INTERVAL`] and after the last;
    /// returns how many moves were accepted.
    fn advance(&mut self, sweeps: u64, exchanging: bool) -> Result<u64, Error>;

    /// All chains as they are, or a sweep later.
    fn chains(&mut self) -> Result<Vec<Chain>, Error>;

    /// Lanes of a warp that move a chain, where these are chosen by the number of chains.
    fn lanes(&self) -> Option<u32> {
        None
    }
}

/// Where beadwork moves chains.
pub enum Place<'a> {
    /// So many threads.
    Processor(u16),
    Card(&'a Device),
}

impl Place<'_> {
    /// What moves the chains of a population there; `rounding` means a GPU.
    pub fn sampler(
        &self,
        population: Population,
        rounding: Rounding,
    ) -> Result<Box<dyn Sampler>, Error> {
        Ok(match self {
            Place::Processor(threads) => Box::new(OnProcessor::new(population, *threads)),
            Place::Card(card) => {
                let wishes = WalkerWishes::default();
                Box::new(Walkers::<f32>::new(card, population, rounding, wishes)?)
            }
        })
    }
}

impl Sampler for Walkers<f32> {
    fn advance(&mut self, sweeps: u64, exchanging: bool) -> Result<u64, Error> {
        let exchange_every = exchanging.then_some(INTERVAL);
        let stops = Walkers::advance(self, Course { sweeps, exchange_every, ..Course::default() })?;
        Ok(stops.iter().flat_map(|stop| &stop.accepted).sum())
    }

    fn chains(&mut self) -> Result<Vec<Chain>, Error> {
        let course = Course { sweeps: 1, look_every: Some(1), ..Course::default() };
        let last = Walkers::advance(self, course)?.pop();
        let (energies, positions) =
            last.map(|stop| (stop.energies, stop.positions)).unwrap_or_default();
        Ok(energies.into_iter().flatten().zip(positions.into_iter().flatten()).collect())
    }

    fn lanes(&self) -> Option<u32> {
        Some(Walkers::lanes(self))
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

/// A simple program with its one chain, which is exchanged with nothing.
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

/// The chains of a population, in the vector lanes of some threads. Those of the first ladder are exchanged.
struct OnProcessor {
    polymer: ElasticPolymer,
    walkers: Vec<Walker<f32>>,
    groups: Vec<WalkerGroup<f32>>,
    ladder: Ladder,
    /// Of each rung of the first ladder.
    rungs: Vec<Rung>,
    /// Of each walker.
    at: Vec<Rung>,
}

impl OnProcessor {
    fn new(population: Population, threads: u16) -> OnProcessor {
        let Population { polymer, ladders, .. } = population;
        let rungs = ladders[0].rungs.clone();
        let temperatures: Vec<f64> = rungs.iter().map(|rung| rung.temperature).collect();
        let (mut walkers, mut at) = (Vec::new(), Vec::new());
        for ladder in ladders {
            for (number, positions) in (ladder.first..).zip(ladder.positions) {
                let start = WalkerState { sweep: 0, positions };
                walkers.push(Walker::new(&polymer, SEED, number, &start));
            }
            at.extend(ladder.rungs);
        }
        OnProcessor {
            polymer,
            walkers,
            groups: (0..threads).map(|_| WalkerGroup::new(Instructions::best())).collect(),
            ladder: Ladder::new(SEED, 0, LadderState::new(&temperatures)),
            rungs,
            at,
        }
    }

    fn sweep(&mut self, sweeps: u64) -> u64 {
        let OnProcessor { polymer, walkers, groups, at, .. } = self;
        let width = groups[0].width();
        let each = walkers.len().div_ceil(width).div_ceil(groups.len()) * width;
        let polymer = &*polymer;
        let advance = |group: &mut WalkerGroup<f32>, walkers: &mut [Walker<f32>], at: &[Rung]| {
            let mut accepted = 0;
            for (walkers, rungs) in walkers.chunks_mut(width).zip(at.chunks(width)) {
                let mut walkers: Vec<&mut Walker<f32>> = walkers.iter_mut().collect();
                accepted += group.advance(&mut walkers, rungs, sweeps, polymer).iter().sum::<u64>();
            }
            accepted
        };
        let mut shares = groups.iter_mut().zip(walkers.chunks_mut(each).zip(at.chunks(each)));
        let own = shares.next();
        std::thread::scope(|scope| {
            let others: Vec<_> = shares
                .map(|(group, (walkers, at))| scope.spawn(move || advance(group, walkers, at)))
                .collect();
            let own = own.map_or(0, |(group, (walkers, at))| advance(group, walkers, at));
            // A thread that panicked has said so, and its share is missing in the acceptance.
            own + others.into_iter().filter_map(|thread| thread.join().ok()).sum::<u64>()
        })
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
                let energy = |walker: &Walker<f32>| Some(walker.energy(&self.polymer));
                let energies: Vec<Option<f64>> = self.walkers.iter().map(energy).collect();
                let places = self.ladder.decide(&energies);
                self.ladder.settle(&places);
                self.at = places.iter().map(|place| self.rungs[*place as usize]).collect();
            }
        }
        Ok(accepted)
    }

    fn chains(&mut self) -> Result<Vec<Chain>, Error> {
        let chain = |walker: &Walker<f32>| (walker.energy(&self.polymer), walker.positions());
        Ok(self.walkers.iter().map(chain).collect())
    }
}
