//! The pair terms that models share.

use super::KILOJOULES;
use super::amino_acid::Residue;
use crate::potentials::pair::{PairEntry, PairTable};
use crate::potentials::{AshbaughHatch, DebyeHuckel};
use crate::units::ANGSTROMS_PER_NANOMETRE;

/// ε of sticky pairs, kJ/mol: 0.2 kcal/mol.
const DEPTH: f64 = 0.8368;
/// e²/(4πε₀), kJ nm/mol.
pub(super) const COULOMB: f64 = 138.935_458;
/// The relative permittivity of water in models whose solution is fixed.
pub(super) const WATER: f64 = 80.0;

/// The well of a sticky amino acid; a pair has the means of the two.
#[derive(Clone, Copy)]
pub(super) struct Well {
    /// σ, nm.
    pub diameter: f64,
    /// λ.
    pub stickiness: f64,
}

/// The attraction of all pairs, zero at its cutoff, nm, of a pair's diameter, nm. `wells` has a row for each amino acid.
pub(super) fn attractions(
    kinds: &[Residue],
    wells: &[Well],
    cutoff: impl Fn(f64) -> f64,
) -> PairTable<AshbaughHatch> {
    let mean = |a: usize, b: usize, of: fn(&Well) -> f64| {
        let [a, b] = [a, b].map(|kind| of(&wells[kinds[kind].amino_acid.row]));
        (a + b) / 2.0
    };
    PairTable::new(kinds.len(), |a, b| {
        let mean_diameter = mean(a, b, |well| well.diameter);
        let cutoff = cutoff(mean_diameter) * ANGSTROMS_PER_NANOMETRE;
        let diameter = mean_diameter * ANGSTROMS_PER_NANOMETRE;
        let stickiness = mean(a, b, |well| well.stickiness);
        let potential = AshbaughHatch::shifted(DEPTH / KILOJOULES, diameter, stickiness, cutoff);
        PairEntry { potential, cutoff }
    })
}

/// Charges in a salt solution.
pub(super) struct Charges {
    /// The energy of two elementary charges times their distance, without screening: kJ nm/mol.
    pub strength: f64,
    /// The inverse of the screening length, 1/nm.
    pub inverse_length: f64,
    /// nm.
    pub cutoff: f64,
}

impl Charges {
    /// The energy of charged pairs, zero at the cutoff; uncharged ones do not interact.
    pub fn between(&self, kinds: &[Residue]) -> PairTable<DebyeHuckel> {
        let unit = self.strength / KILOJOULES * ANGSTROMS_PER_NANOMETRE;
        let inverse_length = self.inverse_length / ANGSTROMS_PER_NANOMETRE;
        let cutoff = self.cutoff * ANGSTROMS_PER_NANOMETRE;
        PairTable::new(kinds.len(), |a, b| {
            let product = kinds[a].charge() * kinds[b].charge();
            PairEntry {
                potential: DebyeHuckel::shifted(product * unit, inverse_length, cutoff),
                cutoff: if product == 0.0 { 0.0 } else { cutoff },
            }
        })
    }
}
