//! The models and what each says of a chain.

use super::amino_acid::{AminoAcid, Residue};
use super::{Solution, calvados, hps_urry, mpipi};
use crate::potentials::pair::PairTerm;

/// A model of proteins with a bead for each residue.
///
/// | model | attraction | charges | [`Solution`] |
/// |---|---|---|---|
/// | CALVADOS 2 and 3 | Ashbaugh–Hatch, cut at 2 nm | Debye–Hückel, cut at 4 nm; [`ChargedEnds`](super::ChargedEnds) | temperature and ionic strength set the screening, the pH the charge of histidine |
/// | HPS-Urry | Ashbaugh–Hatch, cut at 4σ | Debye–Hückel, cut at 3.5 nm; histidine +½ | not used: ε_r = 80, screening length 1 nm |
/// | Mpipi | Wang–Frenkel, ends at 3σ | Debye–Hückel, cut at 3.5 nm; ±¾, histidine +⅜ | not used: ε_r = 80, κ = 1.26/nm |
///
/// All energies are shifted to be zero at their cutoffs. Programs differ here for HPS and Mpipi: OpenABC shifts, HOOMD and
/// LAMMPS do not. The forces are the same, and so are trajectories. Dynamics with these forces samples the shifted
/// energy, so this is the energy that replica exchange and averages need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResidueModel {
    /// CALVADOS 2: Tesei and Lindorff-Larsen, Open Res. Europe 2, 94 (2022).
    Calvados2,
    /// CALVADOS 3, the only model here with folded domains: Cao et al., Protein Sci. 33, e5172 (2024).
    Calvados3,
    /// HPS with the hydropathy scale of Urry: Dignon et al., PLoS Comput. Biol. 14, e1005941 (2018); Regy et al., Protein
    /// Sci. 30, 1371 (2021).
    HpsUrry,
    /// Mpipi, its amino acids: Joseph et al., Nat. Comput. Sci. 1, 732 (2021).
    Mpipi,
}

impl ResidueModel {
    /// All models.
    pub const ALL: [ResidueModel; 4] = [
        ResidueModel::Calvados2,
        ResidueModel::Calvados3,
        ResidueModel::HpsUrry,
        ResidueModel::Mpipi,
    ];

    /// The name in inputs.
    pub fn name(self) -> &'static str {
        match self {
            ResidueModel::Calvados2 => "calvados2",
            ResidueModel::Calvados3 => "calvados3",
            ResidueModel::HpsUrry => "hps-urry",
            ResidueModel::Mpipi => "mpipi",
        }
    }

    /// Whether temperature, ionic strength, pH and charged ends enter the energies.
    pub fn depends_on_solution(self) -> bool {
        matches!(self, ResidueModel::Calvados2 | ResidueModel::Calvados3)
    }

    pub(super) fn amino_acids(self, solution: &Solution) -> Vec<AminoAcid> {
        match self {
            ResidueModel::Calvados2 | ResidueModel::Calvados3 => calvados::amino_acids(solution),
            ResidueModel::HpsUrry => hps_urry::amino_acids(),
            ResidueModel::Mpipi => mpipi::amino_acids(),
        }
    }

    /// k, kJ/(mol nm²), and r₀, nm, of bonds.
    pub(super) fn bond(self) -> (f64, f64) {
        match self {
            ResidueModel::Calvados2 | ResidueModel::Calvados3 => calvados::BOND,
            ResidueModel::HpsUrry => hps_urry::BOND,
            ResidueModel::Mpipi => mpipi::BOND,
        }
    }

    /// Attraction, then charges.
    pub(super) fn pairs(self, kinds: &[Residue], solution: &Solution) -> Vec<PairTerm> {
        match self {
            ResidueModel::Calvados2 => calvados::pairs(kinds, calvados::Version::Two, solution),
            ResidueModel::Calvados3 => calvados::pairs(kinds, calvados::Version::Three, solution),
            ResidueModel::HpsUrry => hps_urry::pairs(kinds),
            ResidueModel::Mpipi => mpipi::pairs(kinds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_the_twenty_amino_acids() {
        let solution = Solution { temperature: 298.0, ionic_strength: 0.15, ph: 7.0 };
        for model in ResidueModel::ALL {
            let all = model.amino_acids(&solution);
            let mut letters: Vec<char> = all.iter().map(|amino_acid| amino_acid.letter).collect();
            letters.sort_unstable();
            assert_eq!(letters.into_iter().collect::<String>(), "ACDEFGHIKLMNPQRSTVWY");
            assert!(all.iter().all(|amino_acid| amino_acid.mass > 50.0));
            let rows = all.iter().enumerate().all(|(row, amino_acid)| row == amino_acid.row);
            assert!(rows, "{model:?}");
        }
    }
}
