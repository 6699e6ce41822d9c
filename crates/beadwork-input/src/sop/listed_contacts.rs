//! Warnings about the lines of a list of contacts that are probably slips.

use std::path::Path;

use beadwork_model::System;
use beadwork_model::advice::with_decimals;
use beadwork_model::potentials::{NativeContact, PairPotential};
use beadwork_model::units::BOLTZMANN;

use crate::pair_list::{ListedPair, PairList, bead_in_words};
use crate::plausible::warning_of_listed_energy;

/// kT at 300 K, kcal/mol.
const USUAL_KT: f64 = 300.0 * BOLTZMANN;
/// In kT: a contact that stores more at the start throws its beads apart, and can break bonds.
const MOST_STORED: f64 = 20.0;
/// In kT: more than a person reads in digits.
const COUNTLESS: f64 = 1e6;
/// The part of its depth that the energy of a contact is expected to have at the start.
const LEAST_BOUND: f64 = 0.1;
/// Å: twice the cutoff of the model. Residues whose side chains touch have C-alphas up to about 14 Å apart.
const FARTHEST: f64 = 16.0;
/// The most lines that a warning names beside the first.
const MOST_NAMED: usize = 3;

/// What is probably wrong with a line.
#[derive(Clone, Copy)]
enum Slip {
    /// The beads of the line are bonded, so that the line says nothing.
    Bonded,
    /// The energy in the line is unusual.
    Energy,
    /// The beads of the line are far apart, and the line gives no length.
    FarApart,
    /// The line gives a length so much larger than the distance that the contact is a compressed spring.
    Pressed,
    /// The line gives a length so much smaller than the distance that the contact hardly binds.
    Loose,
}

const SLIPS: [Slip; 5] = [Slip::Bonded, Slip::Energy, Slip::FarApart, Slip::Pressed, Slip::Loose];

/// The warnings about the list in the file `path`, from which `system` was built: one for each slip.
pub(super) fn warnings(path: &Path, list: &PairList, system: &System) -> Vec<String> {
    let file = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let warning = |slip: Slip| {
        let mut pairs = list.pairs.iter().filter(|pair| slip.is_in(pair, system));
        let first = pairs.next()?;
        let named = format!("{file}, line {}", list.line(first));
        let words = slip.in_words(&named, first, system)?;
        let others: Vec<&ListedPair> = pairs.collect();
        Some(words + &others_in_words(list, &others))
    };
    SLIPS.into_iter().filter_map(warning).collect()
}

impl Slip {
    fn is_in(self, pair: &ListedPair, system: &System) -> bool {
        let Some((contact, r2)) = contact_at_start(pair, system) else {
            return matches!(self, Slip::Bonded);
        };
        let is_given = pair.length.is_some();
        let is_compressed = contact.length * contact.length > r2;
        match self {
            Slip::Bonded => false,
            Slip::Energy => {
                pair.energy.is_some_and(|energy| warning_of_listed_energy("", energy).is_some())
            }
            Slip::FarApart => !is_given && r2 > FARTHEST * FARTHEST,
            Slip::Pressed => is_given && is_compressed && stored(&contact, r2) > MOST_STORED,
            Slip::Loose => {
                is_given && !is_compressed && contact.energy(r2) > -LEAST_BOUND * contact.depth
            }
        }
    }

    /// The warning about a pair that has the slip; `named` is its line.
    fn in_words(self, named: &str, pair: &ListedPair, system: &System) -> Option<String> {
        let beads = [pair.i, pair.j].map(|bead| bead_in_words(&system.particles.labels, bead));
        let beads = beads.join(" and ");
        let Some((contact, r2)) = contact_at_start(pair, system) else {
            return Some(format!(
                "{named}: {beads} are bonded, and a contact of bonded beads has no energy: the line has no effect; check the residues, or leave it out"
            ));
        };
        let (distance, length) = (with_decimals(r2.sqrt(), 1), with_decimals(contact.length, 1));
        let apart = format!("{named}: {beads} are {distance} A apart in the structure");
        let advice = "check the residues and the length, and mind length_A and length_nm; go on if it is meant";
        Some(match self {
            Slip::Bonded => return None,
            Slip::Energy => {
                let named = format!("{named}: the energy of the contact of {beads}");
                warning_of_listed_energy(&named, pair.energy?)?
            }
            Slip::FarApart => format!(
                "{apart}, and without a length in the line their contact is as long, while residues whose side chains touch are at most 14 A apart: check the residues; go on if it is meant"
            ),
            Slip::Pressed => format!(
                "{apart}, and the line gives their contact a length of {length} A: it pushes them apart from the start with an energy of {} kT, which can break bonds: {advice}",
                in_digits(stored(&contact, r2))
            ),
            Slip::Loose => format!(
                "{apart}, and the line gives their contact a length of {length} A, so that it has less than a tenth of its energy at the start: {advice}"
            ),
        })
    }
}

/// The contact of a pair and the squared distance of its beads in the structure, Å²; `None` if the beads are bonded, since their
/// contact has no energy.
fn contact_at_start(pair: &ListedPair, system: &System) -> Option<(NativeContact, f64)> {
    let contacts = system.interactions.bonded_by::<NativeContact>();
    let place = contacts.binary_search_by_key(&pair.beads(), |contact| (contact.i, contact.j));
    let positions = &system.particles.positions;
    let r2 = system.boundary.squared_distance(positions[pair.i], positions[pair.j]);
    Some((contacts[place.ok()?].potential, r2))
}

/// The energy above that at rest, in kT.
fn stored(contact: &NativeContact, r2: f64) -> f64 {
    (contact.depth + contact.energy(r2)) / USUAL_KT
}

fn in_digits(energy: f64) -> String {
    match energy > COUNTLESS {
        true => "more than a million".to_string(),
        false => with_decimals(energy, 0),
    }
}

/// The end of a warning about several lines.
fn others_in_words(list: &PairList, others: &[&ListedPair]) -> String {
    let named = &others[..others.len().min(MOST_NAMED)];
    let lines: Vec<String> = named.iter().map(|pair| list.line(pair).to_string()).collect();
    match (lines.as_slice(), others.len() - lines.len()) {
        ([], _) => String::new(),
        ([line], _) => format!("; look at line {line} too"),
        (lines, 0) => format!("; look at lines {} too", lines.join(", ")),
        (lines, more) => format!("; look at lines {} and {more} more too", lines.join(", ")),
    }
}
