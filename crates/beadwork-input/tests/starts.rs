//! Starts from files of beads: which beads are molecules, boxes that cut them, frames, and what a file cannot tell.

use crate::common::{complaint, parse, write};
use beadwork_input::{Request, StartFile};
use beadwork_model::System;

const REST: &str = "\n[dynamics]\ncollision_rate = 0.5\ntimestep = 0.01\n\n[[stage]]\nsteps = 10\n\n[output]\ntable = { every_steps = 5 }\n";
const BONDS: &str = "bonds = [ { kind = \"harmonic\", stiffness = 10.0, length = 1.0 } ]\n";

/// `[system]` with more lines.
fn input(file: &str, more: &str) -> String {
    format!("[system]\nmodel = \"beads\"\nunits = \"reduced\"\nstart = \"{file}\"\n{more}{REST}")
}

/// Reads an input with one file beside it.
fn request(file: &str, text: &str, more: &str) -> Request {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), file, text);
    parse(folder.path(), &input(file, more)).unwrap()
}

fn refusal(file: &str, text: &str, more: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), file, text);
    complaint(&parse(folder.path(), &input(file, more)).unwrap_err())
}

fn system(request: &Request) -> &System {
    &request.points[0].system
}

fn bonds(system: &System) -> Vec<(usize, usize)> {
    system.bonds()
}

/// A LAMMPS data file with a box of this side, rows of Atoms behind the id, and bonds.
fn lammps(side: f64, style: &str, atoms: &[&str], bonds: &[[usize; 2]]) -> String {
    let mut text = format!(
        "t\n\n{} atoms\n1 atom types\n{} bonds\n1 bond types\n0 {side} xlo xhi\n0 {side} ylo yhi\n0 {side} zlo zhi\n\nAtoms # {style}\n\n",
        atoms.len(),
        bonds.len()
    );
    for (index, atom) in atoms.iter().enumerate() {
        text += &format!("{} {atom}\n", index + 1);
    }
    text += "\nBonds\n\n";
    for (index, [i, j]) in bonds.iter().enumerate() {
        text += &format!("{} 1 {i} {j}\n", index + 1);
    }
    text
}

/// Three heads, then their tails, as builders of surfactants write them.
#[test]
fn beads_of_a_molecule_need_not_follow_each_other() {
    let expected = [0, 1, 2, 0, 1, 2];
    let atoms = ["1 1 1 1 1", "2 1 3 1 1", "3 1 5 1 1", "1 1 1 1 2", "2 1 3 1 2", "3 1 5 1 2"];
    let text = lammps(9.0, "bond", &atoms, &[[1, 4], [2, 5], [3, 6]]);
    let more = format!("box = \"file\"\n{BONDS}");
    let with_numbers = request("a.data", &text, &more);
    // The same bonds without numbers of molecules.
    let atoms = atoms.map(|atom| &atom[2..]);
    let by_bonds =
        request("a.data", &lammps(9.0, "atomic", &atoms, &[[1, 4], [2, 5], [3, 6]]), &more);
    let xyz = "6\nProperties=species:S:1:pos:R:3:mol:I:1\nH 1 1 1 0\nH 3 1 1 1\nH 5 1 1 2\nT 1 1 2 0\nT 3 1 2 1\nT 5 1 2 2\n";
    let by_chains = request("a.xyz", xyz, BONDS);
    for request in [with_numbers, by_bonds, by_chains] {
        let system = system(&request);
        assert_eq!(system.particles.molecules, expected);
        assert_eq!(system.counts.chains, 3);
        assert_eq!(bonds(system), [(0, 3), (1, 4), (2, 5)]);
        assert_eq!(request.warnings, [] as [&str; 0]);
    }
}

