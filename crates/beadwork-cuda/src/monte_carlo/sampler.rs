//! [`ChainSamplers`] of either precision.

use beadwork_model::Precision;

use crate::{
    ChainOverrides, ChainSamplers, Device, Error, LadderBatch, Rounding, Stop, SweepRecord,
    SweepSchedule,
};

/// Replicas on a card, led schedule by schedule in the precision that they were made with.
#[derive(Debug)]
pub enum Sampler {
    /// In f32.
    Single(Box<ChainSamplers<f32>>),
    /// In f64.
    Double(Box<ChainSamplers<f64>>),
}

/// A schedule that a [`Sampler`] made, to be taken apart while the card goes on.
#[derive(Clone, Debug)]
pub enum Sampled {
    /// In f32.
    Single(SweepRecord<f32>),
    /// In f64.
    Double(SweepRecord<f64>),
}

/// The same expression for either precision.
macro_rules! either {
    ($kind:ident, $which:expr, $name:ident => $expression:expr) => {
        match $which {
            $kind::Single($name) => $expression,
            $kind::Double($name) => $expression,
        }
    };
}

impl Sampler {
    /// Replicas as they begin, laid out as suits the card.
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
    /// What there is to say, in order.
    pub fn stops(&self) -> Vec<Stop> {
        either!(Sampled, self, record => record.stops())
    }

    /// Where each replica is at the end, in units of the length.
    pub fn positions(&self) -> Vec<Vec<[f64; 3]>> {
        either!(Sampled, self, record => record.positions())
    }
}
