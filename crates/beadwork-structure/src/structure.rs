//! A structure as described by its file, and functions that read it.

use std::ops::Range;
use std::path::Path;

use beadwork_files::LARGEST_STRUCTURE;

use crate::error::Error;
use crate::residue_names::Protonation;
use crate::visible_text::text_of_file;
use crate::{elements, mmcif, mmcif_table, pdb, polymer, residue_names, rotations, vectors};

/// The polymer residues of one model of a structure file, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// The name of the file as given by the caller, for messages.
    pub source: String,
    /// Atoms of all residues; those of a residue are neighbours.
    pub atoms: Vec<Atom>,
    /// Residues that have an alpha carbon; those of a chain are neighbours.
    pub residues: Vec<Residue>,
    /// Chains; several may bear the same identifier.
    pub chains: Vec<Chain>,
    /// Disulfide bonds as indices of residues: the smaller first, sorted, each once.
    pub disulfides: Vec<(usize, usize)>,
    /// Identifiers of the chains with nucleic acid, which is left out; each once.
    pub nucleic_chains: Vec<String>,
    /// Warnings as sentences, such as lists of what was left out.
    pub warnings: Vec<String>,
    /// Number of models in the file.
    pub models: usize,
}

/// One atom, after the choice between alternate locations.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// Name without blanks, such as `CA`.
    pub name: String,
    /// Element symbol in capitals; if the file gives none, the first letter of the name.
    pub element: String,
    /// Position in ångström.
    pub position: [f64; 3],
    /// Occupancy; 1 if the file gives none.
    pub occupancy: f64,
    /// Temperature factor in square ångström; 0 if the file gives none.
    pub beta: f64,
}

impl Atom {
    /// Standard mass of its element in Da; `None` for elements that proteins do not have.
    pub fn mass(&self) -> Option<f64> {
        elements::mass(&self.element)
    }
}

/// One residue that has an alpha carbon.
#[derive(Clone, Debug, PartialEq)]
pub struct Residue {
    /// Name, such as `GLY`.
    pub name: String,
    /// Number in the file: may be negative, may repeat.
    pub number: i32,
    /// Insertion code.
    pub insertion: Option<char>,
    /// Index of its chain.
    pub chain: usize,
    /// Its atoms, as indices of [`Structure::atoms`].
    pub atoms: Range<usize>,
}

impl Residue {
    /// Letter of its amino acid, whatever its protonation; selenomethionine counts as methionine. `None` for others
    /// than the twenty.
    pub fn letter(&self) -> Option<char> {
        residue_names::letter(&self.name)
    }

    /// How its side chain is protonated, where its name says so: `HIP`, `LYN`, `ASPP`. `None` where the name is the usual
    /// one, and for other residues.
    pub fn protonation(&self) -> Option<Protonation> {
        residue_names::protonation(&self.name)
    }
}

/// One chain: successive residues with the same identifier and no terminator between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Identifier; may be empty, and several chains may have the same.
    pub id: String,
    /// The identifier in the file, which all copies of a chain in an assembly share.
    pub id_in_file: String,
    /// Segment identifier of a PDB file; often empty.
    pub segment: String,
    /// Its residues, as indices of [`Structure::residues`].
    pub residues: Range<usize>,
    /// Whether the file has a group, such as ACE and NME, that caps its first and its last residue; such ends have no charge.
    pub caps: [bool; 2],
}

/// Which part of a file is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The number of the model; `None` for the first model of the file.
    pub model: Option<u32>,
}

impl Structure {
    /// The alpha carbon of a residue; `None` if no residue has this index.
    pub fn alpha_carbon(&self, residue: usize) -> Option<&Atom> {
        self.atom_named(residue, "CA")
    }

    /// Removes the atoms that `keep` rejects, except alpha carbons.
    pub fn retain_atoms(&mut self, keep: impl Fn(&Atom) -> bool) {
        let mut atoms = std::mem::take(&mut self.atoms).into_iter();
        for residue in &mut self.residues {
            let start = self.atoms.len();
            let of_residue = atoms.by_ref().take(residue.atoms.len());
            self.atoms.extend(of_residue.filter(|atom| atom.name == "CA" || keep(atom)));
            residue.atoms = start..self.atoms.len();
        }
    }

    /// Turns all atoms about the centre of the alpha carbons, so that a direction comes to lie along +z. A direction that
    /// does so already changes nothing. Returns whether the vector has a direction.
    pub fn turn_to_z(&mut self, direction: [f64; 3]) -> bool {
        let Some(direction) = vectors::unit(direction) else { return false };
        if direction == [0.0, 0.0, 1.0] {
            return true;
        }
        let rotation = rotations::to_z(direction);
        let alphas = (0..self.residues.len()).filter_map(|residue| self.alpha_carbon(residue));
        let centre = vectors::centre(alphas.map(|atom| atom.position));
        for atom in &mut self.atoms {
            let from_centre = vectors::difference(atom.position, centre);
            atom.position =
                [0, 1, 2].map(|axis| centre[axis] + vectors::dot(rotation[axis], from_centre));
        }
        true
    }

