//! Tables of comma-separated values, whole and damaged.

use std::fmt::Write as _;

use beadwork_analysis::Error;
use beadwork_analysis::table::{Table, read_columns, read_csv, read_csv_of_anyone};

fn read(content: &[u8]) -> Result<Table, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("member.csv");
    std::fs::write(&path, content).unwrap();
    read_csv(&path)
}

#[test]
fn numbers_text_and_empty_cells() {
    let table = read(b"step,force_pn,state\n0,1.5,folded\n10,,\"a, b\"\n20,-2e3,\n").unwrap();
    assert_eq!(table.columns, ["step", "force_pn", "state"]);
    assert_eq!(table.rows(), 3);
    assert_eq!(table.numbers("step").unwrap(), [0.0, 10.0, 20.0]);
    let force = table.numbers("force_pn").unwrap();
    assert_eq!((force[0], force[2]), (1.5, -2000.0));
    assert!(force[1].is_nan());
    assert_eq!(table.texts("state").unwrap(), ["folded", "a, b", ""]);
    assert_eq!(table.texts("step").unwrap(), ["0", "10", "20"]);
    assert!(table.has("state") && !table.has("work"));
    for error in [table.numbers("work").unwrap_err(), table.texts("work").unwrap_err()] {
        assert_eq!(error.code(), "analysis/no-column");
    }
}

#[test]
fn cells_that_are_no_numbers_are_refused_with_their_place() {
    for cell in ["1.2.3", "2x", "-", "nan", "inf", "1e999", "\"4\n5\"", "1 2", "0x1"] {
        let table = read(format!("step,force\n0,1\n1,{cell}\n2,3\n").as_bytes()).unwrap();
        let error = table.numbers("force").unwrap_err();
        assert_eq!(error.code(), "analysis/table-damaged");
        let message = error.to_string();
        assert!(message.starts_with("Line 3 of the table"), "{message}");
        let found = format!("its force is \"{}\", which is no number", cell.trim_matches('"'));
        assert!(message.contains(&found), "{message}");
        assert_eq!(table.counts("step").unwrap(), [0, 1, 2]);
    }
    for cell in ["", "-1", "1.5", "1e3", "2^4"] {
        let table = read(format!("step,force\n0,1\n{cell},3\n").as_bytes()).unwrap();
        let message = table.counts("step").unwrap_err().to_string();
        assert!(message.starts_with("Line 3 of the table"), "{message}");
        let found = format!("its step is \"{cell}\", which is no whole number");
        assert!(message.contains(&found), "{message}");
    }
}

#[test]
fn only_the_wanted_columns_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("member.csv");
    std::fs::write(&path, "step, force ,stage\n0, 1.5 ,a\n1,2.5,b\n").unwrap();
    let table = read_columns(&path, |name| name == "force").unwrap();
    assert_eq!((table.rows(), table.numbers("force").unwrap()), (2, vec![1.5, 2.5]));
    assert_eq!(table.columns, ["step", "force", "stage"]);
    assert_eq!(table.numbers("step").unwrap_err().code(), "analysis/no-column");
}

#[test]
fn a_torn_last_line_is_ignored() {
    let table = read(b"step,force\n0,1.5\n10,2.").unwrap();
    assert_eq!(table.numbers("force").unwrap(), [1.5]);
    let table = read(b"step,force\r\n0,1.5\r\n1").unwrap();
    assert_eq!(table.numbers("step").unwrap(), [0.0]);
    let table = read(b"step,force\n").unwrap();
    assert_eq!((table.rows(), table.numbers("step").unwrap()), (0, vec![]));
}

