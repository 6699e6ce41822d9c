//! A chain that Monte Carlo leads through the stages of a protocol.

use std::sync::Arc;

use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::observables::{Observable, Sample, Sums};
use beadwork_model::{Precision, Protocol, Stage, StageKind, System};

use beadwork_simulation::{
    AcceptanceCount, ChainState, ExtraState, LowestConfiguration, Measurement, MemberState,
};

use super::sampler::{ChainSampler, ChainSamplerState, Rung};
use super::tuning::tuned;

/// The displacement of moves on a rung, with the count by which it is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialMove {
    /// Largest component of a displacement, in units of the length.
    pub displacement: f64,
    /// Moves since the displacement was last fitted.
    pub fit: AcceptanceCount,
}

/// A sampler in the precision of its protocol.
#[derive(Clone, Debug)]
pub enum EitherSampler {
    /// In f32.
    Single(ChainSampler<f32>),
    /// In f64.
    Double(ChainSampler<f64>),
}

/// One chain of an ensemble that is sampled by Metropolis moves.
#[derive(Clone, Debug)]
pub struct MonteCarloMember {
    pub(crate) system: Arc<System>,
    pub(crate) protocol: Arc<Protocol>,
    polymer: ElasticPolymer,
    sampler: EitherSampler,
    sweep: u64,
    temperature: f64,
    state: ChainState,
    stage: usize,
    stage_step: u64,
    stage_over: bool,
}

/// Applies the same expression in either precision.
macro_rules! either {
    ($sampler:expr, $name:ident => $expression:expr) => {
        match $sampler {
            EitherSampler::Single($name) => $expression,
            EitherSampler::Double($name) => $expression,
        }
    };
}

impl MonteCarloMember {
    /// A chain at the beginning of its first stage.
    ///
    /// # Panics
    /// If the system is not an elastic polymer.
    pub fn new(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        positions: &[[f64; 3]],
    ) -> MonteCarloMember {
        let state = ChainSamplerState { sweep: 0, positions: positions.to_vec() };
        let mut chain = MonteCarloMember::at(system, protocol, replica, &state);
        chain.begin_stage(0);
        chain
    }

    /// A chain from the state that [`MonteCarloMember::state`] returned, but for its temperature.
    ///
    /// # Panics
    /// If the system is not an elastic polymer.
    pub fn restore(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        state: &MemberState,
    ) -> MonteCarloMember {
        let sampler =
            ChainSamplerState { sweep: state.dynamics_step, positions: state.positions.clone() };
        let mut chain = MonteCarloMember::at(system, protocol, replica, &sampler);
        chain.begin_stage(state.stage);
        chain.stage_step = state.stage_step;
        chain.stage_over = state.stage_over;
        chain.state = state.chain.clone().unwrap_or_default();
        chain
    }

    fn at(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        state: &ChainSamplerState,
    ) -> MonteCarloMember {
        let Some(&polymer) = system.sampled_chain() else {
            unreachable!("only elastic polymers are sampled");
        };
        let sampler = match protocol.dynamics.precision {
            Precision::Single => {
                EitherSampler::Single(ChainSampler::new(&polymer, protocol.seed, replica, state))
            }
            Precision::Double => {
                EitherSampler::Double(ChainSampler::new(&polymer, protocol.seed, replica, state))
            }
        };
        MonteCarloMember {
            polymer,
            sampler,
            sweep: state.sweep,
            temperature: protocol.dynamics.temperature,
            state: ChainState::default(),
            stage: 0,
            stage_step: 0,
            stage_over: false,
            system,
            protocol,
        }
    }

    /// Everything that the chain needs to continue, except its temperature, which may belong to its ladder.
    pub fn state(&self) -> MemberState {
        MemberState {
            extra: ExtraState::default(),
            step: self.sweep,
            dynamics_step: self.sweep,
            stage: self.stage,
            stage_step: self.stage_step,
            stage_over: self.stage_over,
            positions: self.positions(),
            externals: Vec::new(),
            sums: Sums::default(),
            noise: None,
            minimiser: None,
            chain: Some(self.state.clone()),
        }
    }

