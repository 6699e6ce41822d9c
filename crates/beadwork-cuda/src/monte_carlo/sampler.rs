//! [`Walkers`] of either precision.

use beadwork_model::Precision;

use crate::{Course, Device, Error, Journey, Population, Rounding, Stop, WalkerWishes, Walkers};

/// Replicas on a card, led course by course in the precision that they were made with.
#[derive(Debug)]
pub enum Sampler {
    /// In f32.
    Single(Box<Walkers<f32>>),
    /// In f64.
    Double(Box<Walkers<f64>>),
}

/// A course that a [`Sampler`] made, to be taken apart while the card goes on.
#[derive(Clone, Debug)]
pub enum Sampled {
    /// In f32.
    Single(Journey<f32>),
    /// In f64.
    Double(Journey<f64>),
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
    /// Those of [`Walkers::new`].
    pub fn new(
        device: &Device,
        precision: Precision,
        population: Population,
    ) -> Result<Sampler, Error> {
        let (fused, wishes) = (Rounding::Fused, WalkerWishes::default());
        Ok(match precision {
            Precision::Single => {
                Sampler::Single(Box::new(Walkers::new(device, population, fused, wishes)?))
            }
            Precision::Double => {
                Sampler::Double(Box::new(Walkers::new(device, population, fused, wishes)?))
            }
        })
    }

    /// [`Walkers::begin`].
    ///
    /// # Errors
    /// Its.
    pub fn begin(&mut self, course: Course) -> Result<(), Error> {
        either!(Sampler, self, walkers => walkers.begin(course))
    }

    /// [`Walkers::end`].
    ///
    /// # Errors
    /// Its.
    pub fn end(&mut self) -> Result<Sampled, Error> {
        Ok(match self {
            Sampler::Single(walkers) => Sampled::Single(walkers.end()?),
            Sampler::Double(walkers) => Sampled::Double(walkers.end()?),
        })
    }

    /// [`Walkers::population`].
    ///
    /// # Errors
    /// Its.
    pub fn population(&self) -> Result<Population, Error> {
        either!(Sampler, self, walkers => walkers.population())
    }
}

impl Sampled {
    /// What there is to say, in order.
    pub fn stops(&self) -> Vec<Stop> {
        either!(Sampled, self, journey => journey.stops())
    }

    /// Where each replica is at the end, in units of the length.
    pub fn positions(&self) -> Vec<Vec<[f64; 3]>> {
        either!(Sampled, self, journey => journey.positions())
    }
}
