//! Reads the values of a section's keys: texts, quantities, numbers, choices.

use beadwork_model::units::{self, Dimension, Quantity, Units};

use super::{Read, Section};
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, Error, UNKNOWN_KEY, WRONG_TYPE};
use crate::foreign_words;
use crate::numbers::{Bound, number_of, quantity_of, wrong_type};
use crate::words::{nearest, quoted, underscored};

/// A quantity in reduced units.
const REDUCED_EXAMPLE: &str = "1.0";

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

impl Section<'_> {
    /// Records a value, and returns `read` with its place.
    fn recorded<T>(&mut self, key: &str, value: Value, read: T) -> Read<T> {
        self.keep(key, value);
        Read { value: read, place: self.value_place(key).clone() }
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

    /// A number whose unit may be written behind it, as in `"57 Da"`. Reduced units have none.
    pub fn number_in(&mut self, key: &str, bound: Bound, unit: &str) -> Result<Option<f64>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let Some(text) = node.text().filter(|_| self.units == Units::Real) else {
            return self.number(key, bound);
        };
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
            let found = node.found_in_place_of_numbers(3);
            let problem = format!("must be three numbers [x, y, z], found {found}");
            return Err(self.fault(WRONG_TYPE, key, &problem));
        };
        for item in node.list().unwrap_or_default() {
            number_of(item, &self.named_key(key), Bound::Any)?;
        }
        self.keep(key, node.value.clone());
        Ok(Some([x, y, z]))
    }

    /// Three lengths; plain numbers in reduced units.
    pub fn lengths(&mut self, key: &str) -> Result<Option<[f64; 3]>, Error> {
        self.list_of_lengths(key, "three lengths such as [\"0 nm\", \"0 nm\", \"35 nm\"]")
    }

    /// A list of so many lengths, which are `expected`; plain numbers in reduced units.
    pub fn list_of_lengths<const N: usize>(
        &mut self,
        key: &str,
        expected: &str,
    ) -> Result<Option<[f64; N]>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let Some(list) = node.list().filter(|list| list.len() == N) else {
            return Err(self.wrong_type(node, key, expected));
        };
        let lengths = self.lengths_of(key, list)?;
        self.keep(key, node.value.clone());
        Ok(Some(lengths))
    }

    /// Two lengths, which are `expected`, in a list or in a text with a comma between them, as options of the program have them.
    pub fn two_lengths(&mut self, key: &str, expected: &str) -> Result<Option<[f64; 2]>, Error> {
        let Some(node) = self.table.get(key) else { return Ok(None) };
        let Some((from, to)) = node.text().and_then(|text| text.split_once(',')) else {
            return self.list_of_lengths(key, expected);
        };
        let of_part = |part: &str| {
            let text = part.trim();
            let number = text.parse::<f64>().ok().filter(|_| self.units == Units::Reduced);
            Node::new(
                number.map_or_else(|| Value::Text(text.to_string()), Value::Float),
                &node.place,
            )
        };
        let lengths = self.lengths_of(key, &[from, to].map(of_part))?;
        self.keep(key, node.value.clone());
        Ok(Some(lengths))
    }

    /// The lengths of as many nodes.
    fn lengths_of<const N: usize>(&self, key: &str, nodes: &[Node]) -> Result<[f64; N], Error> {
        let name = self.named_key(key);
        let mut lengths = [0.0; N];
        for (length, node) in lengths.iter_mut().zip(nodes) {
            *length = match self.units {
                Units::Real => quantity_of(node, &name, Dimension::Length, Bound::Any)?.value,
                Units::Reduced => number_of(node, &name, Bound::Any)?,
            };
        }
        Ok(lengths)
    }
}
