//! Labels of types in LAMMPS data files, which may stand in place of numbers.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use super::fields;
use super::lammps_header::{Parts, without_comment};
use crate::error::Error;

/// The labels of the types of one shape.
pub(super) struct Labels<'a> {
    /// What the types belong to, such as `atom` or `bond`.
    shape: &'static str,
    /// Number of types; they are counted from 1.
    types: usize,
    pub numbers: HashMap<&'a str, u32>,
}

impl<'a> Labels<'a> {
    /// Reads the section of labels of a shape, which may be absent.
    pub(super) fn read(
        parts: &Parts<'a>,
        shape: &'static str,
        types: usize,
        file: &str,
    ) -> Result<Labels<'a>, Error> {
        let section = match shape {
            "atom" => "Atom Type Labels",
            "bond" => "Bond Type Labels",
            _ => "Angle Type Labels",
        };
        let mut numbers = HashMap::new();
        let mut labelled = HashSet::new();
        let rows = parts.section(section).map_or(&[][..], |section| &section.rows);
        let mut row = Vec::new();
        for &(line, text) in rows {
            fields::split(without_comment(text), &mut row);
            let label = match row[..] {
                [number, label] => number.parse().ok().map(|number: u32| (label, number)),
                _ => None,
            };
            let label = label.filter(|(_, number)| (1..=types).contains(&(*number as usize)));
            let label = label.filter(|(_, number)| labelled.insert(*number));
            let known = label.and_then(|(label, number)| numbers.insert(label, number));
            if label.is_none() || known.is_some() {
                let problem = format!(
                    "a row of {section} has the number of a type, from 1 to {types}, and its label; each only once"
                );
                return Err(Error::damaged_configuration(file, line, problem));
            }
        }
        Ok(Labels { shape, types, numbers })
    }

    /// The number, from 1, of a type that is given by number or by label.
    pub(super) fn number(&self, text: &str) -> Result<u32, String> {
        let number = text.parse().ok().or_else(|| self.numbers.get(text).copied());
        number
            .filter(|number: &u32| (1..=self.types).contains(&(*number as usize)))
            .ok_or_else(|| self.unknown(text))
    }

    /// The types that a coefficient is for: one by number or label, or several as `*`, `2*`, `*3` or `2*3`.
    pub(super) fn several(&self, text: &str) -> Result<RangeInclusive<u32>, String> {
        let (true, Some((low, high))) = (!self.numbers.contains_key(text), text.split_once('*'))
        else {
            let number = self.number(text)?;
            return Ok(number..=number);
        };
        let bound = |text: &str, open: usize| match text {
            "" => u32::try_from(open).ok(),
            _ => text.parse().ok().filter(|number| (1..=self.types).contains(&(*number as usize))),
        };
        let (low, high) = (bound(low, 1), bound(high, self.types));
        match low.zip(high) {
            Some((low, high)) if low <= high => Ok(low..=high),
            _ => Err(self.unknown(text)),
        }
    }

    fn unknown(&self, text: &str) -> String {
        let Labels { shape, types, .. } = self;
        format!(
            "\"{text}\" is no type: the header announces {types} {shape} types, which are counted from 1"
        )
    }
}
