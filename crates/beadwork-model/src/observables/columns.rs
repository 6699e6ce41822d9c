//! Which systems have a column in their tables unasked.

use crate::dynamics::Dynamics;
use crate::models::Model;
use crate::particles::Boundary;
use crate::potentials::EnergyKind;
use crate::system::System;

impl System {
    /// Whether its tables have energies by terms and sizes, which [`Measured`](super::Measured) holds. Independent particles
    /// and chains that Monte Carlo samples have columns of their own.
    pub fn has_columns_of_beads(&self) -> bool {
        !self.is_sampled() && self.independent_particles().is_none()
    }

    /// Whether sizes in its tables are those of all its beads. Otherwise they are means over its molecules.
    pub fn sizes_are_of_all_beads(&self) -> bool {
        self.model == Model::Sop
    }
}

pub(super) fn none_unasked(_: &System, _: &Dynamics) -> bool {
    false
}

pub(super) fn sop_models(system: &System, _: &Dynamics) -> bool {
    system.model == Model::Sop
}

pub(super) fn general_models(system: &System, _: &Dynamics) -> bool {
    system.has_columns_of_beads() && system.model != Model::Sop
}

pub(super) fn systems_in_boxes(system: &System, _: &Dynamics) -> bool {
    system.boundary != Boundary::Open
}

pub(super) fn bead_models(system: &System, _: &Dynamics) -> bool {
    system.has_columns_of_beads()
}

/// In a box there are no externals.
pub(super) fn open_bead_models(system: &System, dynamics: &Dynamics) -> bool {
    bead_models(system, dynamics) && system.boundary == Boundary::Open
}

pub(super) fn bead_models_without_velocities(system: &System, dynamics: &Dynamics) -> bool {
    bead_models(system, dynamics) && !dynamics.integrator.has_velocities()
}

pub(super) fn tables_with_velocities(system: &System, dynamics: &Dynamics) -> bool {
    bead_models(system, dynamics) && dynamics.integrator.has_velocities()
}

pub(super) fn tables_with_bonds(system: &System, dynamics: &Dynamics) -> bool {
    let general = general_models(system, dynamics);
    sop_models(system, dynamics) || (general && system.has_energy(EnergyKind::Bond))
}

pub(super) fn tables_with_contacts(system: &System, dynamics: &Dynamics) -> bool {
    let general = general_models(system, dynamics);
    sop_models(system, dynamics) || (general && system.has_energy(EnergyKind::Contact))
}

pub(super) fn tables_with_angles(system: &System, dynamics: &Dynamics) -> bool {
    general_models(system, dynamics) && system.has_energy(EnergyKind::Angle)
}

pub(super) fn tables_with_charges(system: &System, dynamics: &Dynamics) -> bool {
    general_models(system, dynamics) && system.has_energy(EnergyKind::Charge)
}

pub(super) fn stepped_systems(system: &System, _: &Dynamics) -> bool {
    !system.is_sampled()
}

pub(super) fn particles(system: &System, _: &Dynamics) -> bool {
    system.independent_particles().is_some()
}

pub(super) fn particles_in_space(system: &System, _: &Dynamics) -> bool {
    system.independent_particles().is_some_and(|particles| particles.are_in_space())
}

pub(super) fn particles_in_wells(system: &System, _: &Dynamics) -> bool {
    system.independent_particles().is_some_and(|particles| particles.stiffness > 0.0)
}

pub(super) fn chains(system: &System, _: &Dynamics) -> bool {
    system.is_sampled()
}
