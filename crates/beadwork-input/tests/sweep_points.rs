//! Points of sweeps: their order and values, overrides of them, and sweeps that have none.

use std::path::Path;
use std::sync::Arc;

use crate::common::{SMALL, assert_fixed_point, folder, parse, parse_with, pdb, snake, write};
use beadwork_input::Request;
use beadwork_model::externals::External;
use beadwork_model::potentials::NativeContact;
use beadwork_model::units::{self, Dimension};

const SWEPT: &str = r#"
[system]
structure = { file = "a.pdb", chains = "A" }
[[stage]]
name = "pull"
steps = 1000
drives = [{ kind = "spring", fixed = "first", pulled = "last", stiffness = "35 pN/nm" }]
[ensemble]
replicas = 3
[ensemble.sweep]
"pull.speed" = ["0.5 um/s", "2.5 um/s"]
"system.contacts.energy" = ["1 kcal/mol", "beta"]
"#;

fn speed(point: &beadwork_input::Point) -> f64 {
    match &point.protocol.stages[0].externals[0] {
        External::Spring(spring) => spring.speed,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_product_varies_its_last_path_fastest_and_shares_systems() {
    let folder = folder();
    let request = parse(folder.path(), SWEPT).unwrap();
    assert_fixed_point(&request);
    assert_eq!((request.points.len(), request.members()), (4, 12));
    let values: Vec<_> = request
        .points
        .iter()
        .map(|point| (point.settings[0].1.as_str(), point.settings[1].1.as_str()))
        .collect();
    assert_eq!(
        values,
        [
            ("0.5 um/s", "1 kcal/mol"),
            ("0.5 um/s", "beta"),
            ("2.5 um/s", "1 kcal/mol"),
            ("2.5 um/s", "beta")
        ]
    );
    let value = |text| units::parse(text, Dimension::Speed).unwrap().value;
    assert_eq!(speed(&request.points[1]), value("0.5 um/s"));
    assert_eq!(speed(&request.points[2]), value("2.5 um/s"));
    let [a, b, c, d] = request.points.as_slice() else { panic!() };
    assert!(Arc::ptr_eq(&a.system, &c.system) && Arc::ptr_eq(&b.system, &d.system));
    assert_eq!(a.system.interactions.bonded_by::<NativeContact>()[0].potential.depth, 1.0);
    assert_eq!(b.system.interactions.bonded_by::<NativeContact>()[0].potential.depth, 0.0);
    // Force peaks are searched in all rows, however few, so no warning about averages.
    assert!(!request.warnings.iter().any(|warning| warning.contains("averages")));
    let (point, replica) = request.member(7);
    assert_eq!((point.settings[0].1.as_str(), replica), ("2.5 um/s", 1));
}

#[test]
fn zip_pairs_and_files_can_be_swept() {
    let folder = folder();
    write(folder.path(), "deep/a.pdb", &pdb(&snake('A', 9)));
    let text = "[system]\nstructure = \"a.pdb\"\n[[stage]]\nsteps = 5\n[ensemble.sweep]\nmode = \"zip\"\nsystem.structure.file = [\"a.pdb\", \"deep/a.pdb\"]\nstage-1.steps = [7, 9]\n";
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.points.len(), 2);
    assert_eq!(request.points[0].system.beads(), 20);
    assert_eq!(request.points[1].system.beads(), 9);
    assert_eq!(request.points[1].protocol.steps(), 9);
    assert_eq!(request.points[1].settings[0].1, "inputs/a-2.pdb");
    assert!(
        request
            .resolved
            .contains("\"system.structure.file\" = [\"inputs/a.pdb\", \"inputs/a-2.pdb\"]"),
        "{}",
        request.resolved
    );
}

#[test]
fn whole_structures_and_kinds_of_stages_can_be_swept() {
    let folder = folder();
    let text = "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"go\"\nsteps = 5\n[ensemble.sweep]\nsystem.structure = [{ file = \"a.pdb\", chains = \"B\" }, \"a.pdb\"]\n\"go.duration\" = [\"1 ns\", \"2 ns\"]\n\"random.seed\" = [1, 2]\n";
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.points.len(), 8);
    assert_eq!(request.points[0].system.beads(), 8);
    assert_eq!(request.points[7].system.beads(), 20);
    assert_eq!(request.points[7].protocol.seed, 2);
    assert_eq!(request.points[2].protocol.steps(), 100);
    assert_eq!(request.points[0].settings[0].1, "{ file = \"inputs/a.pdb\", chains = \"B\" }");
}

#[test]
fn overrides_reach_everything_and_are_resolved() {
    let folder = folder();
    let request = parse_with(
        folder.path(),
        SWEPT,
        &[
            ("pull.steps", "77"),
            ("dynamics.temperature", "310 K"),
            ("ensemble.replicas", "5"),
            ("output.folder", "runs/other"),
            ("ensemble.sweep.pull.speed", "[\"1 um/s\"]"),
            ("system.structure.chains", "B"),
        ],
    )
    .unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.members(), 10);
    assert_eq!(request.points[0].protocol.steps(), 77);
    assert_eq!(request.points[0].system.beads(), 8);
    assert_eq!(request.output.folder, Path::new("runs/other"));
    assert!(request.resolved.contains("temperature = \"310 K\""));
}

