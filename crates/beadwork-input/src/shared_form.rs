//! The resolved form of a sweep: one document, in which each point finds its own values.
//!
//! It is that of the first point, except for values that another point resolves to something else, such as the defaults of a kind
//! of drive that is swept. There it has what the input has, so that each point resolves them by itself.

use crate::document::{Node, Table, Value, inline};
use crate::ensemble::Axis;
use crate::error::Location;
use crate::files::Files;
use crate::motion::Resolved;
use crate::paths::{self, EITHER};
use crate::sections::SECTIONS;

pub(crate) struct SharedForm<'a> {
    kept: Table,
    /// The form of the first point with its values of the sweep as they are written.
    first: Node,
    axes: &'a [Axis],
    place: Location,
}

impl<'a> SharedForm<'a> {
    /// Begins with the form of the first point.
    pub fn of(first: &Resolved, axes: &'a [Axis], place: &Location) -> SharedForm<'a> {
        SharedForm {
            kept: table_of(first.clone(), place),
            first: with_first_values(first.clone(), axes, place),
            axes,
            place: place.clone(),
        }
    }

    /// Compares the form of another point; `written` is the input, whose files were read.
    pub fn add(&mut self, other: Resolved, (written, files): (&Node, &Files)) {
        let other = with_first_values(other, self.axes, &self.place);
        if let (Some(first), Some(other)) = (self.first.table(), other.table()) {
            keep_shared(&mut self.kept, [first, other], (written.table(), files));
        }
    }

    pub fn into_resolved(self) -> Resolved {
        let value = |key| self.kept.get(key).map(|node| node.value.clone());
        SECTIONS.into_iter().filter_map(|key| Some((key, value(key)?))).collect()
    }
}

fn table_of(resolved: Resolved, place: &Location) -> Table {
    let mut table = Table::default();
    for (key, value) in resolved {
        table.set(key, place, Node::new(value, place));
    }
    table
}

/// A form in which all points have the same values of the sweep, those of the first one.
fn with_first_values(resolved: Resolved, axes: &[Axis], place: &Location) -> Node {
    let mut root = Node::new(Value::Table(table_of(resolved, place)), place);
    for axis in axes {
        if let Some(value) = axis.values.first() {
            // A path that leads nowhere here is found when the whole form is read again.
            let _ = paths::set(&mut root, &axis.path, &axis.place, value.clone());
        }
    }
    root
}

/// Puts what is written in place of the values that two forms do not share; what is not written is left out.
fn keep_shared(
    kept: &mut Table,
    [first, other]: [&Table; 2],
    (written, files): (Option<&Table>, &Files),
) {
    let new = other.entries.iter().filter(|entry| first.get(&entry.key).is_none());
    for key in first.entries.iter().chain(new).map(|entry| entry.key.as_str()) {
        let own = written.and_then(|table| table.get(key));
        if let (Some(one), Some(two)) = (first.get(key), other.get(key)) {
            if inline(&one.value) == inline(&two.value) {
                continue;
            }
            if let Some(inner) = kept.get_mut(key)
                && keep_shared_below(inner, [one, two], (own, files))
            {
                continue;
            }
        }
        match own {
            Some(node) => {
                let mut node = node.clone();
                files.rename(key, &mut node);
                kept.set(key, &node.place.clone(), node);
            }
            None => kept.remove(key),
        }
        let partners = EITHER.iter().filter_map(|(one, two)| match key {
            key if key == *one => Some(*two),
            key if key == *two => Some(*one),
            _ => None,
        });
        // The form may say in another key what is written.
        for partner in partners.filter(|_| own.is_none()) {
            if let Some(node) = written.and_then(|table| table.get(partner)) {
                kept.set(partner, &node.place, node.clone());
            }
        }
    }
}

/// Compares two tables, or two lists of tables, entry by entry; false if they are none or are written otherwise.
fn keep_shared_below(
    kept: &mut Node,
    [first, other]: [&Node; 2],
    (written, files): (Option<&Node>, &Files),
) -> bool {
    if let (Some(one), Some(two)) = (first.table(), other.table()) {
        let own = written.map(Node::table);
        let (Some(kept), false) = (kept.table_mut(), own.is_some_and(|own| own.is_none())) else {
            return false;
        };
        keep_shared(kept, [one, two], (own.flatten(), files));
        return true;
    }
    let (Some(one), Some(two), Some(own)) =
        (first.list(), other.list(), written.and_then(Node::list))
    else {
        return false;
    };
    let kept = kept.list_mut();
    let count = kept.len();
    let are_alike = [one, two, own].iter().all(|list| list.len() == count)
        && [one, two, own].iter().all(|list| list.iter().all(|node| node.table().is_some()));
    are_alike
        && kept.iter_mut().zip(one.iter().zip(two)).zip(own).all(|((kept, (one, two)), own)| {
            keep_shared_below(kept, [one, two], (Some(own), files))
        })
}
