//! Velocities of start files: when they are used, in which units, and refusals.

use std::path::Path;

use crate::common::{assert_fixed_point, complaint, parse, write};
use beadwork_input::Request;

const XYZ: &str =
    "2\nProperties=species:S:1:pos:R:3:velo:R:3:mass:R:1\nA 0 0 0 0.5 0 -1 1\nA 5 0 0 0 1.5 0 1\n";

fn input(units: &str, start: &str, dynamics: &str) -> String {
    let timestep = if units == "real" { "\"10 fs\"" } else { "0.01" };
    format!(
        "[system]\nmodel = \"beads\"\nunits = \"{units}\"\nstart = {{ {start} }}\n\n[dynamics]\n{dynamics}\ntimestep = {timestep}\n\n[[stage]]\nsteps = 10\n"
    )
}

/// With velocities, in reduced units.
fn reduced(start: &str) -> String {
    input("reduced", start, "collision_rate = 1.0")
}

fn read(folder: &Path, text: &str) -> Request {
    let request = parse(folder, text).unwrap_or_else(|error| panic!("{}", complaint(&error)));
    assert_fixed_point(&request);
    request
}

#[test]
fn velocities_of_a_file_are_used_if_the_input_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.xyz", XYZ);
    // The warning names the path, which is another one in a run folder.
    let drawn = parse(folder.path(), &reduced("file = \"a.xyz\"")).unwrap();
    assert_eq!(drawn.points[0].velocities, None);
    assert!(drawn.warnings[0].contains("a.xyz are not used"), "{:?}", drawn.warnings);
    // The resolved form has no word that silences the warning.
    assert!(!drawn.resolved.contains("velocities"), "{}", drawn.resolved);
    let drawn = read(folder.path(), &reduced("file = \"a.xyz\", velocities = \"draw\""));
    assert_eq!(drawn.points[0].velocities, None);
    assert!(drawn.warnings.iter().all(|warning| !warning.contains("velocities")));
    let kept = read(folder.path(), &reduced("file = \"a.xyz\", velocities = \"file\""));
    assert!(kept.warnings.iter().all(|warning| !warning.contains("velocities")));
    assert!(kept.resolved.contains("velocities = \"file\""), "{}", kept.resolved);
    for replica in 0..3 {
        let velocities = kept.points[0].velocities_of(replica).unwrap();
        assert_eq!(velocities[..], [[0.5, 0.0, -1.0], [0.0, 1.5, 0.0]]);
    }
    // An integrator without velocities needs no warning.
    let overdamped =
        input("reduced", "file = \"a.xyz\"", "integrator = \"brownian\"\nfriction = 1.0");
    let overdamped = read(folder.path(), &overdamped);
    assert!(overdamped.warnings.iter().all(|warning| !warning.contains("velocities")));
}

#[test]
fn each_replica_may_have_velocities_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a_0.xyz", XYZ);
    write(folder.path(), "a_1.xyz", &XYZ.replace("0.5 0 -1", "-2 0 0"));
    let text = reduced("file = \"a_{replica}.xyz\", velocities = \"file\"")
        + "\n[ensemble]\nreplicas = 2\n";
    let request = read(folder.path(), &text);
    let first = |replica| request.points[0].velocities_of(replica).unwrap()[0];
    assert_eq!([first(0), first(1)], [[0.5, 0.0, -1.0], [-2.0, 0.0, 0.0]]);
    // One of the files has none.
    write(folder.path(), "a_1.xyz", "2\n\nA 0 0 0\nA 5 0 0\n");
    let said = complaint(&parse(folder.path(), &text).unwrap_err());
    assert!(said.contains("a_1.xyz has no velocities"), "{said}");
}

/// A data file of LAMMPS with this first line.
fn data(title: &str) -> String {
    format!(
        "{title}\n\n2 atoms\n1 atom types\n\nMasses\n\n1 100.0\n\nAtoms # atomic\n\n1 1 0 0 0\n2 1 5 0 0\n\nVelocities\n\n1 0.5 0 0\n2 0 0 -0.25\n"
    )
}

#[test]
fn velocities_of_lammps_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let start = "file = \"a.data\", velocities = \"file\"";
    let real = input("real", start, "");
    for (title, text, factor) in [
        ("LAMMPS, units = real", &real, 1000.0),
        ("LAMMPS, units = metal", &real, 1.0),
        ("LAMMPS, units = lj", &reduced(start), 1.0),
        ("LAMMPS", &reduced(start), 1.0),
    ] {
        write(folder.path(), "a.data", &data(title));
        let request = read(folder.path(), text);
        let velocities = request.points[0].velocities_of(0).unwrap();
        assert_eq!(velocities[..], [[0.5 * factor, 0.0, 0.0], [0.0, 0.0, -0.25 * factor]]);
    }
    for (title, text, part) in [
        ("LAMMPS", &real, "does not say in which unit its velocities are"),
        ("LAMMPS, units = lj", &real, "units = lj in its first line, but the input has real units"),
        ("LAMMPS, units = real", &reduced(start), "but the input has reduced units"),
    ] {
        write(folder.path(), "a.data", &data(title));
        let said = complaint(&parse(folder.path(), text).unwrap_err());
        assert!(said.contains(part) && said.contains("a.data"), "{said}");
    }
}

/// Velocities in a wrong unit are far from the temperature of the bath. The temperature of these is
/// (0.5² + 1 + 1.5²)/6 = 0.58, and six degrees of freedom vary by √(2/6) of it.
#[test]
fn velocities_far_from_the_bath_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.xyz", XYZ);
    let start = "file = \"a.xyz\", velocities = \"file\"";
    for (temperature, is_far) in [("0.58", false), ("0.1", true), ("0", false)] {
        let dynamics = format!("collision_rate = 1.0\ntemperature = {temperature}");
        let request = read(folder.path(), &input("reduced", start, &dynamics));
        let said = format!("have the temperature 0.5833, and the bath {temperature}: check");
        let found = request.warnings.iter().any(|warning| warning.contains(&said));
        assert_eq!(found, is_far, "{temperature}: {:?}", request.warnings);
    }
}

#[test]
fn velocities_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.xyz", XYZ);
    write(folder.path(), "none.xyz", "2\n\nA 0 0 0\nA 5 0 0\n");
    let kept = "file = \"a.xyz\", velocities = \"file\"";
    let brownian = "integrator = \"brownian\"\nfriction = 1.0";
    let ladder = "\n[exchange]\ntemperatures = [0.8, 1.0]\nevery_steps = 5\n";
    let cases = [
        (
            reduced("file = \"none.xyz\", velocities = \"file\""),
            "none.xyz has no velocities: write velocities = \"draw\"",
        ),
        (input("reduced", kept, brownian), "the integrator \"brownian\" has no velocities"),
        (reduced(kept) + ladder, "[exchange] begins each replica at the temperature of its rung"),
        (
            reduced("file = \"a.xyz\", velocities = \"filed\""),
            "must be \"file\" for those of the file or \"draw\"",
        ),
        (reduced("file = \"a.xyz\", velocities = true"), "must be \"file\""),
    ];
    for (text, part) in cases {
        let said = complaint(&parse(folder.path(), &text).unwrap_err());
        assert!(said.contains(part), "{said}");
    }
}
