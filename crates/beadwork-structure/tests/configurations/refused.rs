//! XYZ, CSV, PDB and mmCIF files that are damaged or cannot be used.

use beadwork_structure::parse_configuration;

use super::{DAMAGED, damaged, refused};

#[test]
fn the_format_must_be_known() {
    for name in ["melt.dump", "melt", "data.melt", "folder.xyz/melt"] {
        let expected = ": neither the ending of the name nor the content tells the format. Beads are read from files of the \
                        formats whose names end in .xyz, .extxyz, .csv, .data, .lmp, .lammps, .gsd, .pdb, .ent, .cif, .mmcif. \
                        Rename or convert the file.";
        refused("A 0 0 0\n", name, 0, "structure/unknown-format", expected);
    }
    let dump = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\n";
    let script = "# a melt\nunits lj\natom_style bond\npair_style lj/cut 2.5\nread_data melt.data\nrun 100\n";
    for name in ["melt.dump", "in.melt", "melt.data", "in.lammps"] {
        let code = "structure/unknown-format";
        refused(
            dump,
            name,
            0,
            code,
            ": this is a dump of LAMMPS, which is not read. Write a data file",
        );
        refused(
            script,
            name,
            0,
            code,
            ": this is a script of LAMMPS, which is not read. Take its data",
        );
    }
    for name in ["a.xyz", "a.csv", "a.data", "a.pdb", "a.cif"] {
        refused("\u{feff} \n\r\n", name, 0, "structure/empty-file", ": the file is empty");
    }
}

#[test]
fn frames_must_be_there() {
    let xyz = "1\n\nA 0 0 0\n1\n\nA 1 0 0\n";
    let csv = "x,y,z\n0,0,0\n";
    let data = "title\n1 atoms\n1 atom types\nAtoms\n\n1 1 0 0 0\n";
    let pdb = "ATOM      1  A   POL A   1       0.000   0.000   0.000\n";
    let cif = CIF;
    let one = "the file has one frame, which is 0 or -1. Ask for one of those.";
    let two = "the file has 2 frames: 0 to 1, or from the end -1 to -2. Ask for one of those.";
    for (text, name, frame, present) in [
        (xyz, "a.xyz", 2, two),
        (xyz, "a.xyz", -3, two),
        (xyz, "a.xyz", i64::MIN, two),
        (xyz, "a.xyz", i64::MAX, two),
        (csv, "a.csv", 1, one),
        (data, "a.data", -2, one),
        (pdb, "a.pdb", 1, one),
        (cif, "a.cif", -2, one),
    ] {
        let expected = format!(": there is no frame {frame}; {present}");
        refused(text, name, frame, "structure/no-such-frame", &expected);
        assert!(parse_configuration(text, name, -1).is_ok());
    }
}

#[test]
fn xyz_counts_must_be_right() {
    damaged(
        "a.xyz",
        &[
            (
                "A 0 0 0\n",
                "line 1: a number of beads begins each frame, but the line reads \"A 0 0 0\". ",
            ),
            (
                "1\n\nA 0 0 0\nA 1 0 0\n",
                "line 4: a number of beads begins each frame, but the line reads \"A 1 0 0\". The frame before it begins at \
                 line 1 with the number 1. ",
            ),
            ("-1\n\n", "line 1: a number of beads begins each frame"),
            ("0\n\n", "line 1: the frame has no beads. "),
            (
                "3\n\nA 0 0 0\nA 1 0 0\n",
                "line 1: the frame should have 3 beads, but the number of lines behind its comment is 2. ",
            ),
            (
                "3",
                "line 1: the frame should have 3 beads, but the number of lines behind its comment is 0",
            ),
            (
                "18446744073709551615\n\n",
                "line 1: the frame should have 18446744073709551615 beads",
            ),
            // Cut off in the second frame.
            (
                "1\n\nA 0 0 0\n2\n\nA 0 0 0\n",
                "line 4: the frame should have 2 beads, but the number of lines behind its comment is 1",
            ),
            // The count takes the next frame in.
            ("2\n\nA 0 0 0\n2\n\nA 0 0 0\n", "line 6: a number of beads begins"),
            ("2\n\nA 0 0 0\n2\n", "line 4: column 2 (x) is missing"),
            ("2\r\n\r\nA 0 0 0\r\nA 0 0\r\n", "line 4: column 4 (z) is missing. "),
        ],
    );
}

