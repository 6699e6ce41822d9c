//! Outputs of the program: counts, tables, trajectories, plots, help.

mod answers;
mod checking;
mod files;
mod help;
mod importing;
mod plots;
mod stages;

use crate::common::HELIX;

/// Positions of the helix, Å, from the columns of the PDB file.
fn helix() -> Vec<[f64; 3]> {
    let atoms = HELIX.lines().filter(|line| line.starts_with("ATOM"));
    atoms.map(|line| [30, 38, 46].map(|at| line[at..at + 8].trim().parse().unwrap())).collect()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}
