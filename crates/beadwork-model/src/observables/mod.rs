//! What is measured on a trajectory: one file a kind, and the list of the table's columns.

mod extension;
mod native_contacts;
mod radius_of_gyration;
mod temperature;

pub use extension::extension;
pub use native_contacts::native_contacts_held;
pub use radius_of_gyration::radius_of_gyration;
pub use temperature::temperature_from_displacements;

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
    /// Temperature estimated from the displacements since the last row.
    Temperature,
    /// Native contacts that hold.
    NativeContacts,
    /// Radius of gyration.
    RadiusOfGyration,
}

impl Observable {
    /// Every observable, in the order of the columns.
    pub const ALL: [Observable; 12] = [
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
    ];

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
        }
    }

    /// What it measures.
    pub fn dimension(self) -> Dimension {
        match self {
            Observable::Extension | Observable::RadiusOfGyration => Dimension::Length,
            Observable::Force | Observable::MeanForce => Dimension::Force,
            Observable::Work
            | Observable::BondEnergy
            | Observable::ContactEnergy
            | Observable::RepulsionEnergy
            | Observable::TrapEnergy
            | Observable::TotalEnergy => Dimension::Energy,
            Observable::Temperature => Dimension::Temperature,
            Observable::NativeContacts => Dimension::Number,
        }
    }

    /// From internal units to the column's.
    pub fn to_column(self, value: f64) -> f64 {
        use crate::units::*;
        match self {
            Observable::Extension | Observable::RadiusOfGyration => value / ANGSTROMS_PER_NANOMETRE,
            Observable::Force | Observable::MeanForce => value * PICONEWTONS_PER_FORCE,
            Observable::Work => value * PICONEWTON_NANOMETRES_PER_KCAL_MOL,
            Observable::Temperature => value / BOLTZMANN,
            Observable::BondEnergy
            | Observable::ContactEnergy
            | Observable::RepulsionEnergy
            | Observable::TrapEnergy
            | Observable::TotalEnergy
            | Observable::NativeContacts => value,
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
        assert!((Observable::Force.to_column(1.0) - 69.477).abs() < 1e-3);
        assert!((Observable::Work.to_column(1.0) - 6.9477).abs() < 1e-4);
        assert!((Observable::Temperature.to_column(0.596161) - 300.0).abs() < 1e-3);
    }
}
