//! Frames of a run as files of other programs, and boxes in the files of a run.

use std::fs;

use crate::common::Place;
use beadwork::io::{FrameFormat, TrajectoryFormat, frames};

/// Chains in a box, with bonds, angles, charges and velocities.
const CHAINS: &str = r#"
[system]
model = "beads"
units = "reduced"
box = [6, 7, 8]
build = [ { molecule = "A5", count = 6 }, { molecule = "W", count = 200 } ]
types = [ { name = "A", mass = 2.0, charge = 0.5 }, { name = "W", mass = 1.0 } ]
bonds = [ { kind = "harmonic", stiffness = 30.0, length = 0.7 } ]
angles = [ { kind = "cosine", stiffness = 2.0 } ]
pairs = [ { kind = "dpd", repulsion = 25.0, cutoff = 1.0, friction = 4.5 } ]
exclude = 0

[dynamics]
integrator = "velocity-verlet"
temperature = 1.0
timestep = 0.02

[[stage]]
steps = 200

[ensemble]
replicas = 2

[output]
table = { every_steps = 100 }
trajectory = { every_steps = 50, format = "dcd" }
"#;

/// The columns of the rows behind a heading, up to a blank line.
fn rows(text: &str, heading: &str) -> Vec<Vec<f64>> {
    let (_, rest) = text.split_once(&format!("\n{heading}\n\n")).unwrap();
    let rows = rest.lines().take_while(|line| !line.is_empty());
    rows.map(|row| row.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect()
}

#[test]
fn a_data_file_of_lammps_starts_the_same_system() {
    let place = Place::with_input(CHAINS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let said = place.beadwork("export run --output state.data --frames state --member 1").expect(0);
    said.complains(&[
        "pair terms (dpd_conservative)",
        "drag and noise between pairs",
        "a script needs special_bonds lj/coul 1 1 1",
    ]);
    assert!(said.stdout.contains("state.data: 1 frame(s) of 230 beads"), "{}", said.stdout);
    let text = place.read("state.data");
    assert!(text.contains("special_bonds lj/coul 1 1 1\n"), "{text}");
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        "LAMMPS data file by beadwork: replica 1 after step 200, time 4, reduced lengths, units = lj"
    );
    for line in [
        "230 atoms",
        "24 bonds",
        "18 angles",
        "2 atom types",
        "-3 3 xlo xhi",
        "-3.5 3.5 ylo yhi",
        "1 2 # A",
        "Bond Coeffs # harmonic\n\n1 15 0.7",
        "Angle Coeffs # cosine\n\n1 2",
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
    }
    assert_eq!(rows(&text, "Bonds")[5], [6.0, 1.0, 7.0, 8.0]);
    assert_eq!(rows(&text, "Angles")[3], [4.0, 1.0, 6.0, 7.0, 8.0]);

    // Positions with their images and velocities are those of the last state, which the final file has with all digits.
    let last = place.read("run/final/replica-1.xyz");
    let sides = [6.0, 7.0, 8.0];
    let (atoms, velocities) = (rows(&text, "Atoms # full"), rows(&text, "Velocities"));
    for (bead, line) in last.lines().skip(2).enumerate() {
        let words: Vec<f64> =
            line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
        let atom = &atoms[bead];
        for axis in 0..3 {
            let (inside, image) = (atom[4 + axis], atom[7 + axis]);
            assert!((-sides[axis] / 2.0..sides[axis] / 2.0).contains(&inside));
            assert!((inside + image * sides[axis] - words[axis]).abs() < 1e-14);
            assert_eq!(velocities[bead][1 + axis], words[3 + axis]);
        }
        assert_eq!([atom[1], atom[3]], [words[8], words[7]], "molecule and charge");
    }

    // The program reads it back as the same system.
    place.beadwork("import state.data --output again.toml").expect(0);
    let again = place.read("again.toml");
    for part in ["stiffness = 30.0, length = 0.7", "kind = \"cosine\"", "box = \"file\""] {
        assert!(again.contains(part), "{part}: {again}");
    }
}

#[test]
fn real_velocities_become_angstroms_per_femtosecond() {
    let input = "[system]\nmodel = \"residues\"\nforce_field = \"calvados3\"\nsequence = \"DSHAKRHHGY\"\n[dynamics]\ntemperature = \"298 K\"\ncollision_rate = \"0.01 /ps\"\ntimestep = \"10 fs\"\n[[stage]]\nsteps = 100\n[output]\ntable = { every_steps = 50 }\n";
    let place = Place::with_input(input);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    // The run writes no trajectory.
    place.beadwork("export run --format lammps").expect(2).complains(&["--frames state"]);
    place.beadwork("export run --output a.data --frames state").expect(0);
    place.beadwork("export run --output a.xyz --frames state").expect(0);
    let (data, xyz) = (place.read("a.data"), place.read("a.xyz"));
    assert!(data.lines().next().unwrap().ends_with(", 0.001 ns, units = real"), "{data}");
    assert!(data.contains("# open space: boundary s s s"), "{data}");
    assert!(xyz.contains("; lengths in A, velocities in A/ps, masses in Da, charges in e\""));
    let velocities = rows(&data, "Velocities");
    for (bead, line) in xyz.lines().skip(2).enumerate() {
        let words: Vec<f64> =
            line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
        for axis in 0..3 {
            let expected = words[3 + axis] / 1000.0;
            assert!((velocities[bead][1 + axis] - expected).abs() <= 1e-15 * expected.abs());
        }
    }
}

#[test]
fn native_contacts_are_left_out_and_each_bond_has_its_length() {
    let place = Place::with_input(&crate::common::PULL.replace("replicas = 3", "replicas = 1"));
    place.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
    let said = place.beadwork("export run --format lammps").expect(0);
    said.complains(&["native contacts are left out"]);
    let text = place.read("run-replica-0.data");
    assert!(text.contains("\nBond Coeffs # fene/expand\n\n1 20 2 0 0 3."), "{text}");
    assert_eq!(rows(&text, "Bonds").len(), 15);
}

#[test]
fn frames_are_chosen_and_refused_by_number() {
    let place = Place::with_input(CHAINS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let said = place.beadwork("export run --format xyz").expect(0);
    said.complains(&["note: replica 0 is written; --member chooses another one"]);
    let text = place.read("run-replica-0.xyz");
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("Lattice")).collect();
    assert_eq!(headings.len(), 5);
    let lattice = "Lattice=\"6 0 0 0 7 0 0 0 8\" Origin=\"-3 -3.5 -4\" ";
    assert!(headings.iter().all(|line| line.starts_with(lattice)), "{headings:?}");
    assert!(headings[3].ends_with("after step 150, time 3, reduced lengths\""), "{}", headings[3]);

    // A GSD file has the positions of the trajectory, and a file whose name is like that of a half one is left alone.
    place.write("part.gsd.partial", "mine");
    place.beadwork("export run --output part.gsd --frames 1..3 --member 1").expect(0);
    let read = |path: &str, format: FrameFormat| {
        let mut all = Vec::new();
        frames::read(&place.path(path), format, |frame| all.push(frame.to_vec())).unwrap();
        all
    };
    let part = read("part.gsd", FrameFormat::Gsd);
    let whole = read("run/trajectories/member-0001.dcd", TrajectoryFormat::Dcd.into());
    assert_eq!(part.len(), 2);
    assert_eq!(place.read("part.gsd.partial"), "mine");
    let names = std::fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with(".beadwork-")));
    for (found, expected) in part.iter().flatten().zip(whole[1..3].iter().flatten()) {
        assert!((found - expected).abs() < 2e-6, "{found} {expected}");
    }

    for (arguments, reason) in [
        ("--output x.data --frames 1..3", "holds one configuration, and 2 were asked for"),
        ("--output x.gsd --frames 5", "the frame 5 was asked for, and the trajectory has 5"),
        ("--output x.gsd --frames soon", "cannot be read: write last, all, state"),
        ("--output x.gsd --member 2", "there is no replica 2 here, but 0 to 1"),
        ("--output part.gsd", "part.gsd exists and is left as it is"),
        ("--output x.gsd --format lammps", "--format and the ending of x.gsd disagree"),
        ("--output - --format xyz", "a file named -"),
        ("--output run/trajectories/x.gsd", "among the files that the run in"),
        ("--output x.dat", "say what to write: --format lammps, gsd or xyz"),
    ] {
        place.beadwork(&format!("export run {arguments}")).expect(2).complains(&[reason]);
        assert!(!place.path("x.gsd").exists() && !place.path("x.data").exists());
    }
    place.beadwork("export run --output LAST.XYZ --frames last").expect(0);
    assert!(place.read("LAST.XYZ").starts_with("230\n"));
}

