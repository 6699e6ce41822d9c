//! `structure = { …, orient = … }`: structures turned along an axis.

use beadwork_input::Request;
use tempfile::TempDir;

use crate::common::{assert_fixed_point, complaint, folder, parse, snake, write};

/// A folder with `c.pdb`, whose assembly 1 turns chain A by halves and quarters about the line y = 20 Å, z = 0.
fn ring() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rotations = [
        ["1.000000  0.000000", "0.000000  1.000000"],
        ["0.000000 -1.000000", "1.000000  0.000000"],
        ["-1.000000  0.000000", "0.000000 -1.000000"],
        ["0.000000  1.000000", "-1.000000  0.000000"],
    ];
    let shifts = [[0.0, 0.0], [20.0, -20.0], [40.0, 0.0], [20.0, 20.0]];
    let mut text =
        String::from("REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n");
    for (number, (rows, shift)) in rotations.iter().zip(shifts).enumerate() {
        let number = number + 1;
        text += &format!(
            "REMARK 350   BIOMT1{number:4}  1.000000  0.000000  0.000000        0.00000\n"
        );
        for axis in 0..2 {
            text += &format!(
                "REMARK 350   BIOMT{}{number:4}  0.000000 {:>19}{:15.5}\n",
                axis + 2,
                rows[axis],
                shift[axis]
            );
        }
    }
    // Not along the axis, so that turning moves every bead.
    let tilted = snake('A', 12)
        .into_iter()
        .map(|(chain, number, [x, y, z])| (chain, number, [x, y, z + 0.3 * x]));
    text += &crate::common::pdb(&tilted.collect::<Vec<_>>());
    write(folder.path(), "c.pdb", &text);
    folder
}

fn input(structure: &str) -> String {
    format!(
        "[system]\nstructure = {{ file = \"c.pdb\"{structure} }}\n[[stage]]\nsteps = 10\n[output]\ntable = {{ every_steps = 5 }}\n"
    )
}

fn read(structure: &str) -> Request {
    let request = parse(ring().path(), &input(structure));
    let request = request.unwrap_or_else(|error| panic!("{}", complaint(&error)));
    assert_fixed_point(&request);
    request
}

fn positions(request: &Request) -> Vec<[f64; 3]> {
    request.points[0].system.particles.positions.clone()
}

#[test]
fn an_axis_of_the_assembly_comes_to_lie_along_z() {
    let plain = read(", assembly = 1");
    assert!(plain.points[0].turned.is_none());
    assert!(!plain.resolved.contains("orient"));
    let request = read(", assembly = 1, orient = \"4-fold\"");
    assert!(request.resolved.contains("assembly = 1, select = \"all\", orient = \"4-fold\""));
    let turned = request.points[0].turned.clone().unwrap();
    assert_eq!((turned.name.as_str(), turned.axis.equivalent), ("4-fold", 1));
    assert_eq!(turned.axis.direction, [1.0, 0.0, 0.0]);
    // About the centre x goes to z, and z to −x.
    let (before, after) = (positions(&plain), positions(&request));
    let centre: Vec<f64> = (0..3)
        .map(|axis| before.iter().map(|at| at[axis]).sum::<f64>() / before.len() as f64)
        .collect();
    for (old, new) in before.iter().zip(&after) {
        let [x, y, z] = [0, 1, 2].map(|axis| old[axis] - centre[axis]);
        for (axis, expected) in [-z, y, x].into_iter().enumerate() {
            assert!((new[axis] - centre[axis] - expected).abs() < 1e-9);
        }
    }
    // Contacts are those of the shape, which turning leaves alone.
    let counts = |request: &Request| request.points[0].system.counts;
    assert_eq!(counts(&plain), counts(&request));
}

/// The centre of a copy is 16 Å from the axis, which runs through that of two opposite ones.
#[test]
fn selections_beside_the_axis_are_warned_of() {
    let of_axis = |structure: &str| {
        let request = read(structure);
        let mut warnings = request.warnings.clone();
        warnings.retain(|warning| warning.contains("passes by the selected beads"));
        warnings.join("\n")
    };
    let found = of_axis(", assembly = 1, select = \"chain A\", orient = \"4-fold\"");
    for part in
        ["c.pdb: `orient` = \"4-fold\"", "their centre is 16 A", "their radius of gyration is 5 A"]
    {
        assert!(found.contains(part), "{part}: {found}");
    }
    for name in ["A", "A-2", "A-3", "A-4"] {
        let (_, chains) = found.split_once("the chains ").unwrap();
        assert!(chains.split(' ').any(|word| word == name), "{name}: {found}");
    }
    for about in [
        ", assembly = 1, select = \"chain A A-3\", orient = \"4-fold\"",
        ", assembly = 1, orient = \"4-fold\"",
        ", assembly = 1, select = \"chain A\", orient = [1, 0, 0]",
    ] {
        assert_eq!(of_axis(about), "", "{about}");
    }
}

