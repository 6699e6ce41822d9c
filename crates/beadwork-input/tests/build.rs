//! Boxes that are filled with molecules: how many there are, where they lie, and refusals.

use std::path::Path;

use crate::common::{assert_fixed_point, complaint, parse};
use beadwork_input::{Request, TEMPLATE_CHAIN, TEMPLATE_DPD, TEMPLATE_FLUID, TEMPLATE_MELT};
use beadwork_model::potentials::angle::AngleTerm;
use beadwork_model::{Boundary, System};

fn input(system: &str) -> String {
    format!(
        r#"[system]
model = "beads"
units = "reduced"
{system}
pairs = [ {{ kind = "dpd", repulsion = 25.0, cutoff = 1.0, friction = 4.5 }} ]
exclude = 0

[dynamics]
integrator = "velocity-verlet"
timestep = 0.04

[[stage]]
steps = 10
"#
    )
}

const BONDS: &str = r#"bonds = [ { kind = "harmonic", stiffness = 4.0, length = 0.5 } ]"#;

fn read(system: &str) -> Request {
    let request =
        parse(Path::new("."), &input(system)).unwrap_or_else(|error| panic!("{system}: {error}"));
    assert_fixed_point(&request);
    request
}

fn system(lines: &str) -> System {
    read(lines).points[0].system.as_ref().clone()
}

fn refusal(lines: &str) -> String {
    complaint(&parse(Path::new("."), &input(lines)).unwrap_err())
}

fn sides(system: &System) -> [f64; 3] {
    match system.boundary {
        Boundary::Periodic { lengths } => lengths,
        Boundary::Open => panic!("no box"),
    }
}

#[test]
fn a_density_fills_a_box() {
    let fluid = system("box = [4, 5, 6]\nbuild = { molecule = \"A\", density = 3.0 }");
    assert_eq!((fluid.beads(), fluid.counts.chains), (360, 360));
    // 360 beads are 36 chains; 361 would be too.
    let chains =
        format!("box = [4, 5, 6]\nbuild = {{ molecule = \"A3B7\", density = 3.008 }}\n{BONDS}");
    assert_eq!(system(&chains).counts.chains, 36);
}

#[test]
fn a_count_and_a_density_make_a_cube() {
    let fluid = system("build = { molecule = \"A2\", count = 48, density = 1.5 }");
    assert_eq!(sides(&fluid), [4.0; 3]);
    let text = "build = { molecule = \"A2\", count = 48, density = 1.5 }\nbox = \"cube\"";
    assert_eq!(sides(&system(text)), [4.0; 3]);
    assert!(read(text).resolved.contains("box = \"cube\""));
}

#[test]
fn a_mixture_has_the_fractions_of_its_beads() {
    let mixture = system(&format!(
        "box = [5, 5, 5]\nbuild = {{ molecules = [ {{ molecule = \"A4[B]\", fraction = 0.2 }}, {{ molecule = \"W\", fraction = 0.8 }} ], density = 4.0 }}\n{BONDS}"
    ));
    // 500 beads: 20 molecules of five, and 400 alone.
    assert_eq!((mixture.beads(), mixture.counts.chains), (500, 420));
    assert_eq!(&mixture.particles.types[..6], [0, 0, 0, 0, 1, 0]);
    assert_eq!(mixture.counts.bonds, 80);
}

#[test]
fn branches_are_bonded_to_their_beads() {
    let text = format!(
        "box = [5, 5, 5]\nbuild = {{ molecule = \"A2[B2]A\", count = 2 }}\n{BONDS}\nangles = [ {{ kind = \"cosine\", stiffness = 1.0 }} ]"
    );
    let bonds = [(0, 1), (1, 2), (1, 4), (2, 3), (5, 6), (6, 7), (6, 9), (7, 8)];
    let system = system(&text);
    assert_eq!(system.bonds(), bonds);
    let AngleTerm::CosineAngle(angles) = &system.interactions.angles[0] else { panic!("others") };
    let beads: Vec<_> = angles.iter().map(|angle| angle.beads).collect();
    let first = [[0, 1, 2], [1, 2, 3], [0, 1, 4]];
    assert_eq!(beads[..3], first);
    assert_eq!(beads[3..], first.map(|beads| beads.map(|bead| bead + 5)));
}

