//! LAMMPS data files.

use super::{as_elsewhere, read, types};

/// Ids, bonds and velocities out of order, image flags, names, skipped coefficients, dihedrals.
pub(crate) const FULL: &str = "LAMMPS data file, 99 atoms

  4 atoms # a comment
  3 bonds
  2 angles
  1 dihedrals
  0 impropers
  3 atom types
  2 bond types
  1 angle types
  1 dihedral types
  2 extra bond per atom

-1.5 8.5 xlo xhi
0 1e1 ylo yhi
0.25 9 zlo zhi
0.0 0.0 0.0 xy xz yz

Masses

1 1.5 # head group
3 2.5
2 0.5 # tail

Pair Coeffs # lj/cut

1 1.0 1.0
2 1.0 1.0
3 1.0 1.0

BondBond13 Coeffs

1 0 0 0

Atoms  # full

3 1 2 -0.5 3 3.5 3.25 -1 0 2
1 1 1 0.5 1 1.5 1.25 0 0 0  # first
4 2 3 0 4 4.5 4.25 0 0 1
2 1 1 0.25 2 2.5 2.25 0 1 0

Velocities

4 0.4 0 0
2 0.2 0 0
3 0.3 0 0
1 0.1 0 0

Bonds

1 2 3 2
2 1 1 2
3 1 4 3

Angles

1 1 3 2 1
2 1 4 3 2

Dihedrals

1 1 1 2 3 4
";

#[test]
fn lammps_data_is_sorted_by_ids() {
    for text in [FULL.to_owned(), as_elsewhere(FULL)] {
        let beads = read(&text, "melt.data");
        let positions = [[1.0, 1.5, 1.25], [2.0, 2.5, 2.25], [3.0, 3.5, 3.25], [4.0, 4.5, 4.25]];
        assert_eq!(beads.positions, positions);
        assert_eq!(
            beads.images.as_ref().unwrap()[..],
            [[0, 0, 0], [0, 1, 0], [-1, 0, 2], [0, 0, 1]]
        );
        let velocities = [0.1, 0.2, 0.3, 0.4].map(|x| [x, 0.0, 0.0]);
        assert_eq!(beads.velocities.as_ref().unwrap()[..], velocities);
        assert_eq!(beads.type_names, ["head", "tail", "3"]);
        assert_eq!(beads.types, [0, 0, 1, 2]);
        assert_eq!(beads.masses, [Some(1.5), Some(0.5), Some(2.5)]);
        assert_eq!(beads.charges.as_ref().unwrap()[..], [0.5, 0.25, -0.5, 0.0]);
        assert_eq!(beads.molecules.as_ref().unwrap()[..], [1, 1, 1, 2]);
        assert_eq!(beads.bounds, Some([[-1.5, 8.5], [0.0, 10.0], [0.25, 9.0]]));
        assert_eq!(beads.bonds, [([2, 1], 2), ([0, 1], 1), ([3, 2], 1)]);
        assert_eq!(beads.angles, [([2, 1, 0], 1), ([3, 2, 1], 1)]);
        assert_eq!((beads.dihedrals, beads.impropers), (1, 0));
        let chains: Vec<_> =
            beads.labels.iter().map(|label| (&*label.chain, label.residue_number)).collect();
        assert_eq!(chains, [("1", 1), ("1", 2), ("1", 3), ("2", 1)]);
    }
}

/// Two atoms in a style, with columns between id and position, and behind.
fn styled(heading: &str, columns: &str, behind: &str) -> String {
    format!(
        "title\n\n2 atoms\n1 atom types\n\nAtoms{heading}\n\n1 {columns} 1 2 3{behind}\n2 {columns} 4 5 6{behind}\n"
    )
}

#[test]
fn each_atom_style_has_its_columns() {
    let both = |value| Some(vec![value; 2]);
    let molecule = |value| Some(vec![value; 2]);
    for (heading, columns, charges, molecules) in [
        (" # atomic", "1", None, None),
        ("", "1", None, None),
        (" # charge", "1 -2", both(-2.0), None),
        (" # bond", "7 1", None, molecule(7)),
        (" # angle", "7 1", None, molecule(7)),
        ("#molecular", "7 1", None, molecule(7)),
        (" # full", "7 1 0.5", both(0.5), molecule(7)),
        ("", "7 1 0.5", both(0.5), molecule(7)),
    ] {
        for (behind, images) in [("", None), (" 1 -2 0", both_images())] {
            let beads = read(&styled(heading, columns, behind), "a.lmp");
            assert_eq!(beads.positions, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "{heading} {columns}");
            assert_eq!(beads.charges, charges, "{heading} {columns}");
            assert_eq!(beads.molecules, molecules, "{heading} {columns}");
            assert_eq!(beads.images, images, "{heading} {columns}");
            assert_eq!((beads.bounds, &*beads.type_names), (None, &["1".to_owned()][..]));
        }
    }
}

fn both_images() -> Option<Vec<[i32; 3]>> {
    Some(vec![[1, -2, 0]; 2])
}

#[test]
fn labels_stand_in_place_of_lammps_types() {
    let text = "title\n\n2 atoms\n1 bonds\n2 atom types\n2 bond types\n\nAtom Type Labels\n\n2 W\n1 P\n\n\
                Bond Type Labels\n\n1 P-P\n2 P-W\n\nMasses\n\nP 1\nW 2 # water\n\nAtoms # bond\n\n\
                1 1 W 0 0 0\n2 1 1 1 0 0\n\nBonds\n\n1 P-W 1 2\n";
    let beads = read(text, "a.lammps");
    assert_eq!(types(&beads), ["W", "P"]);
    assert_eq!(beads.type_names, ["P", "W"]);
    assert_eq!(beads.masses, [Some(1.0), Some(2.0)]);
    assert_eq!(beads.bonds, [([0, 1], 2)]);
}

/// Newer versions of LAMMPS name the units in the first line.
#[test]
fn the_first_line_may_name_the_units() {
    let titles = [
        ("LAMMPS data file via write_data, version 29 Aug 2024, timestep = 0, units = lj", "lj"),
        ("LAMMPS data file, units=real, made by hand", "real"),
        ("LAMMPS data file, 99 atoms", ""),
    ];
    for (title, style) in titles {
        let text = FULL.replacen("LAMMPS data file, 99 atoms", title, 1);
        assert_eq!(read(&text, "in.data").unit_style.as_deref(), Some(style), "{title}");
    }
    assert_eq!(read("1\nunits = real\nA 0 0 0\n", "in.xyz").unit_style, None);
}
