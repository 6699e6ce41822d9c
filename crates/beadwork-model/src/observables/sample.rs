//! The data from which observables are computed.

use serde::{Deserialize, Serialize};

use super::kinetic_energy::temperature_of;
use super::{NamedPull, kinetic_energy, temperature_from_displacements};
use crate::dynamics::Dynamics;
use crate::energies::Energies;
use crate::externals::Indentation;
use crate::mechanics::Mechanics;
use crate::system::System;

/// A member at the step of a row.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The system.
    pub system: &'a System,
    /// The dynamics by which it moves.
    pub dynamics: &'a Dynamics,
    /// The two groups whose centres define the extension.
    pub ends: &'a (Vec<usize>, Vec<usize>),
    /// Å. Empty in a box if another backend measured all that takes positions, and the table has no column on request.
    pub positions: &'a [[f64; 3]],
    /// Energies at these positions; restraints count among single beads.
    pub energies: Energies,
    /// Σ r·F of pairs and bonds, kcal/mol; `None` in open space.
    pub virial: Option<f64>,
    /// Force and work of the pulling externals; `None` if nothing pulls.
    pub pull: Option<Pull>,
    /// The pulling externals that have a name.
    pub pulls: &'a [NamedPull<'a>],
    /// How far a tip has come, if there is one.
    pub indentation: Option<Indentation>,
    /// The energies of tips and surfaces.
    pub of_externals: EnergiesOfExternals,
    /// Sums since the last row or exchange.
    pub sums: Sums,
    /// Mean of each axis and mean square of the coordinates of independent particles, Å and Å².
    pub moments: Option<([f64; 3], f64)>,
    /// Velocities, if the integrator has any.
    pub velocities: Option<Velocities<'a>>,
    /// What was measured of these positions and velocities before.
    pub measured: Option<Measured>,
    /// The pressure tensor and the configurational temperature, if the table has one of them.
    pub mechanics: Option<Mechanics>,
}

/// Measurements that take a loop over beads or pairs, of positions and velocities alone, as a path takes them that has these at
/// hand: each has the value that is computed here without it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Energies of the interactions.
    pub energies: Energies,
    /// Σ r·F of pairs and bonds, kcal/mol; `None` in open space.
    pub virial: Option<f64>,
    /// Native contacts that hold.
    pub native_contacts: usize,
    /// Å, of all beads in SOP, else the mean over molecules, if there are any of several beads.
    pub radius_of_gyration: Option<f64>,
    /// The same with beads weighted by their mass; `None` in SOP.
    pub radius_of_gyration_by_mass: Option<f64>,
    /// The mean over molecules, Å; `None` in SOP.
    pub end_to_end: Option<f64>,
    /// In the unit of the energy; `None` without velocities.
    pub kinetic_energy: Option<f64>,
}

/// Velocities of a member.
#[derive(Clone, Copy, Debug)]
pub struct Velocities<'a> {
    /// Å/ps; zero for fixed beads. Empty if the kinetic energy was measured before, and the table has no column on request.
    pub of_beads: &'a [[f64; 3]],
    /// Three for each free bead, less three if the integrator conserves the momentum.
    pub degrees_of_freedom: usize,
}

impl<'a> Sample<'a> {
    /// A sample in open space without pulling externals, with no steps since the last row.
    pub fn new(
        system: &'a System,
        dynamics: &'a Dynamics,
        ends: &'a (Vec<usize>, Vec<usize>),
        positions: &'a [[f64; 3]],
        energies: Energies,
    ) -> Sample<'a> {
        let moments = system.independent_particles().map(|particles| particles.moments(positions));
        Sample {
            system,
            dynamics,
            ends,
            positions,
            energies,
            virial: None,
            pull: None,
            pulls: &[],
            indentation: None,
            of_externals: EnergiesOfExternals::default(),
            sums: Sums::default(),
            moments,
            velocities: None,
            measured: None,
            mechanics: None,
        }
    }

    /// A component of the pressure tensor, in the order of [`Mechanics::pressure`].
    pub(super) fn pressure_component(&self, component: usize) -> Option<f64> {
        Some(self.mechanics?.pressure?[component])
    }

    /// The energy of the velocities, if there are any.
    pub(super) fn kinetic_energy(&self) -> Option<f64> {
        let of_beads = self.velocities?.of_beads;
        let before = self.measured.and_then(|measured| measured.kinetic_energy);
        Some(before.unwrap_or_else(|| kinetic_energy(self.system, of_beads)))
    }

    /// kB T, in the unit of the energy.
    pub(super) fn temperature(&self) -> Option<f64> {
        match self.velocities {
            Some(Velocities { degrees_of_freedom, .. }) => {
                temperature_of(self.kinetic_energy()?, degrees_of_freedom)
            }
            None => self.sums.temperature(self.dynamics),
        }
    }
}

/// Energies of externals beside those of traps and restraints, which count among single beads, kcal/mol.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnergiesOfExternals {
    /// Between tips and beads.
    pub tip: f64,
    /// Between surfaces and beads.
    pub surface: f64,
}

/// Force and work of the pulling externals, each external along its own direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pull {
    /// Their force at this instant, kcal/(mol Å).
    pub force: f64,
    /// Their work since the stage began, kcal/mol; that of one that goes on since the first of its stages began.
    pub work: f64,
}

/// Sums over the steps since the last row of the table or the last exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Σ|Δr|², Å², of free beads.
    pub squared_displacements: f64,
    /// The number of terms: free beads times steps.
    pub moves: u64,
    /// Σ of the pulling force along its direction, kcal/(mol Å).
    pub force: f64,
    /// The number of steps in `force`.
    pub force_steps: u64,
}

impl Sums {
    /// Counts the pulling force of a step along its direction, kcal/(mol Å).
    pub fn count_force(&mut self, along: f64) {
        self.force += along;
        self.force_steps += 1;
    }

    /// The mean pulling force, kcal/(mol Å); `None` where nothing pulled.
    pub(super) fn mean_force(&self) -> Option<f64> {
        (self.force_steps > 0).then(|| self.force / self.force_steps as f64)
    }

    /// kB T, kcal/mol; `None` where no bead moved.
    pub(super) fn temperature(&self, dynamics: &Dynamics) -> Option<f64> {
        let Dynamics { friction, timestep, .. } = *dynamics;
        let (squares, moves) = (self.squared_displacements, self.moves as f64);
        (self.moves > 0).then(|| temperature_from_displacements(squares, moves, friction, timestep))
    }
}
