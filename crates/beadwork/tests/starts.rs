//! Runs that begin from files of beads, and from what other runs have written.

use crate::common::{Place, Table};

/// Two trimers with bonds of two types; the second type comes first in the input.
const TYPED: &str = "t\n\n6 atoms\n1 atom types\n4 bonds\n3 bond types\n0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\nAtoms # bond\n\n1 1 1 1 5 5\n2 1 1 2 5 5\n3 1 1 3 5 5\n4 2 1 10 5 5\n5 2 1 12 5 5\n6 2 1 14 5 5\n\nBonds\n\n1 1 1 2\n2 1 2 3\n3 3 4 5\n4 3 5 6\n";

const SYSTEM: &str = r#"[system]
model = "beads"
units = "reduced"
start = START
box = "file"
BONDS

[dynamics]
integrator = "langevin"
collision_rate = 1.0
timestep = 0.005

[[stage]]
steps = 100

[output]
table = { every_steps = 10 }
trajectory = { every_steps = 50, format = "gsd" }
"#;

fn input(start: &str, bonds: &str) -> String {
    SYSTEM.replace("START", start).replace("BONDS", bonds)
}

fn first_and_last(table: &Table, column: &str) -> [f64; 2] {
    let numbers = table.numbers(column);
    [numbers[0], *numbers.last().unwrap()]
}

fn is_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{found}, not {expected}");
}

/// Three entries of bonds, two of them of one kind: the same input goes on from the GSD files of its own run, each entry with its
/// bonds.
#[test]
fn types_of_bonds_survive_gsd_files() {
    let bonds = "bonds = [ { kind = \"fene\", stiffness = 10.0, limit = 4.0, between = \"file\", number = 3 }, { kind = \"harmonic\", stiffness = 100.0, length = 1.0, between = \"file\", number = 1 } ]\nexclude = 0";
    let place = Place::with_input(&input("{ file = \"typed.data\" }", bonds));
    place.write("typed.data", TYPED);
    place.beadwork("run input.toml -o first --quiet").expect(0);
    let [_, last] = first_and_last(&place.table("first", 0), "bond_energy");
    for file in ["trajectories/member-0000.gsd", "final/replica-0.gsd"] {
        let start = format!("{{ file = \"first/{file}\", frame = -1, velocities = \"file\" }}");
        place.write("next.toml", &input(&start, bonds));
        place.beadwork("run next.toml -o next --quiet").expect(0);
        let [first, _] = first_and_last(&place.table("next", 0), "bond_energy");
        is_near(first, last);
        // The file of the second run has the same types.
        let again = start.replace("first/", "next/");
        place.write("again.toml", &input(&again, bonds));
        place.beadwork("check again.toml").expect(0);
        std::fs::remove_dir_all(place.path("next")).unwrap();
    }
    // Two entries of one kind stay two types.
    let same = bonds.replace(
        "\"fene\", stiffness = 10.0, limit = 4.0",
        "\"harmonic\", stiffness = 7.0, length = 2.0",
    );
    place.write("same.toml", &input("{ file = \"typed.data\" }", &same));
    place.beadwork("run same.toml -o same --quiet").expect(0);
    place.write(
        "on.toml",
        &input("{ file = \"same/final/replica-0.gsd\", velocities = \"file\" }", &same),
    );
    place.beadwork("run on.toml -o on --quiet").expect(0);
    let [_, last] = first_and_last(&place.table("same", 0), "bond_energy");
    is_near(first_and_last(&place.table("on", 0), "bond_energy")[0], last);
}

