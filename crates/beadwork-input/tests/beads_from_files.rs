//! Beads from start files: boxes, images, bonds, a file for each replica, copies of a box, and refusals.

use crate::common::{assert_fixed_point, complaint, parse, write};
use beadwork_model::Boundary;
use beadwork_model::potentials::HarmonicBond;

const LAMMPS: &str = "two molecules

6 atoms
4 bonds
2 atom types
1 bond types

0 5 xlo xhi
0 6 ylo yhi
0 7 zlo zhi

Masses

1 1.5 # A
2 3 # B

Atoms # molecular

2 1 1 1 0.5 0.5 0 0 0
1 1 1 0.2 0.5 0.5 0 0 0
3 1 2 0.1 0.5 0.5 1 0 0
4 2 1 3 3 3 0 0 0
5 2 1 3.5 3 3 0 0 0
6 2 2 4 3 3 0 0 0

Bonds

1 1 1 2
2 1 2 3
3 1 4 5
4 1 5 6
";

#[test]
fn a_lammps_file_gives_beads_box_images_masses_and_bonds() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "two.data", LAMMPS);
    let text = r#"[system]
model = "beads"
units = "reduced"
start = { file = "two.data" }
box = "file"
bonds = [ { kind = "harmonic", stiffness = { AA = 10.0, AB = 20.0, BB = 10.0 }, length = 1.0 } ]

[dynamics]
collision_rate = 0.5
timestep = 0.01

[[stage]]
duration = 0.1
"#;
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    let point = &request.points[0];
    let system = &point.system;
    assert_eq!(system.boundary, Boundary::Periodic { lengths: [5.0, 6.0, 7.0] });
    // Bead 3 has crossed a face.
    assert_eq!(system.particles.positions[2], [5.1, 0.5, 0.5]);
    assert_eq!(system.masses(0..3).collect::<Vec<_>>(), [1.5, 1.5, 3.0]);
    assert_eq!(system.bonds(), [(0, 1), (1, 2), (3, 4), (4, 5)]);
    let bonds = system.interactions.bonded_by::<HarmonicBond>();
    assert_eq!(bonds[1].potential.stiffness, 20.0);
    // A collision rate of 0.5 makes frictions of half the masses.
    assert_eq!(system.types[1].friction, Some(1.5));
    assert_eq!(point.protocol.stages[0].steps(), 10);
    assert_eq!(request.files[0].name, "inputs/two.data");
    let odd = text.replace("kind = \"harmonic\"", "kind = \"harmonic\", number = 3");
    let said = complaint(&parse(folder.path(), &odd).unwrap_err());
    assert!(said.contains("is no type of the start file, which has 1"), "{said}");
    let some = text.replace("kind = \"harmonic\"", "kind = \"harmonic\", between = [[0, 1]]");
    let warnings = parse(folder.path(), &some).unwrap().warnings;
    assert!(warnings[0].contains("acts on 3 of the 4 bonds"), "{warnings:?}");
    let undecided = text.replace("box = \"file\"\n", "");
    let said = complaint(&parse(folder.path(), &undecided).unwrap_err());
    assert!(said.contains("has a box of 5 x 6 x 7: write box = \"file\""), "{said}");
}

/// Without image flags, a molecule that a face of the box cuts is joined along its bonds.
#[test]
fn molecules_that_faces_cut_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let lines = LAMMPS.lines().map(|line| match line.strip_suffix(" 0 0") {
        // Beads have image flags of three numbers.
        Some(bead) => format!("{}\n", &bead[..bead.len() - 2]),
        None => format!("{line}\n"),
    });
    let text: String = lines.collect();
    write(folder.path(), "two.data", &text.replace("3 1 2 0.1", "3 1 2 4.9"));
    let input = r#"[system]
model = "beads"
units = "reduced"
start = "two.data"
box = "file"
bonds = [ { kind = "harmonic", stiffness = 10.0, length = 1.0 } ]

[dynamics]
collision_rate = 0.5
timestep = 0.01

[[stage]]
steps = 10
"#;
    let request = parse(folder.path(), input).unwrap();
    let positions = &request.points[0].system.particles.positions;
    assert!((positions[2][0] + 0.1).abs() < 1e-12, "{positions:?}");
    assert_eq!(positions[5], [4.0, 3.0, 3.0]);
}

#[test]
fn each_replica_may_have_a_start_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    for replica in 0..2 {
        let text = format!(
            "2\nframe 0\nA 0 0 0\nA {} 0 0\n2\nframe 1\nA 0 0 0\nA 0 {} 0\n",
            replica + 1,
            replica + 3
        );
        write(folder.path(), &format!("start_{replica}.xyz"), &text);
    }
    let text = r#"[system]
model = "beads"
units = "reduced"
start = { file = "start_{replica}.xyz", frame = -1 }

[dynamics]
integrator = "brownian"
friction = 1.0
timestep = 0.001

[[stage]]
steps = 10

[ensemble]
replicas = 2
"#;
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    let starts = request.points[0].starts.as_ref().unwrap();
    assert_eq!([starts[0][1], starts[1][1]], [[0.0, 3.0, 0.0], [0.0, 4.0, 0.0]]);
    // Without bonds each bead is a molecule.
    assert_eq!(request.points[0].system.particles.molecules, [0, 1]);
}

