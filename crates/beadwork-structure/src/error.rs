//! What can be wrong with a structure file, a topology or a selection.

/// Why a structure, a topology or a selection was refused.
///
/// Every message says what is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The file is missing, or may not be read.
    #[error("{file}: the file cannot be read ({reason}). Check its path and its permissions.")]
    UnreadableFile {
        /// The file as it was named.
        file: String,
        /// What the operating system said.
        reason: String,
    },
    /// The file has no content.
    #[error("{file}: the file is empty. Fetch or export it again.")]
    EmptyFile {
        /// The file as it was named.
        file: String,
    },
    /// The file is neither a PDB nor an mmCIF file.
    #[error(
        "{file}: this is not a structure file{hint}. A PDB file has lines that begin with ATOM or \
         HETATM, an mmCIF file has a table _atom_site; neither was found."
    )]
    NotAStructure {
        /// The file as it was named.
        file: String,
        /// What the file seems to be, as the end of a sentence; often empty.
        hint: String,
    },
    /// A coordinate is not a plain decimal number.
    #[error(
        "{file}, line {line}: the {axis} coordinate ({place}) reads \"{text}\", which is not a \
         plain decimal number. Correct the line or fetch the file again; coordinates are in ångström."
    )]
    DamagedCoordinate {
        /// The file as it was named.
        file: String,
        /// Line in the file, counted from 1.
        line: usize,
        /// `x`, `y` or `z`.
        axis: &'static str,
        /// The columns or the mmCIF item that hold it.
        place: String,
        /// What stands there.
        text: String,
    },
    /// A residue number, occupancy, temperature factor or model number is not a number.
    #[error(
        "{file}, line {line}: the {what} ({place}) reads \"{text}\", which is not {expected}. \
         Correct the line or fetch the file again."
    )]
    DamagedNumber {
        /// The file as it was named.
        file: String,
        /// Line in the file, counted from 1.
        line: usize,
        /// Which number.
        what: &'static str,
        /// The columns or the mmCIF item that hold it.
        place: String,
        /// What stands there.
        text: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// A structure file without any alpha carbon.
    #[error(
        "{file}: no residue has an alpha carbon (an atom named CA that is carbon) among its \
         {atoms} atoms{details}. Only proteins can be read; give a file that has their backbone."
    )]
    NoAlphaCarbon {
        /// The file as it was named.
        file: String,
        /// Number of atoms seen in the chosen model.
        atoms: usize,
        /// What was found instead, as the end of a sentence; may be empty.
        details: String,
    },
    /// The model asked for is not in the file.
    #[error("{file}: there is no model {wanted}; the file has {present}. Ask for one of those.")]
    NoSuchModel {
        /// The file as it was named.
        file: String,
        /// The number asked for.
        wanted: u32,
        /// The numbers that are there, in words.
        present: String,
    },
    /// The file says nothing of assemblies.
    #[error(
        "{file}: the file describes no assembly (it has no {expected}). Leave the assembly out, or \
         fetch the entry from the Protein Data Bank."
    )]
    NoAssembly {
        /// The file as it was named.
        file: String,
        /// Where assemblies are described in such a file.
        expected: &'static str,
    },
    /// The assembly asked for is not in the file.
    #[error("{file}: there is no assembly {wanted}; the file has {present}. Ask for one of those.")]
    NoSuchAssembly {
        /// The file as it was named.
        file: String,
        /// What was asked for.
        wanted: String,
        /// Those that are there, in words.
        present: String,
    },
    /// The description of an assembly cannot be understood, or makes no sense.
    #[error("{file}, line {line}: {problem}. Correct the line or fetch the file again.")]
    DamagedAssembly {
        /// The file as it was named.
        file: String,
        /// Line in the file, counted from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// An assembly has none of the chains that are wanted.
    #[error(
        "{file}: assembly {id} has none of the chosen chains: it copies {copied}. Choose of those."
    )]
    EmptyAssembly {
        /// The file as it was named.
        file: String,
        /// The assembly.
        id: String,
        /// The chains that it copies, in words.
        copied: String,
    },
    /// An assembly has too many residues.
    #[error(
        "{file}: assembly {id} would have {residues} residues, and {limit} are the most. Choose \
         another assembly or fewer chains."
    )]
    AssemblyTooLarge {
        /// The file as it was named.
        file: String,
        /// The assembly.
        id: String,
        /// How many residues it would have.
        residues: usize,
        /// How many it may have.
        limit: usize,
    },
    /// The table of atoms of an mmCIF file lacks a column.
    #[error(
        "{file}, line {line}: the table _atom_site has no column {column}. Export the structure \
         again with this column, or give a PDB file."
    )]
    MissingColumn {
        /// The file as it was named.
        file: String,
        /// Line at which the table begins, counted from 1.
        line: usize,
        /// The column, and its alternative where there is one.
        column: String,
    },
    /// An mmCIF file breaks the rules of the format.
    #[error("{file}, line {line}: {problem}. The file is damaged or cut off; fetch it again.")]
    DamagedMmcif {
        /// The file as it was named.
        file: String,
        /// Line in the file, counted from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A selection that cannot be understood.
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
    /// A line of a SOP-GPU topology that cannot be understood.
    #[error("{file}, line {line}: {problem}. Correct the line or make the topology again.")]
    DamagedTopology {
        /// The file as it was named.
        file: String,
        /// Line in the file, counted from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
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
    ("structure/assembly-too-large", "the assembly would have more than ten million residues"),
    ("structure/missing-column", "the mmCIF table of atoms lacks a column"),
    ("structure/damaged-mmcif", "the file breaks the rules of the mmCIF format"),
    ("structure/bad-selection", "a selection of beads cannot be understood"),
    ("structure/damaged-topology", "a line of a SOP-GPU topology cannot be understood"),
];

impl Error {
    /// A stable name of the kind of error, one of [`ERROR_CODES`].
    pub fn code(&self) -> &'static str {
        match self {
            Error::UnreadableFile { .. } => "structure/unreadable-file",
            Error::EmptyFile { .. } => "structure/empty-file",
            Error::NotAStructure { .. } => "structure/not-a-structure",
            Error::DamagedCoordinate { .. } => "structure/damaged-coordinate",
            Error::DamagedNumber { .. } => "structure/damaged-number",
            Error::NoAlphaCarbon { .. } => "structure/no-alpha-carbon",
            Error::NoSuchModel { .. } => "structure/no-such-model",
            Error::NoAssembly { .. } => "structure/no-assembly",
            Error::NoSuchAssembly { .. } => "structure/no-such-assembly",
            Error::DamagedAssembly { .. } => "structure/damaged-assembly",
            Error::EmptyAssembly { .. } => "structure/empty-assembly",
            Error::AssemblyTooLarge { .. } => "structure/assembly-too-large",
            Error::MissingColumn { .. } => "structure/missing-column",
            Error::DamagedMmcif { .. } => "structure/damaged-mmcif",
            Error::BadSelection { .. } => "structure/bad-selection",
            Error::DamagedTopology { .. } => "structure/damaged-topology",
        }
    }
}

/// A text that fits into a sentence: what is too long ends with an ellipsis.
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
        assert!(codes.contains(&Error::EmptyFile { file: String::new() }.code()));
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
        assert!(codes.iter().all(|code| code.starts_with("structure/")));
    }
}
