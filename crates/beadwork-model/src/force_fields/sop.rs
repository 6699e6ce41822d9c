//! The Self-Organized Polymer model of proteins (\[A\], equation 1): one bead for each residue, at its C-alpha; FENE
//! bonds, native contacts, repulsion of all other pairs.

mod backbone;
mod beads;
mod contact_sums;
mod contacts;
mod depths;
mod parameters;
mod topology;

use std::collections::{BTreeMap, BTreeSet};

use beadwork_structure::{SopGpuTopology, Structure, chain_words};

pub use beads::{Beads, describe_chains};
pub use contact_sums::{ContactSum, ContactSums, contact_sums};
pub use depths::no_such_pair;
pub use parameters::{ContactDepth, ContactRule, DepthsBetweenChains, ListedContact, Parameters};

use crate::Error;
use crate::potentials::NativeContact;
use crate::potentials::listed::Pair;
use crate::system::System;
use backbone::backbone_bonds;
use depths::Depths;
use topology::{Topology, assemble, ordered, twice};

/// C-alphas closer than this, Å, belong to one residue that the file has twice, such as a chain on a symmetry axis and
/// its copy. Different residues are 2.9 Å apart or more, and so short a contact would make a singular force.
const SAME_PLACE: f64 = 0.5;

/// Builds the system of a structure from all or some of its beads.
///
/// Returns the system and warnings: breaks in chains, listed bonds and energies of contacts that have no effect.
///
/// # Errors
/// Fewer than two beads; lists that name a bead twice or an unknown one; two beads at one position.
pub fn build(
    structure: &Structure,
    beads: Beads,
    parameters: &Parameters,
) -> Result<(System, Vec<String>), Error> {
    let count = beads.labels.len();
    if count < 2 {
        return Err(Error::TooFewBeads { source_name: structure.source.clone(), beads: count });
    }
    let mut warnings = Vec::new();
    let backbone = backbone_bonds(&beads, &mut warnings);
    let mut extra = extra_bonds(structure, &beads, parameters)?;
    for bond in &backbone {
        if extra.remove(bond) {
            warnings.push(format!(
                "beads {} and {} are neighbours in their chain and bonded already: the further bond between them adds nothing",
                bond.0, bond.1
            ));
        }
    }
    let mut depths = Depths::new(structure, &beads, parameters)?;
    let contacts = native_contacts(structure, &beads, &mut depths, parameters)?;
    warnings.extend(depths.unused());
    let bonds = backbone.iter().chain(&extra).map(|&(i, j)| (i, j, beads.distance(i, j)));
    let topology = Topology {
        bonds: bonds.collect(),
        extra_bonds: extra.len(),
        chain_starts: starts(&beads.chains, |a, b| a == b),
        contacts,
        repelling: None,
    };
    Ok((assemble(beads.labels, beads.positions, topology, parameters)?, warnings))
}

/// About how many contacts a rule by distance finds, before any is found; none of a list.
pub fn estimated_contacts(structure: &Structure, beads: &Beads, rule: &ContactRule) -> f64 {
    match *rule {
        ContactRule::Distance { cutoff, side_chain_cutoff, side_chain_hydrogens } => {
            let rule = contacts::Rule { cutoff, side_chain_cutoff, side_chain_hydrogens };
            contacts::estimated_number(structure, beads, &rule)
        }
        ContactRule::List(_) => 0.0,
    }
}

/// Bonds that a list names, and those of disulfides.
fn extra_bonds(
    structure: &Structure,
    beads: &Beads,
    parameters: &Parameters,
) -> Result<BTreeSet<(usize, usize)>, Error> {
    let mut extra = BTreeSet::new();
    for &(a, b) in &parameters.extra_bonds {
        let pair = ordered(a, b, beads.labels.len(), "extra bond")?;
        if !extra.insert(pair) {
            return Err(twice("extra bond", pair));
        }
    }
    if parameters.disulfides {
        let bead_of: BTreeMap<usize, usize> =
            beads.residues.iter().enumerate().map(|(bead, &residue)| (residue, bead)).collect();
        for (a, b) in &structure.disulfides {
            if let (Some(&a), Some(&b)) = (bead_of.get(a), bead_of.get(b)) {
                extra.insert((a.min(b), a.max(b)));
            }
        }
    }
    Ok(extra)
}

