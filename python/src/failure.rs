//! Errors of the program as the exception `beadwork.Error`.

use beadwork::structure::visible;
use beadwork::{BAD_INPUT, Error, MACHINE};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyFunction;

/// A reason to stop, with what the program would say of it.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    message: String,
    exit_code: u8,
    /// File, line, column, and the text of the line.
    place: Option<Box<(String, usize, usize, String)>>,
    /// An exception of Python, in place of all this.
    raised: Option<Box<PyErr>>,
}

impl Failure {
    /// An argument that makes no sense.
    pub fn argument(message: impl Into<String>) -> Failure {
        Failure::new("program/arguments", BAD_INPUT, message.into())
    }

    /// Samples that say nothing of what was asked.
    pub fn samples(message: String) -> Failure {
        Failure::new("analysis/samples", BAD_INPUT, message)
    }

    /// An environment variable that makes no sense.
    pub fn environment(message: String) -> Failure {
        Failure::new("program/environment", BAD_INPUT, message)
    }

    /// The machine refused something.
    pub fn machine(message: String) -> Failure {
        Failure::new("program/machine", MACHINE, message)
    }

    /// An exception that Python raised meanwhile, such as that of Ctrl-C.
    pub fn raised(error: PyErr) -> Failure {
        Failure { raised: Some(Box::new(error)), ..Failure::argument("") }
    }

    fn new(code: &'static str, exit_code: u8, message: String) -> Failure {
        Failure { code, message, exit_code, place: None, raised: None }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let message = visible(&error.to_string()).into_owned();
        let location = match &error {
            Error::Input(input) => input.location(),
            _ => None,
        };
        let place = location.map(|location| {
            let (line, column) = location.line_column();
            let text = location.text.lines().nth(line - 1).unwrap_or_default().trim();
            Box::new((
                visible(&location.name).into_owned(),
                line,
                column,
                visible(text).into_owned(),
            ))
        });
        Failure { place, ..Failure::new(error.code(), error.exit_code(), message) }
    }
}

impl From<beadwork::structure::Error> for Failure {
    fn from(error: beadwork::structure::Error) -> Failure {
        Failure::new(error.code(), BAD_INPUT, visible(&error.to_string()).into_owned())
    }
}

macro_rules! fail_as_in_a_run {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::from(Error::from(error))
            }
        })*
    };
}

fail_as_in_a_run!(beadwork::input::Error, beadwork::io::Error, beadwork::analysis::Error);

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        static ERROR_OF: PyOnceLock<Py<PyFunction>> = PyOnceLock::new();
        Python::attach(|py| {
            let Failure { code, message, exit_code, place, raised } = failure;
            if let Some(error) = raised {
                return *error;
            }
            let error_of = ERROR_OF.import(py, "beadwork._error", "error_of");
            match error_of
                .and_then(|of| of.call1((message, code, exit_code, place.map(|place| *place))))
            {
                Ok(error) => PyErr::from_value(error),
                Err(error) => error,
            }
        })
    }
}
