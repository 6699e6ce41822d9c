//! LAMMPS data files as other programs and people write them: what LAMMPS reads is read, with the same meaning.

use beadwork_structure::{
    LammpsCoefficientRow, is_lammps_data, parse_configuration, parse_lammps_coefficients,
};

use super::{read, types};

/// Four bonded beads, as `chain.f` of LAMMPS writes them: no atom style, and images.
const CHAIN: &str = "LAMMPS FENE chain data file

       4  atoms
       3  bonds

       1  atom types
       1  bond types

  0.0 20.0 xlo xhi
  0.0 20.0 ylo yhi
  0.0 20.0 zlo zhi

 Masses

  1 1.0

 Atoms

  1 1 1 19.500 5.0 5.0 0 0 0
  2 1 1 0.470 5.0 5.0 1 0 0
  3 1 1 1.440 5.0 5.0 1 0 0
  4 1 1 2.410 5.0 5.0 1 0 0

 Bonds

  1 1 1 2
  2 1 2 3
  3 1 3 4
";

/// A title and a header for two atoms of two types, then `rest`.
fn two(rest: &str) -> String {
    format!("title\n\n2 atoms\n2 atom types\n\n{rest}\n")
}

#[test]
fn bonds_tell_the_atom_style() {
    let mut without_images = CHAIN.to_owned();
    for images in [" 0 0 0\n", " 1 0 0\n"] {
        without_images = without_images.replace(&format!("5.0{images}"), "5.0\n");
    }
    for (text, images) in [(CHAIN, true), (&without_images, false)] {
        let beads = read(text, "chain.data");
        assert_eq!(beads.molecules.as_ref().unwrap()[..], [1; 4]);
        assert_eq!((beads.charges.as_ref(), beads.images.is_some()), (None, images));
        assert_eq!(beads.positions[1], [0.47, 5.0, 5.0]);
        assert_eq!(beads.warnings, [""; 0]);
    }
    // Bonds of four beads along a chain that crosses a face: without the images they would be 19 long.
    let beads = read(CHAIN, "chain.data").unwrapped();
    let lengths = beads.windows(2).map(|two| two[1][0] - two[0][0]);
    assert!(lengths.into_iter().all(|length| (length - 0.97).abs() < 1e-12), "{beads:?}");
}

#[test]
fn comments_behind_atoms_need_not_be_styles() {
    let chain = |comment: &str| CHAIN.replace(" Atoms\n", &format!(" Atoms {comment}\n"));
    for comment in ["# I like comments", "# made by chain.f"] {
        let beads = read(&chain(comment), "chain.data");
        assert_eq!(beads.molecules.as_ref().unwrap()[..], [1; 4]);
        let expected = format!(
            "the comment behind Atoms, \"{}\", names no atom style: the atoms are read by their columns, as in molecular",
            &comment[2..]
        );
        assert_eq!(beads.warnings, [expected]);
    }
    for comment in ["# bond: id mol_id type x y z", "# bond, with images", "# bond/kk", "#bond"] {
        let beads = read(&chain(comment), "chain.data");
        assert_eq!((beads.molecules.unwrap(), beads.warnings.len()), (vec![1; 4], 0), "{comment}");
    }
}

#[test]
fn comments_behind_atoms_may_name_the_columns() {
    for (comment, charges, molecules) in [
        ("# id mol type x y z", None, Some(vec![1, 2])),
        ("# atom-ID molecule-ID atom-type x y z ix iy iz", None, Some(vec![1, 2])),
        ("# id type q x y z", Some(vec![1.0, 1.0]), None),
    ] {
        let text = two(&format!("Atoms {comment}\n\n1 1 1 0 0 0\n2 2 1 1 0 0"));
        let beads = read(&text, "a.data");
        assert_eq!((beads.charges, beads.molecules, beads.warnings.len()), (charges, molecules, 0));
    }
}

