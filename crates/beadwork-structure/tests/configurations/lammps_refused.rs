//! LAMMPS data files that are damaged or cannot be used.

use beadwork_structure::parse_configuration;

use super::{DAMAGED, damaged, refused};

/// Three bonded beads, without fault.
const DATA: &str = "title

3 atoms
2 bonds
1 angles
2 atom types
2 bond types
1 angle types

0 5 xlo xhi
0 5 ylo yhi
0 5 zlo zhi

Masses

1 1.0
2 2.0

Atoms # bond

1 1 1 0 0 0
3 1 2 2 0 0
2 1 1 1 0 0

Velocities

1 0 0 0
2 0 0 0
3 0 0 0

Bonds

1 1 1 2
2 2 2 3

Angles

1 1 1 2 3
";

/// Checks the messages about `DATA` with a part replaced by another.
#[track_caller]
fn damaged_data(cases: &[(&str, &str, &str)]) {
    for (from, to, expected) in cases {
        assert_eq!(DATA.matches(from).count(), 1, "{from}");
        damaged("a.data", &[(&DATA.replace(from, to), expected)]);
    }
}

#[test]
fn lammps_headers_must_be_understood() {
    assert!(parse_configuration(DATA, "a.data", 0).is_ok());
    damaged_data(&[
        (
            "title\n\n3 atoms\n",
            "3 atoms\n\n",
            "line 3: the header does not say how many atoms there are, in a line such as \"1000 atoms\"; the first line of the file is a title and does not count. ",
        ),
        ("3 atoms", "-3 atoms", "line 3: \"-3\" is not a number of atoms"),
        ("3 atoms", "0 atoms", "line 3: the header does not say how many atoms"),
        (
            "3 atoms",
            "3 atoms 2",
            "line 3: the line \"3 atoms 2\" is not known in a header; known are lines such as",
        ),
        ("3 atoms", "3 atoms\n1 ellipsoids", "line 4: ellipsoids are not read; beads are points"),
        ("0 5 ylo yhi\n", "", "line 3: of the lines xlo xhi, ylo yhi, zlo zhi some are missing"),
        (
            "0 5 ylo yhi",
            "5 5 ylo yhi",
            "line 11: the box begins and ends at 5; beads move in three dimensions, so each side needs a length",
        ),
        (
            "0 5 ylo yhi",
            "6 5 ylo yhi",
            "line 11: the box ends at 5, which is not above its begin at 6",
        ),
        ("0 5 ylo yhi", "0 inf ylo yhi", "line 11: the line \"0 inf ylo yhi\" is not known"),
        ("0 5 ylo yhi", "0 5 ylo xhi", "line 11: the line \"0 5 ylo xhi\" is not known"),
        (
            "2 atom types",
            "70000 atom types",
            "line 14: the number of rows in the section Masses is 2, but the header announces 70000 for atom types",
        ),
        (
            "Velocities\n",
            "Velocity\n",
            "line 25: the section \"Velocity\" is not known; a file of beads may have Masses, Atoms",
        ),
        ("Velocities\n", "Atoms\n", "line 25: the section Atoms stands on line 19 already"),
    ]);
    let expected = ", line 1: there are more than 65536 types of beads";
    let many = "title\n1 atoms\n65537 atom types\nAtoms\n\n1 1 0 0 0\n";
    refused(many, "a.data", 0, DAMAGED, expected);
    for (line, named) in [
        (
            "0.5 0 0 xy xz yz",
            "the header has a tilt (xy xz yz) or vectors of a box, so the box is tilted. Only boxes",
        ),
        ("1 0 0 avec", "the header has a tilt (xy xz yz) or vectors of a box"),
        ("x 0 0 xy xz yz", "the header has a tilt"),
    ] {
        let text = DATA.replace("\nMasses", &format!("{line}\n\nMasses"));
        refused(&text, "a.data", 0, "structure/tilted-box", &format!(", line 13: {named}"));
    }
}

