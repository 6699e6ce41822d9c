//! `structure = { …, assembly = … }`: the systems that are built, their resolved form, and refusals.

use crate::common::{assert_fixed_point, complaint, folder, parse, parse_with, pdb, snake, write};
use beadwork_input::{GeneratorUsed, Request};
use beadwork_model::potentials::{FeneBond, NativeContact};
use tempfile::TempDir;

/// BIOMT rows of a shift by z, Å.
fn shift(number: usize, z: f64) -> String {
    let row = |axis: usize, numbers: &str| format!("REMARK 350   BIOMT{axis}{number:4}{numbers}\n");
    row(1, "  1.000000  0.000000  0.000000        0.00000")
        + &row(2, "  0.000000  1.000000  0.000000        0.00000")
        + &row(3, &format!("  0.000000  0.000000  1.000000{z:15.5}"))
}

/// A folder with `c.pdb`, chains A of 12 and B of 8 beads, 30 Å apart. Assembly 1: three copies of
/// A and B, each moved by 6 Å; assembly 2: chain A.
fn capsid() -> TempDir {
    let folder = folder();
    let atoms = std::fs::read_to_string(folder.path().join("a.pdb")).unwrap();
    let text = format!(
        "REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A, B\n{}{}{}\
         REMARK 350 BIOMOLECULE: 2\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n{}{atoms}",
        shift(1, 0.0),
        shift(2, 6.0),
        shift(3, 12.0),
        shift(1, 0.0),
    );
    write(folder.path(), "c.pdb", &text);
    folder
}

fn input(structure: &str) -> String {
    format!(
        "[system]\nstructure = {{ file = \"c.pdb\", {structure} }}\n[[stage]]\nsteps = 10\n[output]\ntable = {{ every_steps = 5 }}\n"
    )
}

