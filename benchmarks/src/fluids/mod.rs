//! `bench dpd`, `melt` and `fluid`: fluids in periodic boxes.

mod workloads;

use clap::Args;

use crate::options::not_negative;
use crate::report::Row;
use crate::runs::{Bench, RunOptions, Workload, speeds};
use crate::{Error, Outcome};

pub use workloads::Fluid;

#[derive(Debug, Args)]
pub struct FluidInBox {
    /// Beads of a box, one row for each number: whole chains that fill a box with sides of similar length.
    #[arg(long, value_delimiter = ',', default_values_t = [8_000], value_parser = clap::value_parser!(u64).range(1_000..=20_000_000))]
    beads: Vec<u64>,
    /// Boxes at once, one row for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1], value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replicas: Vec<u64>,
    /// Skin of the neighbour lists, instead of the fluid's.
    #[arg(long, value_parser = not_negative)]
    skin: Option<f64>,
    #[command(flatten)]
    common: RunOptions,
}

impl FluidInBox {
    pub fn run(&self, fluid: Fluid) -> Result<Outcome, Error> {
        let bench = Bench::new(fluid.command(), &self.common)?;
        let mut rows = Vec::new();
        for &beads in &self.beads {
            let mut workload = Workload::fluid(fluid, beads as usize)?;
            workload.dynamics.skin = self.skin.unwrap_or(workload.dynamics.skin);
            for &replicas in &self.replicas {
                rows.push(bench.row(&workload, replicas, None)?.0);
            }
        }
        bench.head.finish(&self.common.options, &Row::default(), &rows, &speeds(&rows))
    }
}
