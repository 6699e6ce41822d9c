//! Results of the samples of ladders.

use beadwork_analysis::round_trips;
use beadwork_analysis::thermodynamics::Thermodynamics;

use super::curves::Curves;
use super::equilibrium::Drifts;

/// Equal temperatures may differ by this fraction, because tables have kelvins and samples k_B T.
const ROUNDING: f64 = 1e-9;

pub(super) fn is_same(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < ROUNDING
}

#[derive(Clone, Debug)]
pub(super) struct Findings {
    /// The families in the order of their first ladders.
    pub families: Vec<Family>,
    /// The numbers of ladders without rows of the last stage, whose temperatures may still change.
    pub unplaced: Vec<u64>,
    pub curves: Result<Curves, String>,
}

/// The results of ladders with the same temperatures: all ladders of a group, unless stages placed the temperatures.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    /// The numbers of the ladders in words; empty if these are all ladders.
    pub name: String,
    pub ladders: Vec<u64>,
    pub temperatures: Vec<f64>,
    pub placing: Placing,
    /// Attempted and accepted exchanges of each lower rung.
    pub swaps: Vec<(f64, f64)>,
    /// For each rung, visits of replicas that came from the lowest rung and from the highest.
    pub flow: Vec<(f64, f64)>,
    pub round_trips: f64,
    pub at: Vec<Thermodynamics>,
    /// For each pair of neighbours, the deviation of the slope of their energies in standard errors, and the overlap.
    pub neighbours: Vec<(Option<f64>, f64)>,
    pub drifts: Drifts,
}

/// How the stages of a run placed the temperatures of a family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Placing {
    /// The temperatures are placed as the stages specify.
    #[default]
    Done,
    /// A replica failed after temperatures were placed, so they were not placed again.
    BrokenOff,
    /// A replica failed before temperatures were placed.
    Never,
}

impl Findings {
    /// The first family with samples, whose energies are drawn.
    pub fn sampled_family(&self) -> Option<&Family> {
        self.families.iter().find(|family| !family.at.is_empty())
    }
}

impl Family {
    /// ` of ladder 2`; empty for all ladders.
    pub fn of_ladder(&self) -> String {
        match self.name.as_str() {
            "" => String::new(),
            name => format!(" of ladder {name}"),
        }
    }

    pub fn has_attempts(&self) -> bool {
        self.swaps.iter().any(|(tried, _)| *tried > 0.0)
    }

    /// The number of round trips, and the number expected if the energies of successive attempts were independent; `None`
    /// without attempts.
    pub fn round_trips(&self) -> Option<(f64, f64)> {
        // Even and odd pairs are attempted alternately.
        let attempts = match self.swaps.as_slice() {
            [] => return None,
            [only] => 2.0 * only.0,
            [first, second, ..] => first.0 + second.0,
        };
        let acceptance: Vec<f64> = self.swaps.iter().map(|(tried, made)| made / tried).collect();
        let expected = round_trips::expected(attempts, &acceptance);
        expected.is_finite().then_some((self.round_trips, expected))
    }
}
