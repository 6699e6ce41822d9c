//! Which points have the noise of others.

use std::ops::Range;
use std::sync::Arc;

use beadwork_model::Protocol;

use crate::data::{Code, Finding};

/// What decides the noise of the replicas of a point.
#[derive(Clone, Debug)]
pub(super) struct NoiseOf {
    pub run: String,
    /// Has the seed, and how numbers are made of it.
    pub protocol: Arc<Protocol>,
    /// Of the replicas that the folders hold, over ensemble and sweep, which key their noise.
    pub numbers: Vec<Range<u64>>,
}

impl NoiseOf {
    /// Whether replicas of two points have the same noise.
    fn is_that_of(&self, other: &NoiseOf) -> bool {
        let [one, two] = [self, other].map(|of| (of.protocol.seed, of.protocol.randomness));
        let overlap =
            |own: &Range<u64>, other: &Range<u64>| own.start < other.end && other.start < own.end;
        let is_shared = |own: &Range<u64>| other.numbers.iter().any(|other| overlap(own, other));
        one == two && self.numbers.iter().any(is_shared)
    }
}

/// A finding if one of the runs has the noise of another one that is compared with it.
pub(super) fn same_noise(known: &[NoiseOf], others: &[NoiseOf]) -> Option<Finding> {
    let shared = |other: &NoiseOf| {
        let own = known.iter().find(|own| own.is_that_of(other))?;
        Some(format!(
            "runs {} and {} have the same seed ({}) and so the same noise: equal wiggles of their curves are no reproduction, and errors of independent runs say nothing of their difference; give one of them another seed",
            own.run, other.run, own.protocol.seed
        ))
    };
    others.iter().find_map(shared).map(|text| Finding::new(Code::SameNoise, text))
}