#[test]
fn damage_is_named_with_its_line() {
    let error = read(b"step,force\n0,1\n1\n2,3\n").unwrap_err();
    assert_eq!(error.code(), "analysis/table-damaged");
    assert!(error.to_string().starts_with("Line 3 of the table"), "{error}");
    assert!(error.to_string().contains("it has 1 cells, and the first line names 2 columns"));
    let not_text = read(b"a,b\n1,\xff\n").unwrap();
    for error in [not_text.numbers("b").unwrap_err(), not_text.texts("b").unwrap_err()] {
        assert_eq!(error.code(), "analysis/table-damaged");
    }
    assert_eq!(read(b"a,\xff\n1,2\n").unwrap_err().code(), "analysis/table-damaged");
    assert_eq!(read(b"").unwrap_err().code(), "analysis/table-without-header");
    assert_eq!(read(b"step,fo").unwrap_err().code(), "analysis/table-without-header");
    assert_eq!(read(b"a,b,a\n1,2,3\n").unwrap_err().code(), "analysis/duplicate-column");
    assert_eq!(read_csv("no/such.csv").unwrap_err().code(), "analysis/table-unreadable");
}

/// A quote anywhere below the first line leaves all rows to the reader that knows quotes; both must agree.
#[test]
fn rows_with_and_without_quotes_are_the_same() {
    let plain = "step, force ,stage\n\n0,1.5, a\n10,,b\n\n\n20, -2e3 ,\n";
    let quoted = plain.replace("10,", "\"10\",");
    let returns = plain.replace('\n', "\r\n");
    let tables = [plain, &quoted, &returns].map(|text| read(text.as_bytes()).unwrap());
    for table in &tables {
        assert_eq!(table.rows(), 3);
        assert_eq!(table.counts("step").unwrap(), [0, 10, 20]);
        assert_eq!(table.texts("stage").unwrap(), ["a", "b", ""]);
        let force = table.numbers("force").unwrap();
        assert!(force[0] == 1.5 && force[1].is_nan() && force[2] == -2000.0);
    }
    for (cells, row) in [(2, "1,2"), (4, "1,2,3,4")] {
        for text in [format!("a,b,c\n1,2,3\n{row}\n"), format!("a,b,c\n\"1\",2,3\n{row}\n")] {
            let message = read(text.as_bytes()).unwrap_err().to_string();
            let found = format!("it has {cells} cells, and the first line names 3 columns");
            assert!(message.starts_with("Line 3 of the table"), "{message}");
            assert!(message.contains(&found), "{message}");
        }
    }
}

#[test]
fn a_hundred_thousand_rows() {
    let mut content = String::from("time_ns,extension_nm,force_pn\n");
    for row in 0..100_000 {
        let _ = writeln!(content, "{},{:.6},{:.4}", row * 20, f64::from(row) * 1e-4, 0.5);
    }
    let table = read(content.as_bytes()).unwrap();
    assert_eq!(table.rows(), 100_000);
    // The times add up to 20 n(n − 1)/2.
    let times = table.numbers("time_ns").unwrap();
    assert_eq!(times.iter().sum::<f64>(), 10.0 * 1e5 * 99_999.0);
}

#[test]
fn a_last_line_without_a_newline_counts_but_in_tables_of_runs() {
    let read = |content: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::write(&path, content).unwrap();
        read_csv_of_anyone(&path)
    };
    let numbers = |content: &str, name: &str| read(content).unwrap().numbers(name).unwrap();
    assert_eq!(numbers("a,b\n1,2\n3,4.5", "b"), [2.0, 4.5]);
    assert_eq!(numbers("a,\"b\"\n1,2\n3,\"4.5\"", "b"), [2.0, 4.5]);
    assert_eq!(numbers("a,b\n1,2\n3,4.5\n", "b"), [2.0, 4.5]);
    assert_eq!(read("a,b").unwrap().rows(), 0);
    // A run may still write the rest of the line.
    assert_eq!(numbers("step,stage,a\n0,pull,1\n10,pull,2", "a"), [1.0]);
    assert_eq!(numbers("sweep,stage,a\n0,pull,1\n10", "a"), [1.0]);
    // What is said of other tables does not speak of runs.
    let said = read("a,b\n1,2\n3").unwrap_err().to_string();
    assert!(said.contains("Line 3") && said.ends_with("Correct the line."), "{said}");
    let said = read("").unwrap_err().to_string();
    assert!(said.contains("is empty") && !said.contains("run"), "{said}");
}
