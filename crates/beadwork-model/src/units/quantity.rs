//! Quantities: numbers with their units.

use std::fmt;

use super::constants::{BOLTZMANN, CUBIC_ANGSTROMS_PER_LITRE};
use super::dimension::{DIMENSIONS, Dimension};
use super::expression;
use crate::Error;

/// A value in internal units, with the text it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The text as it was written.
    pub text: String,
    /// The value in internal units.
    pub value: f64,
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// No quantity or rule that a person writes has so many characters.
const LONGEST: usize = 200;
/// Characters of a longer text that a message shows.
const SHOWN: usize = 80;

/// The beginning of a text that is too long for a message, followed by `…`; `None` for all other texts.
pub fn beginning_of_long(text: &str) -> Option<String> {
    text.chars().nth(LONGEST)?;
    Some(text.chars().take(SHOWN).chain(['…']).collect())
}

/// Reads a quantity such as `"2.5 um/s"`.
///
/// A unit is a product of symbols with optional powers, `*`, `/` and parentheses; a space
/// multiplies. A temperature may be an energy (kB T).
///
/// # Errors
/// If the number or a unit symbol cannot be read, or if the dimension is wrong: the message names the expected
/// dimension with an example.
///
/// ```
/// use beadwork_model::units::{Dimension, parse};
/// assert_eq!(parse("0.8 nm", Dimension::Length).unwrap().value, 8.0);
/// let error = parse("35 pN", Dimension::Stiffness).unwrap_err().to_string();
/// assert!(error.contains("a stiffness such as \"35 pN/nm\""), "{error}");
/// ```
pub fn parse(text: &str, dimension: Dimension) -> Result<Quantity, Error> {
    let fail = |reason: String| Error::Quantity {
        text: text.to_string(),
        reason,
        expected: dimension.expectation(),
    };
    let trimmed = text.trim();
    if let Some(text) = beginning_of_long(trimmed) {
        let (reason, expected) = ("is too long".to_string(), dimension.expectation());
        return Err(Error::Quantity { text, reason, expected });
    }
    let (number, unit) =
        split_number(trimmed).ok_or_else(|| fail("does not begin with a number".to_string()))?;
    if let Some(rest) = unit.strip_prefix(',')
        && rest.starts_with(|first: char| first.is_ascii_digit())
    {
        let (digits, unit) =
            rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        return Err(fail(format!(
            "has a decimal comma: write a point, \"{}.{digits}{unit}\", and no mark between thousands",
            &trimmed[..trimmed.len() - rest.len() - 1]
        )));
    }
    let unit = unit.trim();
    let (factor, exponents) =
        if unit.is_empty() { (1.0, [0; 5]) } else { expression::read(unit).map_err(fail)? };
    let value = number * factor;
    if !value.is_finite() {
        return Err(fail("is not a finite number".to_string()));
    }
    if exponents == dimension.exponents() {
        let value = match dimension {
            Dimension::Temperature => value * BOLTZMANN,
            Dimension::Concentration => value * CUBIC_ANGSTROMS_PER_LITRE,
            _ => value,
        };
        return Ok(Quantity { text: trimmed.to_string(), value });
    }
    if dimension == Dimension::Temperature && exponents == Dimension::Energy.exponents() {
        return Ok(Quantity { text: trimmed.to_string(), value });
    }
    if exponents == [0; 5] {
        return Err(fail("has no unit".to_string()));
    }
    let mut per_mole = exponents;
    per_mole[4] -= 1;
    if per_mole == dimension.exponents() {
        return Err(fail("lacks a \"/mol\"".to_string()));
    }
    let other = DIMENSIONS.iter().find(|(_, of_other, _)| *of_other == exponents);
    Err(fail(match other.and_then(|(.., expectation)| expectation.split(" such as").next()) {
        Some(name) => format!("is {name}"),
        None => "has a unit of another kind".to_string(),
    }))
}

/// Splits `"2.5e3 um"` into the number and the rest; the exponent's `e` is part of the number
/// only when digits follow it.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'_') {
            at += 1;
        }
        at
    };
    let start = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut end = digits(start);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    let number = text[..end].replace('_', "").parse().ok()?;
    Some((number, &text[end..]))
}

/// How many times a quantity is another one; `None` if they cannot be compared.
///
/// ```
/// use beadwork_model::units::ratio;
/// assert_eq!(ratio("500 nm/s", "1 um/s"), Some(0.5));
/// assert_eq!(ratio("500 nm/s", "1 nm"), None);
/// ```
pub fn ratio(quantity: &str, other: &str) -> Option<f64> {
    DIMENSIONS.iter().find_map(|(dimension, ..)| {
        let [one, other] = [quantity, other].map(|text| parse(text, *dimension).ok());
        Some(one?.value / other?.value).filter(|ratio| ratio.is_finite())
    })
}
