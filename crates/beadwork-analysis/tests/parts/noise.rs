//! Reproducible noise for tests.

pub use beadwork_testing::Dice as Noise;
