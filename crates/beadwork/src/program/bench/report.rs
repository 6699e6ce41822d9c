//! What was measured, as JSON for programs and as Markdown for people.

use serde::Serialize;

use super::checks::{Check, Estimate, Spread};
use super::machine::Machine;
use super::peer::PeerResult;
use crate::program::output::{grouped, significant};

/// The result of one command.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `sop` or `growth`.
    pub name: &'static str,
    /// On what.
    pub machine: Machine,
    /// The device: `cpu` or `cuda`.
    pub device: &'static str,
    /// The command, so that it can be repeated.
    pub command: String,
    /// What was measured.
    pub rows: Vec<Row>,
    /// Whether all checks of all rows hold.
    pub holds: bool,
}

/// One system in one number of replicas.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The workload's word.
    pub workload: String,
    /// What it is.
    pub title: String,
    /// Beads.
    pub beads: usize,
    /// Native contacts that carry energy.
    pub contacts: usize,
    /// Trajectories at once.
    pub replicas: u64,
    /// Threads.
    pub threads: usize,
    /// `single` or `double`.
    pub precision: &'static str,
    /// `philox4x32-10` or another.
    pub generator: &'static str,
    /// ps.
    pub timestep: f64,
    /// Steps of each trajectory in a repeat.
    pub steps: u64,
    /// Steps between rows and frames.
    pub every: u64,
    /// What a run takes without steps, s: folder, files, lists, checkpoints. It is part of each
    /// repeat.
    pub fixed_seconds: f64,
    /// Wall time of a repeat, s, the median.
    pub seconds: f64,
    /// Trajectory-steps/s, of the repeats.
    pub rate: Spread,
    /// ns of wall time for a step of one bead, at the median.
    pub nanoseconds_per_bead_step: f64,
    /// Mean total energy of the second half of the repeats, kcal/mol.
    pub energy: Option<Estimate>,
    /// kT from displacements there, kcal/mol, with the drift in it.
    pub temperature: Option<Estimate>,
    /// Whether the run was physics.
    pub checks: Vec<Check>,
    /// What could not be checked, and why.
    pub notes: Vec<String>,
    /// Another program beside it.
    pub peer: Option<PeerResult>,
}

impl Row {
    /// Whether all of its checks hold.
    pub fn holds(&self) -> bool {
        let peers = self.peer.iter().flat_map(|peer| &peer.checks);
        self.checks.iter().chain(peers).all(|check| check.holds)
    }
}

impl Report {
    /// The report as Markdown, whose tables are lined up for a terminal.
    pub fn markdown(&self) -> String {
        let mut text = super::heading(self.name, self.device, &self.machine, &self.command);
        text.push_str("## Speed\n\n");
        text.push_str(&table(&self.speeds()));
        if self.name == "growth" && self.rows.len() > 1 {
            let costs =
                Spread::of(self.rows.iter().map(|row| row.nanoseconds_per_bead_step).collect());
            text.push_str(&format!(
                "\nThe dearest bead-step costs {} times the cheapest.\n",
                significant(costs.highest / costs.lowest)
            ));
        }
        let peers = self.peers();
        if peers.len() > 1 {
            text.push_str("\n## Against a peer\n\n");
            text.push_str(&table(&peers));
            for row in &self.rows {
                if let Some(peer) = &row.peer {
                    text.push_str(&trials(row, peer));
                }
            }
        }
        text.push_str("\n## Checks\n\n");
        text.push_str(&table(&self.checks()));
        for row in &self.rows {
            if !row.notes.is_empty() {
                text.push_str(&format!("\n{}: {}.\n", label(row), row.notes.join("; ")));
            }
        }
        text.push_str(if self.holds {
            "\nAll checks hold.\n"
        } else {
            "\nA CHECK FAILS: the speeds above are not those of this physics.\n"
        });
        text
    }

    fn speeds(&self) -> Vec<Vec<String>> {
        let mut rows = vec![words([
            "system",
            "beads",
            "replicas",
            "threads",
            "precision",
            "steps each",
            "s a repeat",
            "s of it fixed",
            "trajectory-steps/s",
            "lowest to highest",
            "ns a bead-step",
            "energy, kcal/mol",
            "kT from displacements, kcal/mol",
        ])];
        for row in &self.rows {
            rows.push(vec![
                row.title.clone(),
                grouped(row.beads as u64),
                grouped(row.replicas),
                row.threads.to_string(),
                row.precision.to_string(),
                grouped(row.steps),
                format!("{:.2}", row.seconds),
                format!("{:.3}", row.fixed_seconds),
                rounded(row.rate.median),
                format!("{} to {}", rounded(row.rate.lowest), rounded(row.rate.highest)),
                significant(row.nanoseconds_per_bead_step),
                row.energy.map_or("-".to_string(), estimate),
                row.temperature.map_or("-".to_string(), estimate),
            ]);
        }
        rows
    }

