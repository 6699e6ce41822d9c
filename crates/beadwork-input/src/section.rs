//! Reads a table key by key, with types, units, bounds and defaults, and records the resolved form.
//!
//! A section records everything that it reads, defaults included, so the resolved form and the values cannot differ.

use beadwork_model::units::{self, Dimension, Quantity, Units};

use crate::document::{Node, Table, Value, inline};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, MISSING_KEY, UNKNOWN_KEY, WRONG_TYPE};
use crate::foreign_words;
use crate::numbers::{Bound, number_of, quantity_of, wrong_type};
use crate::words::{meant, nearest, quoted, underscored};

/// The word for a value that follows from others.
pub(crate) const AUTOMATIC: &str = "automatic";

/// A value and where it was written. A default has the place where it could be written.
#[derive(Clone, Debug)]
pub(crate) struct Read<T> {
    pub value: T,
    pub place: Location,
}

/// A quantity in reduced units.
const REDUCED_EXAMPLE: &str = "1.0";

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

/// The default of a quantity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsualQuantity<'a> {
    real: &'a str,
    /// In reduced units; `None` if the key must be given there.
    reduced: Option<f64>,
}

impl<'a> UsualQuantity<'a> {
    pub fn new(real: &'a str, reduced: f64) -> UsualQuantity<'a> {
        UsualQuantity { real, reduced: Some(reduced) }
    }
}

/// A default that only real units have.
impl<'a> From<&'a str> for UsualQuantity<'a> {
    fn from(real: &'a str) -> UsualQuantity<'a> {
        UsualQuantity { real, reduced: None }
    }
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

    /// Records a value, and returns `read` with its place.
    fn recorded<T>(&mut self, key: &str, value: Value, read: T) -> Read<T> {
        self.keep(key, value);
        Read { value: read, place: self.value_place(key).clone() }
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

    /// A key as messages name it.
    fn named_key(&self, key: &str) -> String {
        format!("{}: `{key}`", self.name)
    }

    fn wrong_type(&self, node: &Node, key: &str, expected: &str) -> Error {
        wrong_type(node, &self.named_key(key), expected)
    }

    pub fn text(&mut self, key: &str, example: &str) -> Result<Option<Read<String>>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let Some(text) = node.text() else {
            return Err(self.wrong_type(node, key, &format!("a text such as \"{example}\"")));
        };
        Ok(Some(self.recorded(key, node.value.clone(), text.to_string())))
    }

    pub fn text_or(&mut self, key: &str, default: &str) -> Result<Read<String>, Error> {
        if let Some(read) = self.text(key, default)? {
            return Ok(read);
        }
        Ok(self.recorded(key, Value::Text(default.to_string()), default.to_string()))
    }

    pub fn required_text(&mut self, key: &str, example: &str) -> Result<Read<String>, Error> {
        self.text(key, example)?.ok_or_else(|| self.missing(key, &format!("\"{example}\"")))
    }

    pub fn quantity(
        &mut self,
        key: &str,
        dimension: Dimension,
        bound: Bound,
    ) -> Result<Option<Quantity>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let quantity = match self.units {
            Units::Real => {
                let quantity = quantity_of(node, &self.named_key(key), dimension, bound)?;
                self.keep(key, Value::Text(quantity.text.clone()));
                quantity
            }
            Units::Reduced => {
                let value = number_of(node, &self.named_key(key), bound)?;
                self.keep(key, node.value.clone());
                Quantity { text: node.plain(), value }
            }
        };
        Ok(Some(quantity))
    }

    pub fn quantity_or(
        &mut self,
        key: &str,
        dimension: Dimension,
        bound: Bound,
        default: impl Into<UsualQuantity<'static>>,
    ) -> Result<Quantity, Error> {
        if let Some(quantity) = self.quantity(key, dimension, bound)? {
            return Ok(quantity);
        }
        let UsualQuantity { real, reduced } = default.into();
        match (self.units, reduced) {
            (Units::Real, _) => {
                self.keep(key, Value::Text(real.to_string()));
                Ok(units::parse(real, dimension)?)
            }
            (Units::Reduced, Some(value)) => {
                self.keep(key, Value::Float(value));
                Ok(Quantity { text: value.to_string(), value })
            }
            (Units::Reduced, None) => Err(self.missing(key, REDUCED_EXAMPLE)),
        }
    }

    pub fn required_quantity(
        &mut self,
        key: &str,
        dimension: Dimension,
        bound: Bound,
        example: &str,
    ) -> Result<f64, Error> {
        let quantity = self.quantity(key, dimension, bound)?;
        let example = match self.units {
            Units::Real => format!("\"{example}\""),
            Units::Reduced => REDUCED_EXAMPLE.to_string(),
        };
        Ok(quantity.ok_or_else(|| self.missing(key, &example))?.value)
    }

