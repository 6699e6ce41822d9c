//! Residue names of four letters and chain identifiers of two letters in PDB files: column 21 is part of either.

use beadwork_structure::{ReadOptions, Structure, parse, parse_configuration};

/// Atom CA on a line; `text` fills columns 18 to 26.
fn atom(text: &str, place: f64) -> String {
    let serial = (place / 3.8) as usize + 1;
    format!(
        "ATOM  {serial:>5}  CA  {text:<10}   {place:>8.3}   0.000   0.000  1.00  0.00           C\n"
    )
}

/// Lines of alpha carbons 3.8 Å apart; residues are numbered from 1, and `texts` fill columns 18 to 22.
fn chain(texts: &[&str]) -> String {
    let line = |(index, text): (usize, &&str)| {
        atom(&format!("{text:<5}{:>4}", index + 1), 3.8 * index as f64)
    };
    texts.iter().enumerate().map(line).collect()
}

fn read(text: &str) -> Structure {
    parse(text, "test", &ReadOptions::default()).unwrap()
}

/// Chain identifiers with the names of their residues.
fn chains(structure: &Structure) -> Vec<(&str, Vec<&str>)> {
    let names = |chain: &beadwork_structure::Chain| {
        let residues = &structure.residues[chain.residues.clone()];
        residues.iter().map(|residue| residue.name.as_str()).collect()
    };
    structure.chains.iter().map(|chain| (chain.id.as_str(), names(chain))).collect()
}

#[track_caller]
fn assert_warns(warnings: &[String], words: &[&str]) {
    let found = warnings.iter().any(|warning| words.iter().all(|word| warning.contains(word)));
    assert!(found, "{words:?} not in {warnings:#?}");
}

#[test]
fn names_of_four_letters_do_not_cut_a_chain() {
    // Names of GROMACS, CHARMM and AMBER; those of an end, in the middle, and side by side; with and without a chain.
    for name in [
        "HISE", "HISD", "HISA", "HISB", "HISH", "ASPP", "ASPH", "GLUP", "GLUH", "LYSH", "CYS2",
        "CYSH", "ARGN", "NALA", "CALA",
    ] {
        for id in ["A", " "] {
            let four = format!("{name}{id}");
            let three = format!("GLY {id}");
            for texts in [
                [&*three, &*three, &*four, &*three],
                [&*four, &*three, &*three, &*three],
                [&*three, &*three, &*three, &*four],
                [&*three, &*four, &*four, &*three],
            ] {
                let structure = read(&chain(&texts));
                let names = texts.map(|text| text[..4].trim());
                assert_eq!(chains(&structure), [(id.trim(), names.to_vec())], "{name}");
                assert_eq!(structure.warnings, Vec::<String>::new(), "{name}");
            }
        }
    }
    let mixed = chain(&["NMETA", "HISEA", "ASPPA", "GLY A", "LYSHA", "CALAA"]);
    let names = ["NMET", "HISE", "ASPP", "GLY", "LYSH", "CALA"];
    assert_eq!(chains(&read(&mixed)), [("A", names.to_vec())]);
}

#[test]
fn beads_of_a_configuration_have_the_same_names() {
    let beads = parse_configuration(&chain(&["GLY A", "HISEA", "GLY A"]), "in.pdb", 0).unwrap();
    let labels = beads.labels.iter().map(|label| (&*label.residue_name, &*label.chain));
    assert_eq!(labels.collect::<Vec<_>>(), [("GLY", "A"), ("HISE", "A"), ("GLY", "A")]);
    let beads = parse_configuration(&chain(&["GLYBA", "HISBA", "ALABA"]), "in.pdb", 0).unwrap();
    let labels = beads.labels.iter().map(|label| (&*label.residue_name, &*label.chain));
    assert_eq!(labels.collect::<Vec<_>>(), [("GLY", "BA"), ("HIS", "BA"), ("ALA", "BA")]);
}

#[test]
fn chain_identifiers_of_two_letters_stay() {
    // HISE, LYSH and TIP3 are names, and here they are not.
    let far = |text: &str, number: i32, place: f64| atom(&format!("{text:<5}{number:>4}"), place);
    let text = chain(&["GLYEA", "HISEA", "ALAEA"])
        + "TER\n"
        + &far("LYSHB", 1, 100.0)
        + &far("GLYHB", 2, 103.8)
        + "TER\n"
        + &far("VAL B", 1, 200.0)
        + &far("HISEA", 90, 300.0);
    let structure = read(&text);
    let expected = [
        ("EA", vec!["GLY", "HIS", "ALA"]),
        ("HB", vec!["LYS", "GLY"]),
        ("B", vec!["VAL"]),
        ("EA", vec!["HIS"]),
    ];
    assert_eq!(chains(&structure), expected);
    assert_eq!(structure.warnings, Vec::<String>::new());
}

#[test]
fn a_name_that_no_list_has_is_part_of_an_unbroken_chain_with_a_warning() {
    let structure = read(&chain(&["GLY A", "LYSXA", "GLY A"]));
    assert_eq!(chains(&structure), [("A", vec!["GLY", "LYSX", "GLY"])]);
    assert_warns(&structure.warnings, &["residue names of four letters", "LYSX 2", "column 22"]);
}

