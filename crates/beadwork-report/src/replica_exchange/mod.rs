//! Replica exchange, or sampling at one temperature: averages, curves over the temperature, and whether replicas were exchanged
//! as expected.
//!
//! If stages place temperatures anew, each ladder ends with temperatures of its own. Averages are over ladders with the same
//! temperatures; curves are reweighted from all ladders.

mod answer;
mod batches;
mod columns;
mod curves;
mod drift_notes;
mod equilibrium;
mod exchanges;
mod figures;
mod finding;
mod findings;
mod ladder;
mod ladders;
mod reading;
mod replica_times;
mod reweighted;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use answer::answers;
pub(crate) use figures::figures;
pub(crate) use ladders::Ladders;
pub(crate) use tables::tables;