#[test]
fn xyz_beads_must_be_understood() {
    let extended = |properties: &str, row: &str| format!("1\nProperties={properties}\n{row}\n");
    for (properties, row, expected) in [
        ("species:S:1", "A 0 0 0", "line 2: Properties has no pos, which every bead needs"),
        ("pos:R:3", "0 0 0", "line 2: Properties has no species, which every bead needs"),
        (
            "species:S:1:pos:R",
            "A 0 0 0",
            "line 2: Properties reads \"species:S:1:pos:R\"; it needs name, kind",
        ),
        ("species:S:1:pos:X:3", "A 0 0 0", "line 2: Properties reads"),
        ("species:S:1:pos:R:0", "A 0 0 0", "line 2: the property pos has \"0\" columns"),
        (
            "species:S:1:pos:R:2",
            "A 0 0 0",
            "line 2: the property pos has the kind R and 2 columns; it needs the kind R and 3",
        ),
        ("species:S:1:pos:S:3", "A 0 0 0", "line 2: the property pos has the kind S and 3 columns"),
        (
            "species:S:1:pos:R:3:vel:R:3:velo:R:3",
            "A 0 0 0",
            "line 2: Properties has velo, or another word for it, twice",
        ),
        (
            "species:S:1:pos:R:3:velo:R:3",
            "A 0 0 0 1 2",
            "line 3: column 7 (velocity along z) is missing",
        ),
        ("species:S:1:pos:R:3:tags:R:1", "A 0 0 0", "line 3: there are 4 columns instead of 5"),
        (
            "species:S:1:pos:R:3:mass:R:1",
            "A 0 0 0 x",
            "line 3: column 5 (mass) reads \"x\", which is not a number",
        ),
        ("species:S:1:pos:R:3:mass:R:1", "A 0 0 0 0", "line 3: the mass 0 is not above zero"),
        (
            "species:S:1:pos:R:3:charge:R:1",
            "A 0 0 0 nan",
            "line 3: column 5 (charge) reads \"nan\"",
        ),
        (
            "species:S:1:pos:R:3:molecule:I:1",
            "A 0 0 0 -1",
            "line 3: column 5 (molecule) reads \"-1\", which is not a whole number that fits",
        ),
    ] {
        damaged("a.xyz", &[(&extended(properties, row), expected)]);
    }
    damaged(
        "a.xyz",
        &[
            ("1\n\n\n", "line 3: column 1 (type) is missing"),
            ("1\n\nA 0 1e 0\n", "line 3: column 3 (y) reads \"1e\", which is not a number. "),
            ("1\n\nA 0 0 1e999\n", "line 3: column 4 (z) reads \"1e999\""),
            (
                "3\nProperties=species:S:1:pos:R:3:mass:R:1\nA 0 0 0 1\nB 0 0 0 2\nA 0 0 0 2\n",
                "line 5: bead 2 of type A has the mass 2, but those before it have 1; beads of one type have one mass",
            ),
        ],
    );
    let many: String = (0..=65536).map(|bead| format!("T{bead} 0 0 0\n")).collect();
    damaged(
        "a.xyz",
        &[(&format!("65537\n\n{many}"), "line 65539: there are more than 65536 types")],
    );
}

