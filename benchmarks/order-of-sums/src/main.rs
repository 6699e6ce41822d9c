//! What the order of sums costs, and which number K of partial sums is fastest.
//!
//! A bead's force is K partial sums, partner j to sum j mod K in ascending order, and a fixed tree
//! over them. This program times the repulsion with several K and with no order at all, and leaves
//! a table in `benchmarks/results`.

#![allow(
    clippy::needless_range_loop,
    reason = "an axis or a partial sum numbers several arrays at once"
)]

mod broadcast;
mod buffers;
mod clock;
mod formula;
mod loose;
mod measure;
mod replicas;
mod report;
mod systems;
mod tiles;
mod variant;

use std::io::Write;
use std::process::ExitCode;

use crate::measure::measure;
use crate::report::Report;
use crate::systems::Chain;

fn main() -> ExitCode {
    match run() {
        Ok(text) => {
            // Nobody may be reading.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "{message}");
            ExitCode::FAILURE
        }
    }
}

/// Measures everything, keeps it and returns the table.
fn run() -> Result<String, String> {
    let mut series = Vec::new();
    for chain in [Chain::like_ww(), Chain::like_titin(), Chain::large()] {
        series.extend(measure::<f32>(&chain, "single")?);
        series.extend(measure::<f64>(&chain, "double")?);
    }
    let report = Report::new(series);
    report.keep().map_err(|error| {
        format!("The results could not be written to benchmarks/results: {error}. Is it writable?")
    })?;
    Ok(report.markdown())
}
