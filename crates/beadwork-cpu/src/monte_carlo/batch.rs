//! Chains whose sweeps are made together, one in each vector lane.

use beadwork_arithmetic::Instructions;

use super::group::SamplerGroup;
use super::member::{EitherSampler, MonteCarloMember};
use super::sampler::Rung;
use beadwork_simulation::Failure;

/// Workspace for members whose sweeps are made together. Its contents change the speed, never a result.
#[derive(Clone, Debug)]
pub(crate) struct MonteCarloBatch {
    single: SamplerGroup<f32>,
    double: SamplerGroup<f64>,
}

impl MonteCarloBatch {
    pub fn new(instructions: Instructions) -> MonteCarloBatch {
        MonteCarloBatch {
            single: SamplerGroup::new(instructions),
            double: SamplerGroup::new(instructions),
        }
    }

    /// Makes up to `sweeps` sweeps of each chain, which fit together; fewer only if the stage of one of them ends.
    /// Returns the outcome of each.
    pub fn advance(
        &mut self,
        members: &mut [&mut MonteCarloMember],
        sweeps: u64,
    ) -> Vec<Result<u64, Failure>> {
        let sweeps = members.iter().map(|chain| chain.remaining()).fold(sweeps, u64::min);
        let mut left = sweeps;
        while left > 0 {
            let now = members.iter().map(|chain| chain.sweeps_to_fit()).fold(left, u64::min);
            let rungs: Vec<Rung> = members.iter().map(|chain| chain.rung()).collect();
            let accepted = self.advance_samplers(members, &rungs, now);
            for (chain, accepted) in members.iter_mut().zip(accepted) {
                chain.note(now, accepted);
            }
            left -= now;
        }
        vec![Ok(sweeps); members.len()]
    }

    fn advance_samplers(
        &mut self,
        members: &mut [&mut MonteCarloMember],
        rungs: &[Rung],
        sweeps: u64,
    ) -> Vec<u64> {
        let Some(polymer) = members.first().map(|chain| *chain.polymer()) else {
            return Vec::new();
        };
        let (mut singles, mut doubles) = (Vec::new(), Vec::new());
        for chain in members {
            match chain.sampler_mut() {
                EitherSampler::Single(sampler) => singles.push(sampler),
                EitherSampler::Double(sampler) => doubles.push(sampler),
            }
        }
        if doubles.is_empty() {
            self.single.advance(&mut singles, rungs, sweeps, &polymer)
        } else {
            self.double.advance(&mut doubles, rungs, sweeps, &polymer)
        }
    }
}
