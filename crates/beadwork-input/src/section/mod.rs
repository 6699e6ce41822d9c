//! Reads a table key by key, with types, units, bounds and defaults, and records the resolved form.
//!
//! A section records everything that it reads, defaults included, so the resolved form and the values cannot differ.

mod values;

use beadwork_model::units::Units;

use crate::document::{Node, Table, Value, inline};
use crate::error::{CONFLICT, Error, Location, MISSING_KEY, UNKNOWN_KEY, WRONG_TYPE};
use crate::foreign_words;
use crate::words::meant;

pub(crate) use values::UsualQuantity;

/// The word for a value that follows from others.
pub(crate) const AUTOMATIC: &str = "automatic";

/// A value and where it was written. A default has the place where it could be written.
#[derive(Clone, Debug)]
pub(crate) struct Read<T> {
    pub value: T,
    pub place: Location,
}

/// A table that is being read.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    table: &'a Table,
    pub place: Location,
    /// For messages: `[dynamics]`, `stage "pull", drive 1`.
    pub name: String,
    /// The values that were read, defaults included.
    pub resolved: Table,
    /// The units of its quantities.
    pub units: Units,
}

impl<'a> Section<'a> {
    /// Begins to read a table; `known` are the keys that it may have.
    pub fn open(node: &'a Node, name: &str, known: &[&str]) -> Result<Section<'a>, Error> {
        let Some(table) = node.table() else {
            let advice = as_entry(node, known);
            let problem = format!("{name}: expected a table, found {}{advice}", node.found());
            return Err(node.place.error(WRONG_TYPE, problem));
        };
        for entry in &table.entries {
            if !known.contains(&entry.key.as_str()) {
                let same = foreign_words::own(&entry.key, known);
                let meant = match foreign_words::elsewhere(&entry.key, name, known) {
                    Some(answer) if same.is_none() => format!(": {answer}."),
                    _ => meant(&entry.key, known, '`'),
                };
                let problem = format!(
                    "unknown key `{}` in {name}{meant} Known keys: {}",
                    entry.key,
                    known.join(", ")
                );
                return Err(entry.place.error(UNKNOWN_KEY, problem));
            }
        }
        let (place, name) = (node.place.clone(), name.to_string());
        Ok(Section { table, place, name, resolved: Table::default(), units: Units::Real })
    }

    /// The same with quantities in other units: reduced ones are numbers without a unit.
    pub fn in_units(mut self, units: Units) -> Section<'a> {
        self.units = units;
        self
    }

    /// This section of the input, unread: what was read of it before is read once more.
    pub fn again(&self) -> Section<'a> {
        let (place, name) = (self.place.clone(), self.name.clone());
        Section { table: self.table, place, name, resolved: Table::default(), units: self.units }
    }

    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// The value as it is written; records nothing.
    pub fn node(&self, key: &str) -> Option<&'a Node> {
        self.table.get(key)
    }

    /// A table within this one; empty if it is absent.
    pub fn sub_table(&self, key: &str) -> Node {
        self.node(key).cloned().unwrap_or_else(|| Node::empty(&self.place))
    }

    /// The place of a key; if the key is absent, that of the table.
    pub fn key_place(&self, key: &str) -> &Location {
        let entry = self.table.entries.iter().find(|entry| entry.key == key);
        entry.map_or(&self.place, |entry| &entry.place)
    }

    /// The place of a key's value; if the key is absent, that of the table.
    pub fn value_place(&self, key: &str) -> &Location {
        self.table.get(key).map_or(&self.place, |node| &node.place)
    }

    /// Records a value in the resolved form.
    pub fn keep(&mut self, key: &str, value: Value) {
        let place = self.value_place(key).clone();
        self.resolved.set(key, &place.clone(), Node { value, place });
    }

    /// An error about the value of a key.
    pub fn fault(&self, code: &'static str, key: &str, problem: &str) -> Error {
        self.value_place(key).error(code, format!("{}: `{key}` {problem}", self.name))
    }

    /// Refuses keys that only other models have, each with advice; without a name, refuses sections.
    pub fn refuse(
        node: &Node,
        name: &str,
        model: &str,
        keys: &[(&str, &str)],
    ) -> Result<(), Error> {
        for entry in node.table().into_iter().flat_map(|table| &table.entries) {
            if let Some((key, instead)) = keys.iter().find(|(key, _)| *key == entry.key) {
                let subject = match name {
                    "" => format!("[{key}]"),
                    name => format!("{name}: `{key}`"),
                };
                let problem = format!("{subject} has no place in a run of \"{model}\": {instead}");
                return Err(entry.place.error(CONFLICT, problem));
            }
        }
        Ok(())
    }

    /// An error about a required key that is missing.
    pub fn missing(&self, key: &str, example: &str) -> Error {
        let name = &self.name;
        let problem =
            format!("{name}: the key `{key}` is missing; write for example {key} = {example}");
        self.place.error(MISSING_KEY, problem)
    }

    /// Refuses keys that have no meaning because of another setting.
    pub fn exclude(&self, keys: &[&str], because: &str) -> Result<(), Error> {
        let Some(key) = keys.iter().find(|key| self.has(key)) else { return Ok(()) };
        let problem = format!("{}: `{key}` has no place here, because {because}", self.name);
        Err(self.key_place(key).error(CONFLICT, problem))
    }

    /// Refuses two keys that exclude each other if both are given.
    pub fn one_of(&self, first: &str, second: &str) -> Result<(), Error> {
        if !(self.has(first) && self.has(second)) {
            return Ok(());
        }
        let problem = format!("{}: both `{first}` and `{second}` are given; keep one", self.name);
        Err(self.key_place(second).error(CONFLICT, problem))
    }
}

/// How a value becomes the table that should stand in its place, where one of the table's keys takes such a value.
fn as_entry(node: &Node, known: &[&str]) -> String {
    let key = match node.value {
        Value::Text(_) => ["every", "file"].into_iter().find(|key| known.contains(key)),
        Value::Integer(_) => {
            let counts = ["every_steps", "every_sweeps", "bonds", "steps"];
            counts.into_iter().find(|key| known.contains(key))
        }
        Value::Boolean(true) => return ": write { } for the usual values".to_string(),
        _ => None,
    };
    let written = |key| format!(": write {{ {key} = {} }}", inline(&node.value));
    key.map_or_else(String::new, written)
}
