//! Protocols of runs: stages, stop rules, exchange of temperatures.

use std::ops::Range;

use crate::dynamics::Dynamics;
use crate::externals::External;
use crate::observables::{MeasuredColumn, Observable, PullColumn};
use crate::system::System;
use beadwork_random::Randomness;
use serde::{Deserialize, Serialize};

/// The kind of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StageKind {
    /// Steps of dynamics.
    Dynamics {
        /// The number of steps.
        steps: u64,
    },
    /// Minimises the energy without noise, down to a local minimum.
    Minimise {
        /// kcal/(mol Å): the stage ends when no bead feels a larger force.
        tolerance: f64,
        /// The largest number of steps.
        steps: u64,
        /// The first of these steps, in which soft repulsions stand in for the pair terms
        /// ([`System::softened`](crate::System::softened)), so that beads may overlap at the start.
        push_off: u64,
    },
    /// Sweeps of Metropolis moves; a sweep has as many moves as there are beads.
    Sample {
        /// The number of sweeps.
        sweeps: u64,
        /// Largest component of a displacement, in units of the length; `None` keeps that of the stage before.
        displacement: Option<f64>,
        /// Sweeps between fits of the displacements to the share of accepted moves, counted from the run's start.
        /// Adaptive displacements break detailed balance: use them for equilibration only.
        tune_every: Option<u64>,
    },
}

/// Ends a stage when an observable crosses a threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct StopRule {
    /// The rule as written: `extension > 25 nm`.
    pub text: String,
    /// The column that the rule watches.
    pub column: MeasuredColumn,
    /// True for `>`.
    pub above: bool,
    /// The threshold, in the unit of the column.
    pub threshold: f64,
    /// Steps of the stage between checks, at least 1. Tables and trajectories have intervals of their own, so output
    /// cannot change where a stage ends.
    pub every: u64,
}

impl StopRule {
    /// Whether `value` (in the column's unit) ends the stage.
    pub fn holds(&self, value: f64) -> bool {
        if self.above { value > self.threshold } else { value < self.threshold }
    }
}

/// One part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The name, unique in a run.
    pub name: String,
    /// The kind of the stage.
    pub kind: StageKind,
    /// Beads that do not move, ascending; those that externals hold are among them.
    pub fixed: Vec<usize>,
    /// External forces and restraints.
    pub externals: Vec<External>,
    /// Rules that end the stage early.
    pub stops: Vec<StopRule>,
}

impl Stage {
    /// Steps at most.
    pub fn steps(&self) -> u64 {
        match self.kind {
            StageKind::Dynamics { steps }
            | StageKind::Minimise { steps, .. }
            | StageKind::Sample { sweeps: steps, .. } => steps,
        }
    }
}

/// Temperatures that the replicas of a ladder exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// kB T of each rung, ascending, in the unit of the energy.
    pub temperatures: Vec<f64>,
    /// Steps of dynamics, or sweeps, between attempts, counted from the run's start.
    pub every: u64,
    /// Stages that adjust the temperatures, in their order.
    pub tunings: Vec<Tuning>,
}

impl Exchange {
    /// The fewest attempts that any pair of neighbouring rungs makes in a range of steps, except at its first step. The
    /// pairs (0, 1), (2, 3) … alternate with the pairs (1, 2), (3, 4) …, of which a ladder of two rungs has none.
    pub fn attempts_of_each_pair(&self, steps: Range<u64>) -> u64 {
        let [before, all] = [steps.start, steps.end].map(|step| step / self.every);
        let even = all.div_ceil(2) - before.div_ceil(2);
        let odd = all / 2 - before / 2;
        if self.temperatures.len() > 2 { even.min(odd) } else { even }
    }
}

/// The aim by which temperatures are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Placement {
    /// All neighbours swap equally often.
    Acceptance,
    /// Replicas travel between the ends of the ladder as fast as possible.
    RoundTrips,
}

impl Placement {
    /// Every placement.
    pub const ALL: [Placement; 2] = [Placement::Acceptance, Placement::RoundTrips];

    /// The name in an input.
    pub fn name(self) -> &'static str {
        match self {
            Placement::Acceptance => "acceptance",
            Placement::RoundTrips => "round-trips",
        }
    }
}

/// A stage that adjusts the temperatures of a ladder, except the lowest and the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The number of the stage, from 0.
    pub stage: usize,
    /// The aim of the placement.
    pub by: Placement,
    /// Attempts that a ladder has made when the stage begins.
    pub first: u64,
    /// Attempts in the stage.
    pub attempts: u64,
}

impl Tuning {
    /// Temperatures are placed after 1/16, 1/8, 1/4, 1/2 and all of the attempts of the stage; attempts count from the
    /// start of the run. Early measurements precede equilibrium; the last placement uses half of the stage.
    pub fn placements(&self) -> [u64; 5] {
        [16, 8, 4, 2, 1].map(|part| self.first + self.attempts / part)
    }

    /// Whether the last placement comes after this number of attempts of the run.
    pub fn is_last(&self, attempts: u64) -> bool {
        attempts == self.first + self.attempts
    }
}

/// Everything about a run except the system and the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Protocol {
    /// The dynamics of all stages.
    pub dynamics: Dynamics,
    /// The stages, in their order.
    pub stages: Vec<Stage>,
    /// The two groups whose centres define the extension.
    pub ends: (Vec<usize>, Vec<usize>),
    /// Columns that tables have on request, among those of [`Observable::ON_REQUEST`].
    pub columns: Vec<Observable>,
    /// The seed of all noise.
    pub seed: u64,
    /// The generator and distribution of the noise.
    pub randomness: Randomness,
}

impl Protocol {
    /// Whether tables of a system have a column.
    pub fn measures(&self, observable: Observable, system: &System) -> bool {
        let mut externals = self.stages.iter().flat_map(|stage| &stage.externals);
        observable.is_measured_in(system, &self.dynamics)
            || self.columns.contains(&observable)
            || observable.has_meaning_in(system)
                && externals.any(|external| external.columns().contains(&observable))
    }

    /// The columns of the tables of a system, in their order: those of named pulls come last, each name at the place where a
    /// stage first has it.
    pub fn measured_columns(&self, system: &System) -> Vec<MeasuredColumn> {
        let whole = Observable::ALL.into_iter();
        let whole = whole.filter(|&observable| self.measures(observable, system));
        let whole = whole.map(MeasuredColumn::Whole);
        whole.chain(self.pull_columns().into_iter().map(MeasuredColumn::OfPull)).collect()
    }

    /// The columns of named pulls.
    pub fn pull_columns(&self) -> Vec<PullColumn> {
        PullColumn::of_externals(self.stages.iter().flat_map(|stage| &stage.externals))
    }

    /// Steps of all stages, at most.
    pub fn steps(&self) -> u64 {
        self.stages.iter().map(Stage::steps).sum()
    }
}
