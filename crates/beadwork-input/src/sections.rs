//! The sections of an input.

use crate::document::Node;

/// The sections of a document, in the order of the resolved form.
pub(crate) const SECTIONS: [&str; 10] = [
    "system", "dynamics", "sampling", "exchange", "stage", "ensemble", "random", "output",
    "analysis", "run",
];

/// The node of a section; empty if the section is absent.
pub(crate) fn section_node(root: &Node, key: &str) -> Node {
    root.get(key).cloned().unwrap_or_else(|| Node::empty(&root.place))
}
