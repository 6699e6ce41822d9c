//! What a check of `doctor` found.

use std::time::Instant;

use beadwork::cuda;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Finding {
    pub check: String,
    pub passed: bool,
    pub detail: String,
}

pub fn finding(check: &str, outcome: Result<String, String>) -> Finding {
    let (passed, detail) = match outcome {
        Ok(detail) => (true, detail),
        Err(detail) => (false, detail),
    };
    Finding { check: check.to_string(), passed, detail }
}

/// Compares the hash of a reference run with the recorded one.
pub fn expect(
    recorded: &str,
    run: impl FnOnce() -> Result<String, String>,
) -> Result<String, String> {
    let began = Instant::now();
    let hash = run()?;
    let text = format!("{hash} after {:.0} ms", began.elapsed().as_secs_f64() * 1e3);
    if hash == recorded { Ok(text) } else { Err(format!("{text}, expected {recorded}")) }
}

pub fn one_line(error: &cuda::Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