#[test]
fn lammps_counts_must_be_right() {
    damaged_data(&[
        (
            "3 atoms",
            "4 atoms",
            "line 19: the number of rows in the section Atoms is 3, but the header announces 4 for atoms; the file may be cut off. ",
        ),
        (
            "3 0 0 0\n\nBonds",
            "\n\nBonds",
            "line 25: the number of rows in the section Velocities is 2, but the header announces 3 for atoms",
        ),
        (
            "2 bonds",
            "1 bonds",
            "line 31: the number of rows in the section Bonds is 2, but the header announces 1 for bonds",
        ),
        (
            "1 angles",
            "2 angles",
            "line 36: the number of rows in the section Angles is 1, but the header announces 2 for angles",
        ),
        (
            "Angles\n\n1 1 1 2 3\n",
            "",
            "line 1: the number of rows in the section Angles is 0, but the header announces 1 for angles",
        ),
        (
            "1 angles",
            "1 angles\n1 dihedrals",
            "line 1: the number of rows in the section Dihedrals is 0, but the header announces 1 for dihedrals",
        ),
        (
            "2 2.0\n",
            "",
            "line 14: the number of rows in the section Masses is 1, but the header announces 2 for atom types",
        ),
        (
            "Masses",
            "Impropers\n\n1 1 1 2 3 3\n\nMasses",
            "line 14: the number of rows in the section Impropers is 1, but the header announces 0 for impropers",
        ),
    ]);
    // Cut off at each line: before the last line, always an error.
    let lines: Vec<&str> = DATA.lines().collect();
    for count in 1..lines.len() {
        let cut = lines[..count].join("\n");
        assert!(parse_configuration(&cut, "a.data", 0).is_err(), "{cut}");
    }
    let without = "title\n3 atoms\n2 atom types\n\nMasses\n\n1 1\n2 1\n";
    damaged("a.data", &[(without, "line 8: the file ends without a section Atoms. ")]);
}

#[test]
fn lammps_ids_must_be_whole() {
    damaged_data(&[
        ("2 1 1 1 0 0", "1 1 1 1 0 0", "line 23: atom 1 stands on line 21 already. "),
        (
            "2 1 1 1 0 0",
            "7 1 1 1 0 0",
            "line 28: there is no atom 2 for the velocity; atoms have ids from 1 to 7, with gaps. ",
        ),
        ("2 1 1 1 0 0", "0 1 1 1 0 0", "line 23: the id of an atom is 0; ids run from 1"),
        (
            "2 1 1 1 0 0",
            "-2 1 1 1 0 0",
            "line 23: column 1 (id of an atom) reads \"-2\", which is not a whole number",
        ),
        (
            "3 0 0 0\n\nBonds",
            "4 0 0 0\n\nBonds",
            "line 29: there is no atom 4 for the velocity; atoms have the ids from 1 to 3",
        ),
        ("3 0 0 0\n\nBonds", "1 0 0 0\n\nBonds", "line 29: atom 1 stands on line 27 already"),
    ]);
}