#[test]
fn columns_tell_the_atom_style() {
    // A fraction, a sign and a zero are no types, and 5 is no type of two.
    for charge in ["0.5", "-1", "0", "5", "1.0e0"] {
        let beads = read(&two(&format!("Atoms\n\n1 1 {charge} 0 0 0\n2 1 1 1 0 0")), "a.data");
        let charge: f64 = charge.parse().unwrap();
        assert_eq!((beads.charges.unwrap(), beads.molecules), (vec![charge, 1.0], None));
        assert_eq!(beads.warnings, [""; 0]);
    }
    let beads = read(&two("Atoms\n\n1 7 1 0 0 0\n2 8 2 1 0 0"), "a.data");
    assert_eq!((beads.molecules.unwrap(), beads.warnings.len()), (vec![7, 8], 0));
    // Both can be meant.
    let beads = read(&two("Atoms\n\n1 1 1 0 0 0\n2 2 1 1 0 0"), "a.data");
    assert_eq!((beads.charges, beads.molecules.unwrap()), (None, vec![1, 2]));
    let expected = "the atom style does not stand behind Atoms: the columns are read as those of molecular, and could be those \
                    of charge. Write \"Atoms # molecular\", or the style that is meant";
    assert_eq!(beads.warnings, [expected]);
}

#[test]
fn spheres_dipoles_and_hybrids_are_beads() {
    let beads = read(&two("Atoms # sphere\n\n1 1 2 3 0 0 0\n2 2 0 5 1 0 0"), "a.data");
    // The mass of a sphere of diameter 2 and density 3; a point has its mass in place of a density.
    let mass = 4.0 / 3.0 * std::f64::consts::PI * 3.0;
    assert!((beads.masses[0].unwrap() - mass).abs() < 1e-12);
    assert_eq!(beads.masses[1], Some(5.0));
    assert_eq!(beads.warnings, ["the diameters of atoms are not read: beads are points"]);
    let error =
        parse_configuration(&two("Atoms # sphere\n\n1 1 2 3 0 0 0\n2 1 2 4 1 0 0"), "a.data", 0);
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("line 6: by their diameters and densities, atoms of type 1 have the masses"),
        "{error}"
    );

    let beads = read(&two("Atoms # dipole\n\n1 1 0.5 1 2 3 0 0 1\n2 2 -1 4 5 6 1 0 0"), "a.data");
    assert_eq!(beads.positions, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!(beads.charges.unwrap(), [0.5, -1.0]);
    assert_eq!(beads.warnings, ["the dipole moments of atoms are not read: beads are points"]);

    // Id, type and position come first, then what the parts have more, each once.
    for (style, columns) in [
        ("hybrid bond charge", ["3 0.5", "4 -1"]),
        ("hybrid charge bond", ["0.5 3", "-1 4"]),
        ("hybrid full", ["3 0.5", "4 -1"]),
        ("hybrid molecular full", ["3 0.5", "4 -1"]),
    ] {
        for images in ["", " 0 0 1"] {
            let [one, other] = columns;
            let text = two(&format!(
                "Atoms # {style}\n\n1 1 1 2 3 {one}{images}\n2 2 4 5 6 {other}{images}"
            ));
            let beads = read(&text, "a.data");
            assert_eq!(beads.positions, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "{style}");
            assert_eq!(beads.molecules.unwrap(), [3, 4], "{style}");
            assert_eq!(beads.charges.unwrap(), [0.5, -1.0], "{style}");
            assert_eq!(beads.images.is_some(), !images.is_empty());
        }
    }
}

#[test]
fn ids_may_have_gaps() {
    let text = "title\n\n4 atoms\n3 bonds\n1 angles\n1 atom types\n1 bond types\n1 angle types\n\n\
                Atoms # bond\n\n9 1 1 4 0 0\n2 1 1 2 0 0\n1 1 1 1 0 0\n7 1 1 3 0 0\n\n\
                Velocities\n\n7 0.3 0 0\n9 0.4 0 0\n1 0.1 0 0\n2 0.2 0 0\n\n\
                Bonds\n\n1 1 1 2\n2 1 2 7\n3 1 7 9\n\nAngles\n\n1 1 2 7 9\n";
    let beads = read(text, "gaps.data");
    assert_eq!(beads.positions.iter().map(|at| at[0]).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0]);
    let velocities: Vec<f64> = beads.velocities.unwrap().iter().map(|v| v[0]).collect();
    assert_eq!(velocities, [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(beads.bonds, [([0, 1], 1), ([1, 2], 1), ([2, 3], 1)]);
    assert_eq!(beads.angles, [([1, 2, 3], 1)]);
    let expected = "the ids of the 4 atoms run from 1 to 9 with gaps: beads are counted from 0 in the order of ids, so that bead 2 \
                    is atom 7";
    assert_eq!(beads.warnings, [expected]);
    let error = parse_configuration(&text.replace("3 1 7 9", "3 1 7 8"), "gaps.data", 0);
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains(
            "line 28: there is no atom 8 for the bond; atoms have ids from 1 to 9, with gaps"
        ),
        "{error}"
    );
}

