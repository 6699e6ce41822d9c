//! Chains of residues from structure files.

use std::ops::RangeInclusive;

use beadwork_structure::{Residue, Structure, chain_words};

use super::chain::{Chain, Folded};
use crate::error::Error;

/// Alpha carbons of neighbours in a chain are 3.8 Å apart; beyond this distance, Å, residues between them are missing.
const NEIGHBOUR_REACH: f64 = 5.0;

/// The sequence of a chain of a structure, given by its index, and the centre of mass of each residue, Å, over all atoms
/// of the file: the bead of CALVADOS 3 (Cao et al., Protein Sci. 33, e5172, 2024).
///
/// # Errors
/// No such chain; a residue other than the twenty amino acids; an atom of an element that proteins do not have; residues
/// that are missing.
pub fn centres_of_mass(
    structure: &Structure,
    chain: usize,
) -> Result<(String, Vec<[f64; 3]>), Error> {
    let Some(found) = structure.chains.get(chain) else {
        return Err(Error::Residues(format!(
            "{}: there is no chain {}; the file has {}",
            structure.source,
            chain + 1,
            structure.chains.len()
        )));
    };
    let mut sequence = String::new();
    let mut centres = Vec::new();
    for index in found.residues.clone() {
        let residue = &structure.residues[index];
        let error = |problem: &str| {
            Error::Residues(format!(
                "{}: {} {problem}",
                structure.source,
                name_of(structure, residue)
            ))
        };
        let letter = residue.letter().ok_or_else(|| {
            error("is none of the twenty amino acids, which alone have parameters; change or remove it")
        })?;
        if index > found.residues.start && !are_neighbours(structure, index - 1, index) {
            let before = &structure.residues[index - 1];
            return Err(error(&format!(
                "is no neighbour of {}: residues between them are missing; give a structure of the whole chain",
                name_of(structure, before)
            )));
        }
        sequence.push(letter);
        centres.push(centre_of_mass(structure, residue).map_err(|element| {
            error(&format!("has an atom of element \"{element}\", which proteins do not have"))
        })?);
    }
    Ok((sequence, centres))
}

/// `chain A, residue 52A GLY`.
pub(super) fn name_of(structure: &Structure, residue: &Residue) -> String {
    let insertion = residue.insertion.map(String::from).unwrap_or_default();
    let chain = chain_words(&structure.chains[residue.chain].id);
    format!("{chain}, residue {}{insertion} {}", residue.number, residue.name)
}

fn are_neighbours(structure: &Structure, i: usize, j: usize) -> bool {
    let [Some(a), Some(b)] = [i, j].map(|residue| structure.alpha_carbon(residue)) else {
        return false;
    };
    let squares = a.position.iter().zip(b.position).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>() <= NEIGHBOUR_REACH * NEIGHBOUR_REACH
}

/// Or the element that has no mass.
fn centre_of_mass(structure: &Structure, residue: &Residue) -> Result<[f64; 3], String> {
    let (mut total, mut moment) = (0.0, [0.0; 3]);
    for atom in &structure.atoms[residue.atoms.clone()] {
        let mass = atom.mass().ok_or_else(|| atom.element.clone())?;
        total += mass;
        for (sum, x) in moment.iter_mut().zip(atom.position) {
            *sum += mass * x;
        }
    }
    Ok(moment.map(|sum| sum / total))
}

impl Chain {
    /// A chain of a structure, given by its index, with the protonation that the names of its residues say, the centres of
    /// mass of its residues and its folded domains.
    ///
    /// # Errors
    /// As [`centres_of_mass`]; [`build`](super::build) checks the domains.
    pub fn from_structure(
        name: impl Into<String>,
        structure: &Structure,
        chain: usize,
        domains: Vec<Vec<RangeInclusive<usize>>>,
    ) -> Result<Chain, Error> {
        let (sequence, positions) = centres_of_mass(structure, chain)?;
        let residues = structure.chains[chain].residues.clone().map(|one| &structure.residues[one]);
        let form = |(index, residue): (usize, &Residue)| Some((index, residue.protonation()?));
        let protonated = residues.enumerate().filter_map(form).collect();
        let folded = Some(Folded { positions, domains });
        Ok(Chain { name: name.into(), sequence, protonated, folded })
    }
}