    /// A whole number of at least `least`, or `None` if the key is absent.
    pub fn integer(
        &mut self,
        key: &str,
        least: u64,
        example: &str,
    ) -> Result<Option<Read<u64>>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let number = match node.value {
            Value::Integer(number) => number,
            // TOML reads 1e9 as a floating-point number.
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e18 => {
                let sign = if number < 0.0 { "-" } else { "" };
                let digits = underscored(number.abs() as u64);
                let problem = format!("must be written without point or exponent: {sign}{digits}");
                return Err(self.fault(WRONG_TYPE, key, &problem));
            }
            _ => {
                let expected = format!("a whole number such as {example}, without quotes");
                return Err(self.wrong_type(node, key, &expected));
            }
        };
        let value = u64::try_from(number).ok().filter(|value| *value >= least);
        let value = value.ok_or_else(|| {
            let problem = format!(
                "must be at least {least}, but is {number}; write for example {key} = {example}"
            );
            self.fault(BAD_VALUE, key, &problem)
        })?;
        Ok(Some(self.recorded(key, node.value.clone(), value)))
    }

    pub fn required_integer(&mut self, key: &str, least: u64, example: &str) -> Result<u64, Error> {
        let read = self.integer(key, least, example)?;
        Ok(read.ok_or_else(|| self.missing(key, example))?.value)
    }

    pub fn integer_or(&mut self, key: &str, least: u64, default: u32) -> Result<Read<u64>, Error> {
        if let Some(read) = self.integer(key, least, &default.to_string())? {
            return Ok(read);
        }
        Ok(self.recorded(key, Value::Integer(default.into()), default.into()))
    }

    pub fn number(&mut self, key: &str, bound: Bound) -> Result<Option<f64>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let value = number_of(node, &self.named_key(key), bound)?;
        self.keep(key, node.value.clone());
        Ok(Some(value))
    }

    /// A number whose unit may be written behind it, as in `"57 Da"`.
    pub fn number_in(&mut self, key: &str, bound: Bound, unit: &str) -> Result<Option<f64>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let Some(text) = node.text() else { return self.number(key, bound) };
        let number = text.trim().strip_suffix(unit).map(str::trim_end);
        let Some(value) = number.and_then(|number| number.parse::<f64>().ok()) else {
            let expected = format!("a number such as 1.0, or a text with its unit, \"1.0 {unit}\"");
            return Err(self.wrong_type(node, key, &expected));
        };
        let number = Node::new(Value::Float(value), &node.place);
        number_of(&number, &self.named_key(key), bound)?;
        self.keep(key, Value::Float(value));
        Ok(Some(value))
    }

    pub fn number_or(&mut self, key: &str, bound: Bound, default: f64) -> Result<f64, Error> {
        if let Some(value) = self.number(key, bound)? {
            return Ok(value);
        }
        self.keep(key, Value::Float(default));
        Ok(default)
    }

    pub fn boolean_or(&mut self, key: &str, default: bool) -> Result<bool, Error> {
        let value = match self.table.get(key) {
            None => default,
            Some(Node { value: Value::Boolean(value), .. }) => *value,
            Some(node) => return Err(self.wrong_type(node, key, "true or false, without quotes")),
        };
        self.keep(key, Value::Boolean(value));
        Ok(value)
    }

    /// One of a few words; returns its place in `words`.
    pub fn choice(
        &mut self,
        key: &str,
        words: &[&str],
        default: Option<&str>,
    ) -> Result<usize, Error> {
        let word = match default {
            Some(default) if !self.has(key) => self.text_or(key, default)?,
            _ => self.required_text(key, words.first().unwrap_or(&""))?,
        };
        words.iter().position(|known| *known == word.value).ok_or_else(|| {
            let meant = match (nearest(&word.value, words), foreign_words::absent(&word.value)) {
                (Some(near), _) => format!("; did you mean \"{near}\"? It"),
                (None, Some(answer)) => format!(": {answer}; it"),
                (None, None) => "; it".to_string(),
            };
            let problem =
                format!("does not know \"{}\"{meant} may be {}", word.value, quoted(words));
            self.fault(UNKNOWN_KEY, key, &problem)
        })
    }

    /// One of several values, given by its name.
    pub fn named<T: Copy, const N: usize>(
        &mut self,
        key: &str,
        all: [T; N],
        name: fn(T) -> &'static str,
        default: Option<T>,
    ) -> Result<T, Error> {
        Ok(all[self.choice(key, &all.map(name), default.map(name))?])
    }

    /// A vector of three numbers, or `None` if the key is absent.
    pub fn vector(&mut self, key: &str) -> Result<Option<[f64; 3]>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let numbers: Option<Vec<f64>> = node.list().and_then(|list| {
            list.iter().map(|item| item.number().filter(|number| number.is_finite())).collect()
        });
        let Some(&[x, y, z]) = numbers.as_deref() else {
            return Err(self.wrong_type(node, key, "three numbers [x, y, z]"));
        };
        self.keep(key, node.value.clone());
        Ok(Some([x, y, z]))
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
