//! `beadwork random info`: the table of generators.

use beadwork::random::{Generator, Scheme};
use clap::Args;
use serde::Serialize;

use super::super::output::{say, say_json};
use crate::program::failure::Failure;

/// Words for one step of a bead in single precision.
const WORDS: usize = 4;

/// List the generators: schemes, bytes of state, period, known flaws.
///
/// Simulations take a generator in its first scheme unless [random] scheme names another; those with
/// flaws need accept_flaws = true.
#[derive(Debug, Args)]
pub struct Info {
    /// Beads of the system whose states are counted.
    #[arg(long, default_value_t = 1000)]
    beads: usize,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

/// A generator in a scheme.
#[derive(Debug, Serialize)]
struct GeneratorRow {
    generator: &'static str,
    scheme: &'static str,
    /// State of all beads of one trajectory.
    state_bytes: usize,
    period: &'static str,
    flaws: Option<&'static str>,
}

impl Info {
    pub fn run(self) -> Result<u8, Failure> {
        let rows: Vec<GeneratorRow> =
            Generator::ALL.into_iter().flat_map(|each| self.rows(each)).collect();
        if self.json {
            let report = serde_json::json!({ "beads": self.beads, "generators": rows });
            say_json(&report)?;
            return Ok(0);
        }
        let mut text = format!("Bytes of state are those of {} beads.\n\n", self.beads);
        text.push_str(&line(["generator", "scheme", "state", "period", "known flaws"]));
        for row in rows {
            let bytes = row.state_bytes.to_string();
            let flaws = row.flaws.unwrap_or("none");
            text.push_str(&line([row.generator, row.scheme, &bytes, row.period, flaws]));
        }
        say(&text)?;
        Ok(0)
    }

    fn rows(&self, generator: Generator) -> impl Iterator<Item = GeneratorRow> {
        let beads = self.beads;
        generator.schemes().iter().map(move |scheme| {
            let bytes = generator.state_bytes(*scheme, WORDS * beads);
            let states = if *scheme == Scheme::OnePerThread { beads } else { 1 };
            GeneratorRow {
                generator: generator.name(),
                scheme: scheme.name(),
                state_bytes: bytes * states,
                period: generator.period(),
                flaws: generator.flaws(),
            }
        })
    }
}

fn line([generator, scheme, state, period, flaws]: [&str; 5]) -> String {
    format!("{generator:16}  {scheme:22}  {state:>9}  {period:18}  {flaws}\n")
}
