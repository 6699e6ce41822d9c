//! CALVADOS 2 and 3: Ashbaugh–Hatch pairs with one cutoff for all types, and Debye–Hückel charges.

use super::Solution;
use super::amino_acid::{AminoAcid, Residue, number, rows};
use super::pairs::{Charges, Well, attractions};
use crate::potentials::pair::PairTerm;

/// The table of CALVADOS 1 to 3 (`data/residue/LICENSE-MIT.txt`): names, mass, charge, σ, bond length and λ of each version.
const TABLE: &str = include_str!("../../../data/residue/calvados.csv");

/// k, kJ/(mol nm²), of the bonds' energy (k/2)(r − r₀)², and r₀, nm, between disordered residues.
pub(super) const BOND: (f64, f64) = (8033.0, 0.38);
/// The cutoffs of attraction and charges, nm.
const CUTOFF: f64 = 2.0;
const CHARGE_CUTOFF: f64 = 4.0;

/// The version of the parameters, by its column in the table. The versions differ in the stickiness λ of the residues.
#[derive(Clone, Copy)]
pub(super) enum Version {
    Two = 7,
    Three = 8,
}

/// The amino acids; the charge of histidine follows from the pH.
pub(super) fn amino_acids(solution: &Solution) -> Vec<AminoAcid> {
    let amino_acid = |(row, cells): (usize, Vec<&'static str>)| {
        let &[name, letter, mass, charge, ..] = cells.as_slice() else { return None };
        let charge = match letter {
            "H" => solution.histidine_charge(),
            _ => number(charge)?,
        };
        Some(AminoAcid { row, name, letter: letter.chars().next()?, mass: number(mass)?, charge })
    };
    rows(TABLE).enumerate().filter_map(amino_acid).collect()
}

pub(super) fn pairs(kinds: &[Residue], version: Version, solution: &Solution) -> Vec<PairTerm> {
    let well = |cells: Vec<&str>| {
        let [diameter, stickiness] = [cells.get(4)?, cells.get(version as usize)?];
        Some(Well { diameter: number(diameter)?, stickiness: number(stickiness)? })
    };
    let wells: Vec<Well> = rows(TABLE).filter_map(well).collect();
    let charges = Charges {
        strength: solution.coulomb_strength(),
        inverse_length: solution.inverse_screening_length(),
        cutoff: CHARGE_CUTOFF,
    };
    vec![attractions(kinds, &wells, |_| CUTOFF).into(), charges.between(kinds).into()]
}