#[test]
fn xyz_boxes_must_be_straight() {
    let boxed = |comment: &str| format!("1\n{comment}\nA 0 0 0\n");
    for (comment, expected) in [
        (
            "Lattice=\"5 0 0 0 5\"",
            "line 2: Lattice reads \"5 0 0 0 5\", which is not nine numbers in quotes",
        ),
        ("Lattice=\"5 0 0 0 5 0 0 0 x\"", "line 2: Lattice reads"),
        ("Lattice=\"5 0 0 0 -5 0 0 0 5\"", "line 2: the side of the box along y is not above zero"),
        ("Lattice=\"5 0 0 0 5 0 0 0 5\" Origin=\"1 2\"", "line 2: Origin needs three numbers"),
        (
            "Lattice=\"5 0 0 0 5 0 0 0 5\" pbc=\"T T F\"",
            "line 2: pbc reads \"T T F\"; a box is periodic along all axes, \"T T T\", or along none, \"F F F\"",
        ),
        ("Lattice=\"5 0 0 0 5 0 0 0 5\" pbc=\"T T\"", "line 2: pbc reads \"T T\""),
    ] {
        damaged("a.xyz", &[(&boxed(comment), expected)]);
    }
    let expected = ", line 2: Lattice has numbers beside its diagonal, so the box is tilted. Only boxes with right angles \
                    along x, y and z can be used; export the beads with such a box.";
    let tilted = boxed("Lattice=\"5 0 0 1 5 0 0 0 5\"");
    refused(&tilted, "a.xyz", 0, "structure/tilted-box", expected);
}

#[test]
fn csv_columns_must_be_known_and_filled() {
    damaged(
        "a.csv",
        &[
            ("0,0,0\n1,1,1\n", "line 1: the column \"0\" is there twice"),
            (
                "0,1,2\n1,1,1\n",
                "line 1: the columns x, y, z are missing; the first line names the columns, which reads \"0,1,2\"",
            ),
            (
                "x,y,z,q,charge\n0,0,0,1,1\n",
                "line 1: the columns \"q\" and \"charge\" may both have charges; keep one of them, or rename the other",
            ),
            ("x_nm,y_nm,z_nm\n0,0,0\n", "line 1: the columns x, y, z are missing"),
            ("x,y,z,x\n", "line 1: the column \"x\" is there twice"),
            ("type,mass\nA,1\n", "line 1: the columns x, y, z are missing"),
            ("x,z\n0,0\n", "line 1: of the columns x, y, z some are missing"),
            ("x,y,z,vx\n", "line 1: of the columns vx, vy, vz some are missing"),
            (
                "x,y,z,name,label\n",
                "line 1: the columns \"name\" and \"label\" may both have names; keep one of them",
            ),
            ("# only\nx,y,z\n", "line 2: the file has a header but no beads"),
            ("x,y,z\n0,0,0\n0,0\n", "line 3: there are 2 values for 3 columns. "),
            ("x,y,z\n0,0,0\n0,0,0,0\n", "line 3: there are 4 values for 3 columns"),
            (
                "x,y,z\r\n# more\r\n\r\n0,0,0\r\n0,?,0\r\n",
                "line 5: column 2 (y) reads \"?\", which is not a number. ",
            ),
            ("# more\n\nx,y,z\n\n# more\n0,?,0\n", "line 6: column 2 (y) reads"),
            ("x,y,z,type\n0,0,0,\n", "line 2: the type is empty"),
            ("x,y,z,mass\n0,0,0,\n", "line 2: column 4 (mass) reads \"\", which is not a number"),
            ("x,y,z,mass\n0,0,0,-1\n", "line 2: the mass -1 is not above zero"),
            (
                "x,y,z,mass\n0,0,0,1\n0,0,0,2\n",
                "line 3: bead 1 of type A has the mass 2, but those before it have 1",
            ),
            (
                "x,y,z,molecule\n0,0,0,1.5\n",
                "line 2: column 4 (molecule) reads \"1.5\", which is not a whole number from 0",
            ),
            ("x,y,z,vx,vy,vz\n0,0,0,1,2,inf\n", "line 2: column 6 (vz) reads \"inf\""),
            ("x,y,z,charge\n0,0,0,+e\n", "line 2: column 4 (charge) reads \"+e\""),
        ],
    );
}

const PDB: &str = "\
ATOM      1  A   POL A   1       0.000   0.000   0.000
ATOM      2  B   POL A   1       1.000   0.000   0.000
";

