//! Files that an input names: the names of their copies, what is built in, and starts that replicas share.

use std::path::Path;

use crate::common::{SMALL, assert_fixed_point, folder, parse, parse_with, pdb, snake, write};
use beadwork_input::{Request, TEMPLATE_INDENTATION, TEMPLATE_SOP};

fn names(request: &Request) -> Vec<&str> {
    request.files.iter().map(|file| file.name.as_str()).collect()
}

/// A file with two paths is read once; files of one name get different names; a series keeps its placeholder.
#[test]
fn files_have_names_of_their_own() {
    let folder = folder();
    for (number, file) in [
        "sub/a.pdb",
        "x_1.pdb",
        "s/x_0.pdb",
        "s/x_1.pdb",
        "r0/end.pdb",
        "r1/end.pdb",
        "x_2.pdb",
        "t/x_2.pdb",
        "t/x_3.pdb",
    ]
    .iter()
    .enumerate()
    {
        let mut alphas = snake('A', 12);
        alphas[0].2[2] = 0.1 * number as f64;
        write(folder.path(), file, &pdb(&alphas));
    }
    let read = |structure: &str, starts: &str| {
        let sweep = format!(
            "mode = \"zip\"\n\"system.structure\" = {structure}\n\"system.start\" = {starts}"
        );
        let text = format!(
            "[system]\nstructure = \"x_1.pdb\"\n[[stage]]\nsteps = 10\n[ensemble]\nreplicas = 2\n[ensemble.sweep]\n{sweep}\n"
        );
        let request = parse(folder.path(), &text).unwrap_or_else(|error| panic!("{error}"));
        assert_fixed_point(&request);
        request
    };
    let chain_a = "{ file = \"a.pdb\", chains = \"A\" }";
    let request = read(&format!("[{chain_a}, {chain_a}]"), "[\"sub/a.pdb\", \"x_1.pdb\"]");
    assert_eq!(names(&request), ["inputs/a.pdb", "inputs/a-2.pdb", "inputs/x_1.pdb"]);
    assert_eq!(request.files[1].from, folder.path().join("sub/a.pdb"));

    let request =
        read("[\"x_1.pdb\", \"x_1.pdb\"]", "[\"s/x_{replica}.pdb\", \"r{replica}/end.pdb\"]");
    let series = ["inputs/x_0-2.pdb", "inputs/x_1-2.pdb", "inputs/end_0.pdb", "inputs/end_1.pdb"];
    assert_eq!(names(&request)[0], "inputs/x_1.pdb");
    assert_eq!(names(&request)[1..], series);
    assert!(request.resolved.contains("\"inputs/x_{replica}-2.pdb\""), "{}", request.resolved);

    // A file that was read alone before already has the name that its series needs.
    let request = read("[\"s/x_1.pdb\", \"s/x_1.pdb\"]", "[\"s/x_{replica}.pdb\", \"s/x_1.pdb\"]");
    assert_eq!(names(&request), ["inputs/x_1.pdb", "inputs/x_0.pdb"]);
    assert!(request.resolved.contains("\"inputs/x_{replica}.pdb\""), "{}", request.resolved);
    // Read alone, t/x_3.pdb gets a name that its series cannot have, so it is listed twice.
    let request = read(
        "[\"t/x_3.pdb\", \"x_2.pdb\"]",
        "[\"x_2.pdb\", { file = \"t/x_{replica}.pdb\", first = 2 }]",
    );
    assert_eq!(
        names(&request),
        ["inputs/x_3.pdb", "inputs/x_2.pdb", "inputs/x_2-2.pdb", "inputs/x_3-2.pdb"]
    );
    assert_eq!(request.files[2].from, folder.path().join("t/x_2.pdb"));
}

#[test]
fn all_replicas_can_share_one_start() {
    let folder = folder();
    write(folder.path(), "s.pdb", &pdb(&snake('A', 12)));
    let request =
        parse_with(folder.path(), SMALL, &[("system.start", "s.pdb"), ("ensemble.replicas", "4")])
            .unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.points[0].starts.as_ref().unwrap().len(), 1);
}

/// The templates of proteins and shells have a structure that is built in.
#[test]
fn the_template_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let request = beadwork_input::parse(TEMPLATE_SOP, "titin.toml", folder.path(), &[]).unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.points[0].system.beads(), 76);
    assert_eq!(request.points[0].protocol.stages.len(), 2);
    assert_eq!(request.points[0].protocol.steps(), 61_000_000);
    assert_eq!(request.output.folder, Path::new("runs/titin"));
    assert_eq!(request.warnings, [""; 0]);
    let names: Vec<&str> = request.files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["inputs/ubiquitin.pdb"]);
    assert!(request.resolved.contains("file = \"inputs/ubiquitin.pdb\""), "{}", request.resolved);

    let shell = beadwork_input::parse(TEMPLATE_INDENTATION, "in.toml", folder.path(), &[]).unwrap();
    assert_eq!(shell.points[0].system.beads(), 60 * 141);
}

#[test]
fn a_built_in_structure_is_no_file_beside_the_input() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "ubiquitin.pdb", &pdb(&snake('A', 12)));
    let beads = |name: &str| {
        let text = TEMPLATE_SOP.replace("built-in:ubiquitin.pdb", name);
        let request = beadwork_input::parse(&text, "in.toml", folder.path(), &[])?;
        Ok::<_, beadwork_input::Error>(request.points[0].system.beads())
    };
    assert_eq!(beads("built-in:ubiquitin.pdb").unwrap(), 76);
    assert_eq!(beads("ubiquitin.pdb").unwrap(), 12);
    let error = beads("built-in:titin.pdb").unwrap_err();
    assert_eq!(error.code(), "input/unreadable-file");
    assert!(error.to_string().contains("\"built-in:ubiquitin.pdb\" and \"built-in:spmv.pdb\""));
}

#[test]
fn an_input_is_loaded_with_its_files_beside_it() {
    let folder = folder();
    write(folder.path(), "my.toml", SMALL);
    let request = beadwork_input::load(&folder.path().join("my.toml"), &[]).unwrap();
    assert_eq!(request.output.folder, Path::new("runs/my"));
    let error = beadwork_input::load(Path::new("no such.toml"), &[]).unwrap_err();
    assert!(error.to_string().starts_with("the input no such.toml cannot be read"), "{error}");
}
