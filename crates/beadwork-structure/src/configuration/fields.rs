//! Fields of lines that are split at blanks.

use std::str::FromStr;

use crate::number::decimal;

/// The text of a field; `what` names it in messages, `column` counts from 0.
pub(super) fn text<'a>(fields: &[&'a str], column: usize, what: &str) -> Result<&'a str, String> {
    fields.get(column).copied().ok_or_else(|| format!("column {} ({what}) is missing", column + 1))
}

pub(super) fn number(fields: &[&str], column: usize, what: &str) -> Result<f64, String> {
    let text = text(fields, column, what)?;
    decimal(text).ok_or_else(|| not(text, column, what, "a number"))
}

pub(super) fn whole<T: FromStr>(fields: &[&str], column: usize, what: &str) -> Result<T, String> {
    let text = text(fields, column, what)?;
    text.parse().map_err(|_| not(text, column, what, "a whole number that fits"))
}

/// Three numbers from `column` on.
pub(super) fn vector(fields: &[&str], column: usize, names: [&str; 3]) -> Result<[f64; 3], String> {
    let [x, y, z] = names;
    Ok([number(fields, column, x)?, number(fields, column + 1, y)?, number(fields, column + 2, z)?])
}

/// The problem of a field that reads as something else.
pub(super) fn not(text: &str, column: usize, what: &str, expected: &str) -> String {
    format!("column {} ({what}) reads \"{text}\", which is not {expected}", column + 1)
}

/// Replaces `fields` by those of a line.
pub(super) fn split<'a>(line: &'a str, fields: &mut Vec<&'a str>) {
    fields.clear();
    fields.extend(line.split_ascii_whitespace());
}
