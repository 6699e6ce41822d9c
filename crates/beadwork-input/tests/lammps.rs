//! LAMMPS data files as inputs.

use crate::common::{assert_fixed_point, parse, write};
use beadwork_input::{Imported, import_lammps};
use beadwork_model::potentials::pair::{DpdConservative, LennardJones, Morse, PairTable};
use beadwork_model::potentials::{HarmonicBond, PairNoise, RepulsiveFeneBond};
use beadwork_model::{Boundary, System};

/// A chain of three beads and a single one; coefficients come behind.
const BEADS: &str = "melt units = lj\n\n4 atoms\n2 bonds\n1 angles\n2 atom types\n1 bond types\n1 angle types\n\n\
     0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nMasses\n\n1 1 # A\n2 2 # B\n\nAtoms # angle\n\n\
     1 1 1 1 1 1\n2 1 1 2 1 1\n3 1 1 3 1 1\n4 2 2 6 6 6\n\nBonds\n\n1 1 1 2\n2 1 2 3\n\nAngles\n\n1 1 1 2 3\n\n";

fn import(text: &str) -> (Imported, System) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "melt.data", text);
    let imported = import_lammps(&folder.path().join("melt.data"), None).unwrap();
    let request = parse(folder.path(), &imported.toml);
    let request = request.unwrap_or_else(|error| panic!("{error}\n{}", imported.toml));
    // Warnings name the file where it was found.
    if request.warnings.is_empty() {
        assert_fixed_point(&request);
    }
    let system = request.points[0].system.as_ref().clone();
    (imported, system)
}

/// The import of a file that lacks something, the reason for which its input is refused, and the system of the input
/// with replacements.
fn completed(text: &str, replacements: &[(&str, &str)]) -> (Imported, String, System) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "melt.data", text);
    let imported = import_lammps(&folder.path().join("melt.data"), None).unwrap();
    let refused = parse(folder.path(), &imported.toml).unwrap_err().to_string();
    let mut toml = imported.toml.clone();
    for (old, new) in replacements {
        assert!(toml.contains(old), "{old}\n{toml}");
        toml = toml.replace(old, new);
    }
    let request = parse(folder.path(), &toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    let system = request.points[0].system.as_ref().clone();
    (imported, refused, system)
}

#[test]
fn coefficients_of_the_file_are_carried_over() {
    let (imported, system) = import(&format!(
        "{BEADS}Pair Coeffs # lj/cut\n\n1 1 1 2.5\n2 4 4 3\n\nBond Coeffs # harmonic\n\n1 30 0.9\n\nAngle Coeffs # cosine\n\n1 1.5\n"
    ));
    assert_eq!(system.boundary, Boundary::Periodic { lengths: [9.0; 3] });
    assert_eq!(system.masses(2..4).collect::<Vec<_>>(), [1.0, 2.0]);
    // K of LAMMPS is half of the stiffness.
    let bonds = system.interactions.bonded_by::<HarmonicBond>();
    assert_eq!(bonds[0].potential, HarmonicBond { stiffness: 60.0, length: 0.9 });
    assert_eq!(system.interactions.angles[0].triples(), [[0, 1, 2]]);
    let pairs: &PairTable<LennardJones> = system.interactions.pairs_by().unwrap();
    let between = |a, b| {
        let entry = pairs.between(a, b);
        (entry.potential, entry.cutoff)
    };
    assert_eq!(between(0, 0), (LennardJones::cut(1.0, 1.0, 2.5), 2.5));
    // Geometric means, of diameters and cutoffs too.
    let cutoff = 7.5_f64.sqrt();
    assert_eq!(between(0, 1), (LennardJones::cut(2.0, 2.0, cutoff), cutoff));
    // Three bonds: special_bonds of LAMMPS.
    assert_eq!(system.interactions.excluded, [(0, 1), (0, 2), (1, 2)]);
    for part in ["exclude = 3", "geometric means"] {
        assert!(imported.notes.iter().any(|note| note.contains(part)), "{:?}", imported.notes);
    }
    // Another run can start from a frame of GSD.
    assert!(imported.toml.contains("every_steps = 1_000, format = \"gsd\""), "{}", imported.toml);
}

