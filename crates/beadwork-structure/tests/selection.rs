//! The grammar of selections.

use beadwork_structure::{Error, Label, Selection};

/// Chain A: residues -5 to 4 and 4A, 4B (beads 0 to 11); chain B: residues 1 to 4 (12 to 15).
fn beads() -> Vec<Label> {
    let bead = |chain: &str, residue_number, insertion, residue_name: &str| Label {
        name: if residue_name == "LYS" { "B" } else { "CA" }.into(),
        residue_name: residue_name.into(),
        residue_number,
        insertion,
        chain: chain.into(),
        segment: format!("{chain}1").as_str().into(),
    };
    let mut beads: Vec<_> = (-5..=4).map(|number| bead("A", number, None, "GLY")).collect();
    beads.push(bead("A", 4, Some('A'), "ALA"));
    beads.push(bead("A", 4, Some('B'), "LYS"));
    beads.extend((1..=4).map(|number| bead("B", number, None, "ALA")));
    beads
}

fn select(text: &str) -> Vec<usize> {
    Selection::parse(text).unwrap_or_else(|error| panic!("{error}")).indices(&beads())
}

#[test]
fn parts_that_match_nothing_are_found() {
    let unmatched = |text: &str| Selection::parse(text).unwrap().unmatched(&beads());
    for (text, parts) in [
        ("index 0-5 200", &["index 200"][..]),
        ("residue -9--6 4A 1-5, 80-90", &["residue -9--6", "residue 80-90"]),
        ("chain A C or segment B1 and segment B B*", &["chain C", "segment B"]),
        ("resname ALA GLYY and (type B or first of type Q)", &["resname GLYY", "type Q"]),
        ("not resname HOH WAT and not residue 100-120", &[]),
        ("not (chain Z and not (type Q or not chain Y))", &["type Q"]),
        ("residue 4C or chain \"\"", &["residue 4C", "chain \"\""]),
        ("all and last of chain A-* B", &["chain A-*"]),
        ("none", &[]),
    ] {
        assert_eq!(unmatched(text), parts, "{text}");
    }
}

#[test]
fn every_kind_of_word() {
    assert_eq!(select("all").len(), 16);
    assert_eq!(select("none"), []);
    assert_eq!(select("first"), [0]);
    assert_eq!(select("last"), [15]);
    assert_eq!(select("index 0-2 5,7"), [0, 1, 2, 5, 7]);
    assert_eq!(select("index 15-99"), [15]);
    assert_eq!(select("chain B"), [12, 13, 14, 15]);
    assert_eq!(select("chain A B").len(), 16);
    assert_eq!(select("segment B1"), [12, 13, 14, 15]);
    assert_eq!(select("resname ALA LYS"), [10, 11, 12, 13, 14, 15]);
    assert_eq!(select("type B"), [11]);
    assert_eq!(select("chain C"), []);
    assert_eq!(select("chain \"B\""), [12, 13, 14, 15]);
    assert_eq!(select("chain \"\""), []);
}

#[test]
fn segment_matches_the_chain_name_of_beads_without_segment() {
    let mut beads = beads();
    beads[12..].iter_mut().for_each(|bead| bead.segment = "".into());
    let select = |text: &str| Selection::parse(text).unwrap().indices(&beads);
    assert_eq!(select("segment B"), [12, 13, 14, 15]);
    assert_eq!(select("segment B*"), [12, 13, 14, 15]);
    assert_eq!(select("segment \"\""), [12, 13, 14, 15]);
    // Chain A has a segment with another name.
    assert_eq!(select("segment A"), []);
    assert_eq!(select("segment A1").len(), 12);
}

#[test]
fn a_star_matches_any_text_of_a_chain_or_segment() {
    let names = ["A", "A-2", "A-12", "AA-2", "B-2", "*", ""];
    let beads = names.map(|chain| Label {
        name: "CA".into(),
        residue_name: "GLY".into(),
        residue_number: 1,
        insertion: None,
        chain: chain.into(),
        segment: chain.into(),
    });
    for (words, expected) in [
        ("A", vec!["A"]),
        ("A-*", vec!["A-2", "A-12"]),
        ("A A-*", vec!["A", "A-2", "A-12"]),
        ("A*", vec!["A", "A-2", "A-12", "AA-2"]),
        ("*-2", vec!["A-2", "AA-2", "B-2"]),
        ("A*-*2", vec!["A-2", "A-12", "AA-2"]),
        ("A-*-2", vec![]),
        ("\"*\"", vec!["*"]),
        ("*", names.to_vec()),
    ] {
        for keyword in ["chain", "segment"] {
            let selection = Selection::parse(&format!("{keyword} {words}")).unwrap();
            let found: Vec<_> =
                selection.indices(&beads).into_iter().map(|bead| names[bead]).collect();
            assert_eq!(found, expected, "{keyword} {words}");
        }
    }
    // In other names, a star is an ordinary character.
    assert_eq!(Selection::parse("resname G*").unwrap().indices(&beads), []);
}

