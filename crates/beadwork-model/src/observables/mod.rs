//! What is measured on a trajectory: one file a kind, and the list of the table's columns.

mod extension;
mod native_contacts;
mod radius_of_gyration;
mod temperature;

pub use extension::extension;
pub use native_contacts::native_contacts_held;
pub use radius_of_gyration::radius_of_gyration;
pub use temperature::{expected_temperature_reading, temperature_from_displacements};

use crate::force_fields::oscillators::Dimensions;
use crate::system::Model;
use crate::units::Dimension;

/// A measured quantity: a column of the table, and what a stop rule may watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observable {
    /// Distance between the centres of the two ends.
    Extension,
    /// Force of the pulling drives along their direction, at this instant.
    Force,
    /// The same, averaged over the steps since the last row.
    MeanForce,
    /// Work done by the pulling drives since the stage began.
    Work,
    /// Energy of FENE and harmonic bonds.
    BondEnergy,
    /// Energy of native contacts.
    ContactEnergy,
    /// Energy of the repulsion.
    RepulsionEnergy,
    /// Energy of traps and restraints.
    TrapEnergy,
    /// Sum of all energies.
    TotalEnergy,
    /// Temperature estimated from the displacements since the last row or exchange.
    Temperature,
    /// Native contacts that hold.
    NativeContacts,
    /// Radius of gyration.
    RadiusOfGyration,
    /// Mean x of independent particles in space.
    MeanX,
    /// Mean y.
    MeanY,
    /// Mean z.
    MeanZ,
    /// Mean of all coordinates of independent particles.
    Mean,
    /// Mean of their squares.
    MeanSquare,
    /// Mean energy of a particle in its well.
    ParticleEnergy,
    /// The temperature at which particles in wells are spread as widely: k⟨x²⟩/k_B.
    SpreadTemperature,
    /// Energy of a chain in reduced units.
    ReducedEnergy,
    /// Its mean square distance of the monomers from their centre (P3, equation 8).
    SquareRadiusOfGyration,
    /// The distance between its first monomer and its last.
    EndToEndDistance,
    /// Pairs of its monomers that are not bonded and near each other.
    Contacts,
}

impl Observable {
    /// Every observable, in the order of the columns.
    pub const ALL: [Observable; 23] = [
        Observable::Extension,
        Observable::Force,
        Observable::MeanForce,
        Observable::Work,
        Observable::BondEnergy,
        Observable::ContactEnergy,
        Observable::RepulsionEnergy,
        Observable::TrapEnergy,
        Observable::TotalEnergy,
        Observable::Temperature,
        Observable::NativeContacts,
        Observable::RadiusOfGyration,
        Observable::MeanX,
        Observable::MeanY,
        Observable::MeanZ,
        Observable::Mean,
        Observable::MeanSquare,
        Observable::ParticleEnergy,
        Observable::SpreadTemperature,
        Observable::ReducedEnergy,
        Observable::SquareRadiusOfGyration,
        Observable::EndToEndDistance,
        Observable::Contacts,
    ];

    /// Those that mean something in runs of a model, in the order of the columns.
    pub fn of(model: &Model) -> impl Iterator<Item = Observable> + use<> {
        use Observable::*;
        let model = *model;
        Observable::ALL.into_iter().filter(move |observable| {
            let particles = match &model {
                Model::Sop => None,
                Model::Oscillators(particles) => Some(particles),
                Model::ElasticPolymer(_) => {
                    let reduced =
                        [ReducedEnergy, SquareRadiusOfGyration, EndToEndDistance, Contacts];
                    return reduced.contains(observable);
                }
            };
            match observable {
                ReducedEnergy | SquareRadiusOfGyration | EndToEndDistance | Contacts => false,
                Temperature => true,
                MeanX | MeanY | MeanZ => {
                    particles.is_some_and(|particles| particles.dimensions == Dimensions::Three)
                }
                Mean | MeanSquare => particles.is_some(),
                ParticleEnergy | SpreadTemperature => {
                    particles.is_some_and(|particles| particles.stiffness > 0.0)
                }
                Extension | Force | MeanForce | Work | BondEnergy | ContactEnergy
                | RepulsionEnergy | TrapEnergy | TotalEnergy | NativeContacts
                | RadiusOfGyration => particles.is_none(),
            }
        })
    }

