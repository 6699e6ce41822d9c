//! Minimisation of a chain's energy: from a configuration to the nearest minimum.

use crate::arrays::lanes::square_distance;
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::potentials::PairPotential;

/// The largest number of steps; some hundreds are usual.
const STEPS: u32 = 100_000;
/// The largest component of a force at a minimum, in units of energy over length.
const TOLERANCE: f64 = 1e-9;
/// The largest move of a monomer in a step, in units of the bond's length or its limit, whichever is less; it keeps
/// bonds from breaking.
const LARGEST_MOVE: f64 = 0.02;

/// A minimum.
#[derive(Clone, Debug, PartialEq)]
pub struct Quenched {
    /// In units of ε.
    pub energy: f64,
    /// In units of the length.
    pub positions: Vec<[f64; 3]>,
    /// Whether the forces have fallen below the tolerance.
    pub converged: bool,
}

/// Minimises without noise by FIRE (Bitzek et al., Phys. Rev. Lett. 97, 170201, 2006) with its published numbers;
/// masses are 1. The same start gives the same bits.
pub fn quench(polymer: &ElasticPolymer, start: &[[f64; 3]]) -> Quenched {
    let (mut positions, mut velocities) = (start.to_vec(), vec![[0.0; 3]; start.len()]);
    let (mut timestep, mut mixing, mut downhill) = (0.005, 0.1, 0);
    let longest = 0.05;
    let mut forces = forces_on(polymer, &positions);
    let mut converged = false;
    for _ in 0..STEPS {
        converged = forces.iter().flatten().all(|force| force.abs() < TOLERANCE);
        if converged {
            break;
        }
        let product = |a: &[[f64; 3]], b: &[[f64; 3]]| -> f64 {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
        };
        let power = product(&forces, &velocities);
        if power > 0.0 {
            let scale =
                mixing * (product(&velocities, &velocities) / product(&forces, &forces)).sqrt();
            for (velocity, force) in velocities.iter_mut().flatten().zip(forces.iter().flatten()) {
                *velocity = (1.0 - mixing) * *velocity + scale * force;
            }
            downhill += 1;
            if downhill > 5 {
                (timestep, mixing) = (f64::min(1.1 * timestep, longest), 0.99 * mixing);
            }
        } else {
            velocities.iter_mut().for_each(|velocity| *velocity = [0.0; 3]);
            (timestep, mixing, downhill) = (0.5 * timestep, 0.1, 0);
        }
        let largest = LARGEST_MOVE * f64::min(polymer.bonds.length, polymer.bonds.limit);
        for ((position, velocity), force) in positions.iter_mut().zip(&mut velocities).zip(&forces)
        {
            for ((x, v), f) in position.iter_mut().zip(velocity).zip(force) {
                *v += timestep * f;
                *x += (timestep * *v).clamp(-largest, largest);
            }
        }
        forces = forces_on(polymer, &positions);
    }
    let energy = energy_of(polymer, &positions);
    Quenched { energy, positions, converged }
}

fn energy_of(polymer: &ElasticPolymer, positions: &[[f64; 3]]) -> f64 {
    let mut energy = 0.0;
    for (j, at) in positions.iter().enumerate() {
        for before in &positions[..j] {
            energy += polymer.pairs.energy(square_distance(*before, *at));
        }
        if j > 0 {
            energy += polymer.bonds.energy(square_distance(positions[j - 1], *at));
        }
    }
    energy
}

fn forces_on(polymer: &ElasticPolymer, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mut forces = vec![[0.0; 3]; positions.len()];
    for j in 0..positions.len() {
        for i in 0..j {
            let r2 = square_distance(positions[i], positions[j]);
            let mut over_distance = polymer.pairs.force_over_distance(r2);
            if j - i == 1 {
                over_distance += polymer.bonds.force_over_distance(r2);
            }
            for axis in 0..3 {
                let force = over_distance * (positions[i][axis] - positions[j][axis]);
                forces[i][axis] += force;
                forces[j][axis] -= force;
            }
        }
    }
    forces
}