    fn peers(&self) -> Vec<Vec<String>> {
        let mut rows = vec![words([
            "system",
            "replicas",
            "threads",
            "beadwork, steps/s",
            "peer, steps/s",
            "lowest to highest",
            "ratio",
            "lowest to highest",
            "by CPU time",
            "peer",
        ])];
        for row in &self.rows {
            let Some(peer) = &row.peer else { continue };
            rows.push(vec![
                row.title.clone(),
                grouped(row.replicas),
                row.threads.to_string(),
                rounded(row.rate.median),
                rounded(peer.rate.median),
                format!("{} to {}", rounded(peer.rate.lowest), rounded(peer.rate.highest)),
                significant(peer.ratio.median),
                format!(
                    "{} to {}",
                    significant(peer.ratio.lowest),
                    significant(peer.ratio.highest)
                ),
                peer.processor_ratio.as_ref().map_or("-".to_string(), |r| significant(r.median)),
                format!("{} {}, {}", peer.program, peer.version, peer.variant),
            ]);
        }
        rows
    }

    fn checks(&self) -> Vec<Vec<String>> {
        let mut rows = vec![words([
            "system", "replicas", "quantity", "found", "expected", "apart", "allowed", "",
        ])];
        for row in &self.rows {
            let own = row.checks.iter().map(|check| (String::new(), check));
            let peers = row
                .peer
                .iter()
                .flat_map(|peer| peer.checks.iter().map(|c| (format!("{}: ", peer.program), c)));
            for (whose, check) in own.chain(peers) {
                let with_error = |value: f64, error: Option<f64>| match error {
                    Some(error) => estimate(Estimate { mean: value, error, values: None }),
                    None => significant(value),
                };
                let unit = if check.found_error.is_some() { " s.e." } else { "" };
                let number = |value: f64| {
                    if unit.is_empty() {
                        format!("{value:.1e}")
                    } else {
                        format!("{value:.2}{unit}")
                    }
                };
                rows.push(vec![
                    row.title.clone(),
                    grouped(row.replicas),
                    format!("{whose}{}", check.quantity),
                    with_error(check.found, check.found_error),
                    with_error(check.expected, check.expected_error),
                    number(check.deviation),
                    number(check.allowed),
                    if check.holds { "holds" } else { "FAILS" }.to_string(),
                ]);
            }
        }
        rows
    }
}

fn label(row: &Row) -> String {
    format!("{}, {} replica(s)", row.title, grouped(row.replicas))
}

fn trials(row: &Row, peer: &PeerResult) -> String {
    let list: Vec<String> = peer
        .trials
        .iter()
        .map(|trial| format!("{}: {}", trial.variant, rounded(trial.steps_per_second)))
        .collect();
    format!(
        "\n{}: the peer was timed in its fastest way of {} (trajectory-steps/s without output; {}).\n",
        label(row),
        peer.trials.len(),
        list.join("; ")
    )
}

/// Three digits of a speed and no more: repeats differ in the third.
pub fn rounded(value: f64) -> String {
    if value < 1_000.0 {
        return significant(value);
    }
    let unit = 10_f64.powi(value.log10().floor() as i32 - 2);
    grouped(((value / unit).round() * unit) as u64)
}

/// The mean with as many decimals as its error has two digits, and the error.
fn estimate(estimate: Estimate) -> String {
    let Estimate { mean, error, .. } = estimate;
    if !(error.is_finite() && error > 0.0) {
        return significant(mean);
    }
    let decimals = (1 - error.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{mean:.decimals$} ± {error:.decimals$}")
}

pub fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_string).to_vec()
}

/// A Markdown table whose first row is its head; columns are as wide as their widest cell.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(&widths) {
            text.push_str(&format!("| {cell:<width$} "));
        }
        text.push_str("|\n");
        if number == 0 {
            for width in &widths {
                text.push_str(&format!("|-{}-", "-".repeat(*width)));
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(rounded(123_456.0), "123 000");
        assert_eq!(rounded(99.96), "99.96");
        let with = |mean, error| estimate(Estimate { mean, error, values: None });
        assert_eq!(with(-87.5463, 0.0671), "-87.546 ± 0.067");
        assert_eq!(with(0.608_28, 0.000_12), "0.60828 ± 0.00012");
        assert_eq!(with(5.0, 0.0), "5");
    }

    #[test]
    fn tables_are_lined_up() {
        let rows = [vec!["a".to_string(), "long".to_string()], words(["wide", "±"])];
        assert_eq!(table(&rows), "| a    | long |\n|------|------|\n| wide | ±    |\n");
    }
}
