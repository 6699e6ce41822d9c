//! The native contacts of a system as a list that `contacts = { file = … }` reads.

use std::collections::HashSet;
use std::fmt::Write as _;

use beadwork_model::System;
use beadwork_model::potentials::NativeContact;
use beadwork_structure::Label;

use crate::pair_list::{BEADS, RESIDUES};

/// The native contacts of a system as CSV, with the lengths and energies of each; `None` if it has none. Reading the list
/// returns numbers with the same bits.
///
/// Beads are named by chain and residue, or by number where these names are not unique. Contacts between bonded beads
/// have no energy and are left out.
pub fn contact_list(system: &System) -> Option<String> {
    let contacts = system.interactions.bonded_by::<NativeContact>();
    if contacts.is_empty() {
        return None;
    }
    let labels = &system.particles.labels;
    let by_residue = residues_name_beads(labels);
    let columns = if by_residue { RESIDUES.join(",") } else { BEADS.join(",") };
    let mut text = format!("{columns},length_A,energy_kcal_mol\n");
    for contact in contacts {
        let bead = |bead: usize| match by_residue {
            true => in_residues(&labels[bead]),
            false => bead.to_string(),
        };
        let NativeContact { length, depth } = contact.potential;
        let _ = writeln!(text, "{},{},{length},{depth}", bead(contact.i), bead(contact.j));
    }
    Some(text)
}

/// `A,52B`.
fn in_residues(label: &Label) -> String {
    let insertion = label.insertion.map(String::from).unwrap_or_default();
    format!("{},{}{insertion}", label.chain, label.residue_number)
}

/// Whether chain and residue name each bead, in letters that a cell can hold as they are.
fn residues_name_beads(labels: &[Label]) -> bool {
    let mut seen = HashSet::new();
    labels.iter().all(|label| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        label.chain.chars().all(plain)
            && label.insertion.is_none_or(char::is_alphabetic)
            && seen.insert((label.chain, label.residue_number, label.insertion))
    })
}
