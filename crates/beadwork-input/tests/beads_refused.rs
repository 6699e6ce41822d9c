//! Mistakes in inputs of bead models, and the advice that each gets.

use std::path::Path;

use crate::beads::{BUILT, read, system};
use crate::common::{complaint, parse};

/// The refusal of an input with a change: what to replace, and by what.
fn refusal(replace: &str, by: &str) -> String {
    assert!(BUILT.contains(replace), "no {replace}");
    let text = BUILT.replacen(replace, by, 1);
    complaint(&parse(Path::new("."), &text).unwrap_err())
}

/// Units are refused in `[analysis]` too, and the resolved form has none.
#[test]
fn reduced_analysis_has_no_units() {
    let with = |keys: &str| format!("{BUILT}\n[analysis]\n{keys}\n");
    let request = read(&with("window = 0.2\nprominence = 1.5"));
    assert_eq!(request.analysis.window, Some(0.2));
    assert_eq!(request.analysis.prominence, Some(1.5));
    assert!(request.resolved.contains("window = 0.2\nprominence = 1.5\n"), "{}", request.resolved);
    let longer = read(&with("window = 5.0"));
    let warning = "`window` of [analysis] is longer than any";
    assert!(longer.warnings.iter().any(|one| one.contains(warning)), "{:?}", longer.warnings);
    let usual = read(BUILT);
    assert_eq!((usual.analysis.window, usual.analysis.prominence), (None, None));
    let automatic = "window = \"automatic\"\nprominence = \"automatic\"\n";
    assert!(usual.resolved.contains(automatic), "{}", usual.resolved);
    for (keys, part) in [
        (
            "window = \"5 ps\"",
            "`window` must be a number without a unit such as 0.7, without quotes, found the text \"5 ps\"",
        ),
        ("prominence = \"40 pN\"", "`prominence` must be a number without a unit"),
        ("slope = [\"0 nm\", \"1 nm\"]", "`slope` must be a number without a unit"),
        ("slope = \"0 nm, 1 nm\"", "`slope` must be a number without a unit"),
        (
            "hertz = [1.0, 0.0]",
            "`hertz` must be two deformations without units such as [0.0, 3.0], of which the first is",
        ),
    ] {
        let said = complaint(&parse(Path::new("."), &with(keys)).unwrap_err());
        assert!(said.contains(part), "{keys}: {said}");
    }
}