#[test]
fn random_places_follow_from_the_seed_alone() {
    let lines = format!(
        "box = [5, 5, 5]\nbuild = {{ molecule = \"A10\", count = 20, placement = \"random\", bond_length = 0.7 }}\n{BONDS}"
    );
    let with_seed = |seed: u64| {
        let text = format!("{}[random]\nseed = {seed}\n", input(&lines));
        let request = parse(Path::new("."), &text).unwrap();
        assert_fixed_point(&request);
        request.points[0].system.particles.positions.clone()
    };
    assert_eq!(with_seed(1), with_seed(1));
    assert_ne!(with_seed(1), with_seed(2));
    let boundary = Boundary::Open;
    let positions = with_seed(1);
    for molecule in positions.chunks_exact(10) {
        for bond in molecule.windows(2) {
            let length = boundary.squared_distance(bond[0], bond[1]).sqrt();
            assert!((length - 0.7).abs() < 1e-12, "{length}");
        }
    }
    // A sweep over seeds has a start for each.
    let text = format!("{}[ensemble.sweep]\n\"random.seed\" = [1, 2]\n", input(&lines));
    let request = parse(Path::new("."), &text).unwrap();
    let start = |point: usize| request.points[point].system.particles.positions.clone();
    assert_eq!([start(0), start(1)], [with_seed(1), with_seed(2)]);
}

#[test]
fn one_molecule_is_built_in_open_space() {
    let lines = |build: &str| format!("box = \"open\"\nbuild = {build}\n{BONDS}");
    let request = read(&lines("{ molecule = \"A4[B3]A4\", bond_length = 0.7 }"));
    assert!(request.resolved.contains("placement = \"random\""), "{}", request.resolved);
    let system = &request.points[0].system;
    assert_eq!((system.boundary, system.beads(), system.counts.chains), (Boundary::Open, 11, 1));
    let positions = &system.particles.positions;
    assert!(positions[0].iter().all(|coordinate| *coordinate == 0.0), "{:?}", positions[0]);
    for (i, j) in system.bonds() {
        let length = Boundary::Open.squared_distance(positions[i], positions[j]).sqrt();
        assert!((length - 0.7).abs() < 1e-12, "{length}");
    }
    for (build, part) in [
        ("{ molecule = \"A5\", count = 2, bond_length = 0.7 }", "has 2 molecules, and box"),
        ("{ molecule = \"A5\", placement = \"lattice\" }", "open space has none: write"),
        ("{ molecule = \"A5\" }", "the key `bond_length` is missing"),
        ("{ molecule = \"A5\", fraction = 1.0 }", "it is a share of the beads"),
    ] {
        let found = refusal(&lines(build));
        assert!(found.contains(part), "{part}: {found}");
    }
}

#[test]
fn densities_of_real_units_are_concentrations_of_beads() {
    let text = r#"[system]
model = "beads"
box = ["50 A", "50 A", "50 A"]
build = { molecule = "W", density = "10 M" }
types = [ { name = "W", mass = 72.0 } ]
pairs = [ { kind = "wca", depth = "0.2 kcal/mol", diameter = "4.7 A" } ]

[dynamics]
collision_rate = "1 /ps"
timestep = "10 fs"

[[stage]]
steps = 10
"#;
    let request = parse(Path::new("."), text).unwrap();
    assert_fixed_point(&request);
    // 10 mol/L times 6.022×10²³ times 125 nm³.
    assert_eq!(request.points[0].system.beads(), 753);
}