/// Stars and a mixture of stars and chains go on from `final/` with their bonds; the XYZ file, which has none, is refused.
#[test]
fn branched_molecules_go_on_from_final_files() {
    let built =
        "build = [ { molecule = \"A[B2][B2]B2\", count = 5 }, { molecule = \"A3\", count = 4 } ]\n";
    let bonds = "bonds = [ { kind = \"harmonic\", stiffness = 100.0, length = 1.0 } ]\nexclude = 0";
    let text = input("START", bonds)
        .replace("start = START\nbox = \"file\"\n", &format!("box = [8, 8, 8]\n{built}"));
    let place = Place::with_input(&text);
    place.beadwork("run input.toml -o first --quiet").expect(0);
    let next = input("{ file = \"first/final/replica-0.gsd\", velocities = \"file\" }", bonds);
    place.write("next.toml", &next);
    place.beadwork("run next.toml -o next --quiet").expect(0);
    for column in ["bond_energy", "radius_of_gyration", "kinetic_energy"] {
        let [_, last] = first_and_last(&place.table("first", 0), column);
        is_near(first_and_last(&place.table("next", 0), column)[0], last);
    }
    place.write("xyz.toml", &next.replace(".gsd\", velocities", ".xyz\", velocities"));
    for command in ["check xyz.toml", "run xyz.toml --quiet"] {
        place
            .beadwork(command)
            .expect(2)
            .complains(&["input/start", "which this file cannot hold"]);
    }
    // Linear chains alone need no mark.
    place.write("linear.toml", &text.replace("{ molecule = \"A[B2][B2]B2\", count = 5 }, ", ""));
    place.beadwork("run linear.toml -o linear --quiet").expect(0);
    assert!(!place.read("linear/final/replica-0.xyz").contains("Bonds"));
}

/// Ten dimers 1 long, as ten heads and then ten tails: sizes and answers are those of dimers.
#[test]
fn answers_of_molecules_whose_beads_do_not_follow_each_other() {
    let mut beads = String::new();
    for (kind, z) in [("H", 1.0), ("T", 2.0)] {
        for molecule in 0..10 {
            let x = 1.5 * f64::from(molecule) + 1.0;
            beads += &format!("{kind} {x} 5 {z} {molecule}\n");
        }
    }
    let text = format!(
        "20\nLattice=\"20 0 0 0 20 0 0 0 20\" Properties=species:S:1:pos:R:3:mol_id:I:1\n{beads}"
    );
    let bonds = "bonds = [ { kind = \"harmonic\", stiffness = 1e4, length = 1.0 } ]";
    let place = Place::with_input(
        &input("\"dimers.xyz\"", bonds)
            .replace("0.005", "0.001")
            .replace("[dynamics]", "[dynamics]\ntemperature = 0.01"),
    );
    place.write("dimers.xyz", &text);
    let said = place.beadwork("run input.toml -o run --quiet").expect(0);
    let table = place.table("run", 0);
    for row in 0..table.numbers("step").len() {
        assert!((table.numbers("radius_of_gyration")[row] - 0.5).abs() < 0.01);
        assert!((table.numbers("radius_of_gyration_by_mass")[row] - 0.5).abs() < 0.01);
        assert!((table.numbers("end_to_end")[row] - 1.0).abs() < 0.02);
    }
    assert!(
        said.stdout.contains("root mean square end-to-end distance of HT: 1.00"),
        "{}",
        said.stdout
    );
    // Each molecule is a segment of the topology, and a molecule of the next start.
    let psf = place.read("run/topology.psf");
    let segment = |bead: usize| {
        let start = psf.lines().position(|line| line.contains("!NATOM")).unwrap();
        psf.lines().nth(start + 1 + bead).unwrap().split_whitespace().nth(1).unwrap().to_string()
    };
    assert_eq!(segment(3), segment(13));
    assert_ne!(segment(3), segment(4));
    let bonded: Vec<&str> = psf
        .lines()
        .skip_while(|line| !line.contains("!NBOND"))
        .nth(1)
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(bonded[..4], ["1", "11", "2", "12"]);
    let written = place.read("run/final/replica-0.xyz");
    assert!(written.lines().nth(2 + 13).unwrap().ends_with(" 4"), "{written}");
    assert!(!written.contains("Bonds"));
}

/// Names of any length run; a table says what topologies have in their place.
#[test]
fn long_names_of_types_run() {
    let text = "3\nLattice=\"8 0 0 0 8 0 0 0 8\" Properties=species:S:1:pos:R:3\nMonomerA 1 1 1\nMonomerB 4 1 1\nC 1 4 1\n";
    let bonds =
        "pairs = [ { kind = \"lennard-jones\", depth = 1.0, diameter = 1.0, cutoff = 2.5 } ]";
    let place = Place::with_input(&input("\"long.xyz\"", bonds));
    place.write("long.xyz", text);
    place.beadwork("check input.toml").expect(0);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    assert_eq!(
        place.read("run/topology-names.csv"),
        "topology_name,name\nMonome2,MonomerB\nMonomer,MonomerA\n"
    );
    let psf = place.read("run/topology.psf");
    for name in ["Monomer  Monomer", "Monome2  Monome2", " C        C "] {
        assert!(psf.contains(name), "{psf}");
    }
    // The next run has the whole names.
    assert!(place.read("run/final/replica-0.xyz").contains("\nMonomerB "));
    place.write("next.toml", &input("\"run/final/replica-0.gsd\"", bonds));
    place.beadwork("run next.toml -o next --quiet").expect(0);
}

