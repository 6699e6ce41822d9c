//! XYZ, CSV, PDB and mmCIF files.

use beadwork_structure::{Selection, parse_configuration, read_configuration, read_positions};

use super::{as_elsewhere, read, types};

const PLAIN_XYZ: &str = "3\nthree beads, step = 5\nA 0 0.5 -1\nB 1e1 2.25 3\nA +4 5 6\n";

#[test]
fn plain_xyz_has_types_and_positions() {
    let beads = read(PLAIN_XYZ, "melt.xyz");
    assert_eq!(beads.source, "melt.xyz");
    assert_eq!(beads.len(), 3);
    assert!(!beads.is_empty());
    assert_eq!(beads.positions, [[0.0, 0.5, -1.0], [10.0, 2.25, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!((types(&beads), &*beads.types), (vec!["A", "B", "A"], &[0, 1, 0][..]));
    assert_eq!(beads.masses, [None, None]);
    assert_eq!((beads.velocities, beads.images, beads.charges), (None, None, None));
    assert_eq!((beads.molecules, beads.bounds), (None, None));
    assert!(beads.bonds.is_empty() && beads.angles.is_empty() && beads.warnings.is_empty());
    let labels: Vec<_> = beads.labels.iter().map(|label| (&*label.name, &*label.chain)).collect();
    assert_eq!(labels, [("A", ""), ("B", ""), ("A", "")]);
    let residues: Vec<_> = beads.labels.iter().map(|label| label.residue_number).collect();
    assert_eq!(residues, [1, 2, 3]);
    assert_eq!(Selection::parse("type A").unwrap().indices(&beads.labels), [0, 2]);
}

#[test]
fn further_columns_of_plain_xyz_are_left_out_with_a_warning() {
    let beads = read("1\n\nA 1 2 3 0.5 0.5 0.5\n", "a.xyz");
    assert_eq!(beads.positions, [[1.0, 2.0, 3.0]]);
    assert_eq!(beads.velocities, None);
    assert!(beads.warnings[0].contains("columns from the fifth on are not read"));
}

#[test]
fn extended_xyz_has_box_and_properties() {
    let text = "2\nTime=3.5 Lattice=\"8 0 0 0 8.5 0 0 1e-15 9\" Origin=\"-4 0 0.5\" pbc=\"T T T\" \
                Properties=id:I:1:species:S:1:charge:R:1:pos:R:3:forces:R:3:velo:R:3:mass:R:1:molecule:I:1\n\
                7 Na 1 0 0.25 0.5 9 9 9 1.5 2.5 3.5 22.5 4\n\
                8 Cl -1 1 1.25 1.5 9 9 9 4.5 5.5 6.5 35.5 5\n";
    for text in [text.to_owned(), as_elsewhere(text)] {
        let beads = read(&text, "salt.EXTXYZ");
        assert_eq!(beads.positions, [[0.0, 0.25, 0.5], [1.0, 1.25, 1.5]]);
        assert_eq!(beads.velocities.as_ref().unwrap()[..], [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]);
        assert_eq!(beads.charges.as_ref().unwrap()[..], [1.0, -1.0]);
        assert_eq!(beads.molecules.as_ref().unwrap()[..], [4, 5]);
        assert_eq!(types(&beads), ["Na", "Cl"]);
        assert_eq!(beads.masses, [Some(22.5), Some(35.5)]);
        assert_eq!(beads.bounds, Some([[-4.0, 4.0], [0.0, 8.5], [0.5, 9.5]]));
        assert_eq!(
            beads.warnings,
            [
                "the properties id, forces are not read; known are species, pos, velo, mass, charge, molecule and periodic_image"
            ]
        );
    }
    let open = "1\nLattice=\"8 0 0 0 8 0 0 0 8\" pbc=\"F F F\"\nA 0 0 0\n";
    assert_eq!(read(open, "open.xyz").bounds, None);
}

#[test]
fn frames_are_counted_from_both_ends() {
    let text = "1\nfirst\nA 1 0 0\n2\nsecond\nB 2 0 0\nA 0 0 0\n1\nthird\nC 3 0 0\n\n";
    for text in [text.to_owned(), as_elsewhere(text)] {
        for (frame, x, names) in [
            (0, 1.0, &["A"][..]),
            (1, 2.0, &["B", "A"]),
            (2, 3.0, &["C"]),
            (-1, 3.0, &["C"]),
            (-2, 2.0, &["B", "A"]),
            (-3, 1.0, &["A"]),
        ] {
            let beads = parse_configuration(&text, "run.xyz", frame).unwrap();
            assert_eq!((beads.positions[0][0], types(&beads)), (x, names.to_vec()), "{frame}");
        }
    }
}

#[test]
fn csv_has_the_columns_that_its_header_names() {
    let text = "# a comment\nvx,vy,vz,Type,z, y ,x,molecule,mass,charge,label\n\
                1,2,3,A,0.5,1.5,2.5,7,1.25,-1,head\n\n\
                # another comment\n4,5,6,\"B, blue\",3,4,5,7,2,0,tail\n7,8,9,A,6,7,8,9,1.25,1e-1,head\n";
    for text in [text.to_owned(), as_elsewhere(text)] {
        let beads = read(&text, "beads.csv");
        assert_eq!(beads.positions, [[2.5, 1.5, 0.5], [5.0, 4.0, 3.0], [8.0, 7.0, 6.0]]);
        let velocities = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
        assert_eq!(beads.velocities.as_ref().unwrap()[..], velocities);
        assert_eq!(types(&beads), ["A", "B, blue", "A"]);
        assert_eq!(beads.masses, [Some(1.25), Some(2.0)]);
        assert_eq!(beads.charges.as_ref().unwrap()[..], [-1.0, 0.0, 0.1]);
        assert_eq!(beads.molecules.as_ref().unwrap()[..], [7, 7, 9]);
        assert_eq!(beads.bounds, None);
        let label = |label: &beadwork_structure::Label| {
            format!("{} {} {}", label.name, label.chain, label.residue_number)
        };
        let labels: Vec<String> = beads.labels.iter().map(label).collect();
        assert_eq!(labels, ["head 7 1", "tail 7 2", "head 9 1"]);
        assert_eq!(Selection::parse("last of chain 7").unwrap().indices(&beads.labels), [1]);
    }
}

#[test]
fn csv_needs_positions_only() {
    let beads = read("x,y,z,name\n1,2,3,N1\n4,5,6,N2", "beads.csv");
    assert_eq!(beads.positions, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!(types(&beads), ["A", "A"]);
    assert_eq!(beads.labels[1].name, "N2");
    assert_eq!((beads.velocities, beads.molecules, beads.charges), (None, None, None));
}

pub(crate) const PDB: &str = "\
CRYST1   40.000   50.500   60.000  90.00  90.00  90.00 P 1           1
MODEL        1
ATOM      1  BB  POL A   1      -1.250   0.500   2.000  1.00  0.00
ATOM      2  SC1 POL A   1       1.250   1.500   3.000  1.00  0.00
TER
HETATM    4  W   WAT W   7A      4.000   5.000   6.000  1.00  0.00      SOLV
ENDMDL
MODEL        2
ATOM      1  BB  POL A   1      10.000   0.000   0.000  1.00  0.00
ATOM      2  SC1 POL A   1      11.000   0.000   0.000  1.00  0.00
HETATM    4  W   WAT W   7A     12.000   0.000   0.000  1.00  0.00      SOLV
ENDMDL
CONECT    1    2    4
CONECT    2    1
CONECT    4    1
END
";

#[test]
fn each_atom_of_a_pdb_file_is_a_bead() {
    for text in [PDB.to_owned(), as_elsewhere(PDB)] {
        for name in ["a.pdb", "a.ent"] {
            let beads = read(&text, name);
            let positions = [[-1.25, 0.5, 2.0], [1.25, 1.5, 3.0], [4.0, 5.0, 6.0]];
            assert_eq!(beads.positions, positions);
            assert_eq!(beads.type_names, ["BB", "SC1", "W"]);
            assert_eq!(beads.types, [0, 1, 2]);
            assert_eq!(beads.bounds, Some([[0.0, 40.0], [0.0, 50.5], [0.0, 60.0]]));
            assert_eq!(beads.bonds, [([0, 1], 1), ([0, 2], 1)]);
            let label = beads.labels[2];
            assert_eq!((&*label.name, &*label.residue_name), ("W", "WAT"));
            assert_eq!((label.residue_number, label.insertion), (7, Some('A')));
            assert_eq!((&*label.chain, &*label.segment), ("W", "SOLV"));
            assert!(beads.warnings.is_empty());
        }
    }
    let last = parse_configuration(PDB, "a.pdb", -1).unwrap();
    assert_eq!(last.positions[2], [12.0, 0.0, 0.0]);
    assert_eq!(last.bonds.len(), 2);
}

#[test]
fn cells_of_pdb_files_are_boxes_if_they_are_straight() {
    let cube = PDB.replace("40.000   50.500   60.000", " 1.000    1.000    1.000");
    assert_eq!(read(&cube, "a.pdb").bounds, None);
    let oblique = read(&PDB.replace("90.00 P", "95.00 P"), "a.pdb");
    assert_eq!(oblique.bounds, None);
    let warning = "the unit cell (40, 50.5, 60; 90°, 90°, 95°) is not taken as a box, which needs right angles";
    assert_eq!(oblique.warnings, [warning]);
    // A frame has the cell before it.
    let (head, tail) = PDB.split_once("MODEL        2").unwrap();
    let cell = PDB.lines().next().unwrap().replace("40.000", "41.000");
    let frames = format!("{head}{cell}\nMODEL        2{tail}");
    let sides = |frame| {
        parse_configuration(&frames, "a.pdb", frame).unwrap().bounds.unwrap().map(|side| side[1])
    };
    assert_eq!((sides(0), sides(1)), ([40.0, 50.5, 60.0], [41.0, 50.5, 60.0]));
}

#[test]
fn serial_numbers_go_on_in_letters() {
    let text = "ATOM  99999  A   POL A   1       0.000   0.000   0.000\n\
                ATOM  A0000  A   POL A   2       1.000   0.000   0.000\nCONECT99999A0000\n";
    assert_eq!(read(text, "a.pdb").bonds, [([0, 1], 1)]);
}

pub(crate) const MMCIF: &str = "data_test
_cell.length_a 40.0
_cell.length_b 50.5(2)
_cell.length_c 60
_cell.angle_alpha 90
_cell.angle_beta 90.0
_cell.angle_gamma 90
loop_
_atom_site.group_PDB
_atom_site.label_atom_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.label_seq_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
_atom_site.pdbx_PDB_model_num
ATOM BB POL A 1 -1.25 0.5 2 3
ATOM \"O5'\" POL A 1 1.25 1.5 3 3
HETATM W HOH B . 4 5 6 3
ATOM BB POL A 1 7 8 9 5
";

#[test]
fn each_row_of_an_mmcif_file_is_a_bead() {
    for text in [MMCIF.to_owned(), as_elsewhere(MMCIF)] {
        for name in ["a.cif", "a.mmcif"] {
            let beads = read(&text, name);
            assert_eq!(beads.positions, [[-1.25, 0.5, 2.0], [1.25, 1.5, 3.0], [4.0, 5.0, 6.0]]);
            assert_eq!(types(&beads), ["BB", "O5'", "W"]);
            assert_eq!(beads.bounds, Some([[0.0, 40.0], [0.0, 50.5], [0.0, 60.0]]));
            let chains: Vec<_> =
                beads.labels.iter().map(|label| (&*label.chain, label.residue_number)).collect();
            assert_eq!(chains, [("A", 1), ("A", 1), ("B", 0)]);
        }
    }
    assert_eq!(parse_configuration(MMCIF, "a.cif", 1).unwrap().positions, [[7.0, 8.0, 9.0]]);
    for (from, to) in [("_cell.length_a 40.0", "_cell.length_a ?"), ("_cell.length_c 60\n", "")] {
        assert_eq!(read(&MMCIF.replace(from, to), "a.cif").bounds, None);
    }
}

#[test]
fn a_file_reads_as_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("melt.XYZ");
    std::fs::write(&file, PLAIN_XYZ).unwrap();
    let mut beads = read_configuration(&file, -1).unwrap();
    assert_eq!(beads.source, file.display().to_string());
    beads.source = "melt.xyz".to_owned();
    assert_eq!(beads, read(PLAIN_XYZ, "melt.xyz"));
    std::fs::remove_file(&file).unwrap();
    let error = read_configuration(&file, 0).unwrap_err();
    assert_eq!(error.code(), "structure/unreadable-file");
}

#[test]
fn real_entries_have_the_same_beads_in_both_formats() {
    let path = |name: &str| beadwork_testing::shared_data(&format!("proteins/1UBQ.{name}"));
    let (Some(pdb), Some(cif)) = (path("pdb"), path("cif")) else { return };
    let all = read_positions(&pdb).unwrap();
    let (pdb, cif) = (read_configuration(&pdb, 0).unwrap(), read_configuration(&cif, 0).unwrap());
    // 602 atoms of ubiquitin and 58 of water.
    assert_eq!((pdb.len(), &pdb.positions), (660, &all));
    assert_eq!(cif.positions, pdb.positions);
    assert_eq!(cif.type_names, pdb.type_names);
    assert_eq!(cif.types, pdb.types);
    // P 21 21 21: a straight cell.
    let bounds = Some([[0.0, 50.84], [0.0, 42.77], [0.0, 28.95]]);
    assert_eq!((pdb.bounds, cif.bounds), (bounds, bounds));
}

#[test]
fn names_of_types_that_steer_a_terminal_become_visible() {
    let name = "A\u{1b}[31m\u{202e}";
    for (file, text) in [
        ("in.xyz", format!("1\n{name}\n{name} 0 0 0\n")),
        ("in.csv", format!("type,x,y,z\n{name},0,0,0\n")),
    ] {
        let beads = parse_configuration(&text, file, 0).unwrap();
        assert_eq!(beads.type_names, ["A␛[31m\u{fffd}"], "{file}");
    }
}
