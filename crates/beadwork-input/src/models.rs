//! The names of models, and what `[system]` says of itself before it is read.

use beadwork_model::units::Units;

use crate::document::Node;
use crate::error::Error;
use crate::section::Section;

pub(crate) const SOP: &str = "sop";
pub(crate) const RESIDUES: &str = "residues";
pub(crate) const BEADS: &str = "beads";
pub(crate) const OSCILLATORS: &str = "oscillators";
pub(crate) const ELASTIC_POLYMER: &str = "elastic-polymer";

/// Every model; the first is the default.
pub(crate) const MODELS: [&str; 5] = [SOP, RESIDUES, BEADS, OSCILLATORS, ELASTIC_POLYMER];

/// What `units` of beads may say.
pub(crate) const UNITS: [(&str, Units); 2] = [("real", Units::Real), ("reduced", Units::Reduced)];

/// The model that `[system]` names, even if it is unknown.
pub(crate) fn model(node: &Node) -> Option<&str> {
    node.get("model")?.text()
}

/// The units of the quantities beside it, even if its word is unknown.
pub(crate) fn units(node: &Node) -> Units {
    let word = node.get("units").and_then(Node::text).filter(|_| model(node) == Some(BEADS));
    let known = UNITS.iter().find(|(known, _)| Some(*known) == word);
    known.map_or(Units::Real, |(_, units)| *units)
}

/// Refuses an unknown model before anything else, because the model decides which keys are allowed; and unknown units, in
/// which other sections are written.
pub(crate) fn check_model(node: &Node) -> Result<(), Error> {
    let Some(table) = node.table() else { return Ok(()) };
    let keys: Vec<&str> = table.entries.iter().map(|entry| entry.key.as_str()).collect();
    let mut section = Section::open(node, "[system]", &keys)?;
    if MODELS[section.choice("model", &MODELS, Some(MODELS[0]))?] == BEADS {
        let words = UNITS.map(|(word, _)| word);
        section.choice("units", &words, Some(words[0]))?;
    }
    Ok(())
}
