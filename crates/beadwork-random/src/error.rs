//! [`Error`], why a request for random numbers fails.

/// A request that the noise or a generator cannot serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: &'static str,
    message: String,
}

/// Every code that [`Error::code`] returns, with its meaning in one line.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("random/dead-state", "a stored state of Hybrid Taus cannot have come from a run"),
    ("random/impossible-state", "a stored state of a generator cannot have come from this run"),
    ("random/no-such-scheme", "a generator does not run in the scheme asked for"),
    (
        "random/no-such-distribution",
        "a distribution draws a varying number of words where beads share a sequence",
    ),
];

impl Error {
    /// The stable code of this kind of error, listed in [`ERROR_CODES`].
    pub fn code(&self) -> &'static str {
        self.code
    }

    pub(crate) fn new(code: &'static str, message: String) -> Self {
        debug_assert!(ERROR_CODES.iter().any(|(known, _)| *known == code), "{code}");
        Self { code, message }
    }

    pub(crate) fn impossible_state(generator: &str) -> Self {
        let message = format!(
            "The stored state of the generator {generator} is not one that it can be in, or belongs to another system. \
             The file that it came from is damaged: go back to an older checkpoint."
        );
        Self::new("random/impossible-state", message)
    }
}