/// In CSV and XYZ files numbers may begin with 0.
#[test]
fn molecule_0_is_a_molecule_where_the_format_has_no_other_meaning_for_it() {
    let csv = "x,y,z,molecule\n0,0,0,0\n1,0,0,0\n2,0,0,0\n0,3,0,1\n1,3,0,1\n2,3,0,1\n";
    let xyz = "6\nProperties=species:S:1:pos:R:3:molecule:I:1\nA 0 0 0 0\nA 1 0 0 0\nA 2 0 0 0\nA 0 3 0 1\nA 1 3 0 1\nA 2 3 0 1\n";
    for (file, text) in [("a.csv", csv), ("a.xyz", xyz)] {
        let request = request(file, text, BONDS);
        assert_eq!(system(&request).particles.molecules, [0, 0, 0, 1, 1, 1]);
        assert_eq!(bonds(system(&request)), [(0, 1), (1, 2), (3, 4), (4, 5)]);
    }
    // In LAMMPS data it is none, and bonds decide.
    let atoms = ["0 1 1 1 1", "0 1 2 1 1", "0 1 5 1 1", "7 1 8 1 1"];
    let text = lammps(9.0, "bond", &atoms, &[[1, 2]]);
    let request = request("a.data", &text, &format!("box = \"file\"\n{BONDS}"));
    assert_eq!(system(&request).particles.molecules, [0, 0, 1, 2]);
}

#[test]
fn bonds_that_are_listed_make_molecules() {
    let xyz = "5\n\nA 0 0 0\nA 1 0 0\nA 2 0 0\nA 3 0 0\nA 4 0 0\n";
    let listed = BONDS.replace("kind", "between = [[0, 3], [1, 4]], kind");
    let request = request("a.xyz", xyz, &listed);
    assert_eq!(system(&request).particles.molecules, [0, 1, 2, 0, 1]);
    assert_eq!(request.warnings, [] as [&str; 0]);
}

/// A chain 1-3-2 in the order of its bonds: the ends are the first two beads.
#[test]
fn ends_are_those_of_the_bonds() {
    let atoms = ["1 1 1 1 1", "1 1 3 1 1", "1 1 2 1 1"];
    let text = lammps(9.0, "bond", &atoms, &[[1, 3], [3, 2]]);
    let request = request("a.data", &text, &format!("box = \"file\"\n{BONDS}"));
    assert_eq!(system(&request).ends, [(0, [0, 1])]);
}

/// A trimer that a face of the box of side 6 cuts, between x = 5.5, 0.2 and 0.9.
#[test]
fn molecules_are_joined_in_the_box_of_their_file() {
    let atoms = ["1 1 5.5 1 1", "1 1 0.2 1 1", "1 1 0.9 1 1"];
    let text = lammps(6.0, "bond", &atoms, &[[1, 2], [2, 3]]);
    for sides in ["\"file\"", "\"open\"", "[12, 12, 12]"] {
        for lengths in ["1.0", "\"start\""] {
            let bonds = BONDS.replace("length = 1.0", &format!("length = {lengths}"));
            let request = request("a.data", &text, &format!("box = {sides}\n{bonds}"));
            let x: Vec<f64> = system(&request).particles.positions.iter().map(|at| at[0]).collect();
            for (found, expected) in x.iter().zip([5.5, 6.2, 6.9]) {
                assert!((found - expected).abs() < 1e-12, "{sides}: {x:?}");
            }
            let rest: Vec<f64> =
                system(&request).bonds_at_rest().iter().map(|(_, _, length)| *length).collect();
            let expected = if lengths == "1.0" { 1.0 } else { 0.7 };
            assert!(rest.iter().all(|length| (length - expected).abs() < 1e-12), "{rest:?}");
        }
    }
    // Without bonds in the file, along the beads of its molecules.
    let csv = "3\nLattice=\"6 0 0 0 6 0 0 0 6\"\nA 5.5 1 1\nA 0.2 1 1\nA 0.9 1 1\n";
    let more = format!("box = \"open\"\n{}", BONDS.replace("kind", "between = \"chain\", kind"));
    let request = request("a.xyz", csv, &more);
    assert!((system(&request).particles.positions[2][0] - 6.9).abs() < 1e-12);
}