#[test]
fn a_vector_needs_no_assembly() {
    let request = read(", orient = [0, 0, -2.5]");
    assert!(request.resolved.contains("orient = [0, 0, -2.5]"), "{}", request.resolved);
    let (before, after) = (positions(&read("")), positions(&request));
    for (old, new) in before.iter().zip(&after) {
        assert!((old[0] - new[0]).abs() < 1e-12);
        assert!((old[1] + new[1] - before[0][1] - after[0][1]).abs() < 1e-12);
        assert!((old[2] + new[2] - before[0][2] - after[0][2]).abs() < 1e-12);
    }
    let same = read(", orient = [0, 0, 1]");
    assert_eq!(positions(&same), before);
    let swept = input(", assembly = 1")
        + "[ensemble.sweep]\n\"system.structure.orient\" = [\"4-fold\", [0, 1, 0]]\n";
    let swept = parse(ring().path(), &swept).unwrap();
    let names: Vec<_> =
        swept.points.iter().map(|point| point.turned.clone().unwrap().name).collect();
    assert_eq!(names, ["4-fold", "[0, 1, 0]"]);
}

#[test]
fn refusals_point_at_the_key() {
    for (structure, expected) in [
        (
            ", assembly = 1, orient = \"2-fold\"",
            "[structure/no-such-axis] in.toml:2:54 <\"2-fold\"> DIR/c.pdb: assembly 1 has no 2-fold axis; it has these: 4-fold. Write one of them, or a vector such as [0, 0, 1].",
        ),
        (
            ", orient = \"4-fold\"",
            "[input/conflict] in.toml:2:40 <\"4-fold\"> `structure` in [system]: `orient` is \"4-fold\", an axis of an assembly, and no `assembly` is built: write one, such as assembly = 1, or a vector [x, y, z]",
        ),
        (
            ", orient = \"top\"",
            "[input/bad-value] in.toml:2:40 <\"top\"> `structure` in [system]: `orient` does not know \"top\"; it may be an axis of the assembly, such as \"2-fold\" or \"quasi-3-fold\", or a vector [x, y, z]",
        ),
        (
            ", orient = 2",
            "[input/wrong-type] in.toml:2:40 <2> `structure` in [system]: `orient` must be the name of an axis, such as \"2-fold\", or a vector [x, y, z], found the number 2",
        ),
        (
            ", orient = [1e300, 0, 0]",
            "[input/bad-value] in.toml:2:41 <1e300> `structure` in [system]: `orient` must be less than 1e100, but is 1e300",
        ),
        (
            ", orient = [0, 0, 1, 0]",
            "[input/wrong-type] in.toml:2:40 <[0, 0, 1, 0]> `structure` in [system]: `orient` must be the name of an axis, such as \"2-fold\", or a vector [x, y, z], found a list of 4 numbers",
        ),
        (
            ", orient = [0, 0, inf]",
            "[input/wrong-type] in.toml:2:40 <[0, 0, inf]> `structure` in [system]: `orient` must be the name of an axis, such as \"2-fold\", or a vector [x, y, z], found inf at place 3",
        ),
        (
            ", orient = [0, 0, 0]",
            "[input/bad-value] in.toml:2:40 <[0, 0, 0]> `structure` in [system]: `orient` has no direction, because its length is 0: write a vector such as [0, 0, 1]",
        ),
    ] {
        let folder = ring();
        let error = parse(folder.path(), &input(structure)).unwrap_err();
        let found = complaint(&error).replace(&folder.path().display().to_string(), "DIR");
        assert!(found.starts_with(expected), "\nfound    {found}\nexpected {expected}");
    }
    let residues = "[system]\nmodel = \"residues\"\nstructure = { file = \"a.pdb\", chains = \"A\", orient = [0, 0, 1] }\n[[stage]]\nsteps = 10\n";
    let error = parse(folder().path(), residues).unwrap_err();
    assert!(complaint(&error).contains("`orient` has no place here"), "{}", complaint(&error));
}
