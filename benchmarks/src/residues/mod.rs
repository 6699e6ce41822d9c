//! `bench residues`: Langevin dynamics of disordered proteins with a bead for each residue.

mod workloads;

use clap::Args;

use crate::report::Row;
use crate::runs::{Bench, PeerOptions, RunOptions, Workload, speeds};
use crate::{Error, Outcome};

#[derive(Debug, Args)]
pub struct Residues {
    /// Residues of a chain: pieces and repeats of the low-complexity domain of hnRNP A1, which has 137. Each
    /// trajectory first comes to rest, which takes long for long chains.
    #[arg(long, value_delimiter = ',', default_values_t = [40, 137], value_parser = clap::value_parser!(u64).range(2..=10_000))]
    lengths: Vec<u64>,
    /// Trajectories at once, one row for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 32], value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replicas: Vec<u64>,
    /// Add a row of this many chains of different lengths, 30 to 400 residues as in disordered human proteins, without a
    /// peer.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    proteome: Option<u64>,
    /// Add a row of so many chains of 163 residues in one periodic box of 15 × 15 × 150 nm, without a peer.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    slab: Option<u64>,
    #[command(flatten)]
    peer: PeerOptions,
    #[command(flatten)]
    common: RunOptions,
}

impl Residues {
    pub fn run(&self) -> Result<Outcome, Error> {
        let bench = Bench::new("residues", &self.common)?;
        let mut rows = Vec::new();
        for &length in &self.lengths {
            let workload = Workload::residues(length as usize)?;
            for &replicas in &self.replicas {
                rows.push(bench.row(&workload, replicas, Some(&self.peer))?.0);
            }
        }
        if let Some(chains) = self.proteome {
            rows.push(bench.row(&Workload::proteome(chains as usize)?, chains, None)?.0);
        }
        if let Some(chains) = self.slab {
            rows.push(bench.row(&Workload::slab(chains as usize, 163)?, 1, None)?.0);
        }
        bench.head.finish(&self.common.options, &Row::default(), &rows, &speeds(&rows))
    }
}