#[test]
fn residues_by_number() {
    assert_eq!(select("residue 1-2"), [6, 7, 12, 13]);
    assert_eq!(select("residue -3"), [2]);
    assert_eq!(select("residue -5--4"), [0, 1]);
    assert_eq!(select("residue -1-0, 2"), [4, 5, 7, 13]);
    assert_eq!(select("residue 4"), [9, 15]);
    assert_eq!(select("residue 4A"), [10]);
    assert_eq!(select("residue 4A-4B"), [10, 11]);
    assert_eq!(select("residue 3-4 and chain A"), [8, 9]);
    assert_eq!(select("residue 3-5 and chain A"), [8, 9, 10, 11]);
}

#[test]
fn not_binds_before_and_before_or() {
    assert_eq!(select("index 0 or index 1 and chain B"), [0]);
    assert_eq!(select("(index 0 or index 1) and chain B"), []);
    assert_eq!(select("not chain A and index 12"), [12]);
    assert_eq!(select("not (chain A and index 0-14)"), [12, 13, 14, 15]);
    assert_eq!(select("index 0-2 or index 2-3"), [0, 1, 2, 3]);
    assert_eq!(select("not not first"), [0]);
    assert_eq!(select("chain A and not residue -5-4"), [10, 11]);
}

#[test]
fn ends_of_a_selection() {
    assert_eq!(select("first of (chain B)"), [12]);
    assert_eq!(select("last of chain A"), [11]);
    assert_eq!(select("first of chain A or last of chain B"), [0, 15]);
    assert_eq!(select("last of (chain A and resname GLY)"), [9]);
    assert_eq!(select("first of none"), []);
    assert_eq!(select("first and chain A"), [0]);
}

#[test]
fn nothing_is_selected_from_no_beads() {
    for text in ["all", "first", "last of all", "not none", "index 0"] {
        assert_eq!(Selection::parse(text).unwrap().indices(&[]), []);
    }
    assert_eq!(Selection::parse(" all ").unwrap().text(), " all ");
}

#[test]
fn errors_point_at_the_word() {
    for (text, column, length, words) in [
        ("chian A", 1, 5, vec!["\"chian\"", "perhaps chain", "residue"]),
        ("CHAIN A", 1, 5, vec!["perhaps chain"]),
        ("", 1, 0, vec!["ends where one of all, none"]),
        ("chain", 6, 0, vec!["a chain identifier"]),
        ("chain and residue 5", 7, 3, vec!["a chain identifier"]),
        ("chain A adn residue 5", 9, 3, vec!["perhaps and"]),
        ("index 0-9 adn chain A", 11, 3, vec!["perhaps and"]),
        ("chain A residue 5", 9, 7, vec!["and, or, or the end"]),
        ("(chain A", 9, 0, vec!["closing parenthesis"]),
        ("chain A)", 8, 1, vec!["and, or, or the end"]),
        ("index 5-2", 7, 3, vec!["backwards"]),
        ("index -1", 7, 2, vec!["an index such as"]),
        ("residue 4B-4A", 9, 5, vec!["backwards"]),
        ("residue x", 9, 1, vec!["a residue number such as"]),
        ("residue 12 - 40", 12, 1, vec!["12-40"]),
        ("all and é", 9, 1, vec!["one of"]),
        ("é and all", 1, 1, vec!["one of"]),
        ("chain \"A", 7, 2, vec!["never closed"]),
        ("residue 99999999999", 9, 11, vec!["a residue number"]),
    ] {
        let error = Selection::parse(text).unwrap_err();
        let Error::BadSelection { column: found, length: found_length, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!((*found, *found_length), (column, length), "{error}");
        for word in words {
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}

/// Runs in a thread with a small stack, which a tree as deep as these lists would overflow.
#[test]
fn lists_of_terms_are_not_limited() {
    let check = || {
        for (joint, term, found) in
            [("or", "index 1", 1..2), ("and", "chain B", 12..16), ("or not", "chain A", 0..16)]
        {
            let text = vec![term; 40_000].join(&format!(" {joint} "));
            let selection = Selection::parse(&text).unwrap();
            assert_eq!(selection.indices(&beads()), found.collect::<Vec<_>>(), "{joint}");
            assert_eq!(selection.clone(), selection);
            let error = Selection::parse(&format!("{text} {joint} indexx 1")).unwrap_err();
            assert!(error.to_string().len() < 1_000);
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    thread.spawn(check).unwrap().join().unwrap();
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| format!("{}all{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Selection::parse(&nested(50)).is_ok());
    assert!(Selection::parse(&nested(100_000)).is_err());
    assert!(Selection::parse(&format!("{} all", "not ".repeat(100_000))).is_err());
}