/// A ring of three beads around a box of side 3 has no place in another box, and needs no warning in its own.
#[test]
fn molecules_bonded_to_themselves_through_the_box_keep_it() {
    let ring = [[1, 2], [2, 3], [3, 1]];
    let plain = lammps(3.0, "bond", &["1 1 0.5 1 1", "1 1 1.5 1 1", "1 1 2.5 1 1"], &ring);
    let flagged = lammps(
        3.0,
        "bond",
        &["1 1 0.5 1 1 0 0 0", "1 1 1.5 1 1 0 0 0", "1 1 2.5 1 1 0 0 0"],
        &ring,
    );
    for text in [plain, flagged] {
        let own = request("a.data", &text, &format!("box = \"file\"\n{BONDS}"));
        assert_eq!(own.warnings, [] as [&str; 0]);
        let x: Vec<f64> = system(&own).particles.positions.iter().map(|at| at[0]).collect();
        assert_eq!(x.iter().map(|x| x.rem_euclid(3.0)).collect::<Vec<_>>(), [0.5, 1.5, 2.5]);
        for other in ["\"open\"", "[9, 9, 9]"] {
            let said = refusal("a.data", &text, &format!("box = {other}\n{BONDS}"));
            assert!(said.contains("bonded to itself through that box"), "{said}");
        }
    }
}

/// Image flags of zero for beads that were moved into the box: bonds tell where they are.
#[test]
fn images_that_tear_molecules_are_mended_with_a_warning() {
    let atoms = ["1 1 5.5 1 1 0 0 0", "1 1 0.2 1 1 0 0 0", "2 1 2 2 2 1 0 0", "2 1 2.5 2 2 1 0 0"];
    let text = lammps(6.0, "bond", &atoms, &[[1, 2], [3, 4]]);
    // In the file's own box forces are right, and positions stay where the images have them.
    for (sides, second, warning) in [
        ("\"file\"", 0.2, "the image flags of the start are wrong"),
        ("\"open\"", 6.2, "tear 1 molecule(s)"),
        ("[12, 12, 12]", 6.2, "tear 1 molecule(s)"),
    ] {
        let request = request("a.data", &text, &format!("box = {sides}\n{BONDS}"));
        let x: Vec<f64> = system(&request).particles.positions.iter().map(|at| at[0]).collect();
        for (found, expected) in x.iter().zip([5.5, second, 8.0, 8.5]) {
            assert!((found - expected).abs() < 1e-12, "{sides}: {x:?}");
        }
        assert!(request.warnings[0].contains(warning), "{:?}", request.warnings);
    }
}

/// How the beads of a molecule are bonded is not guessed in silence.
#[test]
fn chains_by_default_are_warned_of() {
    let chains = "6\nProperties=species:S:1:pos:R:3:molecule:I:1\nA 0 0 0 1\nA 1 0 0 1\nA 2 0 0 1\nA 0 3 0 2\nA 1 3 0 2\nA 2 3 0 2\n";
    let said = request("a.xyz", chains, BONDS).warnings;
    assert!(
        said[0].contains("a.xyz has no bonds: the beads of each molecule are joined"),
        "{said:?}"
    );
    let plain = "3\n\nA 0 0 0\nA 1 0 0\nA 2 0 0\n";
    let said = request("a.xyz", plain, BONDS).warnings;
    assert!(said[0].contains("neither bonds nor molecules: its 3 beads are joined"), "{said:?}");
    let asked = BONDS.replace("kind", "between = \"chain\", kind");
    assert_eq!(request("a.xyz", plain, &asked).warnings, [] as [&str; 0]);
}

/// Files of a run say what they cannot hold.
#[test]
fn bonds_that_a_written_file_cannot_hold_are_asked_for() {
    let star = "4\nNumberOfBonds=3 Bonds=\"replica-0.gsd has them\" Properties=species:S:1:pos:R:3:molecule:I:1\nA 0 0 0 1\nA 1 0 0 1\nA 0 1 0 1\nA 0 0 1 1\n";
    for bonds in [BONDS.to_string(), BONDS.replace("kind", "between = \"chain\", kind")] {
        let said = refusal("a.xyz", star, &bonds);
        assert!(said.contains("replica-0.gsd has them"), "{said}");
    }
    let listed = BONDS.replace("kind", "between = [[0, 1], [0, 2], [0, 3]], kind");
    assert_eq!(request("a.xyz", star, &listed).warnings, [] as [&str; 0]);
    // A ring has the bonds of a chain and one more.
    let ring = star.replace("=3 Bonds=\"replica-0.gsd has them\"", "=4");
    let said =
        request("a.xyz", &ring, &BONDS.replace("kind", "between = \"chain\", kind")).warnings;
    assert!(said[0].contains("had 4 bonds") && said[0].contains("joins 3 pairs"), "{said:?}");
}

