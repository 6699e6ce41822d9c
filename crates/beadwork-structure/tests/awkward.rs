//! Small files with invented coordinates, one for each rule of the readers.

use std::path::Path;

use beadwork_structure::{
    Error, ReadOptions, Residue, SopGpuTopology, Structure, parse, read, read_positions,
    read_sop_gpu_topology,
};

fn path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/awkward").join(name)
}

fn load(name: &str) -> Structure {
    read(&path(name), &ReadOptions::default()).unwrap()
}

fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

fn parse_default(text: &str) -> Result<Structure, Error> {
    parse(text, "test", &ReadOptions::default())
}

/// Residues in words: `1 GLY`, `45A GLY`.
fn residues(structure: &Structure) -> Vec<String> {
    let insertion = |residue: &Residue| residue.insertion.map(String::from).unwrap_or_default();
    let words =
        |residue: &Residue| format!("{}{} {}", residue.number, insertion(residue), residue.name);
    structure.residues.iter().map(words).collect()
}

/// Identifier, segment and number of residues of each chain.
fn chains(structure: &Structure) -> Vec<(&str, &str, usize)> {
    let chains = structure.chains.iter();
    chains.map(|chain| (chain.id.as_str(), chain.segment.as_str(), chain.residues.len())).collect()
}

#[track_caller]
fn assert_warns(structure: &Structure, words: &[&str]) {
    let found =
        structure.warnings.iter().any(|warning| words.iter().all(|word| warning.contains(word)));
    assert!(found, "{words:?} not in {:#?}", structure.warnings);
}

#[test]
fn numbers_may_be_negative_inserted_or_repeated() {
    let structure = load("numbering.pdb");
    let expected = [
        "-1 GLY",
        "0 ALA",
        "45 SER",
        "45A GLY",
        "45B ALA",
        "46 VAL",
        "46 LEU",
        "0 ALA",
        "10000 GLY",
    ];
    assert_eq!(residues(&structure), expected);
    assert_eq!(chains(&structure), [("A", "", 9)]);
    assert_eq!(residues(&structure)[3], "45A GLY");
    assert_eq!(structure.warnings, Vec::<String>::new());
}

/// VMD writes numbers above 9999 as hexadecimal ones; the next chain has decimal ones again.
#[test]
fn residues_after_9999_may_be_hexadecimal() {
    let numbers = ["9998", "9999", "2710", "2711", "271a", "3000", "   1"];
    let line = |(place, number): (usize, &&str)| {
        let chain = if place < 5 { 'A' } else { 'B' };
        let x = 3.8 * place as f64;
        format!(
            "ATOM      1  CA  GLY {chain}{number}    {x:8.3}   0.000   0.000  1.00  0.00           C\n"
        )
    };
    let text: String = numbers.iter().enumerate().map(line).collect();
    let found = parse_default(&text).unwrap();
    let numbers: Vec<i32> = found.residues.iter().map(|residue| residue.number).collect();
    assert_eq!(numbers, [9998, 9999, 10_000, 10_001, 10_010, 3000, 1]);
}

#[test]
fn alternates_are_chosen_atom_by_atom() {
    let structure = load("alternates.pdb");
    assert_eq!(residues(&structure), ["1 SER", "2 VAL", "3 GLY", "4 ALA", "5 GLY"]);
    let serine: Vec<_> = structure.atoms[structure.residues[0].atoms.clone()]
        .iter()
        .map(|atom| (atom.name.as_str(), atom.position[0]))
        .collect();
    // CA has the location of higher occupancy; for CB they are equal, so the first is taken.
    assert_eq!(serine, [("N", -1.2), ("CA", 0.2), ("C", 1.2), ("CB", 0.0)]);
    let valine: Vec<_> = structure.atoms[structure.residues[1].atoms.clone()]
        .iter()
        .map(|atom| atom.name.as_str())
        .collect();
    assert_eq!(valine, ["CA", "CG1"]);
    assert_eq!(structure.alpha_carbon(2).unwrap().position[0], 7.7);
    assert_eq!(structure.alpha_carbon(3).unwrap().position[0], 11.5);
}

#[test]
fn unmarked_repeats_are_warned_of() {
    let repeated = text("short_lines.pdb").replace("ALA A   2", "GLY A   1");
    let structure = parse_default(&repeated).unwrap();
    assert_eq!(residues(&structure), ["1 GLY"]);
    assert_warns(&structure, &["residue 1 GLY", "CA", "more than once"]);
}

