//! Mpipi: each pair of amino acids has parameters of its own, charges are in a fixed solution.

use std::collections::HashMap;

use super::KILOJOULES;
use super::amino_acid::{AminoAcid, Residue, number, rows};
use super::pairs::{COULOMB, Charges, WATER};
use crate::potentials::WangFrenkel;
use crate::potentials::pair::{PairEntry, PairTable, PairTerm};
use crate::units::ANGSTROMS_PER_NANOMETRE;

/// The published tables (`data/residue/LICENSE-MIT.txt`). Beads: names, kind, mass, charge, bond length. Pairs: names, ε, σ,
/// μ and ν.
const BEADS: &str = include_str!("../../../data/residue/mpipi_beads.csv");
const PAIRS: &str = include_str!("../../../data/residue/mpipi.csv");

/// k, kJ/(mol nm²), of the bonds' energy (k/2)(r − r₀)², and r₀, nm. The source writes 9.6 kcal/(mol Å²), without the ½.
pub(super) const BOND: (f64, f64) = (8033.28, 0.381);
/// The cutoff of attraction in diameters of the pair, and that of charges, nm.
const CUTOFF_IN_DIAMETERS: f64 = 3.0;
const CHARGE_CUTOFF: f64 = 3.5;
/// 1/nm.
const INVERSE_SCREENING_LENGTH: f64 = 1.26;

/// The amino acids; the nucleotides of the table are left out.
pub(super) fn amino_acids() -> Vec<AminoAcid> {
    let amino_acid = |(row, cells): (usize, Vec<&'static str>)| {
        let &[name, letter, "protein", mass, charge, _] = cells.as_slice() else { return None };
        let letter = letter.chars().next()?;
        Some(AminoAcid { row, name, letter, mass: number(mass)?, charge: number(charge)? })
    };
    rows(BEADS).enumerate().filter_map(amino_acid).collect()
}

/// ε, kJ/mol, σ, nm, μ and ν by the names of two beads, in both orders.
type Parameters = HashMap<(&'static str, &'static str), (f64, f64, u32, u32)>;

fn parameters() -> Parameters {
    let mut parameters = Parameters::new();
    for cells in rows(PAIRS) {
        let &[first, second, depth, diameter, mu, nu] = cells.as_slice() else { continue };
        let whole = |cell: &str| cell.parse::<u32>().ok();
        if let (Some(depth), Some(diameter), Some(mu), Some(nu)) =
            (number(depth), number(diameter), whole(mu), whole(nu))
        {
            for names in [(first, second), (second, first)] {
                parameters.insert(names, (depth, diameter, mu, nu));
            }
        }
    }
    parameters
}

pub(super) fn pairs(kinds: &[Residue]) -> Vec<PairTerm> {
    let parameters = parameters();
    let attractions = PairTable::new(kinds.len(), |a, b| {
        let [a, b] = [a, b].map(|kind| kinds[kind].amino_acid.name);
        let (depth, diameter, mu, nu) = parameters[&(a, b)];
        let diameter = diameter * ANGSTROMS_PER_NANOMETRE;
        let cutoff = CUTOFF_IN_DIAMETERS * diameter;
        PairEntry {
            potential: WangFrenkel::new(depth / KILOJOULES, diameter, cutoff, mu, nu),
            cutoff,
        }
    });
    let charges = Charges {
        strength: COULOMB / WATER,
        inverse_length: INVERSE_SCREENING_LENGTH,
        cutoff: CHARGE_CUTOFF,
    };
    vec![attractions.into(), charges.between(kinds).into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_of_amino_acids_has_parameters() {
        let parameters = parameters();
        for a in amino_acids() {
            for b in amino_acids() {
                assert!(parameters.contains_key(&(a.name, b.name)), "{}-{}", a.name, b.name);
            }
        }
    }
}