#[test]
fn dpd_and_fene_are_carried_over() {
    let (_, system) = import(&format!(
        "{BEADS}PairIJ Coeffs # dpd\n\n1 1 25 4.5 1\n1 2 40 4.5 1\n2 2 25 4.5 1\n\nBond Coeffs # fene\n\n1 30 1.5 1 1\n"
    ));
    let soft: &PairTable<DpdConservative> = system.interactions.pairs_by().unwrap();
    assert_eq!(soft.between(0, 1).potential, DpdConservative { strength: 40.0, cutoff: 1.0 });
    let thermostat = system.interactions.thermostat.as_ref().unwrap();
    assert_eq!(thermostat.noise, PairNoise::Normal);
    let bonds = system.interactions.bonded_by::<RepulsiveFeneBond>();
    let fene = RepulsiveFeneBond { stiffness: 30.0, limit: 1.5, depth: 1.0, diameter: 1.0 };
    assert_eq!(bonds[0].potential, fene);
    assert_eq!(system.interactions.excluded, [(0, 1), (1, 2)]);
}

/// LAMMPS does not mix coefficients of DPD, however like they are.
#[test]
fn unlike_types_of_dpd_are_to_be_filled_in() {
    for (repulsion, friction) in [("25", "4.5"), ("64", "9")] {
        let (imported, refused, system) = completed(
            &format!("{BEADS}Pair Coeffs # dpd\n\n1 25 4.5\n2 {repulsion} {friction}\n"),
            &[
                ("\"A-A\" = 25.0", "\"A-A\" = 25.0, \"A-B\" = 30.0"),
                ("\"A-A\" = 4.5", "\"A-A\" = 4.5, \"A-B\" = 5.0"),
            ],
        );
        let comment =
            "# fill in: \"A-B\" of repulsion, friction, from pair_coeff 1 2 of the script";
        assert!(imported.toml.contains(comment), "{}", imported.toml);
        let part = "pair_style dpd has no rule for unlike types, and the file does not have A-B";
        assert!(imported.notes.iter().any(|note| note.contains(part)), "{:?}", imported.notes);
        assert!(refused.contains("has no value for the types A and B"), "{refused}");
        let soft: &PairTable<DpdConservative> = system.interactions.pairs_by().unwrap();
        let strengths =
            [(0, 0), (0, 1), (1, 1)].map(|(a, b)| soft.between(a, b).potential.strength);
        assert_eq!(strengths, [25.0, 30.0, repulsion.parse::<f64>().unwrap()]);
    }
}

/// Rows of `PairIJ Coeffs` stand beside those of `Pair Coeffs`; a cutoff of a pair is its own.
#[test]
fn unlike_types_of_a_second_section_are_carried_over() {
    let (_, system) = import(&format!(
        "{BEADS}Pair Coeffs # dpd\n\n1 25 4.5\n2 25 4.5\n\nPairIJ Coeffs\n\n1 2 40 9 1.5\n"
    ));
    let soft: &PairTable<DpdConservative> = system.interactions.pairs_by().unwrap();
    let between = |a, b| soft.between(a, b).potential;
    assert_eq!(between(0, 0), DpdConservative { strength: 25.0, cutoff: 1.0 });
    assert_eq!(between(0, 1), DpdConservative { strength: 40.0, cutoff: 1.5 });
}

#[test]
fn morse_is_carried_over() {
    let (imported, system) = import(&format!(
        "{BEADS}PairIJ Coeffs # morse\n\n1 1 2 1.5 1.2 3\n1 2 1 1.25 1.1 3\n2 2 4 1 1 2.5\n"
    ));
    assert!(imported.notes.iter().any(|note| note.contains("shift")), "{:?}", imported.notes);
    let pairs: &PairTable<Morse> = system.interactions.pairs_by().unwrap();
    assert_eq!(pairs.between(0, 0).potential, Morse::shifted(2.0, 1.5, 1.2, 3.0));
    assert_eq!(pairs.between(0, 1).potential, Morse::shifted(1.0, 1.25, 1.1, 3.0));
    assert_eq!(pairs.between(1, 1).potential, Morse::shifted(4.0, 1.0, 1.0, 2.5));

    // The cutoff and the unlike types stand in the script.
    let (imported, _, system) = completed(
        &format!("{BEADS}Pair Coeffs # morse\n\n1 2 1.5 1.2\n2 4 1 1\n"),
        &[
            ("\"A-A\" = 2.0", "\"A-A\" = 2.0, \"A-B\" = 3.0"),
            ("\"A-A\" = 1.5", "\"A-A\" = 1.5, \"A-B\" = 1.25"),
            ("length = { \"A-A\" = 1.2", "cutoff = 2.5, length = { \"A-A\" = 1.2, \"A-B\" = 1.1"),
        ],
    );
    for part in ["# fill in: cutoff = …", "# fill in: \"A-B\" of depth, steepness, length"] {
        assert!(imported.toml.contains(part), "{part}\n{}", imported.toml);
    }
    let pairs: &PairTable<Morse> = system.interactions.pairs_by().unwrap();
    assert_eq!(pairs.between(0, 1).potential, Morse::shifted(3.0, 1.25, 1.1, 2.5));
}

