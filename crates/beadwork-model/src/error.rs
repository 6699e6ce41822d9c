//! What can be wrong with a model.

/// A request that cannot be a model.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A quantity that cannot be read, or of another dimension.
    #[error("\"{text}\" {reason}; expected {expected}")]
    Quantity {
        /// The text as written.
        text: String,
        /// What is wrong with it.
        reason: String,
        /// The expected dimension with an example.
        expected: &'static str,
    },
    /// A selection, a structure or a topology cannot be read or used.
    #[error(transparent)]
    Structure(#[from] beadwork_structure::Error),
    /// A selection matched nothing.
    #[error("{role}: the selection \"{selection}\" matches no bead; {hint}")]
    EmptySelection {
        /// What the selection was for.
        role: String,
        /// The selection as written.
        selection: String,
        /// What could be matched instead.
        hint: String,
    },
    /// A system of fewer than two beads.
    #[error(
        "{source_name} gives {beads} bead(s); a chain needs at least 2: choose other chains or another file"
    )]
    TooFewBeads {
        /// The file.
        source_name: String,
        /// Its beads.
        beads: usize,
    },
    /// A list names beads that do not exist, or an impossible bond or contact.
    #[error("{0}")]
    Topology(String),
    /// A chain of residues, one of its domains, or its solution cannot be.
    #[error("{0}")]
    Residues(String),
}

impl Error {
    /// A stable code, explained in the book's page on errors.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Quantity { .. } => "model/quantity",
            Error::Structure(error) => error.code(),
            Error::EmptySelection { .. } => "model/empty-selection",
            Error::TooFewBeads { .. } => "model/too-few-beads",
            Error::Topology(_) => "model/topology",
            Error::Residues(_) => "model/residues",
        }
    }
}

/// Every code of this crate with its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("model/quantity", "a value cannot be read, or has the wrong unit"),
    ("model/empty-selection", "a selection matches no bead"),
    ("model/too-few-beads", "the system has fewer than two beads"),
    ("model/topology", "a bond or contact list does not fit the structure"),
    ("model/residues", "a chain of residues, a folded domain or the solution is not possible"),
];
