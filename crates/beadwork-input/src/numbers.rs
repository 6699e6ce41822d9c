//! Reads numbers and quantities, within bounds.

use beadwork_model::advice::plain;
use beadwork_model::units::{self, Dimension, Quantity};

use crate::document::Node;
use crate::error::{BAD_VALUE, Error, WRONG_TYPE};

/// The largest and the smallest number that is a quantity. The squares of others, and their ratios, are beyond the range of
/// numbers, and steps by them have no end.
const LARGEST: f64 = 1e100;
const SMALLEST: f64 = 1e-100;

/// The bound of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Any,
    NotNegative,
    Positive,
}

impl Bound {
    /// Describes how a number violates the bound.
    pub fn problem(self, value: f64) -> Option<&'static str> {
        match self {
            _ if !value.is_finite() => Some("must be finite"),
            _ if value.abs() > LARGEST => Some("must be less than 1e100"),
            _ if value != 0.0 && value.abs() < SMALLEST => Some("must be 0 or more than 1e-100"),
            Bound::NotNegative if value < 0.0 => Some("must not be negative"),
            Bound::Positive if value <= 0.0 => Some("must be more than 0"),
            _ => None,
        }
    }
}

/// The error about a value of another type than expected; `name` begins the message.
pub(crate) fn wrong_type(node: &Node, name: &str, expected: &str) -> Error {
    node.place.error(WRONG_TYPE, format!("{name} must be {expected}, found {}", node.found()))
}

/// Reads a text as a quantity; `name` begins the messages.
pub(crate) fn quantity_of(
    node: &Node,
    name: &str,
    dimension: Dimension,
    bound: Bound,
) -> Result<Quantity, Error> {
    let Some(text) = node.text() else {
        let advice = if node.number().is_some() { ": write its unit, in quotes" } else { "" };
        let (expected, found) = (dimension.expectation(), node.found());
        let problem = format!("{name} must be {expected}, found {found}{advice}");
        return Err(node.place.error(WRONG_TYPE, problem));
    };
    let quantity = units::parse(text, dimension)
        .map_err(|error| node.place.error(error.code(), format!("{name}: {error}")))?;
    match bound.problem(quantity.value) {
        Some(problem) => {
            Err(node.place.error(BAD_VALUE, format!("{name} {problem}, but is \"{text}\"")))
        }
        None => Ok(quantity),
    }
}

/// Reads a number without a unit; `name` begins the messages.
pub(crate) fn number_of(node: &Node, name: &str, bound: Bound) -> Result<f64, Error> {
    let expected = "a number without a unit such as 0.7, without quotes";
    let value = node.number().ok_or_else(|| wrong_type(node, name, expected))?;
    match bound.problem(value) {
        Some(problem) => {
            Err(node.place.error(BAD_VALUE, format!("{name} {problem}, but is {}", plain(value))))
        }
        None => Ok(value),
    }
}
