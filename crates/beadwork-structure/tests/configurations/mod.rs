//! Files of beads in each format: read back against values written by hand, and refused with their messages.

mod gsd;
mod lammps;
mod lammps_elsewhere;
mod lammps_refused;
mod read;
mod refused;
mod repeat;
mod written_names;

use beadwork_structure::{Configuration, parse_configuration, parse_configuration_bytes};

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

/// Damage of one character, anywhere, is read or refused, but never a panic.
#[test]
fn damage_is_read_or_refused() {
    let xyz = "2\nLattice=\"8 0 0 0 8 0 0 0 9\" pbc='T T T' Properties=species:S:1:pos:R:3:mass:R:1\nA 0 0 0 2\nB 1 0 0 3\n";
    let csv = "# beads\nx,y,z,type,mass\n0,0,0,\"A, b\",1\n1,2,3,B,2\n";
    for (text, name) in [
        (xyz, "a.xyz"),
        (csv, "a.csv"),
        (lammps::FULL, "a.data"),
        (read::PDB, "a.pdb"),
        (read::MMCIF, "a.cif"),
    ] {
        let mut refused = 0;
        for place in 0..text.len() {
            let (before, after) = text.split_at(place);
            for with in ["", "\n", "\"", "é", "-", "9999999999", " "] {
                let damaged = format!("{before}{with}{}", &after[1..]);
                refused += usize::from(parse_configuration(&damaged, name, 0).is_err());
            }
            refused += usize::from(parse_configuration(before, name, -1).is_err());
        }
        assert!(refused > text.len(), "{name}: {refused}");
    }
}

/// The same for any byte of a file that is no text.
#[test]
fn damaged_bytes_are_read_or_refused() {
    let whole = gsd::full();
    let mut refused = 0;
    for place in 0..whole.len() {
        for with in [0, 1, 0x7F, 0x80, 0xFF, whole[place] ^ 1, whole[place].wrapping_add(1)] {
            let mut damaged = whole.clone();
            damaged[place] = with;
            for frame in [0, -1] {
                let read = parse_configuration_bytes(&damaged, "a.gsd", frame);
                refused += usize::from(read.is_err());
            }
        }
        refused += usize::from(parse_configuration_bytes(&whole[..place], "a.gsd", -1).is_err());
    }
    assert!(refused > whole.len(), "{refused}");
}
