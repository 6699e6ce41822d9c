//! Runs of oscillators: positions and correlations, compared with the law of their scheme.

mod answer;
mod compared;
mod drawing;
mod replicas;
mod samples;

pub(crate) use answer::table;
pub(crate) use drawing::figures;
pub(crate) use replicas::Oscillations;