#[test]
fn warnings_come_once_and_name_their_point() {
    let folder = folder();
    // Two residues are missing from the middle of the chain: a gap of three bonds.
    let broken: Vec<_> =
        snake('A', 12).into_iter().filter(|(_, number, _)| ![2, 3].contains(number)).collect();
    write(folder.path(), "a.pdb", &pdb(&broken));
    let text = format!(
        "{SMALL}\n[output]\ntable = {{ every_steps = 5 }}\n[ensemble.sweep]\n\"dynamics.friction\" = [\"8.685e6 pN ps/nm\", \"7.0e5 pN ps/nm\"]\n"
    );
    let request = parse(folder.path(), &text).unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.warnings.len(), 2, "{:?}", request.warnings);
    assert!(request.warnings[0].starts_with("a.pdb: 1 break(s), 2 residue(s) missing"));
    assert!(
        request.warnings[1]
            .starts_with("dynamics.friction = 7.0e5 pN ps/nm: the time step of 20 ps is too large")
    );
}

/// The last path of a product varies fastest; a zip pairs the lists.
#[test]
fn points_of_a_sweep_have_an_order() {
    let read = |mode: &str| {
        let sweep = "run.steps = [1, 2]\n\"dynamics.temperature\" = [\"300 K\", \"310 K\"]";
        let folder = folder();
        parse(folder.path(), &format!("{SMALL}[ensemble.sweep]\n{mode}{sweep}")).unwrap()
    };
    let points = |request: &Request| -> Vec<String> {
        let values =
            request.points.iter().map(|point| point.settings.iter().map(|(_, value)| value));
        values.map(|values| values.cloned().collect::<Vec<_>>().join(" ")).collect()
    };
    let product = read("");
    assert_eq!(product.replicas, 1);
    assert_eq!(points(&product), ["1 300 K", "1 310 K", "2 300 K", "2 310 K"]);
    let resolved = "[ensemble]\nreplicas = 1\n\n[ensemble.sweep]\nmode = \"product\"\n\"run.steps\" = [1, 2]\n";
    assert!(product.resolved.contains(resolved), "{}", product.resolved);
    assert_eq!(points(&read("mode = \"zip\"\n")), ["1 300 K", "2 310 K"]);
}

#[test]
fn refuses_sweeps_without_points() {
    for (text, part) in [
        ("[ensemble]\nsweep = 3", "must be a table of lists"),
        ("[ensemble.sweep]\n\"a.b\" = 3", "\"a.b\" must be a list of values, found the number 3"),
        ("[ensemble.sweep]\n\"a.b\" = []", "\"a.b\" has no values"),
        ("[ensemble.sweep]\n\"output.folder\" = [\"x\"]", "all points of a run share it"),
        ("[ensemble.sweep]\n\"a.b\" = [1]\na.b = [2]", "\"a.b\" is there twice"),
        ("[ensemble.sweep]\n\"pull.name\" = [\"a\", \"b\"]", "find a stage by its name"),
        ("[ensemble.sweep]\n\"a.b\" = [1, 2, 1]", "has the value 1 twice"),
        ("[ensemble.sweep]\n\"a.b\" = [1]\n\"a.b.c\" = [2]", "\"a.b\" set the same thing"),
        (
            "[ensemble.sweep]\n\"p.duration\" = [1]\n\"p.steps\" = [2]",
            "\"p.duration\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"exchange.every\" = [1]\n\"exchange.every_steps\" = [2]",
            "\"exchange.every\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"p.drives.1.speed\" = [1]\n\"p.speed\" = [2]",
            "\"p.drives.1.speed\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"p.stage.steps\" = [1]\n\"p.duration\" = [2]",
            "\"p.stage.steps\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"p.speed\" = [1]\n\"p.drives\" = [2]",
            "\"p.speed\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"dynamics.friction\" = [1]\n\"dynamics.diffusion\" = [2]",
            "\"dynamics.friction\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"dynamics.collision_rate\" = [1]\n\"dynamics.friction\" = [2]",
            "\"dynamics.collision_rate\" set the same thing",
        ),
        (
            "[ensemble.sweep]\nmode = \"zip\"\n\"a.b\" = [1]\na.c = [2, 3]",
            "\"a.b\" has 1 values and \"a.c\" 2",
        ),
        ("[ensemble.sweep]\nmode = \"zap\"\n", "did you mean \"zip\"?"),
        ("[ensemble]\nreplicas = 9_000_000_000", "more than 1000000 members"),
    ] {
        let folder = folder();
        let error = parse(folder.path(), &format!("{SMALL}{text}")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.location().is_some());
    }
}
