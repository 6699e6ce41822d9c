//! Units at the border: `"35 pN/nm"` in, Å, kcal/mol and ps inside.
//!
//! A quantity keeps the text it was written as, because a value that went through a conversion
//! and back may differ in its last bit, and with it the whole trajectory.

use std::fmt;

use crate::Error;

/// Thermochemical kilocalorie per mole in pN nm: 4184 J / (6.02214076×10²³) (CODATA 2018, exact).
pub const PICONEWTON_NANOMETRES_PER_KCAL_MOL: f64 = 4184.0 / 602.214_076;
/// Piconewtons in one kcal/(mol Å): 69.477.
pub const PICONEWTONS_PER_FORCE: f64 = 10.0 * PICONEWTON_NANOMETRES_PER_KCAL_MOL;
/// Boltzmann's constant, kcal/(mol K): 1.380649×10⁻²³ J/K (CODATA 2018, exact).
pub const BOLTZMANN: f64 = 1.380_649e-2 / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
/// Å in one nm.
pub const ANGSTROMS_PER_NANOMETRE: f64 = 10.0;
/// ps in one ns.
pub const PICOSECONDS_PER_NANOSECOND: f64 = 1000.0;

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Å inside.
    Length,
    /// Å² inside.
    Area,
    /// kcal/mol inside.
    Energy,
    /// Given in K or as an energy; kB T in kcal/mol inside.
    Temperature,
    /// ps inside.
    Time,
    /// kcal/(mol Å) inside.
    Force,
    /// kcal/(mol Å²) inside.
    Stiffness,
    /// Å/ps inside.
    Speed,
    /// Force per speed, kcal ps/(mol Å²) inside.
    Friction,
    /// Å²/ps inside.
    Diffusion,
    /// Force per time, kcal/(mol Å ps) inside.
    LoadingRate,
    /// A bare number.
    Number,
}

/// Exponents of length, energy, time, temperature and amount of substance.
type Exponents = [i32; 5];

impl Dimension {
    const ALL: [Dimension; 12] = [
        Dimension::Length,
        Dimension::Area,
        Dimension::Energy,
        Dimension::Temperature,
        Dimension::Time,
        Dimension::Force,
        Dimension::Stiffness,
        Dimension::Speed,
        Dimension::Friction,
        Dimension::Diffusion,
        Dimension::LoadingRate,
        Dimension::Number,
    ];

    fn exponents(self) -> Exponents {
        match self {
            Dimension::Length => [1, 0, 0, 0, 0],
            Dimension::Area => [2, 0, 0, 0, 0],
            Dimension::Energy => [0, 1, 0, 0, 0],
            Dimension::Temperature => [0, 0, 0, 1, 0],
            Dimension::Time => [0, 0, 1, 0, 0],
            Dimension::Force => [-1, 1, 0, 0, 0],
            Dimension::Stiffness => [-2, 1, 0, 0, 0],
            Dimension::Speed => [1, 0, -1, 0, 0],
            Dimension::Friction => [-2, 1, 1, 0, 0],
            Dimension::Diffusion => [2, 0, -1, 0, 0],
            Dimension::LoadingRate => [-1, 1, -1, 0, 0],
            Dimension::Number => [0, 0, 0, 0, 0],
        }
    }

