//! Topologies of the SOP-GPU program: atoms, bonds, native contacts and repulsive pairs.
//!
//! Sections `[ atoms ]`, `[ bonds ]`, `[ native ]` and `[ pairs ]`, comments from `;` on, atoms
//! counted from 0, lengths in ångström and energies in kcal/mol, as its tools write them (Zhmurov,
//! Rybnikov, Kholodov and Barsegov, J. Phys. Chem. B 2011, 115, 5278, doi:10.1021/jp109079t).

use std::path::Path;

use crate::error::Error;
use crate::label::{Label, Name};
use crate::number::cif_number;
use crate::structure::read_text;

/// A topology of the SOP-GPU program. Indices of atoms count from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SopGpuTopology {
    /// The beads; the column `cgnr` holds the chain identifier.
    pub atoms: Vec<Label>,
    /// Covalent bonds: two atoms and the length at rest in ångström.
    pub bonds: Vec<(usize, usize, f64)>,
    /// Native contacts: two atoms, the distance at the minimum in ångström, the depth in kcal/mol.
    pub contacts: Vec<(usize, usize, f64, f64)>,
    /// Repulsive pairs; `None` when the section is absent or empty.
    pub pairs: Option<Vec<(usize, usize)>>,
}

/// Reads a topology of the SOP-GPU program. It is an error if an atom does not exist, or if a bond, contact or pair
/// joins an atom with itself.
pub fn read_sop_gpu_topology(path: &Path) -> Result<SopGpuTopology, Error> {
    parse_sop_gpu_topology(&read_text(path)?, &path.display().to_string())
}

/// Reads the text of a topology; `file` is its name in messages.
///
/// # Errors
/// Those of [`read_sop_gpu_topology`].
pub fn parse_sop_gpu_topology(text: &str, file: &str) -> Result<SopGpuTopology, Error> {
    if text.trim().is_empty() {
        return Err(Error::empty_file(file));
    }
    let damaged = |line: usize, problem: String| {
        let remedy = "Correct the line or make the topology again.";
        let message = format!("{file}, line {line}: {problem}. {remedy}");
        Error::new("structure/damaged-topology", message)
    };
    let mut section = None;
    let mut topology = SopGpuTopology::default();
    // Sections may come in any order, so indices are checked once all atoms are known.
    let mut indices: Vec<(usize, usize, usize)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split(';').next().unwrap_or("").trim();
        if content.is_empty() {
            continue;
        }
        let damaged = |problem| damaged(index + 1, problem);
        if content.starts_with('[') {
            let name = content.trim_start_matches('[').trim_end_matches(']').trim();
            if !["atoms", "bonds", "native", "pairs"].contains(&name) {
                return Err(damaged(format!(
                    "the section [ {name} ] is not known; a topology has atoms, bonds, native and pairs"
                )));
            }
            section = Some(name);
            continue;
        }
        let fields: Vec<&str> = content.split_whitespace().collect();
        let read = match section {
            None => Err("a line stands before the first section such as [ atoms ]".to_owned()),
            Some("atoms") => atom(&fields, topology.atoms.len()).map(|atom| {
                topology.atoms.push(atom);
            }),
            Some(section) => two_atoms(&fields).and_then(|(first, second)| {
                indices.push((first, second, index + 1));
                match section {
                    "bonds" => {
                        let length = number(&fields, 3, "length", |value| value > 0.0)?;
                        topology.bonds.push((first, second, length));
                    }
                    "native" => {
                        let distance = number(&fields, 3, "distance", |value| value > 0.0)?;
                        let depth = number(&fields, 4, "energy", |value| value >= 0.0)?;
                        topology.contacts.push((first, second, distance, depth));
                    }
                    _ => topology.pairs.get_or_insert_default().push((first, second)),
                }
                Ok(())
            }),
        };
        read.map_err(damaged)?;
    }
    let count = topology.atoms.len();
    if count == 0 {
        let problem = "the section [ atoms ] is missing or empty".to_owned();
        return Err(damaged(text.lines().count(), problem));
    }
    for (first, second, line) in indices {
        let largest = first.max(second);
        if largest >= count {
            let problem = format!("there is no atom {largest}; atoms run from 0 to {}", count - 1);
            return Err(damaged(line, problem));
        }
    }
    Ok(topology)
}

fn field<'a>(fields: &[&'a str], index: usize, what: &str) -> Result<&'a str, String> {
    fields.get(index).copied().ok_or_else(|| format!("column {} ({what}) is missing", index + 1))
}

fn atom(fields: &[&str], expected: usize) -> Result<Label, String> {
    let number = field(fields, 0, "nr")?;
    if number.parse() != Ok(expected) {
        return Err(format!("atom {number} stands where atom {expected} was expected"));
    }
    let residue = field(fields, 2, "resnr")?;
    let insertion = residue.chars().last().filter(char::is_ascii_alphabetic);
    let digits = residue.trim_end_matches(|letter: char| Some(letter) == insertion);
    let residue_number = digits
        .parse()
        .map_err(|_| format!("the residue number \"{residue}\" is not an integer"))?;
    Ok(Label {
        name: field(fields, 1, "type")?.into(),
        residue_name: field(fields, 3, "residue")?.into(),
        residue_number,
        insertion,
        chain: field(fields, 5, "cgnr")?.into(),
        segment: Name::default(),
    })
}

fn two_atoms(fields: &[&str]) -> Result<(usize, usize), String> {
    let index = |column: usize, what| {
        let text = field(fields, column, what)?;
        text.parse::<usize>()
            .map_err(|_| format!("\"{text}\" ({what}) is not the index of an atom"))
    };
    let (first, second) = (index(0, "ai")?, index(1, "aj")?);
    if first == second {
        Err(format!("atom {first} is paired with itself"))
    } else {
        Ok((first, second))
    }
}

fn number(
    fields: &[&str],
    index: usize,
    what: &str,
    allowed: impl Fn(f64) -> bool,
) -> Result<f64, String> {
    let text = field(fields, index, what)?;
    cif_number(text)
        .filter(|value| allowed(*value))
        .ok_or_else(|| format!("the {what} \"{text}\" is not a positive number"))
}
