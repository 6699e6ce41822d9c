//! [`ChainSamplers`] of either precision.

use beadwork_model::Precision;

use crate::{
    ChainOverrides, ChainSamplers, Device, Error, LadderBatch, Rounding, Stop, SweepRecord,
    SweepSchedule,
};

/// Replicas on a card, stepped schedule by schedule in their precision.
#[derive(Debug)]
pub enum Sampler {
    /// In f32.
    Single(Box<ChainSamplers<f32>>),
    /// In f64.
    Double(Box<ChainSamplers<f64>>),
}

/// The output of a schedule, which the host can read while the card continues.
#[derive(Clone, Debug)]
pub enum Sampled {
    /// In f32.
    Single(SweepRecord<f32>),
    /// In f64.
    Double(SweepRecord<f64>),
}

/// Applies the same expression in either precision.
macro_rules! either {
    ($kind:ident, $which:expr, $name:ident => $expression:expr) => {
        match $which {
            $kind::Single($name) => $expression,
            $kind::Double($name) => $expression,
        }
    };
}

impl Sampler {
    /// Replicas at their start, in the layout that suits the card.
    ///
    /// # Errors
    /// Those of [`ChainSamplers::new`].
    pub fn new(
        device: &Device,
        precision: Precision,
        batch: LadderBatch,
    ) -> Result<Sampler, Error> {
        let (fused, overrides) = (Rounding::Fused, ChainOverrides::default());
        Ok(match precision {
            Precision::Single => {
                Sampler::Single(Box::new(ChainSamplers::new(device, batch, fused, overrides)?))
            }
            Precision::Double => {
                Sampler::Double(Box::new(ChainSamplers::new(device, batch, fused, overrides)?))
            }
        })
    }

    /// [`ChainSamplers::begin`].
    pub fn begin(&mut self, schedule: SweepSchedule) -> Result<(), Error> {
        either!(Sampler, self, samplers => samplers.begin(schedule))
    }

    /// [`ChainSamplers::end`].
    pub fn end(&mut self) -> Result<Sampled, Error> {
        Ok(match self {
            Sampler::Single(samplers) => Sampled::Single(samplers.end()?),
            Sampler::Double(samplers) => Sampled::Double(samplers.end()?),
        })
    }

    /// [`ChainSamplers::batch`].
    pub fn batch(&self) -> Result<LadderBatch, Error> {
        either!(Sampler, self, samplers => samplers.batch())
    }
}

impl Sampled {
    /// The stops of the schedule, in order.
    pub fn stops(&self) -> Vec<Stop> {
        either!(Sampled, self, record => record.stops())
    }

    /// The final positions of each replica, in units of the length.
    pub fn positions(&self) -> Vec<Vec<[f64; 3]>> {
        either!(Sampled, self, record => record.positions())
    }
}