    /// The name with its article, and an example: `a stiffness such as "35 pN/nm"`.
    pub fn expectation(self) -> &'static str {
        match self {
            Dimension::Length => "a length such as \"8 A\" or \"0.8 nm\"",
            Dimension::Area => "an area such as \"4 nm^2\"",
            Dimension::Energy => "an energy such as \"1.5 kcal/mol\" or \"10 pN nm\"",
            Dimension::Temperature => "a temperature such as \"300 K\" or \"0.6 kcal/mol\"",
            Dimension::Time => "a time such as \"20 ps\" or \"4 ms\"",
            Dimension::Force => "a force such as \"100 pN\" or \"1.5 kcal/(mol A)\"",
            Dimension::Stiffness => "a stiffness such as \"35 pN/nm\" or \"20 kcal/(mol A^2)\"",
            Dimension::Speed => "a speed such as \"2.5 um/s\"",
            Dimension::Friction => "a friction such as \"8.685e6 pN ps/nm\"",
            Dimension::Diffusion => "a coefficient of diffusion such as \"0.25 nm^2/ns\"",
            Dimension::LoadingRate => "a loading rate such as \"87.5 pN/ms\"",
            Dimension::Number => "a number without a unit",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Dimension::Length => "a length",
            Dimension::Area => "an area",
            Dimension::Energy => "an energy",
            Dimension::Temperature => "a temperature",
            Dimension::Time => "a time",
            Dimension::Force => "a force",
            Dimension::Stiffness => "a stiffness",
            Dimension::Speed => "a speed",
            Dimension::Friction => "a friction",
            Dimension::Diffusion => "a coefficient of diffusion",
            Dimension::LoadingRate => "a loading rate",
            Dimension::Number => "a number without a unit",
        }
    }
}

/// A value in internal units beside the text it came from.
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

