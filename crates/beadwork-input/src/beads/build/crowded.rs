//! Refuses molecules that are too crowded in their box, before their beads are made.

use beadwork_model::Interactions;
use beadwork_structure::Configuration;

use super::amounts::{self, MoleculeAmount};
use crate::beads::memory;
use crate::beads::pairs::{self, PairsRead};
use crate::beads::types::{self, Types};
use crate::error::{BAD_VALUE, Error};
use crate::section::Section;
use crate::settings::DynamicsRead;

/// Beads from which on it takes a while to make them.
const MANY: u64 = 1_000_000;

/// Refuses many beads in a box with these sides whose list of near pairs does not fit into memory.
pub(super) fn refuse(
    section: &Section<'_>,
    dynamics: &DynamicsRead,
    names: &[String],
    (parts, counts): (&[MoleculeAmount], &[u64]),
    sides: [f64; 3],
) -> Result<(), Error> {
    let beads = amounts::beads(parts, counts);
    if beads < MANY {
        return Ok(());
    }
    // What is wrong with types and pairs is said where they are read.
    let Ok((types, interactions)) = read_pairs(section, dynamics, names) else { return Ok(()) };
    let mut of_types = vec![0.0; types.count()];
    for (part, &count) in parts.iter().zip(counts) {
        for &name in &part.molecule.types {
            of_types[usize::from(types.of_beads[usize::from(name)])] += count as f64;
        }
    }
    let volume: f64 = sides.iter().product();
    let skin = dynamics.dynamics.skin;
    let pairs = interactions.expected_near_pairs(&of_types, |_| volume, skin);
    match memory::problem_of_pairs(beads, pairs) {
        Some(problem) => Err(section.value_place("build").error(BAD_VALUE, problem)),
        None => Ok(()),
    }
}

/// The types, of one bead for each name, and what acts between all pairs.
fn read_pairs(
    section: &Section<'_>,
    dynamics: &DynamicsRead,
    names: &[String],
) -> Result<(Types, Interactions), Error> {
    let one_of_each = Configuration {
        types: (0..names.len() as u16).collect(),
        type_names: names.to_vec(),
        masses: vec![None; names.len()],
        ..Configuration::default()
    };
    let mut section = section.again();
    let types = types::read(&mut section, &one_of_each, dynamics)?;
    let PairsRead { terms, thermostat, .. } = pairs::read(&mut section, &types)?;
    Ok((types, Interactions { pairs: terms, thermostat, ..Interactions::default() }))
}
