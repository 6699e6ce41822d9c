//! What can be wrong with a request, and where it was written.

use std::ops::Range;
use std::sync::Arc;

use crate::words::in_short;

/// A place in a text that a person wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file, or `--set` for a value given on the command line.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
    /// Bytes of the text that the message is about.
    pub span: Range<usize>,
}

impl Location {
    pub(crate) fn whole(name: &str, text: &str) -> Location {
        Location { name: name.into(), text: text.into(), span: 0..text.len() }
    }

    pub(crate) fn with_span(&self, span: Range<usize>) -> Location {
        Location { span, ..self.clone() }
    }

    /// The part of a quoted text from character `start` on, `length` characters long. If the text has escapes, the
    /// whole text.
    pub(crate) fn within(&self, content: &str, start: usize, length: usize) -> Location {
        let written = self.text.get(self.span.clone()).unwrap_or_default();
        let quoted = written.len() == content.len() + 2
            && written.get(1..written.len() - 1) == Some(content);
        if !(quoted || written == content) {
            return self.clone();
        }
        let byte = |character: usize| {
            content.char_indices().nth(character).map_or(content.len(), |(byte, _)| byte)
        };
        let offset = self.span.start + usize::from(quoted);
        self.with_span(offset + byte(start)..offset + byte(start + length))
    }

    /// Whether it is part of another place.
    pub(crate) fn lies_within(&self, other: &Location) -> bool {
        self.name == other.name
            && other.span.start <= self.span.start
            && self.span.end <= other.span.end
    }

    /// Turns an error of another crate into one that points at this place.
    pub(crate) fn blame<E: Into<Error>>(&self) -> impl Fn(E) -> Error + '_ {
        move |error| error.into().at(self)
    }

    pub(crate) fn error(&self, code: &'static str, message: impl Into<String>) -> Error {
        Error::new(code, message).at(self)
    }

    /// Line and column at which the place begins, counted from 1 in lines and characters.
    pub fn line_column(&self) -> (usize, usize) {
        let mut start = self.span.start.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &self.text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |text| text.chars().count()) + 1;
        (line, column)
    }
}

/// A request that cannot be carried out.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: &'static str,
    message: String,
    location: Option<Box<Location>>,
}

impl Error {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Error {
        Error { code, message: in_short(message.into()), location: None }
    }

    /// The same error with this place. An error that has a place keeps it, because that place is more precise.
    pub(crate) fn at(mut self, location: &Location) -> Error {
        self.location.get_or_insert_with(|| Box::new(location.clone()));
        self
    }

    /// Begins the message with `what`, such as the folder of a run, where an error may be of one of several.
    #[must_use]
    pub fn of(mut self, what: &str) -> Error {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// A stable code, explained in the book's page on errors: one of [`ERROR_CODES`], or one of
    /// the crates that read structures and build models.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Where the mistake was written, if it is in a text.
    pub fn location(&self) -> Option<&Location> {
        self.location.as_deref()
    }
}

impl From<beadwork_model::Error> for Error {
    fn from(error: beadwork_model::Error) -> Error {
        Error::new(error.code(), error.to_string())
    }
}

impl From<beadwork_structure::Error> for Error {
    fn from(error: beadwork_structure::Error) -> Error {
        Error::new(error.code(), error.to_string())
    }
}

pub(crate) const UNREADABLE_FILE: &str = "input/unreadable-file";
pub(crate) const SYNTAX: &str = "input/syntax";
pub(crate) const UNKNOWN_KEY: &str = "input/unknown-key";
pub(crate) const MISSING_KEY: &str = "input/missing-key";
pub(crate) const WRONG_TYPE: &str = "input/wrong-type";
pub(crate) const BAD_VALUE: &str = "input/bad-value";
pub(crate) const CONFLICT: &str = "input/conflict";
pub(crate) const STEPS: &str = "input/steps";
pub(crate) const PATH: &str = "input/path";
pub(crate) const SWEEP: &str = "input/sweep";
pub(crate) const PAIR_LIST: &str = "input/pair-list";
pub(crate) const START: &str = "input/start";
pub(crate) const SOP_GPU: &str = "input/sop-gpu";
pub(crate) const LAMMPS: &str = "input/lammps";
pub(crate) const NO_PROTEIN: &str = "input/no-protein";
pub(crate) const NO_IMPORT: &str = "input/no-import";

/// Every code of this crate with its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    (
        UNREADABLE_FILE,
        "a file that the request names is missing, may not be read, or is a text in UTF-16",
    ),
    (SYNTAX, "the text is not TOML"),
    (UNKNOWN_KEY, "a key, section or word that the language does not have"),
    (MISSING_KEY, "a key that has no default is not there"),
    (WRONG_TYPE, "a value of another type, such as a number where a text with a unit belongs"),
    (BAD_VALUE, "a value of the right type that makes no sense"),
    (CONFLICT, "two keys that exclude each other, or a bead both fixed and pulled"),
    (STEPS, "a time that is not a whole number of steps, or too many steps"),
    (PATH, "a sweep or an override names a place that is not there or not unique"),
    (SWEEP, "the lists of a sweep do not make points"),
    (
        PAIR_LIST,
        "a list of contacts or bonds cannot be read, does not fit the beads, or names a pair twice",
    ),
    (START, "start coordinates that do not fit the system"),
    (SOP_GPU, "a SOP-GPU input that cannot be carried over"),
    (LAMMPS, "a LAMMPS data file that cannot be carried over"),
    (NO_PROTEIN, "a sequence or structure of residues that is nucleic acid or another polymer"),
    (NO_IMPORT, "an input, a structure or a file of beads, which need no import"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let location = |span| Location::whole("", "a = 1\nµ = \"Å\" x").with_span(span);
        assert_eq!(location(0..1).line_column(), (1, 1));
        assert_eq!(location(4..5).line_column(), (1, 5));
        // Line 2 begins at byte 6; µ and Å take two bytes each.
        assert_eq!(location(6..8).line_column(), (2, 1));
        assert_eq!(location(16..17).line_column(), (2, 9));
        assert_eq!(location(99..99).line_column(), (2, 10));
    }

    #[test]
    fn codes_are_listed_once() {
        for (index, (code, meaning)) in ERROR_CODES.iter().enumerate() {
            assert!(code.starts_with("input/") && !meaning.is_empty());
            assert!(ERROR_CODES[index + 1..].iter().all(|(other, _)| other != code));
        }
    }
}
