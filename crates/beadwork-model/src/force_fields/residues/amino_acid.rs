//! Amino acids of a model, and residues of a chain, which may be its charged ends or have a protonation of their own.

use beadwork_structure::Protonation;

/// Atoms at a charged end, Da: two hydrogens more at the first residue, one oxygen at the last.
const FIRST_MASS: f64 = 2.0;
const LAST_MASS: f64 = 16.0;

/// An amino acid as a model has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AminoAcid {
    /// Its row in the table of the model.
    pub row: usize,
    /// Its name of three letters.
    pub name: &'static str,
    /// Its letter.
    pub letter: char,
    /// Da.
    pub mass: f64,
    /// Elementary charges.
    pub charge: f64,
}

/// The rows of a published table, without its heading.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split(',').collect())
}

/// A number of a published table.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.parse().ok()
}

/// A residue as a bead: its amino acid, and whether it is a charged end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Residue {
    pub amino_acid: AminoAcid,
    pub first: bool,
    pub last: bool,
    /// Of its side chain, where it is not the usual one of the model.
    pub protonation: Option<Protonation>,
}

impl Residue {
    /// Da.
    pub fn mass(&self) -> f64 {
        let ends = [(self.first, FIRST_MASS), (self.last, LAST_MASS)];
        ends.iter().fold(
            self.amino_acid.mass,
            |mass, (is_end, more)| {
                if *is_end { mass + more } else { mass }
            },
        )
    }

    /// Elementary charges.
    pub fn charge(&self) -> f64 {
        let of_side_chain = match self.protonation {
            Some(protonation) => f64::from(protonation.charge),
            None => self.amino_acid.charge,
        };
        of_side_chain + f64::from(u8::from(self.first)) - f64::from(u8::from(self.last))
    }

    /// Three letters, AMBER's where the protonation is not the usual one: `HIS`, `HIP`.
    pub fn name(&self) -> &'static str {
        self.protonation.map_or(self.amino_acid.name, |protonation| protonation.name)
    }

    /// `ALA`, `MET+` at a charged first residue, `LYS-` at a charged last one.
    pub fn type_name(&self) -> String {
        let sign = match (self.first, self.last) {
            (true, true) => "+-",
            (true, false) => "+",
            (false, true) => "-",
            (false, false) => "",
        };
        format!("{}{sign}", self.name())
    }
}
