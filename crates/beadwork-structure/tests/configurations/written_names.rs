//! Columns under the names that other programs and people write.

use super::{read, types};

/// As ASE writes them: charges are those that were set, momenta are in a unit of its own.
#[test]
fn extended_xyz_of_ase_has_its_charges_and_masses() {
    let text = "2\nLattice=\"8 0 0 0 8 0 0 0 8\" Properties=species:S:1:pos:R:3:tags:I:1:initial_magmoms:R:1:initial_charges:R:1:masses:R:1:momenta:R:3 pbc=\"T T T\"\n\
                Na 0 0 0 7 0.5 1 23 1 0 0\nCl 1 1 1 8 -0.5 -1 35.5 0 1 0\n";
    let beads = read(text, "a.xyz");
    assert_eq!(beads.charges.as_deref(), Some(&[1.0, -1.0][..]));
    assert_eq!(beads.masses, [Some(23.0), Some(35.5)]);
    assert_eq!(beads.velocities, None);
    let warning = &beads.warnings[0];
    assert!(
        warning.starts_with("the properties tags, initial_magmoms, momenta are not read"),
        "{warning}"
    );
    assert!(warning.ends_with("write velocities as velo"), "{warning}");
}

/// As OVITO and others write them, with atomic numbers in place of types, and images.
#[test]
fn extended_xyz_has_types_molecules_and_images_under_other_names() {
    let text = "2\nLattice=\"8 0 0 0 8 0 0 0 8\" Properties=id:I:1:particle_type:I:1:pos:R:3:molecule_identifier:I:1:q:R:1:periodic_image:I:3:velocity:R:3\n\
                1 3 0 0 0 0 0.5 0 0 0 1 2 3\n2 4 1 1 1 5 -0.5 -1 0 2 4 5 6\n";
    let beads = read(text, "a.xyz");
    assert_eq!(types(&beads), ["3", "4"]);
    assert_eq!(beads.molecules.as_deref(), Some(&[0, 5][..]));
    assert_eq!(beads.no_molecule, None);
    assert_eq!(beads.charges.as_deref(), Some(&[0.5, -0.5][..]));
    assert_eq!(beads.velocities.as_deref(), Some(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]][..]));
    assert_eq!(beads.unwrapped()[1], [-7.0, 1.0, 17.0]);
    assert_eq!(types(&read("1\nProperties=Z:I:1:pos:R:3\n14 0 0 0\n", "a.xyz")), ["14"]);
    let both = "1\nProperties=species:S:1:Z:I:1:pos:R:3\nSi 14 0 0 0\n";
    assert_eq!(types(&read(both, "a.xyz")), ["Si"]);
}

#[test]
fn boxes_that_a_comment_names_otherwise_are_warned_of() {
    for comment in ["# CELL(abcABC): 10 10 10 90 90 90", "box 10 10 10", "cell = [12.5, 12.5, 9]"] {
        let beads = read(&format!("1\n{comment}\nA 0 0 0\n"), "a.xyz");
        assert_eq!(beads.bounds, None);
        assert!(beads.warnings[0].contains("may name a box, which is not read"), "{comment}");
    }
    assert!(read("1\nstep 1 of 2 in 3 boxes\nA 0 0 0\n", "a.xyz").warnings.is_empty());
}

/// As pandas and people write them.
#[test]
fn csv_files_have_columns_under_other_names() {
    let text = ",Bead Type,pos_x,Position.Y,Z,mol_id,Partial Charge,Masses,vel_x,vel_y,vel_z,colour\n\
                0,A,0,0.5,1,0.0,0.25,2,1,2,3,red\n1,B,1,1.5,2,1.0,-0.25,3,4,5,6,blue\n";
    for text in [text.to_owned(), text.replace(',', ";"), text.replace(',', "\t")] {
        let beads = read(&text, "a.csv");
        assert_eq!(types(&beads), ["A", "B"]);
        assert_eq!(beads.positions, [[0.0, 0.5, 1.0], [1.0, 1.5, 2.0]]);
        assert_eq!(beads.molecules.as_deref(), Some(&[0, 1][..]));
        assert_eq!(beads.charges.as_deref(), Some(&[0.25, -0.25][..]));
        assert_eq!(beads.masses, [Some(2.0), Some(3.0)]);
        assert_eq!(beads.velocities.as_ref().unwrap()[1], [4.0, 5.0, 6.0]);
        assert_eq!(beads.warnings.len(), 1);
        assert!(
            beads.warnings[0].starts_with("the columns colour are not read"),
            "{}",
            beads.warnings[0]
        );
    }
}

/// Rows of several frames are no beads of one.
#[test]
fn csv_files_have_frames() {
    let text = "frame,x,y,z\n0,1,0,0\n0,2,0,0\n10,3,0,0\n10,4,0,0\n10,5,0,0\n";
    let first = read(text, "a.csv");
    assert_eq!((first.len(), first.frame, first.frames), (2, 0, 2));
    let last = beadwork_structure::parse_configuration(text, "a.csv", -1).unwrap();
    assert_eq!((last.positions[2][0], last.frame), (5.0, 1));
    let beyond = beadwork_structure::parse_configuration(text, "a.csv", 2).unwrap_err();
    assert_eq!(beyond.code(), "structure/no-such-frame");
}

/// Names of beads are no types; a table whose types stand under `name` alone would be of one type.
#[test]
fn names_without_types_are_warned_of() {
    let warned = read("name,x,y,z\nA,0,0,0\nB,1,0,0\n", "a.csv");
    assert!(warned.warnings[0].starts_with("all beads are of type A"), "{:?}", warned.warnings);
    assert!(read("name,type,x,y,z\nA,P,0,0,0\nB,P,1,0,0\n", "a.csv").warnings.is_empty());
}

/// Number, type and position without the names of columns: types would be coordinates.
#[test]
fn numbered_rows_are_no_types() {
    let text = "3\n\n1 A 0.5 0 0\n2 A 1.5 0 0\n3 B 2.5 0 0\n";
    let error = beadwork_structure::parse_configuration(&text.replace(['A', 'B'], "1"), "a.xyz", 0);
    let message = error.unwrap_err().to_string();
    assert!(message.contains("the first column counts the beads"), "{message}");
    // Types that are numbers are read.
    assert_eq!(types(&read("3\n\n1 0 0 0\n2 0 0 1\n3 0 0 2\n", "a.xyz")), ["1", "2", "3"]);
}