#[test]
fn terminators_end_chains_and_exclude_ligands() {
    // The two glutamates after the last terminator are adjacent, but still ligands.
    let structure = load("chains.pdb");
    assert_eq!(chains(&structure), [("A", "", 3), ("A", "", 2), ("B", "", 1)]);
    assert_eq!(residues(&structure)[..3], ["1 GLY", "2 MSE", "3 ALA"]);
    let selenium = structure.atoms.iter().find(|atom| atom.name == "SE").unwrap();
    assert_eq!(selenium.element, "SE");
    assert_eq!(structure.warnings, Vec::<String>::new());
}

#[test]
fn without_terminators_geometry_decides() {
    let structure = load("no_terminator.pdb");
    // The glutamate of chain B has a backbone and counts, with a warning. The one of chain C
    // belongs to no chain. Calcium and the atom CA of the ligand are not alpha carbons of A.
    assert_eq!(chains(&structure), [("A", "", 3), ("B", "", 2)]);
    assert_eq!(residues(&structure), ["1 GLY", "2 MSE", "3 ALA", "1 GLY", "101 GLU"]);
    assert_eq!(structure.warnings.len(), 1);
    assert_warns(&structure, &["chain B, residue 101 GLU", "ligand"]);
}

#[test]
fn segments_make_chains() {
    let structure = load("segments.pdb");
    assert_eq!(chains(&structure), [("A", "A1", 3), ("B", "B1", 1), ("A", "A2", 2)]);
    // The hydrogen without a segment stays in its residue.
    assert_eq!(structure.residues[0].atoms.len(), 2);
    assert!(
        structure
            .atoms
            .iter()
            .all(|atom| atom.element == if atom.name == "CA" { "C" } else { "H" })
    );
}

#[test]
fn the_identifier_of_an_entry_is_no_segment() {
    let header = format!("HEADER    {:52}1ABC\n", "TEST");
    let line = "ATOM      1  CA  GLY A   1       0.000   0.000   0.000  1.00 10.00      1ABC  70\n";
    let structure = parse_default(&format!("{header}{line}")).unwrap();
    assert_eq!(chains(&structure), [("A", "", 1)]);
    assert_eq!(structure.atoms[0].element, "C");
}

#[test]
fn warnings_list_what_is_left_out() {
    let structure = load("left_out.pdb");
    assert_eq!(residues(&structure), ["2 ALA"]);
    assert_warns(&structure, &["without an alpha carbon: 2", "residue 1 GLY", "residue 3 LYS"]);
    assert_warns(&structure, &["nucleic acid: 2", "chain B, residue 1 DA"]);
    assert_eq!(structure.warnings.len(), 2);
}

#[test]
fn models_are_numbered_as_the_file_does() {
    let first = load("models.pdb");
    assert_eq!((first.models, first.residues.len()), (3, 2));
    assert_eq!(first.alpha_carbon(0).unwrap().position[0], 0.0);
    let third = read(&path("models.pdb"), &ReadOptions { model: Some(7) }).unwrap();
    assert_eq!(third.alpha_carbon(0).unwrap().position[0], 2.0);
    let error = read(&path("models.pdb"), &ReadOptions { model: Some(1) }).unwrap_err();
    assert_eq!(error.code(), "structure/no-such-model");
    assert!(error.to_string().contains("models 2, 5, 7"), "{error}");
}

#[test]
fn frames_between_end_records_are_models() {
    let first = load("frames.pdb");
    assert_eq!((first.models, first.residues.len(), first.chains.len()), (2, 2, 1));
    assert_warns(&first, &["END", "2 parts"]);
    let second = read(&path("frames.pdb"), &ReadOptions { model: Some(2) }).unwrap();
    assert_eq!(second.alpha_carbon(0).unwrap().position[0], 1.0);
    // Files joined end to end are read as one structure.
    let joined = load("concatenated.pdb");
    assert_eq!((joined.models, joined.chains.len()), (1, 2));
}

#[test]
fn disulfides_are_listed_or_close() {
    let structure = load("disulfides.pdb");
    // Residues: A 1 2 3, B 1 2 3 4, C 1 2, C 1 2. Listed: A1–A3 at 2.9 Å (twice), and C1–C2 of the
    // second chain C. Close: B1–B2 at 2.4 Å, but not B3–B4 at 2.5 Å.
    assert_eq!(structure.disulfides, [(0, 2), (3, 4), (9, 10)]);
    assert_warns(&structure, &["line 4", "another copy", "2565"]);
    assert_warns(&structure, &["line 5", "chain A, residue 99", "not among"]);
    assert_eq!(structure.warnings.len(), 2);
}

