//! Small molecules and requests for the tests of the input language.

#![allow(dead_code, reason = "each test file uses a part")]

use std::fmt::Write as _;
use std::path::Path;

use beadwork_input::{Error, Request};

/// One C-alpha: chain, residue number, position in Å.
pub type Alpha = (char, i32, [f64; 3]);

/// PDB text of C-alphas. Readers ignore the serial number.
pub fn pdb(alphas: &[Alpha]) -> String {
    let mut text = String::new();
    for (index, (chain, number, [x, y, z])) in alphas.iter().enumerate() {
        writeln!(
            text,
            "ATOM  {:5}  CA  GLY {chain}{number:4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           C",
            index + 1
        )
        .unwrap();
    }
    text + "END\n"
}

/// A chain of `count` C-alphas, 3.8 Å apart, folded into rows of four.
pub fn snake(chain: char, count: i32) -> Vec<Alpha> {
    (0..count)
        .map(|index| {
            let (row, column) = (index / 4, index % 4);
            let column = if row % 2 == 0 { column } else { 3 - column };
            (chain, index + 1, [3.8 * f64::from(column), 3.8 * f64::from(row), 0.0])
        })
        .collect()
}

/// A folder with `a.pdb`: chain A of 12 beads and, 30 Å away, chain B of 8.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut alphas = snake('A', 12);
    alphas.extend(
        snake('B', 8)
            .into_iter()
            .map(|(chain, number, [x, y, z])| (chain, number, [x, y, z + 30.0])),
    );
    write(folder.path(), "a.pdb", &pdb(&alphas));
    folder
}

pub fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub const SMALL: &str = "[system]\nstructure = { file = \"a.pdb\", chains = \"A\" }\n\n[[stage]]\nname = \"run\"\nsteps = 10\n";

/// Reads a text in a folder.
pub fn parse(folder: &Path, text: &str) -> Result<Request, Error> {
    beadwork_input::parse(text, "in.toml", folder, &[])
}

/// Reads a text with overrides.
pub fn parse_with(folder: &Path, text: &str, overrides: &[(&str, &str)]) -> Result<Request, Error> {
    let overrides: Vec<_> =
        overrides.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    beadwork_input::parse(text, "in.toml", folder, &overrides)
}

/// The message of an error with its code, line, column and the words at which it points.
pub fn complaint(error: &Error) -> String {
    match error.location() {
        None => format!("[{}] {error}", error.code()),
        Some(place) => {
            let (line, column) = place.line_column();
            let words = &place.text[place.span.clone()];
            format!("[{}] {}:{line}:{column} <{words}> {error}", error.code(), place.name)
        }
    }
}

/// Reads the resolved form in another folder, and asserts that nothing changes.
pub fn assert_fixed_point(request: &Request) {
    let folder = tempfile::tempdir().unwrap();
    for file in &request.files {
        let path = folder.path().join(&file.name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.contents).unwrap();
    }
    let again = beadwork_input::parse(&request.resolved, "resolved.toml", folder.path(), &[])
        .unwrap_or_else(|error| panic!("{}\n{}", complaint(&error), request.resolved));
    assert_eq!(again.resolved, request.resolved);
    let read_again = beadwork_input::reads_again(request);
    assert_eq!(read_again.map_err(|error| complaint(&error)), Ok(true));
    assert_eq!(again.replicas, request.replicas);
    assert_eq!(again.output, request.output);
    assert_eq!(again.analysis, request.analysis);
    assert_eq!(again.run, request.run);
    assert_eq!(again.warnings, request.warnings);
    assert_eq!(again.points.len(), request.points.len());
    for (new, old) in again.points.iter().zip(&request.points) {
        assert_eq!(new.settings, old.settings);
        assert_eq!(new.system, old.system);
        assert_eq!(new.protocol, old.protocol);
        assert_eq!(new.exchange, old.exchange);
        assert_eq!(new.selections, old.selections);
        assert_eq!(new.starts, old.starts);
        assert_eq!(new.velocities, old.velocities);
    }
    let names = |request: &Request| -> Vec<(String, Vec<u8>)> {
        request.files.iter().map(|file| (file.name.clone(), file.contents.clone())).collect()
    };
    assert_eq!(names(&again), names(request));
}

/// An input of chains that exchange temperatures.
pub const LADDER: &str = r#"
[system]
model = "elastic-polymer"
monomers = 13
[exchange]
temperatures = [0.2, 0.4, 1]
every_sweeps = 50
ladders = 2
[[stage]]
name = "first"
sweeps = 1_000
tune = true
[[stage]]
name = "then"
sweeps = 2_000
[output]
table = { every_sweeps = 5 }
"#;

/// Reads a valid text.
pub fn read(text: &str) -> Request {
    let folder = folder();
    let request =
        parse(folder.path(), text).unwrap_or_else(|error| panic!("{}", complaint(&error)));
    assert_fixed_point(&request);
    request
}

/// Asserts the message about an input in which `new` replaces `old`.
pub fn refused(text: &str, old: &str, new: &str, expected: &str) {
    assert!(text.contains(old), "{old}");
    let folder = folder();
    let text = text.replacen(old, new, 1);
    let Err(error) = parse(folder.path(), &text) else { panic!("nothing is wrong with {text}") };
    let found = complaint(&error);
    assert_eq!(found, expected, "\n{text}");
    assert!(
        beadwork_input::ERROR_CODES
            .iter()
            .chain(beadwork_model::ERROR_CODES)
            .any(|(code, _)| *code == error.code())
    );
}
