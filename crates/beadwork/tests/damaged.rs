//! Files with impossible contents: the program names the error and returns its exit code, and never panics.
#![cfg(unix)]

use std::fs;

use crate::common::{Dice, LADDERS, PULL, Place, results};
use beadwork_testing::few_or_many;

/// Errors beyond column 65,535, at which the library cannot draw a caret.
#[test]
fn errors_in_very_long_lines_are_reported() {
    let far = "a".repeat(70_000);
    let place = Place::with_input(&format!("[system]\nx = \"{far}\" 7\n"));
    let said = place.beadwork("check input.toml").expect(2);
    said.complains(&["input/syntax", "(in input.toml, line 2, column 70008)"]);
    let place = Place::with_input(&format!("{PULL}\nname = \"{far}\"\n"));
    let said = place.beadwork("check input.toml").expect(2);
    said.complains(&["input/unknown-key", "(in input.toml, line 33, column 1)"]);
    // Short lines are shown with a caret.
    let place = Place::with_input("[system]\nx = 7 7\n");
    place.beadwork("check input.toml").expect(2).complains(&["[input.toml:2:5]", "here"]);
}

#[test]
fn selections_of_many_terms_are_read() {
    let many = vec!["index 0"; 40_000];
    for joint in [" or ", " and "] {
        let input = PULL.replace("\"first\"", &format!("\"{}\"", many.join(joint)));
        Place::with_input(&input).beadwork("check input.toml").expect(0);
    }
    let input = PULL.replace("\"first\"", &format!("\"{} or\"", many.join(" or ")));
    let said = Place::with_input(&input).beadwork("check input.toml").expect(2);
    said.complains(&["structure/bad-selection", "the selection ends where one of", "line 22"]);
}

#[test]
fn rungs_that_a_ladder_does_not_have_are_refused() {
    let place = Place::new();
    place.write("chain.toml", LADDERS);
    place.beadwork("run chain.toml -o run --quiet").expect(0);
    let path = place.path("run/tables/member-0006.csv");
    let whole = fs::read_to_string(&path).unwrap();
    // With its checkpoint the table would be refused at once, so `resume` is refused for that and `plot` reads without it.
    let mut changed = whole.clone().into_bytes();
    changed[whole.len() / 2] ^= 1;
    fs::write(&path, changed).unwrap();
    for command in ["plot run", "resume run --quiet"] {
        let said = place.beadwork(command).expect(2);
        said.complains(&["io/changed-output", "member-0006.csv"]);
    }
    fs::remove_dir_all(place.path("run/checkpoints")).unwrap();
    for (column, cell) in [(2, "4.00"), (2, "-1"), (2, "1.5"), (2, "  "), (0, "       ")] {
        let lines = whole.lines().enumerate().map(|(number, line)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if number == 100 {
                cells[column] = cell;
            }
            cells.join(",") + "\n"
        });
        fs::write(&path, lines.collect::<String>()).unwrap();
        let said = place.beadwork("plot run").expect(2);
        said.complains(&["analysis/table-damaged", "Line 101", "member-0006.csv"]);
    }
    fs::write(&path, &whole).unwrap();
    let path = place.path("run/exchange.csv");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replace("upward", "onward")).unwrap();
    // With checkpoints the file would be written anew.
    let said = place.beadwork("plot run").expect(2);
    said.complains(&["exchange.csv has no column `upward`"]);
}

/// Random bytes in tables and in the files that describe a run.
#[test]
fn changed_bytes_never_cause_a_panic() {
    let mut dice = Dice(16);
    for (input, run) in [(LADDERS, "chains"), (PULL, "pull")] {
        let place = Place::with_input(&input.replace("80_000", "2_000").replace("2000\n", "500\n"));
        place.beadwork(&format!("run input.toml -o {run} --quiet")).expect(0);
        let files = results(&place.path(run));
        let is_chosen = |name: &&String| {
            name.starts_with("tables/")
                || [".json", ".toml", ".csv"].iter().any(|end| name.ends_with(end))
        };
        let names: Vec<&String> = files.keys().filter(is_chosen).collect();
        for _ in 0..few_or_many(4, 40) {
            for (name, bytes) in &files {
                fs::write(place.path(run).join(name), bytes).unwrap();
            }
            let name = names[dice.next() as usize % names.len()];
            let mut bytes = files[name].clone();
            for _ in 0..1 + dice.next() % 3 {
                let at = dice.next() as usize % bytes.len();
                bytes[at] = b"0123456789.,-e+\n\"xnaif[]{}\0\xff"[dice.next() as usize % 28];
            }
            fs::write(place.path(run).join(name), bytes).unwrap();
            for command in ["plot", "resume --quiet", "extend --steps 2000"] {
                let said = place.beadwork(&format!("{command} {run}"));
                assert!(matches!(said.code, Some(0 | 2 | 4)), "{name}, {command}: {said:?}");
                assert!(!said.stderr.contains("panicked"), "{name}, {command}: {}", said.stderr);
            }
        }
    }
}