#[test]
fn lammps_atoms_must_fit_their_style() {
    damaged_data(&[
        (
            " # bond",
            " # ellipsoid",
            "line 19: atoms of the style ellipsoid are not read, because beads are points with a type, a mass and a charge; \
             known are atomic, charge, bond, angle, molecular, full, sphere, dipole and hybrid ones of these. ",
        ),
        (
            " # bond",
            " # hybrid sphere ellipsoid",
            "line 19: atoms of the style hybrid are read where its parts stand behind it, as in \"Atoms # hybrid bond charge\"",
        ),
        (
            " # bond",
            " # hybrid",
            "line 19: atoms of the style hybrid are read where its parts stand",
        ),
        (
            " # bond",
            " # full",
            "line 19: the first atom has 6 columns, but the atom style full has 7, or 10 with image flags",
        ),
        (
            " # bond\n\n1 1 1 0 0 0",
            "\n\n1 1 1 0 0 0 1 2 3 4 5",
            "line 19: atoms with 11 columns have none of the atom styles that have bonds atomic, charge",
        ),
        (
            "2 1 1 1 0 0",
            "2 1 1 1 0 0 0 0 0",
            "line 23: there are 9 columns, but the first atom has 6",
        ),
        ("2 1 1 1 0 0", "2 1 1 1 0", "line 23: there are 5 columns, but the first atom has 6"),
        (
            "2 1 1 1 0 0",
            "2 1 3 1 0 0",
            "line 23: \"3\" is no type: the header announces 2 atom types, which are counted from 1",
        ),
        ("2 1 1 1 0 0", "2 1 0 1 0 0", "line 23: \"0\" is no type"),
        ("2 1 1 1 0 0", "2 1 W 1 0 0", "line 23: \"W\" is no type"),
        ("2 1 1 1 0 0", "2 -1 1 1 0 0", "line 23: column 2 (molecule) reads \"-1\""),
        (
            "2 1 1 1 0 0",
            "2 1 1 1 0 nan",
            "line 23: column 6 (z) reads \"nan\", which is not a number",
        ),
        ("2 0 0 0", "2 0 0", "line 28: column 4 (velocity along z) is missing"),
        (
            "2 0 0 0",
            "2 0 0 0 0",
            "line 28: the velocity has 5 columns instead of 4: the id of the atom",
        ),
        ("1 1.0", "1", "line 16: column 2 (mass) is missing"),
        ("1 1.0", "1 0", "line 16: the mass 0 is not above zero"),
        ("1 1.0", "2 1.0", "line 17: the type 2 has a mass already"),
        ("1 1.0", "3 1.0", "line 16: \"3\" is no type: the header announces 2 atom types"),
        (
            "Masses",
            "Atom Type Labels\n\n1 A\n1 B\n\nMasses",
            "line 17: a row of Atom Type Labels has the number of a type, from 1 to 2, and its label; each only once",
        ),
        ("Masses", "Atom Type Labels\n\n1 A\n2 A\n\nMasses", "line 17: a row of Atom Type Labels"),
        (
            "Masses",
            "Bond Type Labels\n\n3 A\n\nMasses",
            "line 16: a row of Bond Type Labels has the number of a type, from 1 to 2",
        ),
    ]);
    let images = "title\n1 atoms\n1 atom types\nAtoms\n\n1 1 0 0 0 0 0.5 0\n";
    damaged(
        "a.data",
        &[(images, "line 6: column 7 (image flag) reads \"0.5\", which is not a whole number")],
    );
}

#[test]
fn lammps_bonds_and_angles_must_have_different_atoms() {
    damaged_data(&[
        (
            "2 2 2 3",
            "2 2 2 4",
            "line 34: there is no atom 4 for the bond; atoms have the ids from 1 to 3. ",
        ),
        ("2 2 2 3", "2 2 0 3", "line 34: there is no atom 0 for the bond"),
        ("2 2 2 3", "2 2 2 2", "line 34: the bond has atom 2 twice; 2 different atoms are needed"),
        ("2 2 2 3", "2 3 2 3", "line 34: \"3\" is no type: the header announces 2 bond types"),
        (
            "2 2 2 3",
            "2 2 2",
            "line 34: the bond has 3 columns instead of 4: number, type, and 2 ids of atoms",
        ),
        ("1 1 1 2 3", "1 1 1 2 9", "line 38: there is no atom 9 for the angle"),
        (
            "1 1 1 2 3",
            "1 1 1 2 1",
            "line 38: the angle has atom 1 twice; 3 different atoms are needed",
        ),
        (
            "1 1 1 2 3",
            "1 1 1 2 x",
            "line 38: column 5 (id of an atom) reads \"x\", which is not a whole number",
        ),
    ]);
}