    /// Positions in units of the length.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        either!(&self.sampler, sampler => sampler.positions())
    }

    /// Sweeps since the run began.
    pub fn sweep(&self) -> u64 {
        self.sweep
    }

    /// Sweeps since the present stage began.
    pub fn stage_step(&self) -> u64 {
        self.stage_step
    }

    /// The number of the present stage.
    pub fn stage_number(&self) -> usize {
        self.stage
    }

    /// The present stage.
    pub fn stage(&self) -> &Stage {
        &self.protocol.stages[self.stage]
    }

    /// Sweeps that remain in the present stage.
    pub fn remaining(&self) -> u64 {
        if self.stage_over { 0 } else { self.stage().steps() - self.stage_step }
    }

    /// Ends the present stage now.
    pub fn end_stage(&mut self) {
        self.stage_over = true;
    }

    /// Enters a stage.
    pub fn begin_stage(&mut self, stage: usize) {
        self.stage = stage;
        self.stage_step = 0;
        self.stage_over = false;
        if let StageKind::Sample { displacement: Some(displacement), .. } = self.stage().kind {
            self.state.displacement = displacement;
        }
        self.state.fit = AcceptanceCount::default();
    }

    /// Whether two members can make their sweeps together.
    pub(crate) fn fits(&self, other: &MonteCarloMember) -> bool {
        self.polymer == other.polymer && self.precision() == other.precision()
    }

    /// Its precision.
    pub fn precision(&self) -> Precision {
        self.protocol.dynamics.precision
    }

    /// The chain.
    pub fn polymer(&self) -> &ElasticPolymer {
        &self.polymer
    }

    /// Its temperature and displacement.
    pub fn rung(&self) -> Rung {
        Rung { temperature: self.temperature, displacement: self.state.displacement }
    }

    /// The displacement on its rung, with the count for its fit.
    pub fn trial_move(&self) -> TrialMove {
        TrialMove { displacement: self.state.displacement, fit: self.state.fit }
    }

    /// Sets the temperature of the following sweeps.
    pub fn set_temperature(&mut self, temperature: f64) {
        self.temperature = temperature;
    }

    /// Sets the displacement of its rung, with the count for its fit.
    pub fn set_trial_move(&mut self, trial_move: TrialMove) {
        (self.state.displacement, self.state.fit) = (trial_move.displacement, trial_move.fit);
    }

    /// The seed of the run, which keys its noise.
    pub fn seed(&self) -> u64 {
        self.protocol.seed
    }

    /// Sets the positions after the sweeps that were [noted](MonteCarloMember::note), in units of the length.
    pub fn bring(&mut self, positions: &[[f64; 3]]) {
        either!(&mut self.sampler, sampler => sampler.bring(self.sweep, positions));
    }

    /// The sampler, mutable.
    pub fn sampler_mut(&mut self) -> &mut EitherSampler {
        &mut self.sampler
    }

    /// The energy that decides exchanges, in units of ε.
    pub fn energy(&self) -> f64 {
        either!(&self.sampler, sampler => sampler.energy(&self.polymer))
    }

    /// Sweeps until displacements are next fitted or the stage ends.
    pub fn sweeps_to_fit(&self) -> u64 {
        let left = self.remaining();
        match self.stage().kind {
            StageKind::Sample { tune_every: Some(every), .. } => {
                left.min(every - self.sweep % every)
            }
            _ => left,
        }
    }

    /// Counts sweeps that were made here or elsewhere, at most [`MonteCarloMember::sweeps_to_fit`].
    pub fn note(&mut self, sweeps: u64, accepted: u64) {
        let attempted = sweeps * self.polymer.monomers as u64;
        for tally in [&mut self.state.row, &mut self.state.fit] {
            tally.accepted += accepted;
            tally.attempted += attempted;
        }
        self.sweep += sweeps;
        self.stage_step += sweeps;
        if let StageKind::Sample { tune_every: Some(every), .. } = self.stage().kind
            && self.sweep.is_multiple_of(every)
        {
            let AcceptanceCount { accepted, attempted } = std::mem::take(&mut self.state.fit);
            let length = self.polymer.bonds.length;
            self.state.displacement = tuned(self.state.displacement, accepted, attempted, length);
        }
    }

    /// Makes up to `sweeps` sweeps of the present stage; fewer only if the stage ends. Returns how many.
    pub fn advance(&mut self, sweeps: u64) -> u64 {
        let sweeps = sweeps.min(self.remaining());
        let mut left = sweeps;
        while left > 0 {
            let now = left.min(self.sweeps_to_fit());
            let (rung, polymer) = (self.rung(), self.polymer);
            let accepted =
                either!(&mut self.sampler, sampler => sampler.advance(now, rung, &polymer));
            self.note(now, accepted);
            left -= now;
        }
        sweeps
    }

    /// The share of accepted moves since the last row or exchange; `None` if there were no moves.
    pub fn acceptance(&self) -> Option<f64> {
        let AcceptanceCount { accepted, attempted } = self.state.row;
        (attempted > 0).then(|| accepted as f64 / attempted as f64)
    }

    /// Begins a new count of moves.
    pub fn begin_averages(&mut self) {
        self.state.row = AcceptanceCount::default();
    }

    /// Measures, begins a new count of moves, and stores the configuration if no row had a lower energy.
    pub fn measure(&mut self) -> Measurement {
        self.begin_averages();
        let measurement = self.observe();
        let energy = measurement.get(Observable::ReducedEnergy).unwrap_or(f64::INFINITY);
        if self.state.lowest.as_ref().is_none_or(|lowest| energy < lowest.energy) {
            let (sweep, positions) = (self.sweep, self.positions());
            self.state.lowest = Some(LowestConfiguration { energy, sweep, positions });
        }
        measurement
    }

    /// Measures in f64 without beginning a new count of moves.
    pub fn observe(&self) -> Measurement {
        let positions = self.positions();
        let energies = self.system.energies(&positions);
        let Protocol { dynamics, ends, .. } = &*self.protocol;
        let sample = Sample::new(&self.system, dynamics, ends, &positions, energies);
        Measurement::of(&sample, &self.protocol)
    }
}