    pub(crate) fn atom_named(&self, residue: usize, name: &str) -> Option<&Atom> {
        let atoms = self.atoms.get(self.residues.get(residue)?.atoms.clone())?;
        atoms.iter().find(|atom| atom.name == name)
    }
}

/// `chain A`, for messages; chains may lack an identifier.
pub fn chain_words(id: &str) -> String {
    format!("chain {}", if id.is_empty() { "without identifier" } else { id })
}

/// Reads a PDB or mmCIF file, which gzip or bzip2 may have packed; the content decides which format it is. Text that is not UTF-8 is read as Latin-1.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Structure, Error> {
    parse(&read_text(path)?, &path.display().to_string(), options)
}

/// The text of a file that was read, for [`parse`] and the functions like it; `source` is its name in messages. Text that
/// is not UTF-8 is read as Latin-1, which keeps the places of columns.
///
/// # Errors
/// A gzip archive: bytes that were packed twice, or not unpacked by `beadwork_files::unpacked`.
pub fn text_of(bytes: &[u8], source: &str) -> Result<String, Error> {
    refuse_archive(bytes, source)?;
    Ok(as_text(bytes))
}

fn refuse_archive(bytes: &[u8], source: &str) -> Result<(), Error> {
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => Err(Error::not_a_structure(source, " but a gzip archive: unpack it first")),
        false => Ok(()),
    }
}

/// Reads the text of a PDB or mmCIF file; `source` is its name in messages.
pub fn parse(text: &str, source: &str, options: &ReadOptions) -> Result<Structure, Error> {
    let text = text_of_file(text);
    polymer::assemble(contents(&text, source, options)?, source).map(|(structure, _)| structure)
}

/// The positions of all atoms of the first model of a file, in the order and unit of the file.
pub fn read_positions(path: &Path) -> Result<Vec<[f64; 3]>, Error> {
    parse_positions(&read_text(path)?, &path.display().to_string())
}

/// The positions of all atoms of the first model of a text, in the order and unit of the file; `source` is its name in
/// messages.
pub fn parse_positions(text: &str, source: &str) -> Result<Vec<[f64; 3]>, Error> {
    let contents = contents(text, source, &ReadOptions::default())?;
    Ok(contents.records.iter().map(|record| record.position).collect())
}

pub(crate) fn contents<'a>(
    text: &'a str,
    source: &str,
    options: &ReadOptions,
) -> Result<polymer::Contents<'a>, Error> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(Error::empty_file(source));
    }
    if mmcif_table::is_mmcif(text) {
        mmcif::parse(text, source, options)
    } else {
        pdb::parse(text, source, options)
    }
}

/// The text of a file. Latin-1 maps each byte to one character, so that fixed columns keep their positions.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    Ok(as_text(&read_bytes(path)?))
}

/// The bytes of a file, unpacked if it is packed.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let file = path.display().to_string();
    let bytes = beadwork_files::read_unpacked(path, LARGEST_STRUCTURE).map_err(|reason| {
        let remedy = "Check its path and its permissions.";
        let message = format!("{file}: the file cannot be read ({reason}). {remedy}");
        Error::new("structure/unreadable-file", message)
    })?;
    refuse_archive(&bytes, &file)?;
    Ok(bytes)
}

/// Text in UTF-8, or else in Latin-1, with all characters visible.
pub(crate) fn as_text(bytes: &[u8]) -> String {
    let latin: String;
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => {
            latin = bytes.iter().copied().map(char::from).collect();
            &latin
        }
    };
    text_of_file(text).into_owned()
}

pub(crate) fn choose_model(
    numbers: &[u32],
    options: &ReadOptions,
    file: &str,
) -> Result<usize, Error> {
    let Some(wanted) = options.model else { return Ok(0) };
    numbers.iter().position(|number| *number == wanted).ok_or_else(|| {
        let present = models_in_words(numbers);
        let message = format!(
            "{file}: there is no model {wanted}; the file has {present}. Ask for one of those."
        );
        Error::new("structure/no-such-model", message)
    })
}

/// The model numbers of a file in words: "1, 2, 5", or "1 to 38" for long runs.
fn models_in_words(numbers: &[u32]) -> String {
    let consecutive = numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    match numbers {
        [only] => format!("model {only}"),
        [first, _, .., last] if consecutive => format!("models {first} to {last}"),
        _ => {
            let words: Vec<_> = numbers.iter().map(u32::to_string).collect();
            format!("models {}", words.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named() {
        assert_eq!(models_in_words(&[4]), "model 4");
        assert_eq!(models_in_words(&[1, 2, 3]), "models 1 to 3");
        assert_eq!(models_in_words(&[1, 2]), "models 1, 2");
        assert_eq!(models_in_words(&[2, 5, 7]), "models 2, 5, 7");
    }
}