/// What is exported is what the run wrote, as far as its checkpoint knows; numbers that are not finite never are.
#[test]
fn damaged_trajectories_are_not_exported() {
    let place = Place::with_input(CHAINS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let trajectory = place.path("run/trajectories/member-0000.dcd");
    let list = place.path("run/tables/member-0000-frames.csv");
    let kept = [&trajectory, &list].map(|path| fs::read(path).unwrap());
    let restore = || {
        fs::write(&trajectory, &kept[0]).unwrap();
        fs::write(&list, &kept[1]).unwrap();
    };
    let refused = |parts: &[&str]| {
        for format in ["xyz", "gsd", "lammps"] {
            let command = format!("export run --format {format} --output out");
            place.beadwork(&command).expect(2).complains(parts);
            assert!(!place.path("out").exists());
        }
        restore();
    };
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = kept[0].clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        fs::write(&trajectory, changed).unwrap();
    };
    let at = kept[0].len() - 10;
    with(at, &[kept[0][at] ^ 1]);
    refused(&["io/changed-output", "member-0000.dcd"]);
    fs::write(&list, String::from_utf8_lossy(&kept[1]).replace("150,", "160,")).unwrap();
    refused(&["io/changed-output", "member-0000-frames.csv"]);
    for path in [&trajectory, &list] {
        fs::remove_file(path).unwrap();
        refused(&["io/missing-output", "is gone"]);
    }
    // A state needs neither.
    fs::remove_file(&trajectory).unwrap();
    place.beadwork("export run --output state.xyz --frames state").expect(0);
    restore();

    // Without the checkpoint the frames cannot be compared, which is said.
    let checkpoint = place.path("run/checkpoints/member-0000.ckpt");
    fs::write(&checkpoint, "none").unwrap();
    let said = place.beadwork("export run --output unusable.xyz").expect(0);
    said.complains(&["could not be compared with what the run wrote", "is not a checkpoint"]);
    fs::remove_file(&checkpoint).unwrap();
    let said = place.beadwork("export run --output gone.xyz").expect(0);
    said.complains(&["could not be compared with what the run wrote", "0000.ckpt is gone"]);
    let said = place.beadwork("export run --output x.xyz --frames state").expect(2);
    said.complains(&["member-0000.ckpt of replica 0 is gone: put it back"]);
    fs::remove_file(&trajectory).unwrap();
    refused(&["io/missing-output"]);
    // The last coordinate of the last frame, before the length of its record.
    with(kept[0].len() - 8, &f32::NAN.to_le_bytes());
    refused(&["frame 4 of", "a position of bead 229", "no finite number"]);
}