/// What the files of a run cannot hold is refused by `check` as by `run`, before there is a folder.
#[test]
fn check_refuses_what_run_refuses() {
    let far = r#"[system]
model = "beads"
start = "far.xyz"
box = "open"
types = [ { name = "A", mass = 100.0 } ]
pairs = [ { kind = "lennard-jones", depth = "1 kJ/mol", diameter = "4 A", cutoff = "10 A" } ]

[dynamics]
integrator = "langevin"
temperature = "300 K"
collision_rate = "1 /ps"
timestep = "10 fs"

[[stage]]
steps = 100

[output]
table = { every_steps = 10 }
trajectory = { every_steps = 50, format = "xtc" }
"#;
    let place = Place::with_input(far);
    place.write("far.xyz", "2\n\nA 0 0 0\nA 4e6 0 0\n");
    for command in ["check input.toml", "run input.toml -o run --quiet"] {
        place.beadwork(command).expect(2).complains(&[
            "io/coordinate",
            "XTC holds",
            "= 4000000.000 A",
        ]);
    }
    assert!(!place.path("run").exists());
}

/// Of a mistyped length, in its units and with few digits; no run has diverged.
#[test]
fn starts_that_are_too_large_are_described_in_their_units() {
    let chain = r#"[system]
model = "beads"
units = "reduced"
box = "open"
build = { molecule = "A3", bond_length = 0.97 }
bonds = [ { kind = "harmonic", stiffness = 3.0, length = 0.97 } ]

[dynamics]
integrator = "langevin"
collision_rate = 1.0
timestep = 0.005
precision = "double"

[[stage]]
steps = 100

[output]
table = { every_steps = 10 }
trajectory = { every_steps = 50 }
"#;
    let place = Place::with_input(chain);
    place.beadwork("check input.toml").expect(0);
    let check = "check input.toml --set system.build.bond_length=1e90";
    let held = place.beadwork(check).expect(2);
    held.complains(&[
        "io/coordinate",
        "Bead 1 (counted from 0) begins at x = ",
        "cannot hold: DCD holds finite numbers up to 3.4e38. The start is too large",
    ]);
    let harmonic = "{ kind = \"harmonic\", stiffness = 3.0, length = 0.97 }";
    let fene = "{ kind = \"fene\", stiffness = 30.0, limit = 1.5 }";
    place.write("input.toml", &chain.replace(harmonic, fene));
    let broken = place.beadwork(check).expect(2);
    broken.complains(&["input/start", "e90 apart, and their bond holds within 0 +/- 1.5 only"]);
    for said in [held.stderr, broken.stderr] {
        for part in ["Å", "diverged", "0000000"] {
            assert!(!said.contains(part), "{said}");
        }
    }
}

#[test]
fn check_says_which_frame_is_taken() {
    let text =
        "1\nLattice=\"8 0 0 0 8 0 0 0 8\"\nA 1 1 1\n1\nLattice=\"8 0 0 0 8 0 0 0 8\"\nA 4 1 1\n";
    let place = Place::with_input(&input("\"two.xyz\"", ""));
    place.write("two.xyz", text);
    let said = place.beadwork("check input.toml").expect(0).stdout;
    assert!(said.contains("Start        two.xyz, frame 0 of 2\n"), "{said}");
    assert!(
        said.contains("Warning      two.xyz has 2 frames, and the first one is taken"),
        "{said}"
    );
    let json = crate::common::json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    assert_eq!(
        (json["start"]["frame"].as_u64(), json["start"]["frames"].as_u64()),
        (Some(0), Some(2))
    );
    let run = place.beadwork("run input.toml -o run --quiet").expect(0);
    assert!(run.stderr.contains("has 2 frames"), "{}", run.stderr);
}
