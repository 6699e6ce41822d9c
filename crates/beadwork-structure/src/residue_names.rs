//! Residue names that identify proteins and calcium ions.

/// Names of amino acids in files beyond the twenty: modified ones, and the protonation states and
/// terminal forms of the CHARMM and AMBER force fields.
const AMINO_ACIDS: &[&str] = &[
    "ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE", "LEU", "LYS", "MET",
    "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL", "ASX", "GLX", "UNK", "SEC", "PYL", "MSE",
    "SEP", "TPO", "PTR", "HYP", "MLY", "M3L", "ALY", "CSO", "CME", "OCS", "CSD", "CSX", "KCX",
    "LLP", "PCA", "NLE", "ORN", "AIB", "DAL", "DAR", "DSG", "DAS", "DCY", "DGN", "DGL", "DHI",
    "DIL", "DLE", "DLY", "MED", "DPN", "DPR", "DSN", "DTH", "DTR", "DTY", "DVA", "HSD", "HSE",
    "HSP", "HID", "HIE", "HIP", "HSC", "CYX", "CYM", "CYN", "ASH", "GLH", "LYN", "LSN", "ASPP",
    "GLUP", "ARN", "TYM",
];

/// The letters of the twenty amino acids with their names: the usual one first, then those of protonation states and
/// selenomethionine.
const LETTERS: &[(char, &[&str])] = &[
    ('A', &["ALA"]),
    ('R', &["ARG", "ARN"]),
    ('N', &["ASN"]),
    ('D', &["ASP", "ASH", "ASPP"]),
    ('C', &["CYS", "CYX", "CYM", "CYN"]),
    ('Q', &["GLN"]),
    ('E', &["GLU", "GLH", "GLUP"]),
    ('G', &["GLY"]),
    ('H', &["HIS", "HSD", "HSE", "HSP", "HID", "HIE", "HIP", "HSC"]),
    ('I', &["ILE"]),
    ('L', &["LEU"]),
    ('K', &["LYS", "LYN", "LSN"]),
    ('M', &["MET", "MSE"]),
    ('F', &["PHE"]),
    ('P', &["PRO"]),
    ('S', &["SER"]),
    ('T', &["THR"]),
    ('W', &["TRP"]),
    ('Y', &["TYR", "TYM"]),
    ('V', &["VAL"]),
];

const NUCLEOTIDES: &[&str] = &[
    "A", "C", "G", "U", "I", "T", "DA", "DC", "DG", "DT", "DU", "DI", "ADE", "CYT", "GUA", "THY",
    "URA", "RA", "RC", "RG", "RU",
];

const WATERS: &[&str] =
    &["HOH", "DOD", "WAT", "H2O", "SOL", "TIP", "TIP3", "TIP4", "TIP5", "TP3", "SPC", "SPCE"];

pub(crate) fn is_amino_acid(name: &str) -> bool {
    AMINO_ACIDS.contains(&name)
        || inside_terminal_form(name).is_some_and(|name| AMINO_ACIDS.contains(&name))
}

/// The name behind the letter N or C of AMBER's terminal forms, such as `NALA`.
fn inside_terminal_form(name: &str) -> Option<&str> {
    (name.len() == 4).then(|| name.strip_prefix(['N', 'C'])).flatten()
}

/// The letter of one of the twenty amino acids.
pub(crate) fn letter(name: &str) -> Option<char> {
    let of = |name: &str| {
        LETTERS.iter().find(|(_, names)| names.contains(&name)).map(|(letter, _)| *letter)
    };
    of(name).or_else(|| inside_terminal_form(name).and_then(of))
}

pub(crate) fn is_nucleotide(name: &str) -> bool {
    NUCLEOTIDES.contains(&name)
}

pub(crate) fn is_water(name: &str) -> bool {
    WATERS.contains(&name)
}

/// Whether `name` is a calcium ion, whose only atom is also called CA.
pub(crate) fn is_calcium(name: &str) -> bool {
    matches!(name, "CA" | "CA2" | "CA+2" | "CAL" | "CAL2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twenty_have_letters_and_are_amino_acids() {
        let letters: Vec<char> = LETTERS.iter().map(|(letter, _)| *letter).collect();
        let mut sorted = letters.clone();
        sorted.sort_unstable();
        assert_eq!(sorted.into_iter().collect::<String>(), "ACDEFGHIKLMNPQRSTVWY");
        assert!(LETTERS.iter().flat_map(|(_, names)| *names).all(|name| is_amino_acid(name)));
        let found = ["HSD", "NALA", "CLYN", "MSE", "SEP", "NUNK"].map(letter);
        assert_eq!(found, [Some('H'), Some('A'), Some('K'), Some('M'), None, None]);
    }
}
