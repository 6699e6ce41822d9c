//! Residue names: which are amino acids, of which protonation, and which are nucleotides, water or calcium.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Amino acids other than the twenty, whose parameters no residue model has.
const MODIFIED: &[&str] = &[
    "ASX", "GLX", "UNK", "SEC", "PYL", "SEP", "TPO", "PTR", "HYP", "MLY", "M3L", "ALY", "CSO",
    "CME", "OCS", "CSD", "CSX", "KCX", "LLP", "PCA", "NLE", "ORN", "AIB", "DAL", "DAR", "DSG",
    "DAS", "DCY", "DGN", "DGL", "DHI", "DIL", "DLE", "DLY", "MED", "DPN", "DPR", "DSN", "DTH",
    "DTR", "DTY", "DVA", "DALA", "PGLU",
];

/// Names of the twenty amino acids in their usual form, the first of the PDB, others of force fields; and selenomethionine.
/// Histidine has no usual charge: its plain name leaves the protonation open.
const USUAL: &[(char, &[&str])] = &[
    ('A', &["ALA"]),
    ('R', &["ARG"]),
    ('N', &["ASN"]),
    ('D', &["ASP"]),
    ('C', &["CYS", "CYX", "CYN", "CYSH", "CYS1", "CYS2"]),
    ('Q', &["GLN"]),
    ('E', &["GLU"]),
    ('G', &["GLY"]),
    ('H', &["HIS"]),
    ('I', &["ILE"]),
    ('L', &["LEU"]),
    ('K', &["LYS", "LYP", "LYSH"]),
    ('M', &["MET", "MSE"]),
    ('F', &["PHE", "PHEH", "PHEU"]),
    ('P', &["PRO"]),
    ('S', &["SER"]),
    ('T', &["THR"]),
    ('W', &["TRP", "TRPH", "TRPU"]),
    ('Y', &["TYR", "TYRH", "TYRU"]),
    ('V', &["VAL"]),
];

/// Names that say how their side chain is protonated. Sources: the residue names of AMBER, CHARMM (19 to 36), GROMOS and
/// OPLS-AA as GROMACS lists them.
const PROTONATED: &[(char, Protonation, &[&str])] = &[
    ('H', Protonation { name: "HIP", charge: 1 }, &["HIP", "HSP", "HISH", "HISP", "HSC"]),
    (
        'H',
        Protonation { name: "HIE", charge: 0 },
        &["HIE", "HID", "HSE", "HSD", "HISE", "HISD", "HISA", "HISB", "HIS1", "HIS2"],
    ),
    ('D', Protonation { name: "ASH", charge: 0 }, &["ASH", "ASPP", "ASPH"]),
    ('E', Protonation { name: "GLH", charge: 0 }, &["GLH", "GLUP", "GLUH"]),
    ('K', Protonation { name: "LYN", charge: 0 }, &["LYN", "LSN", "LYSN"]),
    ('R', Protonation { name: "ARN", charge: 0 }, &["ARN", "ARGN"]),
    ('C', Protonation { name: "CYM", charge: -1 }, &["CYM"]),
    ('Y', Protonation { name: "TYM", charge: -1 }, &["TYM"]),
];

/// Nucleotides as the PDB and CHARMM name them; [`is_nucleotide`] also knows AMBER's ends.
const NUCLEOTIDES: &[&str] = &[
    "A", "C", "G", "U", "I", "T", "N", "DA", "DC", "DG", "DT", "DU", "DI", "DN", "ADE", "CYT",
    "GUA", "THY", "URA", "RA", "RC", "RG", "RU",
];

const WATERS: &[&str] =
    &["HOH", "DOD", "WAT", "H2O", "SOL", "TIP", "TIP3", "TIP4", "TIP5", "TP3", "SPC", "SPCE"];

/// Groups that cap the ends of a protein, which are then without charge.
const CAPS: &[&str] = &["ACE", "FOR", "NME", "NMA", "NH2", "NHE", "CT3", "NAC"];

/// Common lipids of four letters, which fill columns 18 to 21 of membranes.
const LIPIDS: &[&str] = &[
    "POPC", "POPE", "POPG", "POPS", "POPI", "DPPC", "DPPE", "DPPG", "DPPS", "DMPC", "DMPE", "DMPG",
    "DOPC", "DOPE", "DOPG", "DOPS", "DLPC", "DLPE", "DSPC", "CHL1", "CHOL", "HEME",
];

/// How the side chain of an amino acid is protonated, where its name in a file says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Protonation {
    /// AMBER's name of the form, such as `HIP`; `HIE` stands for both neutral forms of histidine.
    pub name: &'static str,
    /// Charge of the side chain, elementary charges.
    pub charge: i8,
}

#[derive(Clone, Copy)]
struct Meaning {
    letter: Option<char>,
    protonation: Option<Protonation>,
}

