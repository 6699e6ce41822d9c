//! How made systems move.

use beadwork_random::Generator;

use crate::{Dynamics, Integrator, Precision, Protocol, Stage, StageKind};

/// SOP-GPU's parameters: T 0.6 kcal/mol, zeta 50 in its units, which are of 250 ps. The time step is in ps.
pub fn sop_gpu_dynamics(timestep: f64) -> Dynamics {
    Dynamics {
        integrator: Integrator::Brownian,
        temperature: 0.6,
        friction: 12_500.0,
        timestep,
        precision: Precision::Single,
        skin: 4.0,
    }
}

/// A protocol of one stage of dynamics, without externals.
pub fn one_stage(
    dynamics: Dynamics,
    generator: Generator,
    seed: u64,
    steps: u64,
    beads: usize,
) -> Protocol {
    let stage = Stage {
        name: "bench".to_string(),
        kind: StageKind::Dynamics { steps },
        fixed: Vec::new(),
        externals: Vec::new(),
        stops: Vec::new(),
    };
    let ends = (vec![0], vec![beads.saturating_sub(1)]);
    let columns = Vec::new();
    Protocol { dynamics, stages: vec![stage], ends, columns, seed, randomness: generator.into() }
}
