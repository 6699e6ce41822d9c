//! Parameters of the amino acids, read from the published table.

/// The table of CALVADOS 1 to 3 (`data/residue/LICENSE-MIT.txt`): names, mass, charge, σ, bond length and λ of each version.
const TABLE: &str = include_str!("../../../data/residue/calvados.csv");

/// An amino acid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AminoAcid {
    /// Its name of three letters.
    pub name: &'static str,
    /// Its letter.
    pub letter: char,
    /// Da.
    pub mass: f64,
    /// Elementary charges; that of histidine follows from the pH.
    pub charge: f64,
    /// σ, nm.
    pub diameter: f64,
    /// λ of CALVADOS 2 and 3.
    pub stickiness: [f64; 2],
}

/// The amino acids of the table.
pub(crate) fn amino_acids() -> Vec<AminoAcid> {
    TABLE.lines().skip(1).filter_map(row).collect()
}

fn row(line: &'static str) -> Option<AminoAcid> {
    let cells: Vec<&'static str> = line.split(',').collect();
    let &[name, letter, mass, charge, diameter, _, _, second, third] = cells.as_slice() else {
        return None;
    };
    let number = |cell: &str| cell.parse::<f64>().ok();
    Some(AminoAcid {
        name,
        letter: letter.chars().next()?,
        mass: number(mass)?,
        charge: number(charge)?,
        diameter: number(diameter)?,
        stickiness: [number(second)?, number(third)?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_an_amino_acid() {
        let all = amino_acids();
        assert_eq!((all.len(), TABLE.lines().count()), (20, 21));
        let mut letters: Vec<char> = all.iter().map(|amino_acid| amino_acid.letter).collect();
        letters.sort_unstable();
        assert_eq!(letters.into_iter().collect::<String>(), "ACDEFGHIKLMNPQRSTVWY");
        assert!(all.iter().all(|amino_acid| amino_acid.mass > 50.0 && amino_acid.diameter > 0.4));
    }
}