#[test]
fn an_unknown_style_is_named() {
    let (imported, system) = import(&format!("{BEADS}Pair Coeffs # soft\n\n1 10\n2 10\n"));
    assert!(system.interactions.pairs.is_empty());
    let toml = &imported.toml;
    assert!(toml.contains("pair_style: soft") && !toml.contains("lennard-jones"), "{toml}");
    assert!(imported.notes.iter().any(|note| note.contains("the style soft")));
}

#[test]
fn the_data_file_is_named_from_the_folder_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{BEADS}Pair Coeffs # lj/cut\n\n1 1 1 2.5\n2 1 1 2.5\n");
    write(folder.path(), "melt.data", &text);
    write(folder.path(), "data/melt.data", &text);
    write(folder.path(), "inputs/other.toml", "");
    for (data, output, file) in [
        ("melt.data", "melt.toml", "melt.data"),
        ("melt.data", "inputs/melt.toml", "../melt.data"),
        ("data/melt.data", "melt.toml", "data/melt.data"),
        ("data/melt.data", "inputs/melt.toml", "../data/melt.data"),
    ] {
        let [data, output] = [data, output].map(|name| folder.path().join(name));
        let toml = import_lammps(&data, Some(&output)).unwrap().toml;
        assert!(toml.contains(&format!("start = {{ file = \"{file}\" }}")), "{toml}");
        assert_eq!(toml.contains("must lie beside"), file == "melt.data");
        let request = parse(output.parent().unwrap(), &toml).unwrap();
        assert_eq!(request.points[0].system.beads(), 4);
    }
}

#[test]
fn what_the_file_lacks_is_to_be_filled_in() {
    let (imported, system) = import(BEADS);
    assert!(system.interactions.pairs.is_empty() && system.interactions.bonded.is_empty());
    for part in
        ["# fill in: pairs = ", "# fill in: { kind = \"harmonic\"", "fill in from the script"]
    {
        assert!(imported.toml.contains(part), "{part}\n{}", imported.toml);
    }
    assert!(imported.notes.iter().any(|note| note.contains("fill in `pairs`")));
}

#[test]
fn real_units_have_units() {
    let text = BEADS.replace("units = lj", "units = real");
    let (imported, system) = import(
        &format!(
            "{text}Pair Coeffs # lj/cut\n\n1 0.2 4\n2 0.2 4\n\nBond Coeffs # harmonic\n\n1 10 3.8\n"
        )
        .replace("0 9 ", "0 90 "),
    );
    assert!(imported.toml.contains("diameter = \"4.0 A\""), "{}", imported.toml);
    let bonds = system.interactions.bonded_by::<HarmonicBond>();
    assert_eq!(bonds[0].potential, HarmonicBond { stiffness: 20.0, length: 3.8 });
}

#[test]
fn what_cannot_be_carried_over_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |text: &str| {
        write(folder.path(), "melt.data", text);
        let error = import_lammps(&folder.path().join("melt.data"), None).unwrap_err();
        (error.code(), error.to_string())
    };
    let (code, said) = refused(&BEADS.replace("units = lj", "units = metal"));
    assert!(code == "input/lammps" && said.contains("units metal"), "{said}");
    let (code, said) = refused(&format!("{BEADS}Pair Coeffs # lj/cut\n\n7 1 1\n"));
    assert!(code == "input/lammps" && said.contains("line 37"), "{said}");
}
