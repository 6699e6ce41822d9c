//! Beads from the records of atoms that PDB and mmCIF files have.

use std::collections::HashMap;

use super::types::Types;
use super::{Bounds, Configuration};
use crate::error::Error;
use crate::label::{Label, Name};
use crate::polymer::Record;

/// Every record as a bead of the type that its atom name is; `lines` are those of the records.
pub(super) fn configuration(
    records: &[Record<'_>],
    line: impl Fn(usize) -> usize,
    file: &str,
) -> Result<Configuration, Error> {
    let damaged = |record: usize, problem: String| {
        Err(Error::damaged_configuration(file, line(record), problem))
    };
    let mut types = Types::default();
    let mut beads = Configuration {
        source: file.to_owned(),
        in_angstrom: true,
        positions: records.iter().map(|record| record.position).collect(),
        types: Vec::with_capacity(records.len()),
        labels: Vec::with_capacity(records.len()),
        ..Configuration::default()
    };
    let mut locations = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        if let Some(letter) = record.alternate {
            let Record { section, chain, number, insertion, residue_name, name, .. } = *record;
            let atom = (section, chain, number, insertion, residue_name, name);
            if locations.insert(atom, letter).is_some_and(|other| other != letter) {
                let problem = format!(
                    "atom {name} of residue {residue_name} {number} has a second location, {letter}; a bead has one \
                     place, so keep one of the locations"
                );
                return damaged(index, problem);
            }
        }
        if record.name.is_empty() {
            return damaged(
                index,
                "the atom has no name, which is the type of its bead".to_owned(),
            );
        }
        match types.number(record.name) {
            Ok(number) => beads.types.push(number),
            Err(problem) => return damaged(index, problem),
        }
        beads.labels.push(Label {
            name: Name::from(record.name),
            residue_name: Name::from(record.residue_name),
            residue_number: record.number,
            insertion: record.insertion,
            chain: Name::from(record.chain),
            segment: Name::from(record.segment),
        });
    }
    beads.type_names = types.names;
    beads.masses = types.masses;
    Ok(beads)
}

/// The box of a unit cell, from three lengths and three angles in degrees; a warning where it has oblique angles.
///
/// A cube of 1 Å stands for no cell in entries without a crystal, and lengths of 0 do in files of some programs.
pub(super) fn bounds(cell: [f64; 6], warnings: &mut Vec<String>) -> Option<Bounds> {
    let [a, b, c, alpha, beta, gamma] = cell;
    if [a, b, c].iter().all(|length| *length <= 1.0) {
        return None;
    }
    if [alpha, beta, gamma].iter().any(|angle| *angle != 90.0) || a.min(b).min(c) <= 0.0 {
        warnings.push(format!(
            "the unit cell ({a}, {b}, {c}; {alpha}°, {beta}°, {gamma}°) is not taken as a box, which needs right angles"
        ));
        return None;
    }
    Some([a, b, c].map(|length| [0.0, length]))
}
