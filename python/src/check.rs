//! `beadwork.check`.

use std::path::PathBuf;

use beadwork::check::Explanation;
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::request::{Source, choice};
use crate::threads::{refuse_after_fork, with_threads};

/// Explains an input: its words, its JSON, and a notice.
#[pyfunction]
#[pyo3(signature = (name, text, base, settings, device, threads))]
pub fn check(
    py: Python<'_>,
    name: PathBuf,
    text: Option<String>,
    base: PathBuf,
    settings: Vec<(String, String)>,
    device: Option<&str>,
    threads: Option<u16>,
) -> PyResult<(String, String, Option<String>)> {
    refuse_after_fork()?;
    let choice = choice(device)?;
    let source = Source { name, text, base, settings };
    let explain = |threads: usize| {
        let request = source.read()?;
        let explained = Explanation::of(&request, &choice, threads)?;
        let json = explained.as_json().to_string();
        Ok::<_, Failure>((explained.in_words(), json, explained.notice))
    };
    Ok(py.detach(|| with_threads(threads, explain))?)
}
