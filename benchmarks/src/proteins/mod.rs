//! `bench sop` and `growth`: Brownian dynamics of proteins in the SOP model.

mod workloads;

use std::path::PathBuf;

use beadwork_analysis::numbers::significant;
use beadwork_model::units::{self, Dimension};
use clap::Args;

use crate::report::{Row, table_of};
use crate::runs::{Bench, PeerOptions, RunOptions, Workload, speeds};
use crate::statistics::Spread;
use crate::{Error, Outcome};

#[derive(Debug, Args)]
pub struct Sop {
    /// Proteins: helix, ubiquitin (built in), ww, titin, pf8 (from $BEADWORK_DATA).
    #[arg(long, value_delimiter = ',', default_values = ["helix", "ubiquitin"], conflicts_with = "input")]
    workload: Vec<String>,
    /// An input of your own: its first point's system and dynamics, without stages and drives.
    #[arg(long)]
    input: Option<PathBuf>,
    /// Replace a setting of the input: --set dynamics.temperature="310 K".
    #[arg(long = "set", value_name = "PATH=VALUE", requires = "input", value_parser = setting_of)]
    settings: Vec<(String, String)>,
    /// Trajectories at once, one row for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 32], value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replicas: Vec<u64>,
    /// Time step, such as "40 ps", instead of the workload's.
    #[arg(long, value_parser = timestep_of)]
    timestep: Option<f64>,
    #[command(flatten)]
    peer: PeerOptions,
    #[command(flatten)]
    common: RunOptions,
}

#[derive(Debug, Args)]
pub struct Growth {
    /// Beads of the globules.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 3_000, 10_000, 30_000, 100_000], value_parser = clap::value_parser!(u64).range(50..=10_000_000))]
    sizes: Vec<u64>,
    #[command(flatten)]
    common: RunOptions,
}

/// A time step, ps.
fn timestep_of(text: &str) -> Result<f64, String> {
    let timestep = units::parse(text, Dimension::Time).map_err(|error| error.to_string())?.value;
    if timestep > 0.0 { Ok(timestep) } else { Err("must be more than 0".to_string()) }
}

fn setting_of(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').ok_or("write PATH=VALUE, such as dynamics.skin=\"3 A\"")?;
    Ok((parts.0.trim().to_string(), parts.1.trim().to_string()))
}

impl Sop {
    pub fn run(&self) -> Result<Outcome, Error> {
        let mut workloads = match &self.input {
            Some(input) => vec![Workload::of_input(input, &self.settings)?],
            None => {
                self.workload.iter().map(|name| Workload::named(name)).collect::<Result<_, _>>()?
            }
        };
        if let Some(timestep) = self.timestep {
            workloads.iter_mut().for_each(|work| work.dynamics.timestep = timestep);
        }
        let bench = Bench::new("sop", &self.common)?;
        let mut rows = Vec::new();
        for workload in &workloads {
            for &replicas in &self.replicas {
                rows.push(bench.row(workload, replicas, Some(&self.peer))?.0);
            }
        }
        bench.head.finish(&self.common.options, &Row::default(), &rows, &speeds(&rows))
    }
}

impl Growth {
    pub fn run(&self) -> Result<Outcome, Error> {
        let bench = Bench::new("growth", &self.common)?;
        let (mut rows, mut costs) = (Vec::new(), Vec::new());
        for &beads in &self.sizes {
            let (row, cost) = bench.row(&Workload::globule(beads as usize)?, 1, None)?;
            rows.push(row);
            costs.push(cost);
        }
        let costs = Spread::of(costs);
        let mut text = format!("## Speed\n\n{}", table_of(&rows));
        if rows.len() > 1 {
            let ratio = significant(costs.highest / costs.lowest);
            text.push_str(&format!("\nThe dearest bead-step costs {ratio} times the cheapest.\n"));
        }
        bench.head.finish(&self.common.options, &Row::default(), &rows, &text)
    }
}