#[test]
fn what_nothing_decides_is_said() {
    let structure = read(&(chain(&["GLY A"]) + &atom("HISEA  30", 50.0)));
    assert_eq!(chains(&structure), [("A", vec!["GLY", "HISE"])]);
    assert_warns(&structure.warnings, &["nothing in the file decides", "HISE 30"]);
    let touching = read(&chain(&["GLY A", "ALAXA", "GLYXA"]));
    assert_eq!(chains(&touching), [("A", vec!["GLY"]), ("XA", vec!["ALA", "GLY"])]);
    assert_warns(&touching.warnings, &["touches another", "ALAX 2"]);
}

#[test]
fn disulfides_name_chains_of_one_and_of_two_letters() {
    let sulfur = |text: &str, number: i32, place: f64| {
        format!(
            "ATOM      9  SG  {text:<5}{number:>4}    {place:>8.3}   0.000   0.000  1.00  0.00           S\n"
        )
    };
    let cysteine = |text: &str, number: i32, place: f64| {
        atom(&format!("{text:<5}{number:>4}"), place) + &sulfur(text, number, place + 1.0)
    };
    let two = cysteine("CYSEA", 1, 0.0)
        + &atom("GLYEA   2", -3.8)
        + "TER\n"
        + &cysteine("CYSEB", 1, 7.0)
        + &atom("GLYEB   2", 10.8);
    let record = "SSBOND   1 CYSEA    1    CYSEB    1                          1555   1555  5.00\n";
    let structure = read(&format!("{record}{two}"));
    assert_eq!(structure.disulfides, [(0, 2)]);
    assert_eq!(structure.warnings, Vec::<String>::new());

    let four = cysteine("CYS2A", 1, 0.0) + &atom("GLY A   2", 3.8) + &cysteine("CYS2A", 3, 7.6);
    let record = "SSBOND   1 CYS2A    1    CYS2A    3                          1555   1555  5.00\n";
    let structure = read(&format!("{record}{four}"));
    assert_eq!(chains(&structure), [("A", vec!["CYS2", "GLY", "CYS2"])]);
    assert_eq!(structure.disulfides, [(0, 2)]);
}

#[test]
fn water_and_lipids_of_four_letters_are_no_chains() {
    let text = chain(&["GLY A", "ALA A"])
        + "TER\n"
        + &atom("TIP3W   1", 50.0).replace(" CA ", " OH2")
        + &atom("POPCM   1", 60.0).replace(" CA ", " P  ")
        + &atom("PROPM   2", 70.0).replace(" CA ", " C1 ")
        + &atom("ACETM   3", 80.0).replace(" CA ", " C1 ");
    let structure = read(&text);
    assert_eq!(chains(&structure), [("A", vec!["GLY", "ALA"])]);
    assert_eq!(structure.warnings, Vec::<String>::new());
    let beads = parse_configuration(&text, "in.pdb", 0).unwrap();
    let labels = beads.labels[2..].iter().map(|label| (&*label.residue_name, &*label.chain));
    assert_eq!(
        labels.collect::<Vec<_>>(),
        [("TIP3", "W"), ("POPC", "M"), ("PROP", "M"), ("ACET", "M")]
    );
}

#[test]
fn caps_and_nucleic_acid_are_noted() {
    let cap = |text: &str, name: &str, place: f64| atom(text, place).replace(" CA ", name);
    let text = cap("ACE A   0", " CH3", -3.0)
        + &chain(&["GLY A", "ALA A"])
        + &cap("NME A   3", " CH3", 9.0)
        + "TER\n"
        + &cap("  G B   1", " P  ", 50.0)
        + &cap(" DA C   1", " P  ", 60.0)
        + &cap("DT5 C   2", " P  ", 66.0);
    let structure = read(&text);
    assert_eq!(structure.chains[0].caps, [true, true]);
    assert_eq!(structure.nucleic_chains, ["B", "C"]);
    assert_warns(&structure.warnings, &["nucleic acid: 3"]);
    // Maestro names the carbon of this cap as an alpha carbon.
    let structure = read(&(chain(&["GLY A", "ALA A"]) + &atom("NMA A   2A", 7.6)));
    assert_eq!(chains(&structure), [("A", vec!["GLY", "ALA"])]);
    assert_eq!(structure.chains[0].caps, [false, true]);
    let beads = read(&chain(&["  A A", "  C A", "  U A"]));
    assert_warns(&beads.warnings, &["names of nucleotides", "3 (chain A, residue 1 A"]);
    assert_eq!(beads.chains[0].caps, [false, false]);
}

#[test]
fn identifiers_that_steer_a_terminal_become_visible() {
    let structure = read(&chain(&["GLY \u{1b}", "ALA \u{1b}"]));
    assert_eq!(chains(&structure), [("␛", vec!["GLY", "ALA"])]);
    let structure = read(&chain(&["G\u{202e}Y A", "ALA A"]));
    assert_eq!(structure.residues[0].name, "G\u{fffd}Y");
}
