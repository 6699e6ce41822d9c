//! Errors of structure files, topologies and selections.

use std::fmt::Display;

/// Why a structure, a topology or a selection was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A selection that cannot be parsed.
    #[error("selection \"{}\": at column {column}, {problem}.", beginning(text))]
    BadSelection {
        /// The whole selection.
        text: String,
        /// Where the offending word begins, in characters counted from 1.
        column: usize,
        /// Length of the offending word in characters; 0 at the end of the text.
        length: usize,
        /// What is wrong, what was expected, and the nearest keyword if there is one.
        problem: String,
    },
    /// Any other error; [`Error::code`] tells which.
    #[error("{message}")]
    Other {
        /// One of [`ERROR_CODES`].
        code: &'static str,
        /// What is wrong, where, and what to do.
        message: String,
    },
}

/// Every code that [`Error::code`] can return, with its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("structure/unreadable-file", "the file is missing or may not be read"),
    ("structure/empty-file", "the file has no content"),
    ("structure/not-a-structure", "the file is neither PDB nor mmCIF"),
    ("structure/damaged-coordinate", "a coordinate is not a plain decimal number"),
    (
        "structure/damaged-number",
        "a residue number, occupancy, temperature factor or model number is not a number",
    ),
    ("structure/no-alpha-carbon", "no residue of the file has an alpha carbon"),
    ("structure/no-such-model", "the model asked for is not in the file"),
    ("structure/no-assembly", "the file describes no assembly"),
    ("structure/no-such-assembly", "the assembly asked for is not in the file"),
    ("structure/damaged-assembly", "the description of an assembly cannot be understood"),
    ("structure/empty-assembly", "the assembly has none of the chosen chains"),
    ("structure/no-such-axis", "the assembly has no axis of this order"),
    ("structure/assembly-too-large", "the assembly would have more than ten million residues"),
    ("structure/missing-column", "the mmCIF table of atoms lacks a column"),
    ("structure/damaged-mmcif", "the file breaks the rules of the mmCIF format"),
    ("structure/bad-selection", "a selection of beads cannot be understood"),
    ("structure/damaged-topology", "a line of a SOP-GPU topology cannot be understood"),
    ("structure/damaged-fasta", "a line of a FASTA file cannot be understood"),
    ("structure/unknown-format", "neither name nor content of a file of beads tell its format"),
    ("structure/damaged-configuration", "a file of beads cannot be understood"),
    ("structure/tilted-box", "the box of a file of beads has angles other than right ones"),
    ("structure/no-such-frame", "the frame asked for is not in the file"),
];

impl Error {
    /// A stable name of the kind of error, one of [`ERROR_CODES`].
    pub fn code(&self) -> &'static str {
        match self {
            Error::BadSelection { .. } => "structure/bad-selection",
            Error::Other { code, .. } => code,
        }
    }

    pub(crate) fn new(code: &'static str, message: String) -> Error {
        debug_assert!(ERROR_CODES.iter().any(|(known, _)| *known == code), "{code}");
        Error::Other { code, message }
    }

    pub(crate) fn empty_file(file: &str) -> Error {
        let message = format!("{file}: the file is empty. Fetch or export it again.");
        Error::new("structure/empty-file", message)
    }

    /// `hint` ends the message with what the file seems to be; often empty.
    pub(crate) fn not_a_structure(file: &str, hint: &str) -> Error {
        let message = format!(
            "{file}: this is not a structure file{hint}. A PDB file has lines that begin with ATOM \
             or HETATM, an mmCIF file has a table _atom_site; neither was found."
        );
        Error::new("structure/not-a-structure", message)
    }

    /// `place` names the columns or the mmCIF item of the coordinate.
    pub(crate) fn damaged_coordinate(
        (file, line): (&str, usize),
        axis: &str,
        place: impl Display,
        text: &str,
    ) -> Error {
        let message = format!(
            "{file}, line {line}: the {axis} coordinate ({place}) reads \"{text}\", which is not a \
             plain decimal number. Correct the line or fetch the file again; coordinates are in \
             ångström."
        );
        Error::new("structure/damaged-coordinate", message)
    }

    /// `place` names the columns or the mmCIF item of the number.
    pub(crate) fn damaged_number(
        (file, line): (&str, usize),
        what: &str,
        place: impl Display,
        text: &str,
        expected: &str,
    ) -> Error {
        let message = format!(
            "{file}, line {line}: the {what} ({place}) reads \"{text}\", which is not {expected}. \
             Correct the line or fetch the file again."
        );
        Error::new("structure/damaged-number", message)
    }

    /// `details` ends the message with what was found instead; may be empty.
    pub(crate) fn no_alpha_carbon(file: &str, atoms: usize, details: &str) -> Error {
        let message = format!(
            "{file}: no residue has an alpha carbon (an atom named CA that is carbon) among its \
             {atoms} atoms{details}. Only proteins can be read; give a file that has their backbone."
        );
        Error::new("structure/no-alpha-carbon", message)
    }

    /// `expected` names the part of such a file that describes assemblies.
    pub(crate) fn no_assembly(file: &str, expected: &str) -> Error {
        let message = format!(
            "{file}: the file describes no assembly (it has no {expected}). Leave the assembly out, \
             or fetch the entry from the Protein Data Bank."
        );
        Error::new("structure/no-assembly", message)
    }

    pub(crate) fn no_such_assembly(file: &str, wanted: &str, ids: &[String]) -> Error {
        let present = match ids {
            [only] => format!("assembly {only}"),
            _ => format!("assemblies {}", ids.join(", ")),
        };
        let message = format!(
            "{file}: there is no assembly {wanted}; the file has {present}. Ask for one of those."
        );
        Error::new("structure/no-such-assembly", message)
    }

    pub(crate) fn damaged_assembly(file: &str, line: usize, problem: impl Display) -> Error {
        let message =
            format!("{file}, line {line}: {problem}. Correct the line or fetch the file again.");
        Error::new("structure/damaged-assembly", message)
    }

    pub(crate) fn damaged_configuration(file: &str, line: usize, problem: impl Display) -> Error {
        let message =
            format!("{file}, line {line}: {problem}. Correct the file or export it again.");
        Error::new("structure/damaged-configuration", message)
    }

    /// Of a file that is no text; `byte` is counted from 0.
    pub(crate) fn damaged_at(file: &str, byte: u64, problem: impl Display) -> Error {
        let message =
            format!("{file}, byte {byte}: {problem}. Correct the file or export it again.");
        Error::new("structure/damaged-configuration", message)
    }

    /// `place` is a line or a byte, and `found` says where the tilt stands.
    pub(crate) fn tilted_box(file: &str, place: impl Display, found: &str) -> Error {
        let message = format!(
            "{file}, {place}: {found}, so the box is tilted. Only boxes with right angles along x, y and z can be \
             used; export the beads with such a box."
        );
        Error::new("structure/tilted-box", message)
    }

    pub(crate) fn damaged_mmcif(file: &str, line: usize, problem: impl Display) -> Error {
        let message = format!(
            "{file}, line {line}: {problem}. The file is damaged or cut off; fetch it again."
        );
        Error::new("structure/damaged-mmcif", message)
    }
}

/// The beginning of a text, short enough for a sentence; an ellipsis marks a cut.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(500) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_listed_once() {
        let mut codes: Vec<_> = ERROR_CODES.iter().map(|(code, _)| *code).collect();
        assert!(codes.contains(&Error::empty_file("").code()));
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
        assert!(codes.iter().all(|code| code.starts_with("structure/")));
    }
}
