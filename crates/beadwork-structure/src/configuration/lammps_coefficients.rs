//! Coefficients of pairs, bonds and angles in LAMMPS data files.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::fields;
use super::lammps_header::{Header, Parts, Section, without_comment};
use super::lammps_labels::Labels;
use crate::error::Error;
use crate::structure::as_text;

/// The coefficients of a LAMMPS data file, section by section. Sections that do not occur have no rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LammpsCoefficients {
    /// `Pair Coeffs`: of types with themselves.
    pub pairs: LammpsCoefficientSection,
    /// `PairIJ Coeffs`: of any two types.
    pub pairs_of_two: LammpsCoefficientSection,
    /// `Bond Coeffs`.
    pub bonds: LammpsCoefficientSection,
    /// `Angle Coeffs`.
    pub angles: LammpsCoefficientSection,
}

/// One section of coefficients.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LammpsCoefficientSection {
    /// The style that the comment behind the heading names, such as `lj/cut`; empty without a comment. Suffixes that
    /// name no other physics (`/omp`, `/gpu`, `/kk`, `/opt`, `/intel`) are cut off.
    pub style: String,
    /// The rows in their order.
    pub rows: Vec<LammpsCoefficientRow>,
}

/// The coefficients of a type, or of two types.
#[derive(Clone, Debug, PartialEq)]
pub struct LammpsCoefficientRow {
    /// The line in the file, counted from 1.
    pub line: usize,
    /// The two types of pairs, counted from 1, or a type of bonds or angles twice.
    pub types: [u32; 2],
    /// In hybrid styles the style of this row; empty otherwise.
    pub style: String,
    /// What follows: numbers, and words in some styles.
    pub words: Vec<String>,
}

/// Reads the coefficients of a LAMMPS data file, whatever its name.
///
/// # Errors
/// Types that the header does not announce, or whose coefficients stand there twice; the message names the line.
pub fn parse_lammps_coefficients(bytes: &[u8], source: &str) -> Result<LammpsCoefficients, Error> {
    let text = as_text(bytes);
    let parts = Parts::split(text.trim_start_matches('\u{feff}'), source)?;
    let header = Header::read(&parts, source)?;
    let atoms = Labels::read(&parts, "atom", header.atom_types, source)?;
    let bonds = Labels::read(&parts, "bond", header.bond_types, source)?;
    let angles = Labels::read(&parts, "angle", header.angle_types, source)?;
    let read = |name: &str, labels: &Labels<'_>, of_two: bool| match parts.coefficients(name) {
        Some(section) => rows(section, labels, of_two, source),
        None => Ok(LammpsCoefficientSection::default()),
    };
    Ok(LammpsCoefficients {
        pairs: read("Pair Coeffs", &atoms, false)?,
        pairs_of_two: read("PairIJ Coeffs", &atoms, true)?,
        bonds: read("Bond Coeffs", &bonds, false)?,
        angles: read("Angle Coeffs", &angles, false)?,
    })
}

/// Coefficients of more types than this are not read: a range of types may stand for any number of pairs.
const MOST_ROWS: u64 = 10_000_000;

fn rows(
    section: &Section<'_>,
    labels: &Labels<'_>,
    of_two: bool,
    file: &str,
) -> Result<LammpsCoefficientSection, Error> {
    let style = section.comment.split_ascii_whitespace().next().unwrap_or_default();
    let mut read = LammpsCoefficientSection {
        style: without_suffix(style).to_owned(),
        rows: Vec::with_capacity(section.rows.len()),
    };
    // Of each two types: the place of its row, and whether it was named one by one.
    let mut places: HashMap<[u32; 2], (usize, bool)> = HashMap::new();
    let mut words = Vec::new();
    for &(line, text) in &section.rows {
        let damaged = |problem: String| Error::damaged_configuration(file, line, problem);
        fields::split(without_comment(text), &mut words);
        let first = fields::text(&words, 0, "type").map_err(damaged)?;
        let second = if of_two { fields::text(&words, 1, "type").map_err(damaged)? } else { first };
        let rest = &words[if of_two { 2 } else { 1 }..];
        let (style, rest) = match rest {
            [style, rest @ ..] if crate::number::decimal(style).is_none() => (*style, rest),
            rest => ("", rest),
        };
        let [ones, others] = [labels.several(first), labels.several(second)];
        let (ones, others) = (ones.map_err(damaged)?, others.map_err(damaged)?);
        let count = |types: &RangeInclusive<u32>| u64::from(types.end() - types.start()) + 1;
        if read.rows.len() as u64 + count(&ones) * count(&others) > MOST_ROWS {
            return Err(damaged(format!(
                "there are more than {MOST_ROWS} rows for pairs of types"
            )));
        }
        let is_single = ones.start() == ones.end() && others.start() == others.end();
        for one in ones {
            for other in others.clone().filter(|other| of_two || *other == one) {
                let types = [one.min(other), one.max(other)];
                let row = LammpsCoefficientRow {
                    line,
                    types,
                    style: without_suffix(style).to_owned(),
                    words: rest.iter().map(|&word| word.to_owned()).collect(),
                };
                match places.get(&types).copied() {
                    // LAMMPS takes the later of two rows, which is meant where one of them names many types.
                    Some((place, was_single)) if !(was_single && is_single) => {
                        read.rows[place] = row;
                        places.insert(types, (place, is_single));
                    }
                    Some((place, _)) => {
                        let known = read.rows[place].line;
                        let problem = format!(
                            "the coefficients of {first}{} stand on line {known} already",
                            if of_two { format!(" and {second}") } else { String::new() }
                        );
                        return Err(damaged(problem));
                    }
                    None => {
                        places.insert(types, (read.rows.len(), is_single));
                        read.rows.push(row);
                    }
                }
            }
        }
    }
    Ok(read)
}

/// Suffixes of styles that choose a faster code for the same formula.
const SUFFIXES: [&str; 7] = ["/omp", "/gpu", "/intel", "/kk/device", "/kk/host", "/kk", "/opt"];

/// A style without the suffix that names no other physics.
pub(super) fn without_suffix(style: &str) -> &str {
    SUFFIXES.iter().find_map(|suffix| style.strip_suffix(suffix)).unwrap_or(style)
}
