//! Errors of the program: a message, its place in the input, and an exit code.

use std::fmt::{self, Write as _};

use beadwork::structure::visible;
use beadwork::{BAD_INPUT, Error, MACHINE};
use miette::{Diagnostic, NamedSource, SourceSpan};

/// A reason to end with an exit code other than 0.
#[derive(Debug)]
pub struct Failure {
    pub(super) message: String,
    pub(super) code: &'static str,
    pub(super) exit: u8,
    pub(super) place: Option<Box<(NamedSource<String>, SourceSpan)>>,
}

/// The longest line that is shown with a caret under the error. The library that draws it panics beyond column 65,535.
const LONGEST_SHOWN: usize = 2_000;

pub const UNPHYSICAL: u8 = 3;
const INTERRUPTED: u8 = 130;

impl Failure {
    fn new(code: &'static str, exit: u8, message: String) -> Failure {
        Failure { message: visible(&message).into_owned(), code, exit, place: None }
    }

    pub fn input(message: String) -> Failure {
        Failure::new("program/arguments", BAD_INPUT, message)
    }

    pub fn environment(message: String) -> Failure {
        Failure::new("program/environment", BAD_INPUT, message)
    }

    pub fn machine(message: String) -> Failure {
        Failure::new("program/machine", MACHINE, message)
    }

    pub fn unphysical(message: String) -> Failure {
        Failure::new("program/unphysical", UNPHYSICAL, message)
    }

    /// The user stopped a command that cannot be continued.
    pub fn interrupted(message: String) -> Failure {
        Failure::new("program/interrupted", INTERRUPTED, message)
    }

    pub fn exit_code(&self) -> u8 {
        self.exit
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let exit = error.exit_code();
        let (mut message, mut place) = (error.to_string(), None);
        if let Error::Input(input) = &error
            && let Some(location) = input.location()
        {
            if location.text.lines().all(|line| line.len() <= LONGEST_SHOWN) {
                place = Some(Box::new(shown(location)));
            } else {
                let (line, column) = location.line_column();
                let _ = write!(message, " (in {}, line {line}, column {column})", location.name);
            }
        }
        Failure { place, ..Failure::new(error.code(), exit, message) }
    }
}

/// The text of a place with its characters made visible, and the bytes of the place in it.
fn shown(location: &beadwork::input::Location) -> (NamedSource<String>, SourceSpan) {
    let (name, text) = (visible(&location.name), visible(&location.text));
    // Each character has become one.
    let byte = |at: usize| {
        let characters = location.text.char_indices().take_while(|(byte, _)| *byte < at).count();
        text.char_indices().nth(characters).map_or(text.len(), |(byte, _)| byte)
    };
    let span = byte(location.span.start)..byte(location.span.end);
    (NamedSource::new(name, text.clone().into_owned()), SourceSpan::from(span))
}

impl From<beadwork_benchmarks::Error> for Failure {
    fn from(error: beadwork_benchmarks::Error) -> Failure {
        use beadwork_benchmarks::Error;
        let message = error.to_string();
        match error {
            Error::Arguments(_) => Failure::input(message),
            Error::Machine(_) => Failure::machine(message),
            Error::Unphysical(_) => Failure::unphysical(message),
            Error::Interrupted => Failure::interrupted(message),
            Error::Run(error) => Failure::from(error),
        }
    }
}

/// Errors of other crates get the exit codes that they have in a run.
macro_rules! fail_as_in_a_run {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::from(Error::from(error))
            }
        })*
    };
}

fail_as_in_a_run!(beadwork::input::Error, beadwork::io::Error, beadwork::cuda::Error);

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl Diagnostic for Failure {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.place.as_deref().map(|(source, _)| source as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let (_, span) = self.place.as_deref()?;
        Some(Box::new(std::iter::once(miette::LabeledSpan::new_with_span(
            Some("here".to_string()),
            *span,
        ))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_s_own_codes_are_listed() {
        let makers = [
            Failure::input,
            Failure::environment,
            Failure::machine,
            Failure::unphysical,
            Failure::interrupted,
        ];
        let known = beadwork::error_codes();
        let own = known.iter().map(|(code, _)| *code).filter(|code| code.starts_with("program/"));
        assert_eq!(makers.map(|make| make(String::new()).code).to_vec(), own.collect::<Vec<_>>());
    }
}