fn read(structure: &str) -> Request {
    parse(capsid().path(), &input(structure)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn copies_become_chains_of_their_own() {
    let request = read("assembly = 1");
    let point = &request.points[0];
    assert_eq!(point.system.counts.chains, 6);
    let particles = &point.system.particles;
    let start = |bead: usize| (particles.labels[bead].chain.as_str(), particles.positions[bead]);
    let starts: Vec<_> = particles.molecule_starts().map(start).collect();
    assert_eq!(
        starts,
        [
            ("A", [0.0; 3]),
            ("B", [0.0, 0.0, 30.0]),
            ("A-2", [0.0, 0.0, 6.0]),
            ("B-2", [0.0, 0.0, 36.0]),
            ("A-3", [0.0, 0.0, 12.0]),
            ("B-3", [0.0, 0.0, 42.0]),
        ]
    );
    // Bonds within chains; the first bead of A touches three of its copy at 6 Å (0, 3.8 and again
    // 3.8 Å aside; two more at 5.4 Å are 8.07 Å away).
    assert_eq!(point.system.counts.bonds, 3 * (11 + 7));
    let contacts = point.system.interactions.bonded_by::<NativeContact>();
    let across: Vec<_> = contacts
        .iter()
        .filter(|contact| contact.i == 0 && contact.j >= 12)
        .map(|contact| contact.j)
        .collect();
    assert_eq!(across, [20, 21, 27]);
    let assembly = point.assembly.as_ref().unwrap();
    assert_eq!(assembly.id, "1");
    let chains = vec!["A".to_string(), "B".to_string()];
    assert_eq!(assembly.generators, [GeneratorUsed { operators: 3, chains }]);
    let resolved = "structure = { file = \"inputs/c.pdb\", assembly = 1, select = \"all\" }";
    assert!(request.resolved.contains(resolved), "{}", request.resolved);
    assert_fixed_point(&request);
    assert!(parse(capsid().path(), &input("model = 1")).unwrap().points[0].assembly.is_none());
}

#[test]
fn chains_are_chosen_before_and_selections_after_copying() {
    let request = read("assembly = 1, chains = \"B\", select = \"chain B-* and residue 1-4\"");
    let point = &request.points[0];
    let names: Vec<_> =
        point.system.particles.labels.iter().map(|bead| bead.chain.as_str()).collect();
    assert_eq!(names, ["B-2", "B-2", "B-2", "B-2", "B-3", "B-3", "B-3", "B-3"]);
    assert_eq!(point.assembly.as_ref().unwrap().generators[0].chains, ["B"]);
    assert_fixed_point(&request);
}

#[test]
fn assemblies_may_be_texts_overridden_and_swept() {
    let folder = capsid();
    assert_fixed_point(&parse(folder.path(), &input("assembly = \"2\"")).unwrap());
    let text = input("assembly = 1");
    let overridden =
        parse_with(folder.path(), &text, &[("system.structure.assembly", "2")]).unwrap();
    assert_eq!(overridden.points[0].system.beads(), 12);
    assert_eq!(overridden.warnings.len(), 1);
    let left_out = "assembly 2 does not have chain B, which the file has: left out";
    assert!(overridden.warnings[0].contains(left_out), "{:?}", overridden.warnings);
    let swept = text + "[ensemble.sweep]\n\"system.structure.assembly\" = [1, 2]\n";
    let swept = parse(folder.path(), &swept).unwrap();
    let beads: Vec<_> = swept.points.iter().map(|point| point.system.beads()).collect();
    assert_eq!(beads, [60, 12]);
}

/// Contacts by side chains use more atoms of each copy than alpha carbons.
#[test]
fn side_chains_of_copies_touch() {
    let folder = capsid();
    let text = std::fs::read_to_string(folder.path().join("c.pdb")).unwrap();
    // The side chain of the first bead of A is 5 Å below that of its copy.
    let beta = "ATOM      0  CB  GLY A   1       0.000   0.000   1.000  1.00  0.00           C\n";
    let at = text.find("ATOM      2").unwrap();
    let with_side_chain = format!("{}{beta}{}", &text[..at], &text[at..]);
    write(folder.path(), "c.pdb", &with_side_chain);
    let count = |cutoff: &str| {
        let rule = format!("contacts = {{ cutoff = \"0 A\", side_chain_cutoff = \"{cutoff}\" }}\n");
        let text = input("assembly = 1").replace("[[stage]]", &format!("{rule}[[stage]]"));
        parse(folder.path(), &text).unwrap().points[0].system.counts.native_contacts
    };
    // First copies 1 and 2, and 2 and 3, are in contact; at 12.1 A also 1 and 3.
    assert_eq!((count("5.9 A"), count("6.1 A"), count("12.1 A")), (0, 2, 3));
}

#[test]
fn disulfides_are_bonded_in_each_copy() {
    let folder = capsid();
    let text = std::fs::read_to_string(folder.path().join("c.pdb")).unwrap();
    let bond = "SSBOND   1 CYS A    1    CYS A   12                          1555   1555  2.03\n";
    write(folder.path(), "c.pdb", &format!("{bond}{text}"));
    let request = parse(folder.path(), &input("assembly = 1")).unwrap();
    let bonds = request.points[0].system.interactions.bonded_by::<FeneBond>();
    let extra: Vec<_> =
        bonds.iter().filter(|bond| bond.j > bond.i + 1).map(|bond| (bond.i, bond.j)).collect();
    assert_eq!(extra, [(0, 11), (20, 31), (40, 51)]);
}

#[test]
fn refusals_point_at_the_key() {
    for (structure, expected) in [
        (
            "assembly = 3",
            "[structure/no-such-assembly] in.toml:2:42 <3> DIR/c.pdb: there is no assembly 3; the file has assemblies 1, 2. Ask for one of those.",
        ),
        (
            "assembly = true",
            "[input/wrong-type] in.toml:2:42 <true> `structure` in [system]: `assembly` must be the number of an assembly in the file, such as 1, found true",
        ),
        (
            "assembly = 1.0",
            "[input/wrong-type] in.toml:2:42 <1.0> `structure` in [system]: `assembly` must be the number of an assembly in the file, such as 1, found the number 1.0: write it without a point",
        ),
        (
            "assembly = \" \"",
            "[input/wrong-type] in.toml:2:42 <\" \"> `structure` in [system]: `assembly` must be",
        ),
        (
            "assembly = 1, chains = \"A-2\"",
            "[input/bad-value] in.toml:2:54 <\"A-2\"> [system]: DIR/c.pdb has no chain \"A-2\"; there are chains A (12 beads), B (8 beads). `chains` names those that are copied; `select` chooses of the copies",
        ),
        (
            "assembly = 2, chains = \"B\"",
            "[structure/empty-assembly] in.toml:2:42 <2> DIR/c.pdb: assembly 2 has none of the chosen chains: it copies chain A.",
        ),
    ] {
        let folder = capsid();
        let error = parse(folder.path(), &input(structure)).unwrap_err();
        let found = complaint(&error).replace(&folder.path().display().to_string(), "DIR");
        assert!(found.starts_with(expected), "\nfound    {found}\nexpected {expected}");
    }
    let folder = folder();
    write(folder.path(), "c.pdb", &pdb(&snake('A', 4)));
    let error = parse(folder.path(), &input("assembly = 1")).unwrap_err();
    assert_eq!(error.code(), "structure/no-assembly");
}

/// A chain on a symmetry axis coincides with its copy.
#[test]
fn copies_in_one_place_are_refused() {
    let folder = capsid();
    let text = std::fs::read_to_string(folder.path().join("c.pdb")).unwrap();
    let axis = text.replace("        6.00000", "        0.00100");
    write(folder.path(), "c.pdb", &axis);
    let error = parse(folder.path(), &input("assembly = 1")).unwrap_err();
    let expected = "bead 0 (chain A, residue 1) and bead 20 (chain A-2, residue 1) are 0 A apart";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(error.code(), "model/topology");
}
