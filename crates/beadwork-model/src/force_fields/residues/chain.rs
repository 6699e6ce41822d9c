//! Chains as a caller describes them, and what is wrong with them.

use std::ops::RangeInclusive;

use beadwork_structure::Protonation;

use super::amino_acid::{AminoAcid, Residue};
use super::{ChargedEnds, ResidueModel};
use crate::error::Error;
use crate::units::ANGSTROMS_PER_NANOMETRE;

/// A chain of residues.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// Its name in messages.
    pub name: String,
    /// Its amino acids as capital letters.
    pub sequence: String,
    /// Residues, by index, whose side chain has a protonation of its own. It decides on the charge in CALVADOS; the other
    /// models have one charge for each amino acid.
    pub protonated: Vec<(usize, Protonation)>,
    /// Its structure, if it has one.
    pub folded: Option<Folded>,
}

/// The structure of a chain, and the parts of it that stay folded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folded {
    /// The start of each bead, Å: the centre of mass of the residue in CALVADOS.
    pub positions: Vec<[f64; 3]>,
    /// Folded domains, each a list of ranges of residues, which count from 1; both ends belong to a range. Residues of
    /// different domains move freely.
    pub domains: Vec<Vec<RangeInclusive<usize>>>,
}

/// Restraints within domains join residues up to this distance, nm.
const RESTRAINT_REACH: f64 = 0.9;

impl Chain {
    /// A chain without a structure.
    pub fn disordered(name: impl Into<String>, sequence: impl Into<String>) -> Chain {
        Chain { name: name.into(), sequence: sequence.into(), ..Chain::default() }
    }

    /// The residues in the order of the sequence, in a model that knows protonations or does not.
    pub(super) fn residues(
        &self,
        known: &[AminoAcid],
        ends: ChargedEnds,
        knows_protonation: bool,
    ) -> Result<Vec<Residue>, Error> {
        let beads = self.sequence.chars().count();
        if beads < 2 {
            return Err(Error::TooFewBeads { source_name: format!("chain {}", self.name), beads });
        }
        let residue = |(index, letter): (usize, char)| {
            let amino_acid = known.iter().find(|amino_acid| amino_acid.letter == letter);
            let amino_acid = *amino_acid.ok_or_else(|| {
                let letters: String = known.iter().map(|amino_acid| amino_acid.letter).collect();
                self.error(format!(
                    "residue {}: '{letter}' is no amino acid of the model{}; write one of {letters}",
                    index + 1,
                    stands_for(letter).map(|what| format!(" but {what}")).unwrap_or_default()
                ))
            })?;
            let (first, last) = (index == 0 && ends.first, index + 1 == beads && ends.last);
            let protonated = self.protonated.iter().find(|(at, _)| *at == index);
            let protonation = protonated.filter(|_| knows_protonation).map(|(_, form)| *form);
            Ok(Residue { amino_acid, first, last, protonation })
        };
        self.sequence.chars().enumerate().map(residue).collect()
    }

    /// The domain of each residue, as an index; `None` for residues that belong to none.
    ///
    /// # Errors
    /// Domains in a model without them, without a structure, outside the sequence, or with a residue in common; a
    /// structure of another length than the sequence.
    pub(super) fn domains(&self, model: ResidueModel) -> Result<Vec<Option<usize>>, Error> {
        let beads = self.sequence.chars().count();
        let mut domains = vec![None; beads];
        let Some(folded) = &self.folded else { return Ok(domains) };
        if !folded.domains.is_empty() && model != ResidueModel::Calvados3 {
            let [has, lacks] = [ResidueModel::Calvados3, model].map(ResidueModel::name);
            return Err(self.error(format!(
                "{lacks} has no folded domains; take {has}, or leave the domains out"
            )));
        }
        if folded.positions.is_empty() && !folded.domains.is_empty() {
            return Err(
                self.error("folded domains need a structure; name one, or leave the domains out")
            );
        }
        if folded.positions.len() != beads {
            return Err(self.error(format!(
                "the structure has {} residues, the sequence {beads}; give a structure of the whole sequence",
                folded.positions.len()
            )));
        }
        if let Some(bead) =
            folded.positions.iter().position(|place| place.iter().any(|x| !x.is_finite()))
        {
            return Err(self.error(format!(
                "residue {} has a position that is not a finite number",
                bead + 1
            )));
        }
        for (number, domain) in folded.domains.iter().enumerate() {
            for range in domain {
                self.enter(number, range, &mut domains)?;
            }
        }
        Ok(domains)
    }

    /// Enters a range of residues into the domain with an index.
    fn enter(
        &self,
        domain: usize,
        range: &RangeInclusive<usize>,
        domains: &mut [Option<usize>],
    ) -> Result<(), Error> {
        let (first, last) = (*range.start(), *range.end());
        let number = domain + 1;
        if first > last {
            return Err(self.error(format!(
                "domain {number}: the range from {first} to {last} is empty; write the smaller number first"
            )));
        }
        if first == 0 || last > domains.len() {
            return Err(self.error(format!(
                "domain {number}: the range from {first} to {last} is not within the sequence, whose residues count from 1 to {}",
                domains.len()
            )));
        }
        for (residue, place) in (first..=last).zip(&mut domains[first - 1..]) {
            match place.replace(domain) {
                Some(other) if other == domain => {
                    return Err(self.error(format!(
                        "domain {number} names residue {residue} twice; give ranges that do not overlap"
                    )));
                }
                Some(other) => {
                    return Err(self.error(format!(
                        "residue {residue} is in domain {} and in domain {number}; a residue belongs to one domain",
                        other + 1
                    )));
                }
                None => {}
            }
        }
        Ok(())
    }

    pub(super) fn error(&self, problem: impl std::fmt::Display) -> Error {
        Error::Residues(format!("chain {}: {problem}", self.name))
    }
}

/// What a letter or a sign stands for that no model has.
fn stands_for(letter: char) -> Option<&'static str> {
    Some(match letter {
        'B' => "asparagine or aspartic acid, in files of CALVADOS phosphoserine",
        'J' => "leucine or isoleucine, in files of CALVADOS a monomer of PEG",
        'O' => "pyrrolysine, in files of CALVADOS phosphothreonine",
        'U' => "selenocysteine, in RNA uracil",
        'X' => "any amino acid",
        'Z' => "glutamine or glutamic acid",
        '*' => "the end of a translation",
        '-' | '.' => "a gap of an alignment",
        _ => return None,
    })
}

impl Folded {
    /// The distance of two residues in the structure, Å.
    pub(super) fn distance(&self, i: usize, j: usize) -> f64 {
        let squares = self.positions[i].iter().zip(self.positions[j]).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// The restrained pairs with their distances, Å: two residues of one domain that are not neighbours in the chain and
    /// near each other (Cao et al., Protein Sci. 33, e5172, 2024).
    pub(super) fn restraints(&self, domains: &[Option<usize>]) -> Vec<(usize, usize, f64)> {
        let mut restraints = Vec::new();
        for (i, domain) in domains.iter().enumerate().filter(|(_, domain)| domain.is_some()) {
            for j in (i + 2..domains.len()).filter(|&j| domains[j] == *domain) {
                let distance = self.distance(i, j);
                if distance <= RESTRAINT_REACH * ANGSTROMS_PER_NANOMETRE {
                    restraints.push((i, j, distance));
                }
            }
        }
        restraints
    }
}