static AMINO_ACIDS: LazyLock<HashMap<&'static str, Meaning>> = LazyLock::new(|| {
    let mut meanings = HashMap::new();
    for name in MODIFIED {
        meanings.insert(*name, Meaning { letter: None, protonation: None });
    }
    for (letter, names) in USUAL {
        for name in *names {
            meanings.insert(*name, Meaning { letter: Some(*letter), protonation: None });
        }
    }
    for (letter, protonation, names) in PROTONATED {
        let meaning = Meaning { letter: Some(*letter), protonation: Some(*protonation) };
        meanings.extend(names.iter().map(|name| (*name, meaning)));
    }
    meanings
});

fn meaning(name: &str) -> Option<Meaning> {
    let of = |name: &str| AMINO_ACIDS.get(name).copied();
    of(name).or_else(|| inside_terminal_form(name).and_then(of))
}

pub(crate) fn is_amino_acid(name: &str) -> bool {
    meaning(name).is_some()
}

/// The name behind the letter N or C of AMBER's terminal forms, such as `NALA`.
fn inside_terminal_form(name: &str) -> Option<&str> {
    (name.len() == 4).then(|| name.strip_prefix(['N', 'C'])).flatten()
}

/// The letter of one of the twenty amino acids.
pub(crate) fn letter(name: &str) -> Option<char> {
    meaning(name)?.letter
}

pub(crate) fn protonation(name: &str) -> Option<Protonation> {
    meaning(name)?.protonation
}

pub(crate) fn is_nucleotide(name: &str) -> bool {
    // AMBER marks the ends of a strand, and nucleosides, by a last letter.
    let inner = name.strip_suffix(['5', '3', 'N']).filter(|_| (2..4).contains(&name.len()));
    let known = |name: &str| NUCLEOTIDES.contains(&name);
    known(name) || inner.is_some_and(|inner| inner.len() < 3 && known(inner))
}

pub(crate) fn is_water(name: &str) -> bool {
    WATERS.contains(&name)
}

pub(crate) fn is_cap(name: &str) -> bool {
    CAPS.contains(&name)
}

/// Whether `name` is a calcium ion, whose only atom is also called CA.
pub(crate) fn is_calcium(name: &str) -> bool {
    matches!(name, "CA" | "CA2" | "CA+2" | "CAL" | "CAL2")
}

/// Whether a name means something to this crate, whatever its length.
pub(crate) fn is_known(name: &str) -> bool {
    is_amino_acid(name)
        || is_nucleotide(name)
        || is_water(name)
        || is_cap(name)
        || is_calcium(name)
        || LIPIDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twenty_have_letters_and_are_amino_acids() {
        let mut letters: Vec<char> = USUAL.iter().map(|(letter, _)| *letter).collect();
        letters.sort_unstable();
        assert_eq!(letters.into_iter().collect::<String>(), "ACDEFGHIKLMNPQRSTVWY");
        let found = ["HSD", "NALA", "CLYN", "MSE", "SEP", "NUNK"].map(letter);
        assert_eq!(found, [Some('H'), Some('A'), Some('K'), Some('M'), None, None]);
    }

    #[test]
    fn names_of_protonated_forms_have_their_charge() {
        let charge = |name| protonation(name).map(|form| form.charge);
        for name in ["HIP", "HSP", "HISH", "NHIP", "CHIP"] {
            assert_eq!((letter(name), charge(name)), (Some('H'), Some(1)), "{name}");
        }
        for name in ["HIE", "HID", "HSE", "HSD", "HISA", "HISB", "HISD", "HISE"] {
            assert_eq!((letter(name), charge(name)), (Some('H'), Some(0)), "{name}");
        }
        for (names, of) in [
            (&["ASH", "ASPP", "ASPH"][..], 'D'),
            (&["GLH", "GLUP", "GLUH"], 'E'),
            (&["LYN", "LSN", "LYSN"], 'K'),
            (&["ARN", "ARGN"], 'R'),
        ] {
            for name in names {
                assert_eq!((letter(name), charge(name)), (Some(of), Some(0)), "{name}");
            }
        }
        assert_eq!((charge("CYM"), charge("TYM")), (Some(-1), Some(-1)));
        for (name, of) in [("HIS", 'H'), ("LYSH", 'K'), ("CYX", 'C'), ("CYS2", 'C'), ("CYSH", 'C')]
        {
            assert_eq!((letter(name), charge(name)), (Some(of), None), "{name}");
        }
    }

    #[test]
    fn nucleotides_have_the_names_of_the_pdb_of_charmm_and_of_amber() {
        for name in ["A", "DA", "ADE", "URA", "DA5", "RU3", "A5", "DTN", "U3"] {
            assert!(is_nucleotide(name), "{name}");
        }
        for name in ["ALA", "NAG", "ADE5", "HSN", "MN", "ZN", ""] {
            assert!(!is_nucleotide(name), "{name}");
        }
    }
}
