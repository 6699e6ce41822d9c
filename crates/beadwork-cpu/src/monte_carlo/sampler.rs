//! The reference path of Monte Carlo: one chain, move after move.

use crate::arrays::lanes::square_distance;
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_random::{NoiseKey, Normal, Purpose};
use serde::{Deserialize, Serialize};

use super::chain::{Chain, PARTIALS, together};
use super::proposal::{Proposal, is_accepted};

/// Everything that a sampler needs to continue to the bit. Temperature and displacement belong to its rung and come
/// with each call.
///
/// Numbers are f64 whatever the precision of the arithmetic; an f32 passes through unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainSamplerState {
    /// Sweeps since the run began; they key the noise of the moves.
    pub sweep: u64,
    /// In units of the length.
    pub positions: Vec<[f64; 3]>,
}

/// A chain sampled by Metropolis moves: the definition that faster paths must reproduce.
///
/// A sweep has as many moves as the chain has monomers; each moves a monomer chosen at random (\[G\], §3.2).
#[derive(Clone, Debug)]
pub struct ChainSampler<T> {
    chain: Chain<T>,
    pub(super) key: NoiseKey,
    pub(super) sweep: u64,
    pub(super) positions: Vec<[T; 3]>,
}

/// Temperature and displacement of a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// T, in units of the energy.
    pub temperature: f64,
    /// Largest component of a displacement, in units of the length.
    pub displacement: f64,
}

impl Rung {
    /// The temperature in units of 4ε.
    pub(super) fn reduced_temperature<T: Normal>(&self, polymer: &ElasticPolymer) -> T {
        T::from_f64(self.temperature / (4.0 * polymer.pairs.depth))
    }

    pub(super) fn largest_displacement<T: Normal>(&self) -> T {
        T::from_f64(self.displacement)
    }
}

impl<T: Normal> ChainSampler<T> {
    /// A sampler of a replica; the number is unique over all ladders and points of a run.
    pub fn new(
        polymer: &ElasticPolymer,
        seed: u64,
        replica: u64,
        state: &ChainSamplerState,
    ) -> ChainSampler<T> {
        ChainSampler {
            chain: Chain::new(polymer),
            key: NoiseKey::new(seed, Purpose::MonteCarloMove, replica),
            sweep: state.sweep,
            positions: state.positions.iter().map(|r| r.map(T::from_f64)).collect(),
        }
    }

    /// The state from which it can continue.
    pub fn state(&self) -> ChainSamplerState {
        let positions = self.positions.iter().map(|r| r.map(T::to_f64)).collect();
        ChainSamplerState { sweep: self.sweep, positions }
    }

    /// Sets the state after sweeps that were made elsewhere.
    pub(super) fn bring(&mut self, sweep: u64, positions: &[[f64; 3]]) {
        self.sweep = sweep;
        self.positions.clear();
        self.positions.extend(positions.iter().map(|r| r.map(T::from_f64)));
    }

    /// Makes sweeps; returns the number of accepted moves.
    pub fn advance(&mut self, sweeps: u64, rung: Rung, polymer: &ElasticPolymer) -> u64 {
        let temperature = rung.reduced_temperature(polymer);
        let displacement = rung.largest_displacement();
        let monomers = self.positions.len();
        let mut accepted = 0;
        for _ in 0..sweeps {
            for number in 0..monomers as u32 {
                let proposal = Proposal::new(self.key, self.sweep, number, monomers);
                let to = self.displaced(&proposal, displacement);
                let change = self.change(proposal.monomer, to);
                if is_accepted(change, temperature, proposal.threshold) {
                    self.positions[proposal.monomer] = to;
                    accepted += 1;
                }
            }
            self.sweep += 1;
        }
        accepted
    }

    fn displaced(&self, proposal: &Proposal<T>, displacement: T) -> [T; 3] {
        let from = self.positions[proposal.monomer];
        [0, 1, 2].map(|axis| from[axis] + displacement * proposal.direction[axis])
    }

    /// The change of the energy when a monomer moves, in units of 4ε.
    fn change(&self, monomer: usize, to: [T; 3]) -> T {
        let from = self.positions[monomer];
        let mut partials = [T::zero(); PARTIALS];
        let mut bonds = [T::zero(); PARTIALS];
        for (partner, at) in self.positions.iter().enumerate() {
            if partner == monomer {
                continue;
            }
            let place = partner % PARTIALS;
            let (to, from) = (square_distance(to, *at), square_distance(from, *at));
            partials[place] += self.chain.pair_change(to, from);
            if partner.abs_diff(monomer) == 1 {
                bonds[place] = self.chain.bond_change(to, from);
            }
        }
        for (partial, bond) in partials.iter_mut().zip(bonds) {
            *partial += bond;
        }
        together(&mut partials)
    }

    /// The energy in this precision, in units of ε: it decides exchanges.
    ///
    /// Monomer j adds its pairs with i < j in ascending order, then its bond to j − 1, to partial sum j mod 32.
    pub fn energy(&self, polymer: &ElasticPolymer) -> f64 {
        let mut partials = [T::zero(); PARTIALS];
        for (j, at) in self.positions.iter().enumerate() {
            let partial = &mut partials[j % PARTIALS];
            for before in &self.positions[..j] {
                *partial += self.chain.pair(square_distance(*before, *at));
            }
            if j > 0 {
                *partial += self.chain.bond(square_distance(self.positions[j - 1], *at));
            }
        }
        4.0 * polymer.pairs.depth * together(&mut partials).to_f64()
    }

    /// In units of the length.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.positions.iter().map(|r| r.map(T::to_f64)).collect()
    }
}