#[test]
fn short_lines_and_carriage_returns() {
    let structure = load("short_lines.pdb");
    assert_eq!(structure.residues.len(), 2);
    let atom = structure.alpha_carbon(0).unwrap();
    assert_eq!((atom.position, atom.occupancy, atom.beta), ([1.5, 2.5, -3.5], 1.0, 0.0));
    assert_eq!(atom.element, "C");
}

#[test]
fn text_that_is_not_utf8_keeps_its_columns() {
    let structure = load("latin1.pdb");
    assert_eq!(residues(&structure), ["1 GLY", "2 ALA"]);
    assert_eq!(structure.alpha_carbon(1).unwrap().position, [4.8, 2.0, 3.0]);
}

const LINE: &str = "ATOM      1  CA  GLY A   1      11.500  12.500  13.500  1.00 10.00           C";

#[test]
fn damaged_numbers_are_refused() {
    for (from, to, axis, shown) in [
        ("  11.500", "        ", "x", "\"        \""),
        ("  11.500", "********", "x", "\"********\""),
        ("  12.500", "     nan", "y", "\"     nan\""),
        ("  12.500", "     inf", "y", "\"     inf\""),
        ("  13.500", "  13.5.0", "z", "\"  13.5.0\""),
        ("  13.500", "  1 .500", "z", "\"  1 .500\""),
        ("  13.500", "  1e3   ", "z", "\"  1e3   \""),
        // The number is one column too far to the right.
        ("     11.500", "      11.500", "x", "\"  11.50"),
    ] {
        let damaged = LINE.replacen(from, to, 1);
        assert_ne!(damaged, LINE);
        let text = format!("REMARK\n{LINE}\n{damaged}\n");
        let error = parse_default(&text).unwrap_err();
        if to.starts_with("      11") {
            // x still reads as a number, but y begins with the last digit of x.
            assert_eq!(error.code(), "structure/damaged-coordinate");
            assert!(error.to_string().contains("the y coordinate"), "{error}");
            continue;
        }
        let message = error.to_string();
        assert_eq!(error.code(), "structure/damaged-coordinate");
        assert!(message.contains("test, line 3") && message.contains(shown), "{message}");
        assert!(message.contains(&format!("the {axis} coordinate")), "{message}");
    }
    let cut = &LINE[..52];
    assert_eq!(parse_default(cut).unwrap_err().code(), "structure/damaged-coordinate");
    for (from, to, what) in [
        ("A   1 ", "A     ", "residue number"),
        ("A   1 ", "A x12 ", "residue number"),
        ("A   1 ", "A**** ", "residue number"),
        ("  1.00", "******", "occupancy"),
        (" 10.00", " 1O.00", "temperature factor"),
    ] {
        let error = parse_default(&LINE.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.code(), "structure/damaged-number");
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn damage_in_another_model_does_not_matter() {
    let text = text("models.pdb");
    let position = text.rfind("0.000").unwrap();
    let damaged = format!("{}xxxxx{}", &text[..position], &text[position + 5..]);
    assert_eq!(parse_default(&damaged).unwrap().residues.len(), 2);
    assert!(parse(&damaged, "test", &ReadOptions { model: Some(7) }).is_err());
}

#[test]
fn columns_that_programs_use_their_own_way() {
    // A residue number of five digits extends into the column of the insertion code.
    let wide = parse_default(&LINE.replacen("A   1 ", "A12345", 1)).unwrap();
    assert_eq!((wide.residues[0].number, wide.residues[0].insertion), (12_345, None));
    // A chain identifier of two letters, and a residue name of four.
    let two_letters = parse_default(&LINE.replacen("GLY A", "GLYBA", 1)).unwrap();
    assert_eq!(
        (two_letters.chains[0].id.as_str(), two_letters.residues[0].name.as_str()),
        ("BA", "GLY")
    );
    let four_letters = parse_default(&LINE.replacen("GLY A", "NGLYA", 1)).unwrap();
    assert_eq!(
        (four_letters.chains[0].id.as_str(), four_letters.residues[0].name.as_str()),
        ("A", "NGLY")
    );
    // Without a chain identifier; with serial numbers wider than their columns.
    let blank = parse_default(&LINE.replacen("GLY A", "GLY  ", 1)).unwrap();
    assert_eq!(chains(&blank), [("", "", 1)]);
    for serial in ["ATOM  ***** ", "ATOM  186a0 ", "ATOM  100000"] {
        assert!(parse_default(&LINE.replacen("ATOM      1 ", serial, 1)).is_ok(), "{serial}");
    }
}

#[test]
fn calcium_is_no_alpha_carbon() {
    let with = |from: &str, to: &str| parse_default(&LINE.replacen(from, to, 1));
    assert_eq!(with(" CA  GLY", "CA    CA").unwrap_err().code(), "structure/no-alpha-carbon");
    let unknown = LINE.replacen(" CA  GLY", "CA   XYZ", 1);
    let bare = unknown.trim_end_matches('C').trim_end();
    assert_eq!(parse_default(bare).unwrap_err().code(), "structure/no-alpha-carbon");
    // The CA of an amino acid is carbon even if the file states another element.
    let guessed = parse_default(&LINE.replacen("           C", "          CA", 1)).unwrap();
    assert_eq!(guessed.atoms[0].element, "C");
}

#[test]
fn files_without_proteins_are_refused() {
    let code = |text: &str| parse_default(text).unwrap_err().code();
    assert_eq!(code(""), "structure/empty-file");
    assert_eq!(code("\u{feff} \r\n"), "structure/empty-file");
    assert_eq!(code("key = 1\n"), "structure/not-a-structure");
    assert_eq!(code("data_x\n_cell.a 1\n"), "structure/not-a-structure");
    let error = parse_default(&LINE.replacen(" CA ", " CB ", 1)).unwrap_err();
    assert_eq!(error.code(), "structure/no-alpha-carbon");
    assert!(error.to_string().contains("1 GLY"), "{error}");
    let error = read(&path("not_there.pdb"), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.code(), "structure/unreadable-file");
    assert!(error.to_string().contains("not_there.pdb"), "{error}");
}

#[test]
fn mmcif_with_every_difficulty() {
    let structure = load("awkward.cif");
    assert_eq!(structure.models, 2);
    assert_eq!(residues(&structure), ["12A CYS", "13 MSE", "14 CYS", "12 GLY"]);
    assert_eq!(chains(&structure), [("H", "", 3), ("H", "", 1)]);
    assert_eq!(structure.alpha_carbon(1).unwrap().position, [3.9, 0.0, 0.0]);
    let unknown = structure.alpha_carbon(2).unwrap();
    assert_eq!((unknown.occupancy, unknown.beta), (1.0, 0.0));
    assert!(structure.atoms.iter().any(|atom| atom.name == "O5'"));
    assert_eq!(structure.disulfides, [(0, 2)]);
    assert_eq!(structure.warnings.len(), 1);
    assert_warns(&structure, &["another copy", "2_565"]);
    let third = read(&path("awkward.cif"), &ReadOptions { model: Some(3) }).unwrap();
    assert_eq!(third.alpha_carbon(0).unwrap().position[0], 100.0);
    let error = read(&path("awkward.cif"), &ReadOptions { model: Some(2) }).unwrap_err();
    assert!(error.to_string().contains("models 1, 3"), "{error}");
}

#[test]
fn mmcif_by_label_identifiers_only() {
    // Without auth columns, the label columns name chains, residues and bonds.
    let replaced = text("awkward.cif")
        .replace("_auth_asym_id", "_label_asym_id")
        .replace("_auth_seq_id", "_label_seq_id")
        .replace("_atom_site.label_asym_id\n_atom_site.label_seq_id", "_atom_site.x\n_atom_site.y")
        .replace("_atom_site.auth_seq_id", "_atom_site.label_seq_id")
        .replace("_atom_site.auth_asym_id", "_atom_site.label_asym_id");
    let structure = parse_default(&replaced).unwrap();
    assert_eq!(chains(&structure)[0].0, "H");
    // Bond partners are found by label number, which has no insertion code.
    assert_eq!(structure.disulfides, [(0, 2)]);
    // Without any sequence numbers, geometry decides which hetero atoms count.
    let no_label = text("awkward.cif").replace("_atom_site.label_seq_id", "_atom_site.x");
    let structure = parse_default(&no_label).unwrap();
    assert_eq!(residues(&structure), ["12A CYS", "13 MSE", "14 CYS", "12 GLY"]);
}

#[test]
fn damaged_mmcif_is_refused() {
    let good = text("awkward.cif");
    for (from, to, code, words) in [
        ("_atom_site.Cartn_y\n", "_atom_site.Cartn_why\n", "structure/missing-column", "Cartn_y"),
        (
            "_atom_site.label_atom_id",
            "_atom_site.x",
            "structure/missing-column",
            "label_atom_id or auth_atom_id",
        ),
        (
            " 7.600 0.000 0.000 ?",
            " 7.6x0 0.000 0.000 ?",
            "structure/damaged-coordinate",
            "line 45: the x coordinate",
        ),
        (" 7.600 0.000 0.000 ?", " ? 0.000 0.000 ?", "structure/damaged-coordinate", "Cartn_x"),
        (" 7.600 0.000 0.000 ?", " nan 0.000 0.000 ?", "structure/damaged-coordinate", "nan"),
        ("? ? 14 H 1", "? ? fourteen H 1", "structure/damaged-number", "fourteen"),
        ("? ? 14 H 1", "? ? 14 H one", "structure/damaged-number", "model number"),
        ("10.00 12 H 3", "10.00 12 H", "structure/damaged-mmcif", "_atom_site is incomplete"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = parse_default(&good.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

const TOPOLOGY: &str = "; made by hand\n[ atoms ]\n\
    0 CA 6 LYS CA A 1.00 0.0 ; comment\n1 CA 7 LEU CA A 0.00 0.0\n2 CA 7B GLY CA B 0.00 0.0\n\
    [ bonds ]\n; ai aj\n0 1 1 3.8\n[ native ]\n0 2 1 5.5 1.25\n[ pairs ]\n";

fn read_topology(text: &str) -> Result<SopGpuTopology, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.top");
    std::fs::write(&path, text).unwrap();
    read_sop_gpu_topology(&path)
}

#[test]
fn sections_of_a_topology_are_read() {
    let topology = read_topology(TOPOLOGY).unwrap();
    assert_eq!(topology.atoms.len(), 3);
    assert_eq!(topology.atoms[2].chain, "B");
    assert_eq!((topology.atoms[2].residue_number, topology.atoms[2].insertion), (7, Some('B')));
    assert_eq!(topology.bonds, [(0, 1, 3.8)]);
    assert_eq!(topology.contacts, [(0, 2, 5.5, 1.25)]);
    assert_eq!(topology.pairs, None);
    let with_pairs = read_topology(&format!("{TOPOLOGY}1 2 1\n")).unwrap();
    assert_eq!(with_pairs.pairs, Some(vec![(1, 2)]));
}

#[test]
fn damage_in_a_topology_is_found_with_its_line() {
    for (from, to, line, words) in [
        ("0 1 1 3.8", "0 3 1 3.8", 8, "no atom 3"),
        ("0 1 1 3.8", "1 1 1 3.8", 8, "itself"),
        ("0 1 1 3.8", "0 -1 1 3.8", 8, "index"),
        ("0 1 1 3.8", "0 1 1", 8, "missing"),
        ("0 1 1 3.8", "0 1 1 nan", 8, "positive"),
        ("5.5 1.25", "5.5", 10, "missing"),
        ("5.5 1.25", "-5.5 1.25", 10, "positive"),
        ("[ native ]", "[ contacts ]", 9, "not known"),
        ("1 CA 7 LEU", "2 CA 7 LEU", 4, "expected"),
        ("1 CA 7 LEU", "1 CA x LEU", 4, "residue number"),
        ("; made by hand", "0 1", 1, "before the first section"),
    ] {
        assert!(TOPOLOGY.contains(from));
        let error = read_topology(&TOPOLOGY.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.code(), "structure/damaged-topology");
        let message = error.to_string();
        assert!(message.contains(&format!("test.top, line {line}: ")), "{to}: {message}");
        assert!(message.contains(words), "{to}: {message}");
    }
    assert_eq!(read_topology(" \n").unwrap_err().code(), "structure/empty-file");
    assert_eq!(read_topology("[ bonds ]\n").unwrap_err().code(), "structure/damaged-topology");
}

#[test]
fn positions_are_those_of_all_atoms() {
    let bead = |serial: i32, x: f64| {
        format!(
            "ATOM  {serial:5}  M   MON A{serial:4}    {x:8.3}{:8.3}{:8.3}  1.00  0.00\n",
            0.5, -0.25
        )
    };
    let text = [bead(1, 0.0), bead(2, 0.7), "ENDMDL\n".to_string(), bead(1, 9.0)].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beads.pdb");
    std::fs::write(&path, text).unwrap();
    assert_eq!(read_positions(&path).unwrap(), [[0.0, 0.5, -0.25], [0.7, 0.5, -0.25]]);
}

/// Old systems end lines by a carriage return alone.
#[test]
fn carriage_returns_alone_end_lines() {
    let text = "ATOM      1  CA  GLY A   1       0.000   0.000   0.000  1.00  0.00           C\nATOM      2  CA  ALA A   2       3.800   0.000   0.000  1.00  0.00           C\nEND\n";
    let expected = parse_default(text).unwrap();
    let found = parse_default(&text.replace('\n', "\r")).unwrap();
    assert_eq!(residues(&found), ["1 GLY", "2 ALA"]);
    assert_eq!(residues(&found), residues(&expected));
    // Files of two sources have both line ends.
    let mixed = parse_default(&text.replacen('\n', "\r", 1)).unwrap();
    assert_eq!(residues(&mixed), residues(&expected));
}

/// Alpha carbons along x: the residue's name, its chain and number, and x.
fn alphas(atoms: &[(&str, char, i32, f64)]) -> String {
    let line = |(name, chain, number, x): &(&str, char, i32, f64)| {
        format!(
            "ATOM      1  CA  {name} {chain}{number:>4}    {x:>8.3}   0.000   0.000  1.00  0.00           C\n"
        )
    };
    atoms.iter().map(line).collect()
}

/// Bonds that no cysteines have are made, as the file says, with a warning.
#[test]
fn doubtful_disulfides_are_warned_of() {
    let bond = "SSBOND   1 CYS A    1    CYS A    3                          1555   1555  2.03\n";
    let read = |last: (&str, f64)| {
        let atoms = [("CYS", 'A', 1, 0.0), ("GLY", 'A', 2, 3.8), (last.0, 'A', 3, last.1)];
        parse_default(&(bond.to_string() + &alphas(&atoms))).unwrap()
    };
    assert_eq!(read(("CYS", 7.6)).warnings, Vec::<String>::new());
    let far = read(("CYS", 37.0));
    assert_eq!(far.disulfides, [(0, 2)]);
    let words = ["SSBOND on line 1", "residue 1 CYS", "residue 3 CYS are 37.0 A apart"];
    assert_warns(&far, &words);
    assert_warns(&read(("GLY", 7.6)), &["SSBOND on line 1", "residue 3 GLY is no cysteine"]);
    for modified in ["DCY", "CSO", "CME", "CSX", "CSS", "CYD", "CY2", "SEC"] {
        assert_eq!(read((modified, 7.6)).warnings, Vec::<String>::new(), "{modified}");
    }
}

/// Residues of two chains in turn, with and without a terminator between; in mmCIF each part is a chain of the entity.
#[test]
fn interleaved_chains_are_warned_of() {
    let atoms = |numbers: [i32; 3]| {
        let both = |(place, number): (usize, i32)| {
            let x = 3.8 * place as f64;
            [("GLY", 'A', number, x), ("GLY", 'B', number, x + 100.0)]
        };
        numbers.into_iter().enumerate().flat_map(both).collect::<Vec<_>>()
    };
    let text = alphas(&atoms([1, 2, 3]));
    let structure = parse_default(&text).unwrap();
    assert_eq!(structure.chains.len(), 6);
    assert_warns(&structure, &["chain A, chain B come back behind residues of another chain"]);
    // Residues at the distance of a bond are parts of one chain.
    let apart = [("GLY", 'A', 1, 0.0), ("GLY", 'B', 1, 100.0), ("GLY", 'A', 2, 3.8)];
    assert_warns(&parse_default(&alphas(&apart)).unwrap(), &["chain A comes back behind residues"]);
    // As where nothing stands between them, a terminator ends no chain there.
    let ended = text.replace('\n', "\nTER\n");
    assert_warns(&parse_default(&ended).unwrap(), &["chain A, chain B come back behind"]);
    let far = [("GLY", 'A', 1, 0.0), ("GLY", 'B', 1, 100.0), ("GLY", 'A', 2, 38.0)];
    assert_warns(&parse_default(&alphas(&far)).unwrap(), &["chain A comes back behind residues"]);
    // Copies begin anew.
    let copies = alphas(&atoms([1, 1, 1]));
    let far_and_ended = alphas(&far).replace('\n', "\nTER\n");
    for sound in [copies, far_and_ended] {
        let warnings = parse_default(&sound).unwrap().warnings;
        assert!(!warnings.iter().any(|said| said.contains("of another chain")), "{warnings:?}");
    }
}
