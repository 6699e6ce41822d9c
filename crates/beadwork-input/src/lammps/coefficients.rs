//! The sections of coefficients of a LAMMPS data file.

use std::collections::BTreeMap;

use beadwork_structure::Configuration;

use crate::error::{Error, LAMMPS};

/// Coefficients by what they belong to, with the style that the heading of their section names; empty without one.
#[derive(Debug)]
pub(super) struct Section<K> {
    pub style: String,
    pub values: BTreeMap<K, Vec<f64>>,
}

impl<K> Default for Section<K> {
    fn default() -> Self {
        Section { style: String::new(), values: BTreeMap::new() }
    }
}

#[derive(Debug, Default)]
pub(super) struct Coefficients {
    /// By two types, counted from 0.
    pub pairs: Section<(usize, usize)>,
    /// By the number of a type, counted from 1.
    pub bonds: Section<u32>,
    pub angles: Section<u32>,
}

impl Coefficients {
    pub fn read(text: &str, beads: &Configuration, file: &str) -> Result<Coefficients, Error> {
        let mut read = Coefficients::default();
        let mut section = "";
        for (index, line) in text.lines().enumerate() {
            let (content, comment) = line.split_once('#').unwrap_or((line, ""));
            let words: Vec<&str> = content.split_ascii_whitespace().collect();
            let Some(first) = words.first() else { continue };
            if first.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let is_heading = words.iter().all(|word| word.chars().all(char::is_alphabetic));
                if is_heading {
                    section = content.trim();
                    read.set_style(section, comment);
                    continue;
                }
            }
            let row = match section {
                "Pair Coeffs" | "PairIJ Coeffs" | "Bond Coeffs" | "Angle Coeffs" => {
                    read.row(section, &words, beads)
                }
                _ => Some(()),
            };
            if row.is_none() {
                let problem = format!(
                    "{file}, line {}: a row of {section} has the types and then numbers, but is \"{}\"",
                    index + 1,
                    content.trim()
                );
                return Err(Error::new(LAMMPS, problem));
            }
        }
        Ok(read)
    }

    /// Keeps the style of a heading. Pairs may have two sections, of which one may name none.
    fn set_style(&mut self, section: &str, comment: &str) {
        let Some(style) = comment.split_ascii_whitespace().next() else { return };
        let style = style.to_string();
        match section {
            "Pair Coeffs" | "PairIJ Coeffs" => self.pairs.style = style,
            "Bond Coeffs" => self.bonds.style = style,
            "Angle Coeffs" => self.angles.style = style,
            _ => {}
        }
    }

    /// Keeps a row. Rows of hybrid styles have words among their numbers; they are left out.
    fn row(&mut self, section: &str, words: &[&str], beads: &Configuration) -> Option<()> {
        let of_pairs = section == "PairIJ Coeffs";
        let (types, rest) = words.split_at_checked(if of_pairs { 2 } else { 1 })?;
        let numbers: Option<Vec<f64>> = rest.iter().map(|word| word.parse().ok()).collect();
        let Some(numbers) = numbers else { return Some(()) };
        let kind = |word: &str| {
            let number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let kind = number.or_else(|| beads.type_names.iter().position(|name| name == word));
            kind.filter(|&kind| kind < beads.type_names.len())
        };
        match section {
            "PairIJ Coeffs" => {
                self.pairs.values.insert((kind(types[0])?, kind(types[1])?), numbers);
            }
            "Pair Coeffs" => {
                let kind = kind(types[0])?;
                self.pairs.values.insert((kind, kind), numbers);
            }
            "Bond Coeffs" => {
                self.bonds.values.insert(types[0].parse().ok()?, numbers);
            }
            _ => {
                self.angles.values.insert(types[0].parse().ok()?, numbers);
            }
        }
        Some(())
    }
}
