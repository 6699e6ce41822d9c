//! Noise of every distribution: its moments, seen in the positions of beads in a trap.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::{Distribution, Integrator, Precision, Protocol, Randomness};

use crate::support::{
    assert_joint, coordinates, deviation, dynamics, every_randomness, protocol, stage, trapped,
};

/// kT = ξ = 1 and k = 4.
const STIFFNESS: f64 = 4.0;

/// The factor of a coordinate in each step, 1 − k h/ξ.
const FACTOR: f64 = 0.5;

/// x is Σ cⁿ B over all earlier steps. Cumulants add up: the variance is ⟨B²⟩/(1 − c²), and the excess of the fourth
/// moment is that of B times (1 − c²)²/(1 − c⁴) = (1 − c²)/(1 + c²).
fn moments(distribution: Distribution) -> [f64; 4] {
    let square = FACTOR * FACTOR;
    let variance = 2.0 * (1.0 - FACTOR) / STIFFNESS / (1.0 - square);
    let excess = match distribution {
        Distribution::Uniform => -6.0 / 5.0,
        Distribution::BoxMuller | Distribution::Polar | Distribution::Ziggurat => 0.0,
    };
    let fourth = 3.0 + excess * (1.0 - square) / (1.0 + square);
    [0.0, variance, 0.0, fourth * variance * variance]
}

/// Coordinates of 500 oscillators at 10 times, whose correlations are below 2⁻³⁰.
fn samples(randomness: Randomness, precision: Precision, seed: u64) -> Vec<f64> {
    let system = trapped(500, STIFFNESS);
    let dynamics = dynamics((Integrator::Brownian, precision), (1.0 - FACTOR) / STIFFNESS);
    let stages = vec![stage(u64::MAX, vec![])];
    let protocol = Protocol { seed, randomness, ..protocol(dynamics, stages) };
    let mut run = Member::new(system.clone(), Arc::new(protocol), 0, &system.particles.positions);
    let mut samples = Vec::new();
    for _ in 0..10 {
        run.advance(30).unwrap();
        samples.extend(coordinates(&run));
    }
    samples
}

#[test]
fn four_moments_of_each_distribution_are_those_of_theory() {
    for precision in Precision::ALL {
        for distribution in Distribution::ALL {
            let mut deviations = Vec::new();
            let made = every_randomness().filter(|made| made.distribution() == distribution);
            for (seed, randomness) in made.enumerate() {
                let samples = samples(randomness, precision, seed as u64);
                for (power, expected) in (1..).zip(moments(distribution)) {
                    let powers: Vec<f64> = samples.iter().map(|x| x.powi(power)).collect();
                    deviations.push(deviation(&powers, expected));
                }
            }
            assert_joint(&deviations);
        }
    }
}

/// `deviation` allows 4 standard errors. For 15,000 normal numbers of variance 1, the mean fourth power has the error
/// √(96/15000) = 0.08. Uniform noise lowers the fourth moment by 0.72 in these units, which is more than 8 errors.
#[test]
fn the_fourth_moment_distinguishes_uniform_noise() {
    let [normal, uniform] = [Distribution::Polar, Distribution::Uniform].map(moments);
    assert_eq!(normal[1], uniform[1]);
    let difference = (normal[3] - uniform[3]) / normal[1].powi(2);
    assert!((difference - 0.72).abs() < 1e-12 && difference > 8.0 * (96.0_f64 / 15_000.0).sqrt());
}
