//! Files of beads in each format: read back against values written by hand, and refused with their messages.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod lammps;
mod lammps_refused;
mod read;
mod refused;

use beadwork_structure::{Configuration, parse_configuration};

const DAMAGED: &str = "structure/damaged-configuration";

#[track_caller]
fn read(text: &str, name: &str) -> Configuration {
    parse_configuration(text, name, 0).unwrap()
}

/// The types of all beads by name.
fn types(beads: &Configuration) -> Vec<&str> {
    beads.types.iter().map(|number| &*beads.type_names[usize::from(*number)]).collect()
}

/// The same text as programs of other systems write it: with a byte-order mark and other line ends.
fn as_elsewhere(text: &str) -> String {
    format!("\u{feff}{}", text.replace('\n', "\r\n"))
}

/// Checks code and message of the error that reading a text gives.
#[track_caller]
fn refused(text: &str, name: &str, frame: i64, code: &str, expected: &str) {
    let error = parse_configuration(text, name, frame).unwrap_err();
    let (found, place) = (error.to_string(), std::panic::Location::caller());
    assert_eq!(error.code(), code, "{place}: {found}");
    assert!(found.starts_with(&format!("{name}{expected}")), "{text}\n{found}");
    if code == DAMAGED {
        assert!(found.ends_with(". Correct the file or export it again."), "{found}");
    }
}

/// Checks the messages about damaged texts.
#[track_caller]
fn damaged(name: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        refused(text, name, 0, DAMAGED, &format!(", {expected}"));
    }
}
