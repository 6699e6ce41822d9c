//! What the progress of a run is counted in.

use beadwork_analysis::numbers::grouped;
use beadwork_engine::Plan;
use beadwork_model::Units;

use crate::times::simulated;

/// The unit of a run's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Steps of dynamics, which have a time.
    Steps,
    /// Steps of dynamics in reduced units.
    ReducedSteps,
    /// Sweeps of Monte Carlo, which have no time.
    Sweeps,
}

impl Unit {
    /// That of a plan.
    pub fn of(plan: &Plan) -> Unit {
        match plan.members.first().map(|member| (member.system.is_sampled(), member.system.units)) {
            Some((true, _)) => Unit::Sweeps,
            Some((false, Units::Reduced)) => Unit::ReducedSteps,
            _ => Unit::Steps,
        }
    }

    /// `steps`, `sweeps`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Steps | Unit::ReducedSteps => "steps",
            Unit::Sweeps => "sweeps",
        }
    }

    /// `1 000 steps/s`.
    pub fn rate(self, per_second: f64) -> String {
        format!("{} {}/s", grouped(per_second.round() as u64), self.name())
    }

    /// `2.5 us of trajectory`, `1 000 sweeps`.
    pub fn done(self, count: u64, picoseconds: f64) -> String {
        match self {
            Unit::Steps => format!("{} of trajectory", simulated(picoseconds)),
            Unit::Sweeps | Unit::ReducedSteps => format!("{} {}", grouped(count), self.name()),
        }
    }
}