#[test]
fn what_cannot_be_built_is_refused() {
    let with = |build: &str| refusal(&format!("box = [5, 5, 5]\nbuild = {build}\n{BONDS}"));
    let cases = [
        (
            with(r#"{ molecule = "A10", density = 0.001 }"#),
            "room for 0.01 of a molecule of 10 beads",
        ),
        (with(r#"{ molecule = "A10", density = -1 }"#), "must be more than 0"),
        (with(r#"{ molecule = "A10", count = 3, density = 3 }"#), "leave out one of the three"),
        (with(r#"{ molecule = "A10", fraction = 0.5 }"#), "give both, or a `count`"),
        (with(r#"{ molecule = "A10", fraction = 0.5, density = 3 }"#), "add up to 0.5"),
        (
            with(
                r#"{ molecules = [ { molecule = "A" }, { molecule = "B", fraction = 1 } ], density = 3 }"#,
            ),
            "`fraction` is missing",
        ),
        (with(r#"{ molecules = [], molecule = "A" }"#), "each entry of `molecules` has its own"),
        (with("[]"), "makes no beads"),
        (with(r#"{ molecule = "A[", count = 3 }"#), "cannot be read at its end"),
        (with(r#"{ molecule = "A0", count = 3 }"#), "cannot be read at 0: numbers are from 1"),
        (
            with(r#"{ molecule = "A10", count = 3, placement = "random" }"#),
            "`bond_length` is missing",
        ),
        (
            with(r#"{ molecule = "A10", count = 3, bond_length = 1 }"#),
            "it belongs to placement = \"random\"",
        ),
        (
            with(
                r#"{ molecule = "A10", count = 3, placement = "random", bond_length = 1, characteristic_ratio = 0.5 }"#,
            ),
            "must be at least 1",
        ),
        (with(r#"{ molecule = "A10", count = 1_000_000_000_000 }"#), "a system has at most"),
        (refusal("build = { molecule = \"A\", count = 3 }"), "`box` has no sides"),
        (refusal("box = \"cube\"\nbuild = { molecule = \"A\", count = 3 }"), "`box` has no sides"),
        (
            refusal("box = \"open\"\nbuild = { molecule = \"A\", count = 3, density = 1 }"),
            "write \"cube\"",
        ),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

/// Each runs as it stands; the melt needs its push-off.
#[test]
fn templates_of_soft_matter_are_inputs() {
    for (template, beads) in [
        (TEMPLATE_DPD, 3_000),
        (TEMPLATE_MELT, 2_000),
        (TEMPLATE_CHAIN, 30),
        (TEMPLATE_FLUID, 1_000),
    ] {
        let request = parse(Path::new("."), template).unwrap();
        assert_fixed_point(&request);
        assert_eq!(request.points[0].system.beads(), beads);
        assert!(request.warnings.is_empty(), "{:?}", request.warnings);
    }
    let bare = TEMPLATE_MELT.replace("push_off = 1_200, ", "");
    let said = complaint(&parse(Path::new("."), &bare).unwrap_err());
    assert!(said.contains("push_off = 1_000"), "{said}");
}

#[test]
fn densities_beyond_the_closest_packing_are_refused() {
    let text =
        TEMPLATE_FLUID.replace("count = 1000, density = 0.776", "count = 4000, density = 7.76");
    let said = complaint(&parse(Path::new("."), &text).unwrap_err());
    assert!(said.contains("cannot be built at this density"), "{said}");
}

/// 1.9 million beads, each with 10^6 others within the cutoff: they are refused where they are written, before any is made.
#[test]
fn crowds_are_refused_before_their_beads_are_made() {
    // Where the system does not say how much memory is free, nothing is refused.
    if beadwork_input::free_memory().is_none() {
        return;
    }
    let said = refusal("box = [2.1, 2.1, 2.1]\nbuild = { molecule = \"A3B7\", density = 2e5 }");
    assert!(said.starts_with("[input/bad-value] in.toml:5:9 "), "{said}");
    let words = "1_852_200 beads as dense as these have about";
    assert!(said.contains(words) && said.contains("GB of memory"), "{said}");
}

#[test]
fn molecules_without_bonds_are_warned_of() {
    let fill = |molecule: &str| {
        format!("box = [10, 10, 10]\nbuild = {{ molecule = \"{molecule}\", count = 20 }}")
    };
    let about = |system: &str| {
        let warnings = read(system).warnings;
        warnings.iter().filter(|text| text.contains("nothing holds them together")).count()
    };
    assert_eq!(about(&fill("A4")), 1);
    assert_eq!(about(&fill("A")), 0);
    assert_eq!(about(&format!("{}\n{BONDS}", fill("A4"))), 0);
}

/// Bonds need values for the types of bonded beads only: none joins a solvent.
#[test]
fn values_of_bonds_are_needed_where_there_are_bonds() {
    let fill = r#"box = [10, 10, 10]
build = [ { molecule = "A3", count = 20 }, { molecule = "W", count = 20 } ]"#;
    let bonds = |stiffness: &str| {
        format!(
            "{fill}\nbonds = [ {{ kind = \"harmonic\", stiffness = {stiffness}, length = 0.5 }} ]"
        )
    };
    let request = read(&bonds("{ AA = 4.0 }"));
    assert_eq!(request.points[0].system.bonds().len(), 40);
    let refused = parse(Path::new("."), &input(&bonds("{ WW = 4.0 }"))).unwrap_err();
    let error = complaint(&refused);
    assert!(error.contains("no value for the types A and A: write `AA`"), "{error}");
}

/// The resolved form has a table with a list of molecules, and paths of a sweep mean the same there.
#[test]
fn molecules_can_be_swept_however_they_are_written() {
    let one = "{ molecule = \"A2\", count = 4 }";
    let two = "{ molecule = \"A2\", count = 4 }, { molecule = \"A3\", count = 2 }";
    let beads_of = |build: &str, path: &str, values: &str| -> Result<Vec<usize>, String> {
        let system = format!("box = [5, 5, 5]\nbuild = {build}\n{BONDS}");
        let text = format!("{}\n[ensemble.sweep]\n\"{path}\" = {values}\n", input(&system));
        let request = parse(Path::new("."), &text).map_err(|error| complaint(&error))?;
        assert_fixed_point(&request);
        assert_eq!(request.points[1].settings[0].0, path);
        Ok(request.points.iter().map(|point| point.system.beads()).collect())
    };
    let full = |molecules: &str| format!("{{ molecules = [ {molecules} ] }}");
    for build in [one.to_string(), format!("[ {one} ]"), full(one)] {
        for path in ["count", "1.count", "molecules.1.count"] {
            let path = format!("system.build.{path}");
            assert_eq!(beads_of(&build, &path, "[4, 6]"), Ok(vec![8, 12]), "{build}, {path}");
        }
        assert_eq!(
            beads_of(&build, "system.build.1.molecule", "[\"A3\", \"A5\"]"),
            Ok(vec![12, 20])
        );
        let whole = format!("[[ {one} ], [ {two} ]]");
        assert_eq!(beads_of(&build, "system.build", &whole), Ok(vec![8, 14]));
    }
    for build in [format!("[ {two} ]"), full(two)] {
        assert_eq!(beads_of(&build, "system.build.2.count", "[2, 3]"), Ok(vec![14, 17]));
        let problem = beads_of(&build, "system.build.count", "[2, 3]").unwrap_err();
        assert!(problem.contains("2 molecules with this key; write build.1.count"), "{problem}");
        let problem = beads_of(&build, "system.build.3.count", "[2, 3]").unwrap_err();
        assert!(problem.contains("the list has 2"), "{problem}");
    }
    let twice = "[2, 3]\n\"system.build.molecules.1.count\" = [4, 5]";
    let problem = beads_of(one, "system.build.count", twice).unwrap_err();
    assert!(problem.contains("set the same thing"), "{problem}");
}