#[test]
fn pdb_beads_must_have_one_place_and_a_name() {
    let with = |lines: &str| format!("{PDB}{lines}\n");
    for (lines, expected) in [
        ("CONECT    1    1", "line 3: CONECT joins the atom 1 with itself. "),
        (
            "CONECT    1    2\nCONECT    1    3",
            "line 4: CONECT names the atom 3, which is not there. ",
        ),
        ("CONECT    x    2", "line 3: CONECT has \"    x\", which is no serial number"),
        (
            "ATOM      2  C   POL A   1       1.000   0.000   0.000\nCONECT    1    2",
            "line 4: CONECT names the atom 2, which both bead 1 and bead 2 are; number the atoms anew",
        ),
        (
            "ATOM      3      POL A   1       1.000   0.000   0.000",
            "line 3: the atom has no name, which is the type of its bead",
        ),
        (
            "CRYST1   40.000   50.500   x       90.00  90.00  90.00",
            "line 3: columns 25–33 of CRYST1 read \"x\", which is not a number",
        ),
        ("CRYST1   40.000   50.500", "line 3: columns 25–33 of CRYST1 read \"\""),
        (
            "ATOM      3  C  AALA A   2       1.000   0.000   0.000\nATOM      4  C  BALA A   2       1.000   0.000   0.000",
            "line 4: atom C of residue ALA 2 has a second location, B; a bead has one place, so keep one of the locations",
        ),
    ] {
        damaged("a.pdb", &[(&with(lines), expected)]);
    }
    let cut = &PDB[..PDB.len() - 3];
    let expected = ", line 2: the z coordinate (columns 47–54) reads \"   0.0\"";
    refused(cut, "a.pdb", 0, "structure/damaged-coordinate", expected);
    refused("REMARK\n", "a.pdb", 0, "structure/not-a-structure", ": this is not a structure file.");
    let empty = format!("MODEL        1\n{PDB}ENDMDL\nMODEL        2\nENDMDL\n");
    refused(&empty, "a.pdb", -1, DAMAGED, ", line 5: the model has no atoms. ");
}

const CIF: &str = "data_x
loop_
_atom_site.label_atom_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.label_seq_id
_atom_site.label_alt_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
A POL A 1 . 0 0 0
B POL A 1 . 1 0 0
";

#[test]
fn mmcif_beads_must_have_one_place_and_a_name() {
    for (from, to, expected) in [
        ("B POL A 1 .", "? POL A 1 .", "line 12: the atom has no name"),
        ("A 1 . 0 0 0\nB", "A 1 a 0 0 0\nA", ""),
        (
            "A POL A 1 . 0 0 0\nB POL A 1 .",
            "A POL A 1 a 0 0 0\nA POL A 1 b",
            "line 12: atom A of residue POL 1 has a second location, b",
        ),
    ] {
        let text = CIF.replace(from, to);
        assert_ne!(text, CIF);
        match expected {
            // One of two places has no letter, and the other a place of its own: two beads.
            "" => assert_eq!(parse_configuration(&text, "a.cif", 0).unwrap().len(), 2),
            _ => damaged("a.cif", &[(&text, expected)]),
        }
    }
    let cell = "_cell.length_a x\n_cell.length_b 1\n_cell.length_c 1\n_cell.angle_alpha 90\n_cell.angle_beta 90\n_cell.angle_gamma 90\n";
    let text = CIF.replace("data_x\n", &format!("data_x\n{cell}"));
    damaged("a.cif", &[(&text, "line 2: _cell.length_a reads \"x\", which is not a number. ")]);
    for (text, code, expected) in [
        (
            CIF.replace("1 0 0\n", "1 0\n"),
            "structure/damaged-mmcif",
            ", line 12: the last row of the table",
        ),
        (
            CIF.replace("1 0 0\n", "1 0 q\n"),
            "structure/damaged-coordinate",
            ", line 12: the z coordinate",
        ),
        (
            CIF.split("A POL").next().unwrap().to_owned(),
            "structure/damaged-mmcif",
            ", line 2: the table _atom_site has no rows",
        ),
        (
            "data_x\n_cell.length_a 1\n".to_owned(),
            "structure/not-a-structure",
            ": this is not a structure file",
        ),
    ] {
        refused(&text, "a.cif", 0, code, expected);
    }
}