/// The frame is said, and a note where the file has more and none was named.
#[test]
fn the_frame_that_is_taken_is_known() {
    let frames = "1\nfirst\nA 0 0 0\n1\nlast\nA 5 0 0\n";
    let of = |frame: usize, frames: usize, file: &str| {
        Some(StartFile { file: file.into(), frame, frames })
    };
    // Without the folder.
    let start = |request: &Request| {
        let StartFile { file, frame, frames } = request.points[0].start.clone().unwrap();
        let file = file.rsplit('/').next().unwrap().to_string();
        Some(StartFile { file, frame, frames })
    };
    let first = request("a.xyz", frames, "");
    assert_eq!(start(&first), of(0, 2, "a.xyz"));
    assert!(first.warnings[0].contains("a.xyz has 2 frames, and the first one is taken"));
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.xyz", frames);
    for (wanted, place) in [(-1, 1), (0, 0)] {
        let text = input("a.xyz", "")
            .replace("\"a.xyz\"", &format!("{{ file = \"a.xyz\", frame = {wanted} }}"));
        let named = parse(folder.path(), &text).unwrap();
        assert_eq!(start(&named), of(place, 2, "a.xyz"));
        assert!(!named.warnings.iter().any(|said| said.contains("frames")), "{:?}", named.warnings);
    }
    let models = "MODEL        1\nATOM      1  A   A       1       0.000   0.000   0.000\nENDMDL\nMODEL        2\nATOM      1  A   A       1       9.000   0.000   0.000\nENDMDL\n";
    let taken = request("a.pdb", models, "");
    assert_eq!(start(&taken), of(0, 2, "a.pdb"));
    assert!(taken.warnings[0].contains("a.pdb has 2 frames"));
    let table = request("a.csv", "frame,x,y,z\n1,0,0,0\n2,5,0,0\n", "");
    assert_eq!(start(&table), of(0, 2, "a.csv"));
    let data = request(
        "a.data",
        &lammps(9.0, "atomic", &["1 1 1 1"], &[])
            .replace("0 bonds\n1 bond types\n", "")
            .replace("\nBonds\n\n", ""),
        "box = \"file\"\n",
    );
    assert_eq!(start(&data), of(0, 0, "a.data"));
}

/// Types of bonds in files keep the numbers by which the input chooses them.
#[test]
fn types_of_bonds_keep_their_numbers() {
    let atoms = ["1 1 1 1 1", "1 1 2 1 1", "2 1 1 3 1", "2 1 2 3 1", "3 1 1 5 1", "3 1 2 5 1"];
    let text = lammps(9.0, "bond", &atoms, &[[1, 2], [3, 4], [5, 6]]);
    let text = text
        .replace("1 bond types", "3 bond types")
        .replace("\n2 1 3 4\n", "\n2 2 3 4\n")
        .replace("\n3 1 5 6\n", "\n3 3 5 6\n");
    let more = |entries: &[(&str, usize)]| {
        let entry = |(kind, number): &(&str, usize)| {
            let limit = if *kind == "fene" { ", limit = 3.0" } else { "" };
            format!(
                "{{ kind = \"{kind}\", between = \"file\", number = {number}, stiffness = 10.0, length = 1.0{limit} }}"
            )
        };
        let entries: Vec<String> = entries.iter().map(entry).collect();
        format!("box = \"file\"\nbonds = [ {} ]\n", entries.join(", "))
    };
    for (entries, types) in [
        // In the order of the terms: FENE bonds, then harmonic ones.
        (vec![("harmonic", 1), ("fene", 2), ("fene", 3)], vec![1, 2, 0]),
        (vec![("fene", 3), ("harmonic", 2), ("harmonic", 1)], vec![2, 0, 1]),
        (vec![("fene", 1), ("harmonic", 3)], vec![0, 2]),
        // Each term is a type.
        (vec![("fene", 1), ("harmonic", 2)], vec![]),
    ] {
        let request = request("a.data", &text, &more(&entries));
        assert_eq!(system(&request).interactions.bond_types, types, "{entries:?}");
    }
}

