//! Lists of tables in `[system]`, whose entries may be of several kinds.

use crate::document::{Node, Value};
use crate::error::{Error, WRONG_TYPE};
use crate::section::Section;

/// The entries of a list of tables; none if the key is absent.
pub(super) fn list_of<'a>(section: &Section<'a>, key: &str) -> Result<&'a [Node], Error> {
    match section.node(key) {
        None => Ok(&[]),
        Some(node) => node.list().ok_or_else(|| wrong_list(section, key, node)),
    }
}

/// Records a list of tables that the input has.
pub(super) fn keep_list(section: &mut Section<'_>, key: &str, resolved: Vec<Node>) {
    if section.has(key) {
        section.keep(key, Value::List(resolved));
    }
}

/// Opens an entry of a list whose `kind` decides which keys it may have.
pub(super) fn open_kind<'a>(
    node: &'a Node,
    name: &str,
    kinds: &[(&str, &[&str])],
) -> Result<Section<'a>, Error> {
    let kind = node.get("kind").map(Node::plain).unwrap_or_default();
    let entries = node.table().map_or(&[][..], |table| &table.entries);
    // For an unknown kind, accepts every key here, so that `choice` reports the kind.
    let every = || entries.iter().map(|entry| entry.key.as_str()).collect();
    let known = kinds.iter().find(|(known, _)| *known == kind);
    let keys: Vec<&str> = known.map_or_else(every, |(_, keys)| keys.to_vec());
    Section::open(node, name, &keys)
}

/// The error if a list of tables is something else.
pub(super) fn wrong_list(section: &Section<'_>, key: &str, node: &Node) -> Error {
    let problem = format!("must be a list of tables [ {{ kind = … }} ], found {}", node.found());
    section.fault(WRONG_TYPE, key, &problem)
}