    /// The column's header; its last words are the unit.
    pub fn column(self) -> &'static str {
        match self {
            Observable::Extension => "extension_nm",
            Observable::Force => "force_pN",
            Observable::MeanForce => "mean_force_pN",
            Observable::Work => "work_pN_nm",
            Observable::BondEnergy => "bond_energy_kcal_per_mol",
            Observable::ContactEnergy => "contact_energy_kcal_per_mol",
            Observable::RepulsionEnergy => "repulsion_energy_kcal_per_mol",
            Observable::TrapEnergy => "trap_energy_kcal_per_mol",
            Observable::TotalEnergy => "total_energy_kcal_per_mol",
            Observable::Temperature => "temperature_K",
            Observable::NativeContacts => "native_contacts",
            Observable::RadiusOfGyration => "radius_of_gyration_nm",
            Observable::MeanX => "mean_x_nm",
            Observable::MeanY => "mean_y_nm",
            Observable::MeanZ => "mean_z_nm",
            Observable::Mean => "mean_nm",
            Observable::MeanSquare => "mean_square_nm2",
            Observable::ParticleEnergy => "energy_per_particle_kcal_per_mol",
            Observable::SpreadTemperature => "spread_temperature_K",
            Observable::ReducedEnergy => "energy",
            Observable::SquareRadiusOfGyration => "square_radius_of_gyration",
            Observable::EndToEndDistance => "end_to_end_distance",
            Observable::Contacts => "contacts",
        }
    }

    /// The word in a stop rule.
    pub fn word(self) -> &'static str {
        match self {
            Observable::Extension => "extension",
            Observable::Force => "force",
            Observable::MeanForce => "mean_force",
            Observable::Work => "work",
            Observable::BondEnergy => "bond_energy",
            Observable::ContactEnergy => "contact_energy",
            Observable::RepulsionEnergy => "repulsion_energy",
            Observable::TrapEnergy => "trap_energy",
            Observable::TotalEnergy => "total_energy",
            Observable::Temperature => "temperature",
            Observable::NativeContacts => "native_contacts",
            Observable::RadiusOfGyration => "radius_of_gyration",
            Observable::MeanX => "mean_x",
            Observable::MeanY => "mean_y",
            Observable::MeanZ => "mean_z",
            Observable::Mean => "mean",
            Observable::MeanSquare => "mean_square",
            Observable::ParticleEnergy => "energy_per_particle",
            Observable::SpreadTemperature => "spread_temperature",
            Observable::ReducedEnergy => "energy",
            Observable::SquareRadiusOfGyration => "square_radius_of_gyration",
            Observable::EndToEndDistance => "end_to_end_distance",
            Observable::Contacts => "contacts",
        }
    }

    /// What it measures.
    pub fn dimension(self) -> Dimension {
        match self {
            Observable::Extension
            | Observable::RadiusOfGyration
            | Observable::MeanX
            | Observable::MeanY
            | Observable::MeanZ
            | Observable::Mean => Dimension::Length,
            Observable::MeanSquare => Dimension::Area,
            Observable::Force | Observable::MeanForce => Dimension::Force,
            Observable::Work
            | Observable::BondEnergy
            | Observable::ContactEnergy
            | Observable::RepulsionEnergy
            | Observable::TrapEnergy
            | Observable::TotalEnergy
            | Observable::ParticleEnergy => Dimension::Energy,
            Observable::Temperature | Observable::SpreadTemperature => Dimension::Temperature,
            // Reduced units are numbers without one.
            Observable::NativeContacts
            | Observable::ReducedEnergy
            | Observable::SquareRadiusOfGyration
            | Observable::EndToEndDistance
            | Observable::Contacts => Dimension::Number,
        }
    }

    /// From internal units to the column's.
    pub fn to_column(self, value: f64) -> f64 {
        use crate::units::*;
        match self {
            Observable::Extension
            | Observable::RadiusOfGyration
            | Observable::MeanX
            | Observable::MeanY
            | Observable::MeanZ
            | Observable::Mean => value / ANGSTROMS_PER_NANOMETRE,
            Observable::MeanSquare => value / (ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE),
            Observable::Force | Observable::MeanForce => value * PICONEWTONS_PER_FORCE,
            Observable::Work => value * PICONEWTON_NANOMETRES_PER_KCAL_MOL,
            Observable::Temperature | Observable::SpreadTemperature => value / BOLTZMANN,
            Observable::BondEnergy
            | Observable::ContactEnergy
            | Observable::RepulsionEnergy
            | Observable::TrapEnergy
            | Observable::TotalEnergy
            | Observable::NativeContacts
            | Observable::ParticleEnergy
            | Observable::ReducedEnergy
            | Observable::SquareRadiusOfGyration
            | Observable::EndToEndDistance
            | Observable::Contacts => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_words_are_unique_and_units_are_right() {
        for (index, observable) in Observable::ALL.into_iter().enumerate() {
            assert_eq!(observable as usize, index);
            assert!(observable.column().starts_with(observable.word()));
            for other in &Observable::ALL[index + 1..] {
                assert_ne!(observable.column(), other.column());
            }
        }
        assert_eq!(Observable::Extension.to_column(25.0), 2.5);
        assert_eq!(Observable::MeanSquare.to_column(25.0), 0.25);
        assert!((Observable::Force.to_column(1.0) - 69.477).abs() < 1e-3);
        assert!((Observable::Work.to_column(1.0) - 6.9477).abs() < 1e-4);
        assert!((Observable::Temperature.to_column(0.596161) - 300.0).abs() < 1e-3);
    }
}
