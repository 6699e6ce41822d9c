//! The names under which programs and people write the properties of beads, in extended XYZ and CSV files.

/// A property of beads that files of columns may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Type,
    /// An atomic number, which is a type where there is no other.
    AtomicNumber,
    Mass,
    Charge,
    Molecule,
    Position,
    Velocity,
    /// How many boxes a bead has crossed.
    Image,
    /// The frame to which a row belongs.
    Frame,
    /// The name of a bead.
    Label,
}

/// Names in lower case, letters and digits alone: those of ASE, OVITO, LAMMPS and HOOMD-blue, and what people write.
const NAMES: [(Property, &[&str]); 10] = [
    (
        Property::Type,
        &[
            "type",
            "types",
            "species",
            "element",
            "elements",
            "symbol",
            "symbols",
            "atomtype",
            "atomtypes",
            "beadtype",
            "beadtypes",
            "particletype",
            "particletypes",
            "typename",
            "typeid",
            "kind",
        ],
    ),
    (Property::AtomicNumber, &["z", "numbers", "atomicnumber", "atomicnumbers"]),
    (
        Property::Mass,
        &["mass", "masses", "atommass", "atomicmass", "beadmass", "particlemass", "initialmasses"],
    ),
    (
        Property::Charge,
        &[
            "charge",
            "charges",
            "initialcharge",
            "initialcharges",
            "q",
            "partialcharge",
            "partialcharges",
            "atomcharge",
            "atomiccharge",
            "atomiccharges",
            "beadcharge",
            "particlecharge",
        ],
    ),
    (
        Property::Molecule,
        &[
            "molecule",
            "molecules",
            "mol",
            "mols",
            "molid",
            "molids",
            "molnum",
            "molnumber",
            "molindex",
            "moleculeid",
            "moleculeids",
            "moleculeindex",
            "moleculenumber",
            "moleculeidentifier",
        ],
    ),
    (
        Property::Position,
        &["pos", "position", "positions", "coord", "coords", "coordinate", "coordinates", "xyz"],
    ),
    (Property::Velocity, &["velo", "vel", "velocity", "velocities"]),
    (
        Property::Image,
        &["image", "images", "imageflag", "imageflags", "periodicimage", "periodicimages"],
    ),
    (Property::Frame, &["frame", "frames", "step", "steps", "timestep", "time", "snapshot"]),
    (Property::Label, &["label", "name", "atomname", "beadname", "particlename"]),
];

/// A name in lower case, without blanks, underscores and other signs between its letters and digits.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a property is known by this name.
pub(super) fn is_name_of(property: Property, name: &str) -> bool {
    let name = plain(name);
    NAMES.iter().any(|(of, names)| *of == property && names.contains(&&*name))
}

/// Along which axis a column has a component of a property: `x`, `pos_x`, `position.x`, `vx`, `vel_x`.
pub(super) fn axis_of(property: Property, name: &str) -> Option<usize> {
    let name = plain(name);
    let single = match property {
        Property::Position => ["x", "y", "z"],
        Property::Velocity => ["vx", "vy", "vz"],
        _ => return None,
    };
    if let Some(axis) = single.iter().position(|one| *one == name) {
        return Some(axis);
    }
    let axis = ["x", "y", "z"].iter().position(|axis| name.ends_with(axis))?;
    is_name_of(property, &name[..name.len() - 1]).then_some(axis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_common_writers_are_known() {
        for (name, property) in [
            ("initial_charges", Property::Charge),
            ("Molecule Identifier", Property::Molecule),
            ("molecule_identifier", Property::Molecule),
            ("Particle Type", Property::Type),
            ("particle_type", Property::Type),
            ("mol-ID", Property::Molecule),
            ("MASSES", Property::Mass),
            ("Periodic Image", Property::Image),
            ("atomic_number", Property::AtomicNumber),
        ] {
            assert!(is_name_of(property, name), "{name}");
        }
        assert!(!is_name_of(Property::Charge, "initial_magmoms"));
        assert_eq!(axis_of(Property::Position, "Position.Y"), Some(1));
        assert_eq!(axis_of(Property::Position, "pos_z"), Some(2));
        assert_eq!(axis_of(Property::Velocity, "vel_x"), Some(0));
        // Another unit of length is another column.
        assert_eq!(axis_of(Property::Position, "x_nm"), None);
        assert_eq!(axis_of(Property::Position, "vx"), None);
    }
}
