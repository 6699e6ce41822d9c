//! The coefficients of a LAMMPS data file as numbers.

use std::collections::BTreeMap;

use beadwork_structure::{
    LammpsCoefficientRow, LammpsCoefficientSection, LammpsCoefficients, parse_lammps_coefficients,
};

use crate::error::{Error, LAMMPS};

/// The style and the coefficients of a type of bonds or angles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Coefficient {
    /// Empty if the file does not name it.
    pub style: String,
    pub numbers: Vec<f64>,
}

#[derive(Debug, Default)]
pub(super) struct Coefficients {
    /// The style of all pairs; a description if there are several, empty if the file names none.
    pub pair_style: String,
    /// By two types, counted from 0.
    pub pairs: BTreeMap<(usize, usize), Vec<f64>>,
    /// By the number of a type, counted from 1.
    pub bonds: BTreeMap<u32, Coefficient>,
    pub angles: BTreeMap<u32, Coefficient>,
    /// Styles that headings name, for types without coefficients.
    pub bond_style: String,
    pub angle_style: String,
}

impl Coefficients {
    pub fn read(bytes: &[u8], file: &str) -> Result<Coefficients, Error> {
        let read = parse_lammps_coefficients(bytes, file)
            .map_err(|error| Error::new(LAMMPS, error.to_string()))?;
        let LammpsCoefficients { pairs, pairs_of_two, bonds, angles } = &read;
        // Of two rows for the same types LAMMPS takes the later one.
        let heading = [pairs_of_two, pairs].map(|section| section.style.as_str());
        let heading = heading.into_iter().find(|style| !style.is_empty()).unwrap_or_default();
        let mut rows: Vec<&LammpsCoefficientRow> =
            pairs.rows.iter().chain(&pairs_of_two.rows).collect();
        rows.sort_by_key(|row| row.line);
        let types = |[a, b]: [u32; 2]| (a as usize - 1, b as usize - 1);
        let of_pairs = rows.iter().filter_map(|row| Some((types(row.types), numbers(row)?)));
        Ok(Coefficients {
            pair_style: style_of_pairs(heading, &rows),
            pairs: of_pairs.collect(),
            bonds: by_type(bonds),
            angles: by_type(angles),
            bond_style: bonds.style.clone(),
            angle_style: angles.style.clone(),
        })
    }
}

/// The numbers of a row; `None` if it has words among them.
fn numbers(row: &LammpsCoefficientRow) -> Option<Vec<f64>> {
    let number = |word: &String| word.parse().ok().filter(|number: &f64| number.is_finite());
    row.words.iter().map(number).collect()
}

fn by_type(section: &LammpsCoefficientSection) -> BTreeMap<u32, Coefficient> {
    let of_row = |row: &LammpsCoefficientRow| {
        let style = if row.style.is_empty() { &section.style } else { &row.style };
        Some((row.types[0], Coefficient { style: style.clone(), numbers: numbers(row)? }))
    };
    section.rows.iter().filter_map(of_row).collect()
}

/// The style of all pairs. Rows of hybrid styles have one of their own.
fn style_of_pairs(heading: &str, rows: &[&LammpsCoefficientRow]) -> String {
    let mut styles: Vec<&str> = rows.iter().map(|row| row.style.as_str()).collect();
    styles.sort_unstable();
    styles.dedup();
    match styles[..] {
        [] | [""] => heading.to_string(),
        [one] => one.to_string(),
        _ => format!("{heading} ({})", styles.join(" ").trim()),
    }
}
