//! [`Program`]: a timed program that moves chains, with its name and counts.

use beadwork_analysis::numbers::significant;
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;

use super::samplers::{Chain, Sampler};
use crate::Error;
use crate::report::{Row, rounded};
use crate::statistics::{Check, Estimate, largest};
use crate::timing::{Aim, Calibration, Measurement, Time, Timed};

/// Allowed relative error of an energy. Each of up to 10⁸ moves may add half a unit in the last place to the energy
/// that a simple program keeps.
pub const ROUNDING: f64 = 1e-4;
pub const DRIFT: f64 = 2e-2;

pub struct Program {
    pub name: &'static str,
    pub sampler: Box<dyn Sampler>,
    /// Moves of a sweep of all its chains.
    moves: f64,
    /// Allowed relative error of its energies.
    allowed: f64,
    offered: f64,
    accepted: u64,
}

impl Program {
    pub fn new(name: &'static str, sampler: Box<dyn Sampler>, moves: f64, allowed: f64) -> Program {
        Program { name, sampler, moves, allowed, offered: 0.0, accepted: 0 }
    }

    pub fn advance(&mut self, sweeps: u64, exchanging: bool) -> Result<(), Error> {
        self.accepted += self.sampler.advance(sweeps, exchanging)?;
        self.offered += sweeps as f64 * self.moves;
        Ok(())
    }

    /// Prepares its repeats: of `rounds` rounds if that is given, otherwise as long as `aim` says.
    pub fn measurement(&mut self, aim: Aim, rounds: Option<u64>) -> Result<Measurement<'_>, Error> {
        let moves = self.moves;
        let run = move |sweeps| Ok(Time::of(|| self.advance(sweeps, true))?.1);
        match rounds {
            None => Measurement::calibrated(moves, aim, run),
            Some(rounds) => Ok(Measurement::new(moves, Calibration { fixed: 0.0, rounds }, run)),
        }
    }

    /// Adds its results to a row; `beside` has beadwork's times if this is another program.
    pub fn row(&self, row: Row, timed: &Timed, beside: Option<&Timed>) -> Row {
        let ratio = beside.map(|ours| ours.ratio(timed));
        let by_processor = beside.and_then(|ours| ours.ratio_by_processor(timed));
        let acceptance = self.accepted as f64 / self.offered;
        row.text("name", "program", self.name)
            .spread("rate", "moves/s", Some(&timed.rate()), rounded)
            .count("sweeps", "sweeps of a repeat", timed.calibration.rounds)
            .number("acceptance", "accepted", acceptance, significant)
            .spread("ratio", "beadwork by it", ratio.as_ref(), significant)
            .median("ratio_by_processor", "by processor time", by_processor.as_ref(), significant)
    }

    /// Compares the energies that it keeps, or decides exchanges by, with the system's in double precision.
    pub fn energies(&mut self, polymer: &ElasticPolymer) -> Result<Check, Error> {
        let system = polymer.build();
        let part = |(energy, positions): Chain| {
            let expected = system.energies(&positions).total();
            (energy - expected) / (1.0 + expected.abs())
        };
        let mut parts: Vec<f64> = self.sampler.chains()?.into_iter().map(part).collect();
        if parts.is_empty() {
            // A program that returns no energies must not pass.
            parts.push(f64::NAN);
        }
        let quantity =
            format!("largest part by which an energy is not the system's, {}", self.name);
        Ok(Check::of_difference(&quantity, largest(parts), self.allowed))
    }

    /// The share of accepted moves by Laplace's rule, so that the error is above zero even if all were accepted.
    pub fn share(&self) -> Estimate {
        let (accepted, moves) = (self.accepted as f64 + 1.0, self.offered + 2.0);
        let mean = accepted / moves;
        Estimate { mean, error: (mean * (1.0 - mean) / moves).sqrt(), values: None }
    }
}
