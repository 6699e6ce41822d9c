//! Reads units such as `pN ps/nm` and `kcal/(mol A^2)`.

use super::constants::{
    BAR_PER_PRESSURE, CUBIC_ANGSTROMS_PER_LITRE, PICONEWTON_NANOMETRES_PER_KCAL_MOL,
    PICONEWTONS_PER_FORCE,
};
use super::dimension::Exponents;

/// The factor to internal units and the exponents of a unit.
pub(super) fn read(unit: &str) -> Result<(f64, Exponents), String> {
    UnitReader { rest: unit, depth: 0 }.read()
}

/// A recursive parser of `pN ps/nm`, `kcal/(mol A^2)`, `1/s`.
struct UnitReader<'a> {
    rest: &'a str,
    /// The number of open parentheses.
    depth: usize,
}

/// The largest number of nested parentheses.
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
        self.skip_spaces();
        if let Some(rest) = self.rest.strip_prefix('/') {
            // "0.01 /ps" is 0.01 1/ps.
            (self.rest, sign) = (rest, -1);
        }
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
                Some(operator @ ('/' | '*' | '·')) => {
                    self.rest = &self.rest[operator.len_utf8()..];
                    sign = if operator == '/' { -1 } else { 1 };
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
    const CONCENTRATION: Exponents = [-3, 0, 0, 0, 1];
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
        "L" => (CUBIC_ANGSTROMS_PER_LITRE, [3, 0, 0, 0, 0]),
        "K" => (1.0, [0, 0, 0, 1, 0]),
        "M" => (1.0 / CUBIC_ANGSTROMS_PER_LITRE, CONCENTRATION),
        "mM" => (1e-3 / CUBIC_ANGSTROMS_PER_LITRE, CONCENTRATION),
        "uM" | "µM" | "μM" => (1e-6 / CUBIC_ANGSTROMS_PER_LITRE, CONCENTRATION),
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
        "Pa" => (1e-5 / BAR_PER_PRESSURE, [-3, 1, 0, 0, 0]),
        "kPa" => (1e-2 / BAR_PER_PRESSURE, [-3, 1, 0, 0, 0]),
        "MPa" => (10.0 / BAR_PER_PRESSURE, [-3, 1, 0, 0, 0]),
        "bar" => (1.0 / BAR_PER_PRESSURE, [-3, 1, 0, 0, 0]),
        _ => return None,
    })
}
