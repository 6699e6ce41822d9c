//! `repeat` of a start: copies of the file's box side by side.

use beadwork_structure::Configuration;

use super::memory;
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, Error, WRONG_TYPE};
use crate::section::Section;

/// Reads `repeat` of `start`: copies along each axis, with the node that says so.
pub(super) fn read(section: &Section<'_>) -> Result<Option<([usize; 3], Node)>, Error> {
    let Some(node) = section.node("start").and_then(|start| start.get("repeat")) else {
        return Ok(None);
    };
    let count = |node: &Node| match node.value {
        Value::Integer(count) if (1..=10_000).contains(&count) => Some(count as usize),
        _ => None,
    };
    let counts: Option<Vec<usize>> = node.list().and_then(|list| list.iter().map(count).collect());
    match counts.and_then(|counts| <[usize; 3]>::try_from(counts).ok()) {
        Some(copies) => Ok(Some((copies, node.clone()))),
        None => {
            let problem = format!(
                "`start` in [system]: `repeat` must be three whole numbers of 1 or more, the copies of the file's box along x, y and z, such as [2, 2, 2], found {}",
                node.found()
            );
            Err(node.place.error(WRONG_TYPE, problem))
        }
    }
}

/// The copies of what a file has.
pub(super) fn copied(
    section: &Section<'_>,
    node: &Node,
    copies: [usize; 3],
    file: &Configuration,
) -> Result<Configuration, Error> {
    let refused = |problem: &str| {
        Err(node.place.error(BAD_VALUE, format!("`start` in [system]: `repeat` {problem}")))
    };
    if section.node("box").and_then(Node::text) != Some("file") {
        return refused("copies the box of the file: write box = \"file\"");
    }
    let beads =
        copies.iter().fold(file.len() as u64, |beads, &more| beads.saturating_mul(more as u64));
    memory::refuse_too_many(section, "start", beads)?;
    match file.repeated(copies) {
        Some(all) => Ok(all),
        None => refused(&format!(
            "copies the box of the file, but {} has none: a GSD file, a LAMMPS data file or extended XYZ with `Lattice` has one",
            file.source
        )),
    }
}