/// Two molecules, one of them cut by the faces of the file's box along x, in 2 x 1 x 3 copies of the box.
#[test]
fn copies_of_a_box_lie_side_by_side_with_whole_molecules() {
    let folder = tempfile::tempdir().unwrap();
    let header =
        "Lattice=\"4 0 0 0 5 0 0 0 6\" Properties=species:S:1:pos:R:3:velo:R:3:molecule:I:1";
    let beads = "A 3.5 1 1 1 0 0 1\nB 0.25 1 1 2 0 0 1\nA 2 2 2 3 0 0 2\nB 2.5 2 2 4 0 0 2\n";
    write(folder.path(), "cell.xyz", &format!("4\n{header}\n{beads}"));
    let text = r#"[system]
model = "beads"
units = "reduced"
start = { file = "cell.xyz", repeat = [2, 1, 3], velocities = "file" }
box = "file"
bonds = [ { kind = "harmonic", stiffness = 10.0, length = 1.0 } ]

[dynamics]
collision_rate = 0.5
timestep = 0.01

[[stage]]
steps = 10
"#;
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    let point = &request.points[0];
    let system = &point.system;
    assert_eq!(system.boundary, Boundary::Periodic { lengths: [8.0, 5.0, 18.0] });
    assert_eq!(system.beads(), 24);
    let expected: Vec<u32> = (0..12).flat_map(|molecule| [molecule; 2]).collect();
    assert_eq!(system.particles.molecules, expected);
    let pairs: Vec<_> = system.interactions.bonded.iter().flat_map(|term| term.pairs()).collect();
    assert_eq!(pairs, (0..12).map(|k| (2 * k, 2 * k + 1)).collect::<Vec<_>>());
    let positions = &system.particles.positions;
    for &(i, j) in &pairs {
        let along = (positions[j][0] - positions[i][0]).abs();
        assert_eq!(along, if i % 4 == 0 { 0.75 } else { 0.5 }, "{i}: {positions:?}");
    }
    for (i, &one) in positions.iter().enumerate() {
        for (j, &other) in positions.iter().enumerate().skip(i + 1) {
            assert!(system.boundary.squared_distance(one, other) > 0.2, "beads {i} and {j}");
        }
    }
    let velocities = &point.velocities.as_ref().unwrap()[0];
    assert_eq!((velocities[3][0], velocities[21][0]), (4.0, 2.0));
}

#[test]
fn starts_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "same.xyz", "2\n\nA 1 1 1\nA 1 1 1\n");
    let charged: String = (0..1_001).map(|bead| format!("{bead},0,0,{bead}\n")).collect();
    write(folder.path(), "charged.csv", &format!("x,y,z,charge\n{charged}"));
    write(folder.path(), "cell.xyz", "2\nLattice=\"4 0 0 0 4 0 0 0 4\"\nA 1 1 1\nA 2 1 1\n");
    let input = |system: &str| {
        format!(
            "[system]\nmodel = \"beads\"\nunits = \"reduced\"\n{system}\n\n[dynamics]\ncollision_rate = 1.0\ntimestep = 0.01\n\n[[stage]]\nsteps = 10\n"
        )
    };
    let cases = [
        (
            "start = \"same.xyz\"\npairs = [ { kind = \"wca\", depth = 1.0, diameter = 1.0 } ]",
            "their energy exceeds 10^12",
        ),
        ("start = \"charged.csv\"", "more than 1000 combinations of type and charge"),
        ("start = \"same.xyz\"\nbox = \"file\"", "has no box"),
        ("start = { file = \"same.xyz\", frame = 3 }", "frame"),
        ("start = { file = \"same.xyz\", repeat = [2, 2, 2] }", "write box = \"file\""),
        ("start = { file = \"same.xyz\", repeat = [2, 2, 2] }\nbox = \"file\"", "has none"),
        (
            "start = { file = \"cell.xyz\", repeat = [10000, 10000, 10000] }\nbox = \"file\"",
            "2_000_000_000_000 beads",
        ),
        ("start = { file = \"same.xyz\", repeat = [2, 0, 2] }\nbox = \"file\"", "of 1 or more"),
        ("start = { file = \"same.xyz\", repeat = 2 }\nbox = \"file\"", "[2, 2, 2], found"),
        ("start = \"same.pbd\"", "same.pbd"),
        (
            "start = \"same.xyz\"\ntypes = [ { name = \"A\", mass = \"5 Da\" } ]",
            "found the text \"5 Da\"",
        ),
        ("", "there are no beads"),
    ];
    for (system, part) in cases {
        let said = complaint(&parse(folder.path(), &input(system)).unwrap_err());
        assert!(said.contains(part), "{system}: {said}");
    }
    // In real units a mass has no default.
    let real = input("start = \"same.xyz\"").replace("units = \"reduced\"\n", "");
    let real = real.replace("1.0", "\"1 /ps\"").replace("0.01", "\"10 fs\"");
    let said = complaint(&parse(folder.path(), &real).unwrap_err());
    assert!(said.contains("has the mass of type A"), "{said}");
}
