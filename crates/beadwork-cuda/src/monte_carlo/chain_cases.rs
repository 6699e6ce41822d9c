//! Chains and forms of sampling that use all programs of Monte Carlo, for `beadwork doctor --thorough`.

use beadwork_model::Precision;

use crate::compile::program::{Program, Rounding};
use crate::monte_carlo::chain_program::ChainShape;

/// Monomers of a chain and lanes of a replica: the two published chains (\[G\] of the book) in every number of lanes,
/// with one, a few and many monomers in each, with and without idle lanes, and the shortest and longest chains.
const FORMS: [(usize, u32); 12] = [
    (2, 32),
    (13, 4),
    (13, 8),
    (13, 16),
    (13, 32),
    (55, 4),
    (55, 8),
    (55, 16),
    (55, 32),
    (100, 16),
    (128, 4),
    (1_024, 32),
];

/// Chains whose moves need one program of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChainCase {
    /// The number type.
    pub precision: Precision,
    /// How sums of products are rounded.
    pub rounding: Rounding,
    /// Monomers of a chain.
    pub monomers: usize,
    /// Lanes of a replica.
    pub lanes: u32,
}

impl ChainCase {
    /// `monte-carlo single, 55 monomers, 8 lanes`.
    pub fn name(&self) -> String {
        let rounding = if self.rounding == Rounding::AsWritten { " as-written" } else { "" };
        let ChainCase { precision, monomers, lanes, .. } = self;
        format!("monte-carlo {}{rounding}, {monomers} monomers, {lanes} lanes", precision.name())
    }

    fn form(&self) -> Option<ChainShape> {
        ChainShape::new(self.precision, self.rounding, self.monomers, self.lanes)
    }
}

/// Every number of lanes in both precisions, short and long chains, and one rounded as the reference path.
pub fn chain_cases() -> Vec<ChainCase> {
    let mut cases = Vec::new();
    for precision in Precision::ALL {
        let rounding = Rounding::Fused;
        let fused = |(monomers, lanes)| ChainCase { precision, rounding, monomers, lanes };
        cases.extend(FORMS.map(fused));
        cases.push(ChainCase { rounding: Rounding::AsWritten, ..fused((55, 8)) });
    }
    cases
}

/// The programs of Monte Carlo, in the order of the [`chain_cases`].
pub fn chain_programs() -> Vec<Program> {
    let forms = chain_cases().into_iter().filter_map(|case| case.form());
    forms.map(|form| form.program()).collect()
}

#[cfg(test)]
#[path = "../../tests/unit/chain_cases.rs"]
mod tests;
