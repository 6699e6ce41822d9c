//! What is done with a system: dynamics, stages, when to stop.

use std::ops::Range;

use crate::drives::Drive;
use crate::observables::Observable;
use beadwork_random::Randomness;
use serde::{Deserialize, Serialize};

/// How beads move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integrator {
    /// Overdamped Langevin dynamics to first order in the step: r += f h/ξ + g √(2 kT h/ξ)
    /// (P4, Algorithm 7; Ermak and McCammon).
    Brownian,
    /// The same to second order (weak, for noise of constant strength): the drift is the mean of
    /// the forces at the step's start and at its first-order end (stochastic Heun). For a harmonic
    /// force its mean is P4's equation 5 with the missing r_f h²/(2ξ).
    BrownianSecondOrder,
}

impl Integrator {
    /// Every integrator.
    pub const ALL: [Integrator; 2] = [Integrator::Brownian, Integrator::BrownianSecondOrder];

    /// The name in an input.
    pub fn name(self) -> &'static str {
        match self {
            Integrator::Brownian => "brownian",
            Integrator::BrownianSecondOrder => "brownian-second-order",
        }
    }
}

/// The arithmetic of a trajectory. Drives, time and sums over a run are f64 in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// f32: relative error of a force about 1e-6.
    Single,
    /// f64.
    Double,
}

impl Precision {
    /// Every precision.
    pub const ALL: [Precision; 2] = [Precision::Single, Precision::Double];

    /// The name in an input.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Single => "single",
            Precision::Double => "double",
        }
    }
}

/// How all stages move. Monte Carlo uses temperature and precision alone, and counts a sweep as a time step.
#[derive(Clone, Debug, PartialEq)]
pub struct Dynamics {
    /// The scheme.
    pub integrator: Integrator,
    /// kB T, kcal/mol.
    pub temperature: f64,
    /// ξ, kcal ps/(mol Å²).
    pub friction: f64,
    /// h, ps.
    pub timestep: f64,
    /// Number type of positions and forces.
    pub precision: Precision,
    /// Å beyond the cutoff that a neighbour list looks ahead; it changes the speed, never the
    /// trajectory.
    pub skin: f64,
}

/// What a stage does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StageKind {
    /// Steps of dynamics.
    Dynamics {
        /// How many.
        steps: u64,
    },
    /// Downhill to a local minimum of the energy, without noise.
    Minimise {
        /// kcal/(mol Å): done when no bead feels a larger force.
        tolerance: f64,
        /// Gives up after as many steps.
        steps: u64,
    },
    /// Sweeps of Metropolis moves, as many moves each as there are beads.
    Sample {
        /// How many.
        sweeps: u64,
        /// Largest component of a displacement, in units of the length; without it, that of the stage before is kept.
        displacement: Option<f64>,
        /// Sweeps after which displacements are fitted to how many moves were accepted, counted from the run's start.
        /// Adaptive displacements break detailed balance: use them for equilibration only.
        tune_every: Option<u64>,
    },
}

/// Ends a stage when an observable crosses a threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct StopRule {
    /// As written: `extension > 25 nm`.
    pub text: String,
    /// What is watched.
    pub observable: Observable,
    /// True for `>`.
    pub above: bool,
    /// In the units of the table's column.
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
    /// What it does.
    pub kind: StageKind,
    /// Beads that do not move, ascending; those that drives hold are among them.
    pub fixed: Vec<usize>,
    /// What pulls.
    pub drives: Vec<Drive>,
    /// What ends it early.
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
    /// Stages in which the temperatures are placed anew, in their order.
    pub tunings: Vec<Tuning>,
}

impl Exchange {
    /// Attempts after the first up to the last of some steps that each pair of neighbouring rungs has at least. In turn,
    /// rungs (0, 1), (2, 3) … are paired and (1, 2), (3, 4) …, which with two rungs are none.
    pub fn attempts_of_each_pair(&self, steps: Range<u64>) -> u64 {
        let [before, all] = [steps.start, steps.end].map(|step| step / self.every);
        let even = all.div_ceil(2) - before.div_ceil(2);
        let odd = all / 2 - before / 2;
        if self.temperatures.len() > 2 { even.min(odd) } else { even }
    }
}

/// By what temperatures are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Placement {
    /// All neighbours are to swap equally often.
    Acceptance,
    /// Replicas are to travel from end to end as fast as they can.
    RoundTrips,
}

impl Placement {
    /// Every one.
    pub const ALL: [Placement; 2] = [Placement::Acceptance, Placement::RoundTrips];

    /// The name in an input.
    pub fn name(self) -> &'static str {
        match self {
            Placement::Acceptance => "acceptance",
            Placement::RoundTrips => "round-trips",
        }
    }
}

/// A stage in which the temperatures of a ladder are placed anew, the lowest and the highest excepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The number of the stage, from 0.
    pub stage: usize,
    /// By what.
    pub by: Placement,
    /// Attempts that a ladder has made when the stage begins.
    pub first: u64,
    /// Attempts in the stage.
    pub attempts: u64,
}

impl Tuning {
    /// Attempts of the run after which temperatures are placed: a sixteenth of the stage's, an eighth, a quarter, a
    /// half and all. Early measurements precede equilibrium; the last placement uses half of the stage.
    pub fn placements(&self) -> [u64; 5] {
        [16, 8, 4, 2, 1].map(|part| self.first + self.attempts / part)
    }

    /// Whether the last of them comes after so many attempts of the run.
    pub fn is_last(&self, attempts: u64) -> bool {
        attempts == self.first + self.attempts
    }
}

/// Everything that is done with a system, except output.
#[derive(Clone, Debug, PartialEq)]
pub struct Protocol {
    /// How beads move.
    pub dynamics: Dynamics,
    /// One after another.
    pub stages: Vec<Stage>,
    /// The two groups whose centres define the extension.
    pub ends: (Vec<usize>, Vec<usize>),
    /// The seed of all noise.
    pub seed: u64,
    /// What the noise is made of.
    pub randomness: Randomness,
}

impl Protocol {
    /// Steps of all stages, at most.
    pub fn steps(&self) -> u64 {
        self.stages.iter().map(Stage::steps).sum()
    }
}