/// Number 0 means that an atom has no molecule.
#[test]
fn atoms_without_a_molecule_get_one_by_their_bonds() {
    let text = |molecules: [u32; 7], bonds: &str| {
        let rows: Vec<String> = molecules
            .iter()
            .enumerate()
            .map(|(index, molecule)| format!("{} {molecule} 1 {index} 0 0", index + 1))
            .collect();
        let count = bonds.lines().count();
        let of_bonds =
            if bonds.is_empty() { String::new() } else { format!("\nBonds\n\n{bonds}\n") };
        format!(
            "title\n\n7 atoms\n{count} bonds\n1 atom types\n1 bond types\n\nAtoms # bond\n\n{}\n{of_bonds}",
            rows.join("\n")
        )
    };
    let molecules = |of: [u32; 7], bonds: &str| read(&text(of, bonds), "a.data").molecules;
    // All are 0: as in a file without molecule numbers.
    assert_eq!(molecules([0; 7], "1 1 1 2\n2 1 2 3"), None);
    assert_eq!(molecules([0; 7], ""), None);
    // Polymers have numbers, beads of the solvent have none.
    assert_eq!(
        molecules([4, 4, 4, 0, 0, 0, 0], "1 1 1 2\n2 1 2 3"),
        Some(vec![4, 4, 4, 5, 6, 7, 8])
    );
    // Two dimers without a number, and one bead that is bonded to a molecule with one.
    assert_eq!(
        molecules([0, 0, 3, 0, 0, 3, 0], "1 1 1 2\n2 1 4 5\n3 1 6 7"),
        Some(vec![4, 4, 3, 5, 5, 3, 3])
    );
    let most = u32::MAX;
    assert_eq!(molecules([most, 0, 0, 1, 1, 0, 0], "1 1 2 3"), Some(vec![most, 2, 2, 1, 1, 3, 4]));
}

/// Only `units = X`, or a known style beside the word, names the units; all else is prose.
#[test]
fn titles_may_have_the_word_units() {
    for (title, style) in [
        ("Bead-spring chain, LJ units, 1 chain of 4", ""),
        ("Kremer-Grest melt in reduced units (sigma, epsilon)", ""),
        ("Lengths in units of sigma", ""),
        ("chain of 4 monomer units made by chain.f", ""),
        ("units", ""),
        ("in metal units", "metal"),
        ("units real", "real"),
        ("Units LJ", "lj"),
        ("100 units of PEO, units = real", "real"),
        ("units=metal", "metal"),
        ("units =  nano; made by hand", "nano"),
    ] {
        let beads = read(&CHAIN.replace("LAMMPS FENE chain data file", title), "chain.data");
        assert_eq!(beads.unit_style.as_deref(), Some(style), "{title}");
    }
}

#[test]
fn comments_of_masses_may_repeat() {
    let text =
        two("Masses\n\n1 12.0 # C sp3\n2 12.0 # C sp2\n\nAtoms # atomic\n\n1 1 0 0 0\n2 2 1 0 0");
    let beads = read(&text, "a.data");
    assert_eq!(types(&beads), ["1", "2"]);
    let expected = "the types 1 and 2 would have the same name, C, from the comments behind their masses: all types are named by \
                    their numbers";
    assert_eq!(beads.warnings, [expected]);
}

#[test]
fn flat_boxes_are_told() {
    let atoms = |z: &str| {
        two(&format!(
            "-0.5 0.5 zlo zhi\n0 9 xlo xhi\n0 9 ylo yhi\n\nAtoms # atomic\n\n1 1 0 0 {z}\n2 2 1 1 0"
        ))
    };
    let expected = "all atoms have z = 0, as in two dimensions: beads move in three";
    assert_eq!(read(&atoms("0"), "a.data").warnings, [expected]);
    assert_eq!(read(&atoms("0.1"), "a.data").warnings, [""; 0]);
}

