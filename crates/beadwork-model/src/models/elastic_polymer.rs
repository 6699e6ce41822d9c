//! The elastic, flexible chain of beads and springs whose structural transitions \[G\] samples.

use crate::particles::Boundary;
use crate::potentials::{FeneBond, LennardJones, PairPotential};

/// A chain of N monomers in reduced units (k_B = 1): a cut and shifted Lennard-Jones energy between all pairs, bonded
/// ones too, and a FENE energy of each bond (\[G\], equations 1 to 4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticPolymer {
    /// N, at least 2.
    pub monomers: usize,
    /// ε, σ and r_c.
    pub pairs: LennardJones,
    /// K, R and r₀.
    pub bonds: FeneBond,
}

/// A contact is a pair that is not bonded and closer than this many bond lengths. The limit lies between the first
/// shell of neighbours and the second, which in a dense cluster begins at √2.
const CONTACT: f64 = 1.25;

/// σ/r₀ = 2^(−1/6): a pair at the distance of a bond at rest then has the lowest energy (\[G\], §3.1).
pub const DIAMETER_PER_LENGTH: f64 = 0.890_898_718_140_339_3;

/// r_c/σ.
pub const DIAMETERS_PER_CUTOFF: f64 = 2.5;

/// In units of ε: if a pair at the bond's rest length has more energy, its diameter is probably a mistake. The energy
/// is 0 if the diameter equals the bond length, and exceeds this limit if it is a third longer.
const MOST_ENERGY_AT_REST: f64 = 100.0;

impl ElasticPolymer {
    /// The chain of \[G\]: ε = 1, r₀ = 0.7, σ = 2^(−1/6) r₀, r_c = 2.5 σ, K = 40, R = 0.3.
    pub fn new(monomers: usize) -> ElasticPolymer {
        let length = 0.7;
        let diameter = length * DIAMETER_PER_LENGTH;
        ElasticPolymer {
            monomers,
            pairs: LennardJones::shifted(1.0, diameter, DIAMETERS_PER_CUTOFF * diameter),
            bonds: FeneBond { stiffness: 40.0, limit: 0.3, length },
        }
    }

    /// The straight chain with all bonds at rest, along x.
    pub fn straight(&self) -> Vec<[f64; 3]> {
        (0..self.monomers).map(|monomer| [monomer as f64 * self.bonds.length, 0.0, 0.0]).collect()
    }

    /// The chain folded to and fro on a cubic lattice, four monomers wide and deep, with all bonds at rest: each
    /// monomer has many neighbours.
    pub fn folded(&self) -> Vec<[f64; 3]> {
        let turned =
            |place: usize, row: usize| if row.is_multiple_of(2) { place } else { 3 - place };
        let place = |monomer: usize| {
            let (row, layer) = (monomer / 4, monomer / 16);
            [turned(monomer % 4, row), turned(row % 4, layer), layer]
        };
        let scaled = |place: [usize; 3]| place.map(|number| self.bonds.length * number as f64);
        (0..self.monomers).map(|monomer| scaled(place(monomer))).collect()
    }

    /// Warnings about parameters with which the chain breaks, or does not collapse and freeze.
    pub fn warnings(&self) -> Vec<String> {
        let ElasticPolymer { pairs, bonds, .. } = self;
        let FeneBond { stiffness, limit, length } = *bonds;
        let mut warnings = Vec::new();
        let minimum = pairs.diameter / DIAMETER_PER_LENGTH;
        if pairs.cutoff <= minimum {
            warnings.push(format!(
                "pairs repel only: the cutoff, {:.4}, is not beyond the distance at which their energy is lowest, 2^(1/6) diameters = {minimum:.4}, so that chains neither collapse nor freeze; a cutoff of {DIAMETERS_PER_CUTOFF} diameters is usual",
                pairs.cutoff
            ));
        }
        if limit >= length {
            warnings.push(format!(
                "bonds of {length} +/- {limit} may shrink to nothing, so that monomers coincide: take a bond_limit below the bond_length"
            ));
        }
        let energy = pairs.energy(length * length);
        if energy > MOST_ENERGY_AT_REST * pairs.depth {
            warnings.push(format!(
                "bonded monomers repel each other by {:.3e} depths where their bond is at rest: the diameter, {:.4}, is too large for bonds of {length}; with \"automatic\", {:.4}, the energy of a pair is lowest there",
                energy / pairs.depth,
                pairs.diameter,
                length * DIAMETER_PER_LENGTH
            ));
        }
        if stiffness == 0.0 {
            warnings.push(format!(
                "bond_stiffness is 0: within {length} +/- {limit} nothing holds bonds at their length"
            ));
        }
        warnings
    }

    /// Pairs in contact.
    pub fn contacts(&self, positions: &[[f64; 3]]) -> usize {
        let square = (CONTACT * self.bonds.length).powi(2);
        let near = |i: usize, j: usize| {
            Boundary::Open.squared_distance(positions[i], positions[j]) < square
        };
        (0..positions.len()).map(|i| (i + 2..positions.len()).filter(|&j| near(i, j)).count()).sum()
    }
}