#[test]
fn mistakes_in_beads_are_explained() {
    let cases = [
        ("units = \"reduced\"", "units = \"lj\"", "may be \"real\", \"reduced\""),
        ("[6, 6, 6]", "[6, 6]", "three sides"),
        ("[6, 6, 6]", "[6, 0, 6]", "must be more than 0"),
        ("[6, 6, 6]", "[1.9, 6, 6]", "less than twice the largest cutoff"),
        ("[6, 6, 6]", "\"sphere\"", "three sides such as [20, 20, 20]"),
        ("box = [6, 6, 6]\n", "", "fills a box"),
        ("\"A2B\"", "\"2A\"", "types with numbers"),
        ("\"A2B\"", "\"A2C\"", "the type C, which `types` lacks"),
        ("count = 2", "count = 1_000_000_000", "a system has at most 2_147_483_647"),
        ("mass = 2.0", "mass = 0.0", "must be more than 0"),
        ("mass = 2.0", "mass = 2.0, friction = 1.0", "the key `friction` is missing"),
        ("name = \"B\"", "name = \"A\"", "that of an earlier type"),
        ("name = \"B\"", "name = \"B C\"", "must be a word without spaces"),
        (
            "repulsion = { AA = 25.0, BB = 30.0, AB = 50.0 }",
            "repulsion = { AA = 25.0, BB = 30.0 }",
            "no value for the types A and B: write `AB`",
        ),
        ("AB = 50.0", "AB = 50.0, BA = 50.0", "is the same as `AB`"),
        ("AB = 50.0", "AC = 50.0", "`AC` is no type of the beads"),
        ("cutoff = 1.0", "cutoff = 0.0", "must be more than 0"),
        ("cutoff = 1.0", "cutoff = \"1 nm\"", "a number without a unit"),
        ("kind = \"dpd\"", "kind = \"dpp\"", "does not know \"dpp\""),
        (
            "friction = 4.5 }",
            "friction = 4.5 }, { kind = \"dpd-thermostat\", friction = 1.0, cutoff = 1.0 }",
            "a second pair thermostat",
        ),
        (
            "\"velocity-verlet\"",
            "\"langevin\"\ncollision_rate = 1.0",
            "a pair thermostat needs the integrator \"velocity-verlet\"",
        ),
        ("kind = \"harmonic\"", "kind = \"harmonic\", between = [[0, 0]]", "names bead 0 twice"),
        (
            "kind = \"harmonic\"",
            "kind = \"harmonic\", between = [[0, 6]]",
            "the last of the 6 beads is 5",
        ),
        ("kind = \"harmonic\"", "kind = \"harmonic\", between = [[0, 1, 2]]", "lists of 2 beads"),
        ("kind = \"harmonic\"", "kind = \"harmonic\", between = \"file\"", "no such list"),
        ("kind = \"harmonic\"", "kind = \"harmonic\", number = 1", "it chooses among the bonds"),
        (
            "kind = \"harmonic\"",
            "kind = \"harmonic\", within = 1.0",
            "it belongs to between = \"near\"",
        ),
        ("length = 0.5", "length = 5.0", "not more than twice the length"),
        (", length = 0.5", "", "the key `length` is missing"),
        ("exclude = 0", "exclude = 11", "at most 10 bonds"),
        ("exclude = 0\n", "", "exclude = 0 if they do"),
        (
            "exclude = 0",
            "exclude = 0\nangles = [ { kind = \"cosine\", stiffness = 1.0, between = [[0, 1, 1]] } ]",
            "names bead 1 twice",
        ),
        (
            "exclude = 0",
            "exclude = 0\nangles = [ { kind = \"harmonic\", stiffness = 1.0, angle = 200 } ]",
            "at most 180",
        ),
        ("exclude = 0", "exclude = 0\nforce_unit = \"2^-3\"", "follows from the system"),
        ("timestep = 0.04", "timestep = 1.5", "too long for the stiffest bond"),
        ("timestep = 0.04", "", "the key `timestep` is missing"),
        ("timestep = 0.04", "timestep = \"10 fs\"", "a number without a unit"),
        (
            "kind = \"harmonic\", stiffness = 4.0, length = 0.5",
            "kind = \"fene\", stiffness = 30.0, limit = 0.5",
            "their bond holds within 0 +/- 0.5 only: bonds of a lattice are as long as the density makes them: give `build` placement = \"random\"",
        ),
        (
            "steps = 10",
            "steps = 10\ndrives = [ { kind = \"force\", fixed = \"none\", direction = [1, 0, 0], pulled = \"last\", force = 1.0 } ]",
            "has drives, which need open space (force): leave them out",
        ),
        (
            "steps = 10",
            "steps = 10\ndrives = [ { kind = \"tip\", above = \"all\", radius = 9.0, stiffness = 5.0, friction = 50.0, speed = 0.1 } ]",
            "has drives, which need open space (tip): leave them out",
        ),
        (
            "steps = 10",
            "duration = 0.05",
            "is 0.05, which is 1.25 steps of 0.04: write 0.04 (1 step) or 0.08 (2 steps)",
        ),
    ];
    for (replace, by, part) in cases {
        let said = refusal(replace, by);
        assert!(said.contains(part), "{by}: {said}");
    }
}

/// The advice of the first message is followed by no other.
#[test]
fn a_friction_of_a_type_needs_one_for_the_others() {
    let own = BUILT.replace("mass = 2.0", "mass = 2.0, friction = 1.0");
    let with = |line: &str| own.replace("timestep = 0.04", &format!("timestep = 0.04\n{line}"));
    let missing = complaint(&parse(Path::new("."), &own).unwrap_err());
    assert!(missing.contains("write for example friction = 1.0"), "{missing}");
    let types = system(&with("friction = 1.0")).types;
    assert_eq!([types[0].friction, types[1].friction], [None, Some(1.0)]);
    let rate = complaint(&parse(Path::new("."), &with("collision_rate = 1.0")).unwrap_err());
    assert!(rate.contains("cannot be used with a collision rate"), "{rate}");
}

/// A type that is not there is answered by those that are.
#[test]
fn selections_without_beads_name_the_types() {
    let text = format!("{BUILT}drives = [ {{ kind = \"restrain\", select = \"type Q\" }} ]\n");
    let problem = parse(Path::new("."), &text).unwrap_err().to_string();
    let expected = "the selection \"type Q\" matches no bead; there are types A, B; chains ";
    assert!(problem.contains(expected), "{problem}");
}
