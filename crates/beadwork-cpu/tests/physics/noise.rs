//! The noise of a run is independent between axes, beads, steps, replicas and seeds.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::{Generator, Integrator, Interactions, Precision, Protocol};
use beadwork_random::Scheme;
use beadwork_testing::{correlation, correlation_threshold};

use crate::support::{dynamics, protocol, stage, system};

const BEADS: usize = 40;
const STEPS: usize = 500;

/// Displacements of free beads, `[step][bead][axis]`, in units of their standard deviation.
fn displacements(
    precision: Precision,
    generator: Generator,
    seed: u64,
    replica: u64,
) -> Vec<Vec<[f64; 3]>> {
    let system = system(vec![[0.0; 3]; BEADS], Interactions::default());
    let dynamics = dynamics((Integrator::Brownian, precision), 0.5);
    let protocol = Protocol {
        randomness: generator.into(),
        seed,
        ..protocol(dynamics, vec![stage(u64::MAX, vec![])])
    };
    let mut run =
        Member::new(system.clone(), Arc::new(protocol), replica, &system.particles.positions);
    let mut before = run.positions();
    (0..STEPS)
        .map(|_| {
            run.advance(1).unwrap();
            let now = run.positions();
            let moved = now
                .iter()
                .zip(&before)
                .map(|(a, b)| [0, 1, 2].map(|axis| a[axis] - b[axis]))
                .collect();
            before = now;
            moved
        })
        .collect()
}

/// One number of each step and bead.
fn list(moves: &[Vec<[f64; 3]>], pick: impl Fn(&[f64; 3]) -> f64) -> Vec<f64> {
    moves.iter().flatten().map(pick).collect()
}

#[test]
fn displacements_are_independent_in_every_direction() {
    for precision in Precision::ALL {
        for generator in Generator::ALL {
            let moves = displacements(precision, generator, 7, 0);
            let mut pairs: Vec<(String, Vec<f64>, Vec<f64>)> = Vec::new();
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                // Tests products of squares too: numbers with a shared radius are uncorrelated at first order.
                pairs.push((
                    format!("axes {a} {b}"),
                    list(&moves, |m| m[a]),
                    list(&moves, |m| m[b]),
                ));
                pairs.push((
                    format!("squares of axes {a} {b}"),
                    list(&moves, |m| m[a] * m[a]),
                    list(&moves, |m| m[b] * m[b]),
                ));
            }
            for lag in [1, 2, 3, 100] {
                for axis in 0..3 {
                    pairs.push((
                        format!("steps {lag} apart, axis {axis}"),
                        list(&moves[..STEPS - lag], |m| m[axis]),
                        list(&moves[lag..], |m| m[axis]),
                    ));
                }
            }
            for shift in [1, 2, 17] {
                let turned: Vec<Vec<[f64; 3]>> = moves
                    .iter()
                    .map(|step| {
                        let mut step = step.clone();
                        step.rotate_left(shift);
                        step
                    })
                    .collect();
                pairs.push((
                    format!("beads {shift} apart"),
                    list(&moves, |m| m[0]),
                    list(&turned, |m| m[0]),
                ));
            }
            for (seed, replica) in [(7, 1), (7, 2), (8, 0), (7 + (1 << 32), 0), (0, 7)] {
                let others = displacements(precision, generator, seed, replica);
                // Compares equal steps, and steps with one seed ahead: a seed must not be an offset in time.
                for ahead in [0, 1, 2] {
                    for axis in 0..3 {
                        pairs.push((
                            format!("seed {seed}, replica {replica}, {ahead} ahead, axis {axis}"),
                            list(&moves[..STEPS - ahead], |m| m[axis]),
                            list(&others[ahead..], |m| m[axis]),
                        ));
                    }
                }
            }
            let count = BEADS * (STEPS - 100);
            let threshold = correlation_threshold(count, 1e-4, pairs.len());
            for (name, first, second) in &pairs {
                let found = correlation(first, second);
                assert!(found.abs() < threshold, "{precision:?} {generator:?} {name}: {found}");
            }
        }
    }
}

/// The noise of a bead does not depend on which beads are free, nor on the number of beads unless beads share a
/// sequence.
#[test]
fn a_beads_noise_does_not_depend_on_other_beads() {
    for generator in Generator::ALL {
        let fewer = if generator.schemes()[0] == Scheme::OneForAllThreads { 30 } else { 10 };
        let paths =
            [(fewer, vec![]), (30, vec![]), (30, vec![0, 1, 9, 29])].map(|(beads, fixed)| {
                let system = system(vec![[0.0; 3]; beads], Interactions::default());
                let dynamics = dynamics((Integrator::Brownian, Precision::Double), 0.5);
                let mut stage = stage(u64::MAX, vec![]);
                stage.fixed = fixed;
                let protocol =
                    Protocol { randomness: generator.into(), ..protocol(dynamics, vec![stage]) };
                let mut run =
                    Member::new(system.clone(), Arc::new(protocol), 3, &system.particles.positions);
                run.advance(100).unwrap();
                run.positions()[2..9].to_vec()
            });
        assert_eq!(paths[0], paths[1], "{generator:?}");
        assert_eq!(paths[0], paths[2], "{generator:?}");
    }
}