fn native_contacts(
    structure: &Structure,
    beads: &Beads,
    depths: &mut Depths<'_>,
    parameters: &Parameters,
) -> Result<Vec<Pair<NativeContact>>, Error> {
    let mut contact = |i: usize, j: usize, depth: Option<f64>, length: f64| {
        let depth = match depth {
            Some(depth) => depth,
            None => depths.of(i, j)?,
        };
        Ok(Pair { i, j, potential: NativeContact { depth, length } })
    };
    match &parameters.contacts {
        &ContactRule::Distance { cutoff, side_chain_cutoff, side_chain_hydrogens } => {
            let rule = contacts::Rule { cutoff, side_chain_cutoff, side_chain_hydrogens };
            let found = contacts::touching(structure, beads, &rule).into_iter();
            let found = found.map(|(i, j)| match beads.distance(i, j) {
                length if length < SAME_PLACE => Err(same_place(beads, i, j, length)),
                length => contact(i, j, None, length),
            });
            found.collect()
        }
        ContactRule::List(list) => {
            let listed = list.iter().map(|listed| {
                let (i, j) = ordered(listed.i, listed.j, beads.labels.len(), "contact")?;
                let length = listed.length.unwrap_or_else(|| beads.distance(i, j));
                contact(i, j, listed.depth, length)
            });
            listed.collect()
        }
    }
}

/// Builds the system of a SOP-GPU topology with beads at `positions`, Å.
///
/// # Errors
/// If `positions` and the topology differ in the number of beads; pairs named twice.
pub fn build_from_topology(
    topology: &SopGpuTopology,
    positions: Vec<[f64; 3]>,
    parameters: &Parameters,
) -> Result<System, Error> {
    if positions.len() != topology.atoms.len() {
        return Err(Error::Topology(format!(
            "the topology has {} beads and the coordinates {}: they must be of the same system",
            topology.atoms.len(),
            positions.len()
        )));
    }
    let count = positions.len();
    let mut bonds = Vec::new();
    for &(a, b, length) in &topology.bonds {
        let (i, j) = ordered(a, b, count, "bond")?;
        bonds.push((i, j, length));
    }
    let mut contacts = Vec::new();
    for &(a, b, length, depth) in &topology.contacts {
        let (i, j) = ordered(a, b, count, "contact")?;
        contacts.push(Pair { i, j, potential: NativeContact { depth, length } });
    }
    let extra_bonds = bonds.iter().filter(|(i, j, _)| j - i != 1).count();
    let chain_starts = starts(&topology.atoms, |a, b| a.chain == b.chain && a.segment == b.segment);
    let repelling = topology.pairs.clone();
    let lists = Topology { bonds, extra_bonds, chain_starts, contacts, repelling };
    assemble(topology.atoms.clone(), positions, lists, parameters)
}

/// The indices of items that differ from the item before; the first is 0.
fn starts<T>(items: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<usize> {
    (0..items.len()).filter(|&i| i == 0 || !same(&items[i - 1], &items[i])).collect()
}

fn same_place(beads: &Beads, i: usize, j: usize, length: f64) -> Error {
    let who = |bead: usize| {
        let label = &beads.labels[bead];
        let insertion = label.insertion.map(String::from).unwrap_or_default();
        format!(
            "bead {bead} ({}, residue {}{insertion})",
            chain_words(&label.chain),
            label.residue_number
        )
    };
    Error::Topology(format!(
        "{} and {} are {} A apart, too close for two residues: remove one of them from the structure, or choose another assembly",
        who(i),
        who(j),
        (length * 100.0).round() / 100.0
    ))
}