#[test]
fn replicas_that_have_not_begun_are_named() {
    let place = Place::with_input(CHAINS);
    place.beadwork("run input.toml -o run --quiet --max-time 0s").expect(5);
    for frames in ["all", "state"] {
        let command = format!("export run --output x.xyz --frames {frames}");
        let said = place.beadwork(&command).expect(2);
        said.complains(&[
            "replica 0 has not begun: `beadwork resume run` begins it; if the run goes on, wait",
        ]);
    }
}

/// Chains in reduced units have no masses, and LAMMPS wants some.
#[test]
fn models_without_masses_get_masses_of_1() {
    let place = Place::with_input(crate::common::LADDERS);
    place.beadwork("run input.toml -o run --quiet --set sample.sweeps=500").expect(0);
    let note = "the model has no masses: those in the file are 1";
    place.beadwork("export run --output last.data").expect(0).complains(&[note]);
    let text = place.read("last.data");
    assert!(text.contains(&format!("# {note}\n")), "{text}");
    assert!(text.contains("\nMasses\n\n1 1 # monomer\n"), "{text}");
    assert!(text.contains("\nBond Coeffs # ") && !text.contains("potentials of the model"));
    place.beadwork("export run --output last.xyz --frames last").expect(0).complains(&[note]);
    let row = place.read("last.xyz").lines().nth(2).unwrap().to_string();
    assert_eq!(row.split_whitespace().nth(4), Some("1"), "{row}");
}

/// A limit of the shell on the lengths of files ends in a sentence, with nothing left behind.
#[cfg(unix)]
#[test]
fn a_limit_on_lengths_of_files_leaves_nothing_behind() {
    let place = Place::with_input(CHAINS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let program = place.command("").get_program().to_string_lossy().into_owned();
    let line = format!("ulimit -f 1; exec '{program}' export run --output x.xyz");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line]).current_dir(place.path(""));
    let said = crate::common::said(&mut shell).expect(4);
    said.complains(&["io/write", "longer than files may be here"]);
    assert!(!said.stderr.contains("resume"), "{}", said.stderr);
    let names = fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| !name.contains("partial") && name != "x.xyz"), "{names:?}");
}

/// Each member has the box of its point, in its frames and in the topology of its point.
#[test]
fn boxes_of_a_sweep_are_those_of_its_members() {
    let sweep = "replicas = 1\n[ensemble.sweep]\n\"system.box\" = [[6, 7, 8], [9, 9.5, 10]]";
    let place = Place::with_input(&CHAINS.replace("replicas = 2", sweep));
    place.beadwork("run input.toml -o run --quiet").expect(0);
    for (member, sides, topology) in
        [(0, [6.0, 7.0, 8.0], "topology.pdb"), (1, [9.0, 9.5, 10.0], "topology-point-0001.pdb")]
    {
        // The unit cell of the first frame: a, γ, b, β, α, c behind the header and the length of the record.
        let path = place.path(&format!("run/trajectories/member-{member:04}.dcd"));
        let bytes = fs::read(path).unwrap();
        let found: Vec<f64> = bytes[280..328]
            .chunks_exact(8)
            .map(|word| f64::from_le_bytes(word.try_into().unwrap()))
            .collect();
        let [x, y, z] = sides;
        assert_eq!(found, [x, 0.0, y, 0.0, 0.0, z]);
        let cell = format!("CRYST1{x:9.3}{y:9.3}{z:9.3}  90.00  90.00  90.00 P 1           1\n");
        let text = place.read(&format!("run/{topology}"));
        assert!(text.contains(&cell), "{cell}{}", &text[..200]);
    }
    place.beadwork("verify run").expect(0);
}
