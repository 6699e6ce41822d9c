//! HPS-Urry: sticky pairs whose cutoff grows with their diameter, charges in a fixed solution.

use super::amino_acid::{AminoAcid, Residue, number, rows};
use super::pairs::{COULOMB, Charges, WATER, Well, attractions};
use crate::potentials::pair::PairTerm;

/// The published table (`data/residue/LICENSE-MIT.txt`): names, mass, charge, σ, λ on the scales of Urry and of Kapcha and
/// Rossky.
const TABLE: &str = include_str!("../../../data/residue/hps_urry.csv");

/// k, kJ/(mol nm²), of the bonds' energy (k/2)(r − r₀)², and r₀, nm.
pub(super) const BOND: (f64, f64) = (8368.0, 0.38);
/// What the λ of all pairs are lowered by, from a fit to measured radii of gyration (Regy et al., Protein Sci. 30, 1371,
/// 2021).
const OFFSET: f64 = 0.08;
/// The cutoff of attraction in diameters of the pair, and that of charges, nm.
const CUTOFF_IN_DIAMETERS: f64 = 4.0;
const CHARGE_CUTOFF: f64 = 3.5;
/// 1/nm.
const INVERSE_SCREENING_LENGTH: f64 = 1.0;

pub(super) fn amino_acids() -> Vec<AminoAcid> {
    let amino_acid = |(row, cells): (usize, Vec<&'static str>)| {
        let &[name, letter, mass, charge, ..] = cells.as_slice() else { return None };
        let letter = letter.chars().next()?;
        Some(AminoAcid { row, name, letter, mass: number(mass)?, charge: number(charge)? })
    };
    rows(TABLE).enumerate().filter_map(amino_acid).collect()
}

pub(super) fn pairs(kinds: &[Residue]) -> Vec<PairTerm> {
    let well = |cells: Vec<&str>| {
        let [diameter, stickiness] = [cells.get(4)?, cells.get(5)?];
        Some(Well { diameter: number(diameter)?, stickiness: number(stickiness)? - OFFSET })
    };
    let wells: Vec<Well> = rows(TABLE).filter_map(well).collect();
    let charges = Charges {
        strength: COULOMB / WATER,
        inverse_length: INVERSE_SCREENING_LENGTH,
        cutoff: CHARGE_CUTOFF,
    };
    let attractions = attractions(kinds, &wells, |diameter| CUTOFF_IN_DIAMETERS * diameter);
    vec![attractions.into(), charges.between(kinds).into()]
}