/// Models of a structure are frames too, of proteins and of chains of residues.
#[test]
fn the_model_that_is_taken_is_known() {
    let model = |number: i32| {
        let atoms = crate::common::pdb(&crate::common::snake('A', 12));
        format!("MODEL     {number:4}\n{}ENDMDL\n", atoms.trim_end_matches("END\n"))
    };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "two.pdb", &(model(1) + &model(2)));
    let sop = "[system]\nstructure = \"two.pdb\"\n\n[[stage]]\nsteps = 10\n";
    let residues = "[system]\nmodel = \"residues\"\nforce_field = \"calvados3\"\nstructure = \"two.pdb\"\n\n[[stage]]\nsteps = 10\n";
    for text in [sop, residues] {
        let said = parse(folder.path(), text).unwrap().warnings;
        let expected = "two.pdb: there are 2 models, and the first one is taken";
        assert!(said.iter().any(|said| said.starts_with(expected)), "{said:?}");
        let named = text.replace("\"two.pdb\"", "{ file = \"two.pdb\", model = 2 }");
        let said = parse(folder.path(), &named).unwrap().warnings;
        assert!(!said.iter().any(|said| said.contains("models")), "{said:?}");
    }
}

/// Single precision has no room for a bond far from the origin, and no number at all for what is beyond its range.
#[test]
fn starts_far_from_the_origin_need_double_precision() {
    let more = format!("box = \"open\"\n{BONDS}");
    let read_as = |x: f64, precision: &str, is_begun: bool| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a.xyz", &format!("2\n\nA {x} 0 0\nA {x} 1 0\n"));
        let text = input("a.xyz", &more)
            .replace("timestep", &format!("precision = \"{precision}\"\ntimestep"));
        match is_begun {
            true => beadwork_input::parse_begun(&text, "resolved.toml", folder.path(), &[]),
            false => parse(folder.path(), &text),
        }
    };
    let read = |x: f64, precision: &str| read_as(x, precision, false);
    let warned = |x: f64, precision: &str| {
        let warnings = read(x, precision).unwrap().warnings;
        warnings.iter().any(|said| said.contains("numbers of single precision are"))
    };
    for (x, is_coarse) in [(1e3, false), (-4e3, false), (4.1e3, true), (-1e5, true)] {
        assert_eq!(warned(x, "single"), is_coarse, "{x}");
    }
    for (x, part) in [
        (1e6, "x = 1000000, where numbers of single precision are 6.2e-2 apart, too coarse"),
        (
            -1e39,
            "which single precision cannot hold: move the structure to the origin, or write precision = \"double\" in [dynamics]",
        ),
        (1e300, "the start has bead 1"),
    ] {
        assert!(!warned(x, "double"), "{x}");
        let refused = complaint(&read(x, "single").unwrap_err());
        assert!(refused.starts_with("[input/start] in.toml:"), "{refused}");
        assert!(refused.contains(part), "{refused}");
        assert!(refused.len() < 300, "{refused}");
        // Earlier versions began such runs, which can still be read.
        let begun = read_as(x, "single", true).unwrap().warnings;
        assert!(begun.iter().any(|said| said.contains(part)), "{begun:?}");
    }
    // Around the origin already, a chain is merely too long.
    let folder = tempfile::tempdir().unwrap();
    for (low, is_moved) in [(-1e6, false), (-2e5, false), (6e5, true)] {
        write(folder.path(), "a.xyz", &format!("2\n\nA {low} 0 0\nA 1000000 1 0\n"));
        let refused = complaint(&parse(folder.path(), &input("a.xyz", &more)).unwrap_err());
        assert_eq!(refused.contains("move the structure"), is_moved, "{refused}");
        assert!(refused.contains("write precision = \"double\" in [dynamics]"), "{refused}");
    }
}
