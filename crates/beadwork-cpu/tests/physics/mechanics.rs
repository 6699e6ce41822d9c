//! Columns that tables have on request.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::observables::Observable;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Integrator, Precision, Protocol};

use crate::support::{assert_joint, dynamics, protocol, stage, trapped};

/// Both Langevin integrators sample positions in a harmonic trap exactly, at any stable time step. So Σ F²/Σ ∇²V is kT times the
/// mean of 3N squares of standard normal numbers.
#[test]
fn the_configurational_temperature_is_that_of_the_bath() {
    const BEADS: usize = 300;
    const ROWS: usize = 60;
    let column = Observable::ConfigurationalTemperature;
    let mut deviations = Vec::new();
    for integrator in [Integrator::Langevin, Integrator::LangevinMiddle] {
        for precision in Precision::ALL {
            let stages = vec![stage(u64::MAX, vec![])];
            let protocol = protocol(dynamics((integrator, precision), 0.05), stages);
            let protocol = Arc::new(Protocol { columns: vec![column], ..protocol });
            let system = trapped(BEADS, 1.3);
            let start = &system.particles.positions;
            let mut member = Member::new(system.clone(), protocol, 0, start);
            let mut sum = 0.0;
            for _ in 0..ROWS {
                // Four relaxation times ξ/k, so rows are nearly independent.
                member.advance(60).unwrap();
                sum += member.measure().unwrap().get(column).unwrap() * BOLTZMANN;
            }
            let error = (2.0 / (3 * BEADS * ROWS) as f64).sqrt();
            deviations.push((sum / ROWS as f64 - 1.0) / error);
        }
    }
    assert_joint(&deviations);
}
