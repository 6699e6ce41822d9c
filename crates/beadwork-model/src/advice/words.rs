//! Numbers and quantities in sentences.

use crate::observables::Observable;
use crate::system::System;
use crate::units::Units;

/// Numbers from here on follow from mistyped values, and are written as 1.2e99.
const LARGE: f64 = 1e15;

/// A number with so many decimals, and without the minus of a zero; a very large one as `1.23e99`, since all of its digits would hide
/// the sentence.
pub fn with_decimals(number: f64, decimals: usize) -> String {
    if is_large(number) {
        return format!("{number:.2e}");
    }
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_string(),
        _ => text,
    }
}

/// A number as it is; a very large or very small one as `1e99`.
pub fn plain(number: f64) -> String {
    let is_tiny = number != 0.0 && number.abs() < 1.0 / LARGE;
    if is_large(number) || is_tiny { format!("{number:e}") } else { (number + 0.0).to_string() }
}

fn is_large(number: f64) -> bool {
    number.is_finite() && number.abs() >= LARGE
}

/// A length of the system as tables have it, with its unit.
pub(super) fn length(system: &System, length: f64) -> String {
    with_unit(system, Observable::Deformation, length)
}

/// A force of the system as tables have it, with its unit.
pub(super) fn force(system: &System, force: f64) -> String {
    with_unit(system, Observable::Force, force)
}

/// Three digits of a quantity in the unit of a column.
fn with_unit(system: &System, column: Observable, value: f64) -> String {
    let unit = column.unit_in(system.units);
    let value = unit.convert(value);
    format!("{} {}", three_digits(value), unit.symbol()).trim().to_string()
}

/// A number with three digits.
pub(super) fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        large if large >= 100.0 => 0,
        middle if middle >= 10.0 => 1,
        middle if middle >= 1.0 => 2,
        small if small >= 1e-3 || small == 0.0 => 3,
        _ => return format!("{value:.1e}"),
    };
    with_decimals(value, decimals)
}

/// A time above 0, ps in real units, rounded up to three digits.
pub fn time_in_words(system: &System, time: f64) -> String {
    let digits = 10_f64.powf(time.log10().floor() - 2.0);
    let time = (time / digits).ceil() * digits;
    if system.units == Units::Reduced {
        return three_digits(time);
    }
    let (each, unit) = match time {
        long if long >= 1e9 => (1e9, "ms"),
        middle if middle >= 1e6 => (1e6, "us"),
        _ => (1e3, "ns"),
    };
    format!("{} {unit}", three_digits(time / each))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_few_digits() {
        assert_eq!(
            (with_decimals(12.346, 2), with_decimals(12.0, 0)),
            ("12.35".into(), "12".into())
        );
        assert_eq!((with_decimals(-1.234e99, 0), plain(1e99)), ("-1.23e99".into(), "1e99".into()));
        assert_eq!((plain(0.02), plain(5e14)), ("0.02".into(), "500000000000000".into()));
        assert_eq!((plain(0.0), plain(-1e-99)), ("0".into(), "-1e-99".into()));
        assert_eq!((plain(-0.0), with_decimals(-0.004, 2)), ("0".into(), "0.00".into()));
    }
}
