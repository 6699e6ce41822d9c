//! Files that stand where another kind of file belongs: what they are, and which command or key reads them.

use std::borrow::Cow;

use beadwork_files::{LARGEST_STRUCTURE, unpacked, unpacked_name};
use beadwork_structure::{is_file_of_beads, is_lammps_data, with_line_feeds};

use crate::document;
use crate::error::{Error, NO_IMPORT, SYNTAX, UNREADABLE_FILE};
use crate::sop_gpu::config::is_configuration;

/// Refuses a text in UTF-16, as some editors and shells of Windows write it: it has a zero in nearly each second byte.
pub(crate) fn refuse_utf16(bytes: &[u8], name: &str) -> Result<(), Error> {
    let begins = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if !begins {
        return Ok(());
    }
    let problem = format!(
        "{name} is a text in UTF-16, and texts are read in UTF-8: save it as UTF-8, or convert it by iconv -f UTF-16 -t UTF-8"
    );
    Err(Error::new(UNREADABLE_FILE, problem))
}

/// What was given in place of an input, if it is known; `name` is its path.
pub(crate) fn no_input(bytes: &[u8], name: &str) -> Option<Error> {
    // What a packed file holds tells what it is; a damaged one has its name alone.
    let bytes = &*unpacked(bytes, name, LARGEST_STRUCTURE).unwrap_or(Cow::Borrowed(bytes));
    let is_packed = unpacked_name(name) != name;
    if ending(name) == "toml" {
        let problem = format!("{name} is packed, and inputs are read as they are: unpack it first");
        return is_packed.then(|| Error::new(UNREADABLE_FILE, problem));
    }
    let what = if is_structure(bytes, name) {
        format!(
            "a structure: write structure = \"{0}\" in [system] of an input, which `beadwork new sop` or `beadwork new residues` begins, and give that input",
            file_name(name)
        )
    } else if is_lammps_data(bytes, name) {
        format!(
            "a data file of LAMMPS: `beadwork import {name} --output NAME.toml` makes an input of it"
        )
    } else if is_fasta(bytes) {
        format!(
            "a FASTA file: write sequence = {{ file = \"{}\" }} in [system] of an input, which `beadwork new residues` begins, and give that input",
            file_name(name)
        )
    } else if is_file_of_beads(bytes, name) {
        format!(
            "a file of beads: write start = \"{}\" in [system] of an input, which `beadwork new beads` begins, and give that input",
            file_name(name)
        )
    } else if is_configuration(&with_line_feeds(&String::from_utf8_lossy(bytes))) {
        format!(
            "a configuration of SOP-GPU: `beadwork import {name} --output NAME.toml` makes an input of it"
        )
    } else {
        return None;
    };
    Some(Error::new(SYNTAX, format!("{name} is no input in TOML but {what}")))
}

/// Refuses to import what needs no import: inputs of beadwork and structures.
pub(crate) fn refuse_import(bytes: &[u8], name: &str) -> Result<(), Error> {
    let text = String::from_utf8_lossy(bytes);
    let is_input = document::parse(&text, name)
        .is_ok_and(|root| root.get("system").is_some() || root.get("stage").is_some());
    if is_input || ending(name) == "toml" {
        let problem = format!(
            "{name} is an input of beadwork and needs no import: `beadwork check {name}` says what it would do, `beadwork run {name}` does it"
        );
        return Err(Error::new(NO_IMPORT, problem));
    }
    if is_structure(bytes, name) {
        let file = file_name(name);
        let problem = format!(
            "{name} is a structure, no input of another program: structure = \"{file}\" in [system] of an input reads its protein (`beadwork new sop` and `beadwork new residues` begin such inputs), start = \"{file}\" all its atoms as beads (`beadwork new beads`)"
        );
        return Err(Error::new(NO_IMPORT, problem));
    }
    Ok(())
}

/// Inputs look for files beside themselves.
fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// The ending of a file's name in small letters, without that of a packer.
fn ending(name: &str) -> String {
    unpacked_name(file_name(name))
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase())
        .unwrap_or_default()
}

/// Whether a file is in PDB or mmCIF format, by its ending or by its first lines.
fn is_structure(bytes: &[u8], name: &str) -> bool {
    if matches!(ending(name).as_str(), "pdb" | "ent" | "cif" | "mmcif") {
        return true;
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(FIRST_BYTES)]);
    let text = with_line_feeds(&text);
    let is_atom = |line: &str| line.starts_with("ATOM  ") || line.starts_with("HETATM");
    text.lines().any(is_atom) || text.contains("_atom_site.")
}

/// As much of a file as tells what it is.
const FIRST_BYTES: usize = 100_000;

fn is_fasta(bytes: &[u8]) -> bool {
    bytes.starts_with(b">")
}