#[test]
fn coefficients_have_types_by_number_label_or_range() {
    let text = "title\n\n1 atoms\n3 atom types\n2 bond types\n1 angle types\n\nAtom Type Labels\n\n1 A\n2 C3-x\n3 B\n\n\
                Bond Type Labels\n\n1 A-A\n2 A-B\n\nAngle Type Labels\n\n1 A-A-B\n\n\
                Pair Coeffs # lj/cut/omp\n\n* 1 1\nC3-x 0 0 # none\n\nPairIJ Coeffs\n\nA B 2 1 2.5\n\n\
                Bond Coeffs # hybrid\n\nA-A harmonic/kk 50 1\nA-B fene 30 1.5 1 1\n\nAngle Coeffs # cosine/squared/kk/device\n\nA-A-B 10 120\n\n\
                Atoms # atomic\n\n1 A 0 0 0\n";
    let read = parse_lammps_coefficients(text.as_bytes(), "a.data").unwrap();
    let styles =
        [&read.pairs, &read.pairs_of_two, &read.bonds, &read.angles].map(|one| &*one.style);
    assert_eq!(styles, ["lj/cut", "", "hybrid", "cosine/squared"]);
    let row = |row: &LammpsCoefficientRow| (row.types, row.style.clone(), row.words.join(" "));
    let rows: Vec<_> = read.pairs.rows.iter().map(row).collect();
    let none = String::new;
    let expected = [
        ([1, 1], none(), "1 1".to_owned()),
        ([2, 2], none(), "0 0".to_owned()),
        ([3, 3], none(), "1 1".to_owned()),
    ];
    assert_eq!(rows, expected);
    assert_eq!(row(&read.pairs_of_two.rows[0]), ([1, 3], none(), "2 1 2.5".to_owned()));
    let rows: Vec<_> = read.bonds.rows.iter().map(row).collect();
    let expected = [
        ([1, 1], "harmonic".to_owned(), "50 1".to_owned()),
        ([2, 2], "fene".to_owned(), "30 1.5 1 1".to_owned()),
    ];
    assert_eq!(rows, expected);
    assert_eq!(row(&read.angles.rows[0]), ([1, 1], none(), "10 120".to_owned()));

    for (from, to, expected) in [
        ("A-B fene", "A-C fene", "line 35: \"A-C\" is no type: the header announces 2 bond types"),
        ("A-B fene", "1 fene", "line 35: the coefficients of 1 stand on line 34 already"),
        ("* 1 1", "2*9 1 1", "line 25: \"2*9\" is no type: the header announces 3 atom types"),
        ("A B 2 1 2.5", "1", "line 30: column 2 (type) is missing"),
        (
            "Angle Coeffs #",
            "Bond  Coeffs #",
            "line 37: the section Bond  Coeffs stands on line 32 already",
        ),
    ] {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        let error = parse_lammps_coefficients(text.replace(from, to).as_bytes(), "a.data");
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(&format!("a.data, {expected}")), "{error}");
    }
}

/// Files whose names do not tell their format, of every format that is read.
#[test]
fn the_content_tells_the_format() {
    let csv = "x,y,z,type\n0,0,0,A\n";
    let xyz = "2\n\nA 0 0 0\nB 1 0 0\n";
    for name in ["melt", "melt.txt", "data.melt", "melt.lmpdat", "melt.dat", "melt.v2"] {
        assert_eq!(read(CHAIN, name).bonds.len(), 3);
        assert_eq!(types(&read(csv, name)), ["A"]);
        assert_eq!(types(&read(xyz, name)), ["A", "B"]);
        assert_eq!(
            read(super::read::PDB, name).positions,
            read(super::read::PDB, "a.pdb").positions
        );
        assert_eq!(
            read(super::read::MMCIF, name).positions,
            read(super::read::MMCIF, "a.cif").positions
        );
        let gsd = beadwork_structure::parse_configuration_bytes(&super::gsd::full(), name, 0);
        assert!(!gsd.unwrap().is_empty());
        assert!(is_lammps_data(CHAIN.as_bytes(), name) && !is_lammps_data(xyz.as_bytes(), name));
    }
    assert!(
        is_lammps_data(b"broken", "melt.DATA") && !is_lammps_data(CHAIN.as_bytes(), "melt.xyz")
    );
}
