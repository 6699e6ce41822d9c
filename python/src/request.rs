//! What a person asks for: an input with settings, and devices.

use std::path::PathBuf;

use beadwork::device::Choice;
use beadwork::input::Request;

use crate::failure::Failure;

/// An input: a file, or its text.
#[derive(Debug)]
pub struct Source {
    /// The file, or the name of the text in messages.
    pub name: PathBuf,
    /// The text; `None` for a file.
    pub text: Option<String>,
    /// Where files are looked for that a text names; the current folder if it is empty.
    pub base: PathBuf,
    /// Paths of settings and the values that replace those of the input.
    pub settings: Vec<(String, String)>,
}

impl Source {
    /// Reads the input.
    pub fn read(&self) -> Result<Request, Failure> {
        beadwork::cpu::Instructions::requested().map_err(Failure::environment)?;
        Ok(match &self.text {
            None => beadwork::input::load(&self.name, &self.settings)?,
            Some(text) => {
                let name = self.name.display().to_string();
                beadwork::input::parse(text, &name, &self.base, &self.settings)?
            }
        })
    }
}

/// Reads `auto`, `cpu`, `cuda` or `cuda:0,1`; the first if nothing is said.
pub fn choice(device: Option<&str>) -> Result<Choice, Failure> {
    match device {
        None => Ok(Choice::Auto),
        Some(text) => text.parse().map_err(|problem: String| Failure::argument(problem)),
    }
}
