//! The replicas that a card samples, their layout there, and the results.

use beadwork_cpu::monte_carlo::{MonteCarloMember, Rung};
use beadwork_model::Precision;
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_simulation::AcceptanceCount;

use crate::monte_carlo::chain_program::MOST_MONOMERS;
use crate::{Device, Error, Sampler, SweepSchedule};

/// The replicas of one ladder. A replica without exchange is a ladder of one rung.
#[derive(Clone, Debug, PartialEq)]
pub struct Replicas {
    /// The number of the first replica, which keys its noise and that of the ladder; the others follow.
    pub first: u64,
    /// Temperature and displacement of each rung, coldest first.
    pub rungs: Vec<Rung>,
    /// The rung of each replica, no two the same.
    pub rung_of: Vec<u32>,
    /// The positions of each replica, in units of the length.
    pub positions: Vec<Vec<[f64; 3]>>,
    /// For each rung, the moves since its displacement was last fitted.
    pub fits: Vec<AcceptanceCount>,
}

impl Replicas {
    /// Chains on the rungs of a ladder, numbered from `first` on; `rung_of` has the rung of each.
    pub fn of(first: u64, rung_of: Vec<u32>, chains: &[&MonteCarloMember]) -> Replicas {
        let mut rungs = vec![Rung { temperature: 0.0, displacement: 0.0 }; chains.len()];
        let mut fits = vec![AcceptanceCount::default(); chains.len()];
        for (&rung, chain) in rung_of.iter().zip(chains) {
            (rungs[rung as usize], fits[rung as usize]) = (chain.rung(), chain.trial_move().fit);
        }
        let positions = chains.iter().map(|chain| chain.positions()).collect();
        Replicas { first, rungs, rung_of, positions, fits }
    }
}

/// The reason why a card cannot sample a chain, as a part of a sentence; `None` if it can.
pub(crate) fn chain_obstacle(chain: &MonteCarloMember) -> Option<String> {
    let monomers = chain.polymer().monomers;
    (monomers > MOST_MONOMERS).then(|| {
        format!("a GPU samples chains of up to {MOST_MONOMERS} monomers, not of {monomers}")
    })
}

/// Ladders of chains with their progress.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderBatch {
    /// The chain of all replicas.
    pub polymer: ElasticPolymer,
    /// The seed of all of them.
    pub seed: u64,
    /// Sweeps since the run began.
    pub sweep: u64,
    /// Exchanges attempted so far.
    pub attempt: u64,
    /// Ladders, of equally many rungs each.
    pub ladders: Vec<Replicas>,
}

impl LadderBatch {
    /// Copies of a chain without exchange, for tests and timing.
    pub fn of_copies(chain: &MonteCarloMember, count: usize) -> LadderBatch {
        LadderBatch {
            polymer: *chain.polymer(),
            seed: chain.seed(),
            sweep: chain.sweep(),
            attempt: 0,
            ladders: (0..count as u64).map(|n| Replicas::of(n, vec![0], &[chain])).collect(),
        }
    }

    /// Runs all replicas through a schedule on a card in the given precision; returns its stops in order.
    ///
    /// # Errors
    /// Those of [`Sampler::new`], [`Sampler::begin`] and [`Sampler::end`]; the batch is unchanged then.
    pub fn sample(
        &mut self,
        device: &Device,
        precision: Precision,
        schedule: SweepSchedule,
    ) -> Result<Vec<Stop>, Error> {
        let mut sampler = Sampler::new(device, precision, self.clone())?;
        sampler.begin(schedule)?;
        let stops = sampler.end()?.stops();
        *self = sampler.batch()?;
        Ok(stops)
    }
}

/// A layout of replicas other than that chosen by [`ChainSamplers`](crate::ChainSamplers). It changes no bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainOverrides {
    /// Lanes of a replica: 4, 8, 16 or 32.
    pub lanes: Option<u32>,
    /// Threads of a block: 32, 64, 96 or 128.
    pub threads: Option<u32>,
    /// Whether the host decides exchanges, as it always does for a ladder larger than the card.
    pub by_host: bool,
}

/// The results after some sweeps: at a sample, an exchange, a fit, and at the end of each schedule. Replicas are in
/// order, those of the first ladder first.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Sweeps since the run began.
    pub sweep: u64,
    /// Accepted moves of each replica since the stop before.
    pub accepted: Vec<u64>,
    /// At samples and exchanges, the energies that decide exchanges, in units of ε.
    pub energies: Option<Vec<f64>>,
    /// At samples, in units of the length.
    pub positions: Option<Vec<Vec<[f64; 3]>>>,
    /// After exchanges: the rung of each replica on its ladder.
    pub rungs: Option<Vec<u32>>,
}