/// Reads a quantity such as `"2.5 um/s"`.
///
/// A unit is a product of symbols with optional powers, `*`, `/` and parentheses; a space
/// multiplies. A temperature may be an energy (kB T).
///
/// # Errors
/// When the number or a unit symbol cannot be read, and when the dimension is another one: the
/// message names the expected one with an example.
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
    let (number, unit) =
        split_number(trimmed).ok_or_else(|| fail("does not begin with a number".to_string()))?;
    let unit = unit.trim();
    let (factor, exponents) = if unit.is_empty() {
        (1.0, [0; 5])
    } else {
        UnitReader { rest: unit, depth: 0 }.read().map_err(fail)?
    };
    let value = number * factor;
    if !value.is_finite() {
        return Err(fail("is not a finite number".to_string()));
    }
    if exponents == dimension.exponents() {
        let value = if dimension == Dimension::Temperature { value * BOLTZMANN } else { value };
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
    let other = Dimension::ALL.into_iter().find(|other| other.exponents() == exponents);
    Err(fail(match other {
        Some(other) => format!("is {}", other.name()),
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

/// A recursive reader of `pN ps/nm`, `kcal/(mol A^2)`, `1/s`.
struct UnitReader<'a> {
    rest: &'a str,
    /// Parentheses that are open.
    depth: usize,
}

/// No unit needs more parentheses within each other.
const DEPTH_LIMIT: usize = 16;

impl<'a> UnitReader<'a> {
    fn read(mut self) -> Result<(f64, Exponents), String> {
        let unit = self.product()?;
        if self.rest.is_empty() {
            Ok(unit)
        } else {
            Err(format!("has an unexpected '{}' in its unit", self.rest))
        }
    }

    fn product(&mut self) -> Result<(f64, Exponents), String> {
        let mut total = (1.0, [0; 5]);
        let mut sign = 1;
        loop {
            self.skip_spaces();
            let factor = self.power()?;
            total.0 *= if sign > 0 { factor.0 } else { 1.0 / factor.0 };
            for (sum, exponent) in total.1.iter_mut().zip(factor.1) {
                *sum += sign * exponent;
            }
            self.skip_spaces();
            match self.rest.chars().next() {
                None | Some(')') => return Ok(total),
                Some('/') => {
                    self.rest = &self.rest[1..];
                    sign = -1;
                }
                Some('*') => {
                    self.rest = &self.rest[1..];
                    sign = 1;
                }
                Some('·') => {
                    self.rest = &self.rest['·'.len_utf8()..];
                    sign = 1;
                }
                Some(_) => sign = 1,
            }
        }
    }

    fn power(&mut self) -> Result<(f64, Exponents), String> {
        let base = self.symbol()?;
        let power = match self.rest.chars().next() {
            Some('²') => {
                self.rest = &self.rest['²'.len_utf8()..];
                2
            }
            Some('^') => {
                let rest = &self.rest[1..];
                let end = rest
                    .char_indices()
                    .find(|&(at, c)| !(c.is_ascii_digit() || at == 0 && c == '-'))
                    .map_or(rest.len(), |(at, _)| at);
                let power: i32 =
                    rest[..end].parse().ok().filter(|power: &i32| power.abs() <= 9).ok_or_else(
                        || format!("has a power that cannot be read in '{}'", self.rest),
                    )?;
                self.rest = &rest[end..];
                power
            }
            _ => 1,
        };
        Ok((base.0.powi(power), base.1.map(|exponent| exponent * power)))
    }

    fn symbol(&mut self) -> Result<(f64, Exponents), String> {
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            self.depth += 1;
            if self.depth > DEPTH_LIMIT {
                return Err(format!("has more than {DEPTH_LIMIT} parentheses within each other"));
            }
            let inner = self.product()?;
            self.depth -= 1;
            self.rest = self
                .rest
                .strip_prefix(')')
                .ok_or_else(|| "lacks a closing parenthesis in its unit".to_string())?;
            return Ok(inner);
        }
        if let Some(rest) = self.rest.strip_prefix('1') {
            self.rest = rest;
            return Ok((1.0, [0; 5]));
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_alphabetic() || c == 'µ' || c == 'Å'))
            .unwrap_or(self.rest.len());
        let symbol = &self.rest[..end];
        self.rest = &self.rest[end..];
        unit(symbol).ok_or_else(|| {
            if symbol.is_empty() {
                "has an incomplete unit".to_string()
            } else {
                format!("has the unknown unit \"{symbol}\"")
            }
        })
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

/// Value in internal units and exponents of a unit symbol.
fn unit(symbol: &str) -> Option<(f64, Exponents)> {
    const LENGTH: Exponents = [1, 0, 0, 0, 0];
    const ENERGY: Exponents = [0, 1, 0, 0, 0];
    const TIME: Exponents = [0, 0, 1, 0, 0];
    const MOLAR_ENERGY: Exponents = [0, 1, 0, 0, 1];
    let per_joule = 1e21 / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
    let newton = per_joule / 1e10;
    Some(match symbol {
        "A" | "Å" | "\u{212b}" | "angstrom" | "Angstrom" => (1.0, LENGTH),
        "nm" => (10.0, LENGTH),
        "um" | "µm" | "μm" => (1e4, LENGTH),
        "mm" => (1e7, LENGTH),
        "cm" => (1e8, LENGTH),
        "m" => (1e10, LENGTH),
        "kcal" => (1.0, MOLAR_ENERGY),
        "kJ" => (1.0 / 4.184, MOLAR_ENERGY),
        "mol" => (1.0, [0, 0, 0, 0, 1]),
        "J" => (per_joule, ENERGY),
        "aJ" => (1e-18 * per_joule, ENERGY),
        "zJ" => (1e-21 * per_joule, ENERGY),
        "eV" => (1.602_176_634e-19 * per_joule, ENERGY),
        "K" => (1.0, [0, 0, 0, 1, 0]),
        "fs" => (1e-3, TIME),
        "ps" => (1.0, TIME),
        "ns" => (1e3, TIME),
        "us" | "µs" | "μs" => (1e6, TIME),
        "ms" => (1e9, TIME),
        "s" => (1e12, TIME),
        "fN" => (1e-15 * newton, [-1, 1, 0, 0, 0]),
        "pN" => (1.0 / PICONEWTONS_PER_FORCE, [-1, 1, 0, 0, 0]),
        "nN" => (1e3 / PICONEWTONS_PER_FORCE, [-1, 1, 0, 0, 0]),
        "uN" | "µN" | "μN" => (1e6 / PICONEWTONS_PER_FORCE, [-1, 1, 0, 0, 0]),
        "N" => (newton, [-1, 1, 0, 0, 0]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, dimension: Dimension) -> f64 {
        parse(text, dimension).unwrap().value
    }

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-12 * right.abs(), "{left} is not {right}");
    }

    #[test]
    fn constants_are_those_of_the_field() {
        assert!((PICONEWTON_NANOMETRES_PER_KCAL_MOL - 6.9477).abs() < 5e-5);
        assert!((PICONEWTONS_PER_FORCE - 69.477).abs() < 5e-4);
        assert!((BOLTZMANN - 0.001_987_204_259).abs() < 1e-12);
        assert!((value("300 K", Dimension::Temperature) - 0.5962).abs() < 5e-5);
    }

    #[test]
    fn units_of_the_input_language() {
        close(value("8 A", Dimension::Length), 8.0);
        close(value("-1.5 nm", Dimension::Length), -15.0);
        close(value("1.5 kcal/mol", Dimension::Energy), 1.5);
        close(value("4.184 kJ/mol", Dimension::Energy), 1.0);
        close(value("6.947695457 pN nm", Dimension::Energy), 6.947695457 / (4184.0 / 602.214076));
        close(value("0.6 kcal/mol", Dimension::Temperature), 0.6);
        close(value("20 ps", Dimension::Time), 20.0);
        close(value("4 ms", Dimension::Time), 4e9);
        close(value("2.5 um/s", Dimension::Speed), 2.5e4 / 1e12);
        close(value("2.5 µm/s", Dimension::Speed), 2.5e4 / 1e12);
        close(
            value("694.7695457 pN/nm", Dimension::Stiffness),
            694.7695457 / (10.0 * PICONEWTONS_PER_FORCE),
        );
        close(value("20 kcal/(mol A^2)", Dimension::Stiffness), 20.0);
        close(value("20 kcal/mol/A^2", Dimension::Stiffness), 20.0);
        close(value("20 kcal mol^-1 A^-2", Dimension::Stiffness), 20.0);
        close(value("12500 kcal ps/(mol A^2)", Dimension::Friction), 12500.0);
        close(value("0.25 nm^2/ns", Dimension::Diffusion), 0.025);
        close(value("1.5e-11 cm^2/s", Dimension::Diffusion), 1.5e-7);
        close(value("87.5 pN/ms", Dimension::LoadingRate), 87.5 / PICONEWTONS_PER_FORCE / 1e9);
        close(value("1_000", Dimension::Number), 1000.0);
        close(value("1 N/m", Dimension::Stiffness), value("1000 pN/nm", Dimension::Stiffness));
        close(value("1 J", Dimension::Energy), value("1e21 pN nm", Dimension::Energy));
    }

    #[test]
    fn sop_gpu_friction_is_that_of_zeta_fifty() {
        // h/zeta = 0.0016 Å²/(kcal/mol) at 20 ps.
        let friction = value("8.685e6 pN ps/nm", Dimension::Friction);
        assert!((20.0 / friction / 0.0016 - 1.0).abs() < 1e-4, "{friction}");
    }

    #[test]
    fn wrong_dimensions_name_the_expected_one() {
        for (text, dimension, part) in [
            ("35 pN", Dimension::Stiffness, "is a force; expected a stiffness such as"),
            ("35", Dimension::Stiffness, "has no unit"),
            ("20 K", Dimension::Time, "is a temperature"),
            ("1.5 kcal", Dimension::Energy, "lacks a \"/mol\""),
            ("20 furlongs", Dimension::Length, "unknown unit \"furlongs\""),
            ("fast", Dimension::Speed, "does not begin with a number"),
            ("1 pN/", Dimension::Stiffness, "incomplete unit"),
            ("1 pN/(nm", Dimension::Stiffness, "closing parenthesis"),
            ("1e999 A", Dimension::Length, "not a finite number"),
            ("3 A)", Dimension::Length, "unexpected ')'"),
            (&format!("3 {}A", "(".repeat(100_000)), Dimension::Length, "more than 16 parentheses"),
        ] {
            let message = parse(text, dimension).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn the_text_is_kept() {
        assert_eq!(parse(" 35  pN/nm ", Dimension::Stiffness).unwrap().text, "35  pN/nm");
    }
}
