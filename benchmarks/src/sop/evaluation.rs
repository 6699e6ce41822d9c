//! Energies and forces of one configuration by the reference path.

use std::sync::Arc;

use beadwork_cpu::reference;
use beadwork_model::{Energies, System};

/// What acts at one configuration.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    /// By term, kcal/mol.
    pub energies: Energies,
    /// Mean of F·F over beads, (kcal/(mol Å))².
    pub square_force: f64,
}

/// Energies and forces at `positions`, Å, in f64.
pub fn evaluate(system: &Arc<System>, positions: &[[f64; 3]]) -> Evaluation {
    let mut forces = vec![[0.0; 3]; positions.len()];
    // A broken bond has no force that could be compared.
    if reference::Forces::new(system, 0.0).evaluate(positions, &mut forces).is_err() {
        forces.fill([f64::NAN; 3]);
    }
    let square: f64 = forces.iter().flatten().map(|component| component * component).sum();
    Evaluation {
        energies: system.energies(positions),
        square_force: square / positions.len() as f64,
    }
}
