//! What is sampled on a card, how it is laid out there, and what comes back.

use beadwork_cpu::monte_carlo::{Rung, Tally};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;

/// The replicas of one ladder. One that is not exchanged is a ladder of its own, of one rung.
#[derive(Clone, Debug, PartialEq)]
pub struct Replicas {
    /// The number of the first replica, which keys its noise and the ladder's; the others follow.
    pub first: u64,
    /// Temperature and displacement of each rung, coldest first.
    pub rungs: Vec<Rung>,
    /// The rung of each replica, no two the same.
    pub places: Vec<u32>,
    /// Of each replica, in units of the length.
    pub positions: Vec<Vec<[f64; 3]>>,
    /// Of each replica, since displacements were last fitted.
    pub fits: Vec<Tally>,
}

/// Chains, and how far they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
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

/// How replicas are laid out on the card, where that is not left to [`Walkers`](crate::Walkers). It changes no bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkerWishes {
    /// Lanes of a replica: 4, 8, 16 or 32.
    pub lanes: Option<u32>,
    /// Threads of a block: 32, 64, 96 or 128.
    pub threads: Option<u32>,
    /// Whether the host decides exchanges, which it does anyway for a ladder larger than the card.
    pub by_host: bool,
}

/// What there is to say after some sweeps: at a look, an exchange, a fit, and at the end of each course. Replicas are in
/// order, those of the first ladder first.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Sweeps since the run began.
    pub sweep: u64,
    /// Moves of each replica that were accepted since the stop before.
    pub accepted: Vec<u64>,
    /// At looks and exchanges, in units of ε: what exchanges are decided by.
    pub energies: Option<Vec<f64>>,
    /// At looks, in units of the length.
    pub positions: Option<Vec<Vec<[f64; 3]>>>,
    /// After exchanges: the rung of each replica on its ladder.
    pub rungs: Option<Vec<u32>>,
}
