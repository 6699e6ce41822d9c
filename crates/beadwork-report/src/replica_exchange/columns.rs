//! The columns of tables of ladders, by models and units.

use beadwork_input::Point;
use beadwork_model::observables::Observable;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Model, Units};

/// The names and units of a model's columns.
#[derive(Debug)]
pub(super) struct LadderColumns {
    pub(super) time: &'static str,
    /// The temperature in the tables of replicas, and in tables by temperature.
    pub(super) bath: &'static str,
    pub(super) temperature: &'static str,
    /// The unit after a temperature, and k_B times that unit in the unit of energy.
    pub(super) kelvin: &'static str,
    pub(super) unit: f64,
    pub(super) energy: &'static str,
    /// The energy of a bead in tables by temperature, and its unit in words.
    pub(super) energy_per_bead: &'static str,
    pub(super) energy_unit: &'static str,
    /// The columns of the quantities; the first is the size.
    pub(super) quantities: [&'static str; 3],
    /// The size in words, its unit, and labels of axes.
    pub(super) size: &'static str,
    pub(super) size_label: &'static str,
    pub(super) growth_label: &'static str,
    pub(super) temperature_label: &'static str,
    pub(super) energy_label: &'static str,
    /// Factor of the derivative with respect to temperature, to the unit of its label.
    pub(super) growth_unit: f64,
}

/// Elastic polymers, in reduced units.
pub(super) const CHAINS: LadderColumns = LadderColumns {
    time: "sweep",
    bath: "temperature",
    temperature: "temperature",
    kelvin: "",
    unit: 1.0,
    energy: Observable::ReducedEnergy.column(),
    energy_per_bead: "energy_per_bead",
    energy_unit: "",
    quantities: [
        Observable::SquareRadiusOfGyration.column(),
        Observable::EndToEndDistance.column(),
        Observable::Contacts.column(),
    ],
    size: "square radius of gyration",
    size_label: "square radius of gyration",
    growth_label: "d/dT of the square radius of gyration",
    temperature_label: "temperature",
    energy_label: "energy of a monomer",
    growth_unit: 1.0,
};

const PICOMETRES_PER_NANOMETRE: f64 = 1e3;

const MOLECULES: LadderColumns = LadderColumns {
    time: "time_ns",
    bath: "bath_temperature_K",
    temperature: "temperature_K",
    kelvin: " K",
    unit: BOLTZMANN,
    energy: Observable::TotalEnergy.column(),
    energy_per_bead: "energy_per_bead_kcal_per_mol",
    energy_unit: " kcal/mol",
    quantities: [
        Observable::RadiusOfGyration.column(),
        Observable::Extension.column(),
        Observable::NativeContacts.column(),
    ],
    size: "radius of gyration",
    size_label: "radius of gyration / nm",
    growth_label: "d/dT of the radius of gyration / (pm/K)",
    temperature_label: "temperature / K",
    energy_label: "energy of a bead / (kcal/mol)",
    growth_unit: BOLTZMANN * PICOMETRES_PER_NANOMETRE,
};

const MOLECULES_WITH_VELOCITIES: LadderColumns = with_velocities(MOLECULES);

const RESIDUES: LadderColumns = LadderColumns {
    quantities: [
        Observable::RadiusOfGyration.column(),
        Observable::RadiusOfGyrationByMass.column(),
        Observable::EndToEnd.column(),
    ],
    ..MOLECULES
};

const REDUCED_BEADS: LadderColumns = LadderColumns {
    time: "time",
    bath: "bath_temperature",
    temperature: "temperature",
    kelvin: "",
    unit: 1.0,
    energy: Observable::TotalEnergy.word(),
    energy_per_bead: "energy_per_bead",
    energy_unit: "",
    quantities: [
        Observable::RadiusOfGyration.word(),
        Observable::RadiusOfGyrationByMass.word(),
        Observable::EndToEnd.word(),
    ],
    size: "radius of gyration",
    size_label: "radius of gyration",
    growth_label: "d/dT of the radius of gyration",
    temperature_label: "temperature",
    energy_label: "energy of a bead",
    growth_unit: 1.0,
};

const REDUCED_BEADS_WITH_VELOCITIES: LadderColumns =
    LadderColumns { energy: Observable::PotentialEnergy.word(), ..REDUCED_BEADS };

const RESIDUES_WITH_VELOCITIES: LadderColumns = with_velocities(RESIDUES);

const fn with_velocities(kind: LadderColumns) -> LadderColumns {
    LadderColumns { energy: Observable::PotentialEnergy.column(), ..kind }
}

/// The columns of a point's tables.
pub(super) fn columns_of(point: &Point) -> &'static LadderColumns {
    let reduced = point.system.units == Units::Reduced;
    match (point.system.model, point.protocol.dynamics.integrator.has_velocities()) {
        (Model::ElasticPolymer(_), _) => &CHAINS,
        (Model::Beads, false) if reduced => &REDUCED_BEADS,
        (Model::Beads, true) if reduced => &REDUCED_BEADS_WITH_VELOCITIES,
        (Model::Residues(_) | Model::Beads, false) => &RESIDUES,
        (Model::Residues(_) | Model::Beads, true) => &RESIDUES_WITH_VELOCITIES,
        (_, false) => &MOLECULES,
        (_, true) => &MOLECULES_WITH_VELOCITIES,
    }
}
