//! FASTA files, sound and damaged.

use beadwork_structure::{parse_fasta, read_fasta};

fn entries(text: &str) -> Vec<(String, String)> {
    let records = parse_fasta(text, "in.fasta").unwrap();
    records.into_iter().map(|record| (record.name.clone(), record.sequence())).collect()
}

fn message(text: &str) -> String {
    let error = parse_fasta(text, "in.fasta").unwrap_err();
    assert_eq!(error.code(), "structure/damaged-fasta");
    error.to_string()
}

#[test]
fn names_and_sequences_are_read_in_order() {
    let text =
        "\u{feff}\n>sp|P35637|FUS_HUMAN RNA-binding\r\nMASN\r\n  dyTQ \r\n\r\n> second\nGS\n*\n";
    let expected = [("sp|P35637|FUS_HUMAN", "MASNDYTQ"), ("second", "GS")];
    assert_eq!(entries(text), expected.map(|(a, b)| (a.to_string(), b.to_string())));
}

#[test]
fn a_file_reads_as_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.fasta");
    std::fs::write(&file, ">one\nGSK*\n").unwrap();
    assert_eq!(read_fasta(&file).unwrap(), parse_fasta(">one\nGSK\n", "").unwrap());
    std::fs::remove_file(&file).unwrap();
    assert_eq!(read_fasta(&file).unwrap_err().code(), "structure/unreadable-file");
}

#[test]
fn damage_is_named_with_its_line() {
    for (text, expected) in [
        ("\nMASN\n>a\nGS\n", "line 2: a sequence stands before the first name"),
        (">a\n\n>b\nGS\n", "line 1: no sequence follows the name a"),
        (">a\nGS\n>b\n", "line 3: no sequence follows the name b"),
        (">a\n*\n", "line 1: no sequence follows the name a"),
        (">a\nGS\n>b\nGG\n>a x\nGK\n", "line 5: the name a stands on line 1 already"),
        (">\nGS\n", "line 1: a name must stand behind \">\""),
        (">a\nGS\nG-S\n", "line 3: column 2 has '-', which is no letter but a gap of an alignment"),
        (">a\nGS.\n", "line 2: column 3 has '.', which is no letter but a gap of an alignment"),
        (">P1;CRAB_ANAPL\ncrambin\nTTCC*\n", "line 1: this is the PIR format"),
        (">a\nGS\n>DL;x\nseed\nACGT*\n", "line 3: this is the PIR format"),
        ("; only a comment\n", "line 1: no name stands in the file"),
        ("LOCUS AB1\n", "line 1: a sequence stands before the first name: write a line \">name\""),
        (">a\n1 GS\n", "line 2: column 1 has '1', which is no letter"),
        (">a\nGé\n", "line 2: column 2 has 'é', which is no letter"),
        (">a\nG*S\n", "line 2: the sequence of a goes on after \"*\""),
        (">a\nGS*\nK\n", "line 3: the sequence of a goes on after \"*\""),
    ] {
        let found = message(text);
        assert!(found.starts_with(&format!("in.fasta, {expected}")), "{text:?}: {found}");
    }
    assert_eq!(parse_fasta(" \n", "in.fasta").unwrap_err().code(), "structure/empty-file");
}

#[test]
fn comments_and_all_line_ends_are_read() {
    let text = "; by a program\r\n>one a b\r\n;GGG\r\nMASn\r\n";
    let records = parse_fasta(text, "in.fasta").unwrap();
    assert_eq!((records[0].name.as_str(), records[0].description.as_str()), ("one", "a b"));
    assert_eq!((records[0].letters.as_str(), records[0].sequence()), ("MASn", "MASN".to_string()));
    assert_eq!(entries(">one\rGSK\r>two\rGK\r"), entries(">one\nGSK\n>two\nGK\n"));
}

#[test]
fn names_that_steer_a_terminal_become_visible() {
    let text = ">ok\nGS\n>e\u{1b}]0;OWNED\u{7}\u{1b}[31mred\u{202e} a\u{9b}b\nGK\n";
    let records = parse_fasta(text, "in.fasta").unwrap();
    assert_eq!(records[1].name, "e␛]0;OWNED␇␛[31mred\u{fffd}");
    assert_eq!(records[1].description, "a\u{fffd}b");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.fasta");
    std::fs::write(&file, text).unwrap();
    assert_eq!(read_fasta(&file).unwrap(), records);
}
