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

const NUCLEOTIDES: &[&str] = &[
    "A", "C", "G", "U", "I", "T", "DA", "DC", "DG", "DT", "DU", "DI", "ADE", "CYT", "GUA", "THY",
    "URA", "RA", "RC", "RG", "RU",
];

const WATERS: &[&str] =
    &["HOH", "DOD", "WAT", "H2O", "SOL", "TIP", "TIP3", "TIP4", "TIP5", "TP3", "SPC", "SPCE"];

pub(crate) fn is_amino_acid(name: &str) -> bool {
    AMINO_ACIDS.contains(&name)
        || (name.len() == 4
            && matches!(name.as_bytes().first(), Some(b'N' | b'C'))
            && name.get(1..).is_some_and(|rest| AMINO_ACIDS.contains(&rest)))
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
