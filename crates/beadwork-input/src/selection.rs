//! Selections of beads.

use beadwork_model::force_fields::sop;
use beadwork_structure::{Label, Selection};

use crate::error::{Error, Location};
use crate::section::Read;

/// A selection: its role, its text and the beads that it matches (ascending, from 0).
pub type SelectedBeads = (String, String, Vec<usize>);

/// Chains whose residues a message lists.
const SHOWN_CHAINS: usize = 6;
/// Parts of a selection that a message lists.
const SHOWN_PARTS: usize = 5;
/// Types that a message lists.
const SHOWN_TYPES: usize = 12;

/// Parses a selection; an error points at the wrong word.
pub(crate) fn parse_selection(text: &str, place: &Location) -> Result<Selection, Error> {
    Selection::parse(text).map_err(|error| {
        let place = match &error {
            beadwork_structure::Error::BadSelection { column, length, .. } => {
                place.within(text, column.saturating_sub(1), *length)
            }
            _ => place.clone(),
        };
        Error::from(error).at(&place)
    })
}

/// The beads that a selection matches; refuses a selection that matches none.
pub(crate) fn select(
    beads: &[Label],
    selection: &Read<String>,
    role: &str,
) -> Result<Vec<usize>, Error> {
    let indices = parse_selection(&selection.value, &selection.place)?.indices(beads);
    if indices.is_empty() {
        let error = beadwork_model::Error::EmptySelection {
            role: role.to_string(),
            selection: selection.value.clone(),
            hint: format!(
                "there are {}{}{}",
                types_of(beads),
                sop::describe_chains(beads),
                residues_of(beads)
            ),
        };
        return Err(Error::from(error).at(&selection.place));
    }
    Ok(indices)
}

/// The warning about parts of a selection that match none of the beads; `named` says where it stands.
pub(crate) fn warning_of_parts(
    named: &str,
    selection: &Selection,
    beads: &[Label],
) -> Option<String> {
    let parts = selection.unmatched(beads);
    let shown: Vec<String> =
        parts.iter().take(SHOWN_PARTS).map(|part| format!("`{part}`")).collect();
    let more = match parts.len() {
        0 => return None,
        all if all > SHOWN_PARTS => format!(" and {} more", all - SHOWN_PARTS),
        _ => String::new(),
    };
    let (verb, them) = if parts.len() == 1 { ("selects", "it") } else { ("select", "them") };
    Some(format!(
        "{named}: {}{more} {verb} no bead: mend or leave out what is wrong, or go on without {them}",
        shown.join(", ")
    ))
}

/// The types of beads, for messages: `types A, B; `. Nothing where all beads are alpha carbons.
fn types_of(beads: &[Label]) -> String {
    let mut types: Vec<&str> = Vec::new();
    for bead in beads {
        let name = bead.name.as_str();
        if !types.contains(&name) {
            types.push(name);
        }
    }
    if matches!(types.as_slice(), [] | ["CA"]) {
        return String::new();
    }
    let more = if types.len() > SHOWN_TYPES { ", …" } else { "" };
    format!("types {}{more}; ", types[..types.len().min(SHOWN_TYPES)].join(", "))
}

/// The residues of each chain, for messages: `; residues 1-76 of A`. The lowest and the highest number: chains may have gaps.
fn residues_of(beads: &[Label]) -> String {
    let mut chains: Vec<(&str, i32, i32)> = Vec::new();
    for bead in beads {
        let (chain, number) = (bead.chain.as_str(), bead.residue_number);
        match chains.last_mut() {
            Some((id, low, high)) if *id == chain => {
                *low = number.min(*low);
                *high = number.max(*high);
            }
            _ => chains.push((chain, number, number)),
        }
    }
    let shown: Vec<String> = chains
        .iter()
        .take(SHOWN_CHAINS)
        .map(|(id, low, high)| {
            let of = if id.is_empty() { String::new() } else { format!(" of {id}") };
            format!("{low} to {high}{of}")
        })
        .collect();
    let more = if chains.len() > SHOWN_CHAINS { ", …" } else { "" };
    format!("; residues {}{more}; the first bead has index 0", shown.join(", "))
}
