//! Conversion of units: the input has units such as `"35 pN/nm"`; the engine uses Å, kcal/mol and ps.
//!
//! A quantity keeps the text it was written as, because a value that was converted there and back may differ in its
//! last bit, and so may the whole trajectory.

use std::fmt;

use crate::Error;

/// The units of a system's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Å, kcal/mol, ps and K.
    #[default]
    Real,
    /// The lengths and energies of the model's own parameters, with k_B = 1.
    Reduced,
}

impl Units {
    /// The column of times in tables.
    pub fn time_column(self) -> &'static str {
        match self {
            Units::Real => "time_ns",
            Units::Reduced => "time",
        }
    }

    /// A time as tables have it: in ns, or in units of the system.
    pub fn time_in_tables(self, time: f64) -> f64 {
        match self {
            Units::Real => time / PICOSECONDS_PER_NANOSECOND,
            Units::Reduced => time,
        }
    }

    /// The unit of times behind a number in messages, with a space: ` ps`, or nothing.
    pub fn of_time(self) -> &'static str {
        self.behind(" ps")
    }

    /// The unit of lengths behind a number in messages, with a space: ` A`, or nothing.
    pub fn of_length(self) -> &'static str {
        self.behind(" A")
    }

    /// The unit of energies behind a number in messages, with a space: ` kcal/mol`, or nothing.
    pub fn of_energy(self) -> &'static str {
        self.behind(" kcal/mol")
    }

    /// The unit of forces behind a number in messages, with a space: ` kcal/(mol A)`, or nothing.
    pub fn of_force(self) -> &'static str {
        self.behind(" kcal/(mol A)")
    }

    /// The unit of temperatures behind a number in messages, with a space: ` K`, or nothing.
    pub fn of_temperature(self) -> &'static str {
        self.behind(" K")
    }

    fn behind(self, real: &'static str) -> &'static str {
        match self {
            Units::Real => real,
            Units::Reduced => "",
        }
    }

    /// The acceleration, Å/ps², of one Da by 1 kcal/(mol Å): 4184 J/mol = 418.4 Da Å²/ps². One in reduced units.
    pub fn acceleration(self) -> f64 {
        match self {
            Units::Real => 418.4,
            Units::Reduced => 1.0,
        }
    }
}

/// Thermochemical kilocalorie per mole in pN nm: 4184 J / (6.02214076×10²³) (CODATA 2018, exact).
pub const PICONEWTON_NANOMETRES_PER_KCAL_MOL: f64 = 4184.0 / 602.214_076;
/// Piconewtons in one kcal/(mol Å): 69.477.
pub const PICONEWTONS_PER_FORCE: f64 = 10.0 * PICONEWTON_NANOMETRES_PER_KCAL_MOL;
/// bar in one kcal/(mol Å³): 1 pN/nm² is 10 bar.
pub const BAR_PER_PRESSURE: f64 = 1e4 * PICONEWTON_NANOMETRES_PER_KCAL_MOL;
/// Boltzmann's constant, kcal/(mol K): 1.380649×10⁻²³ J/K (CODATA 2018, exact).
pub const BOLTZMANN: f64 = 1.380_649e-2 / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
/// e²/(4πε₀), kcal Å/mol: 138.93545764 kJ nm/mol (CODATA 2018).
pub const COULOMB: f64 = 1_389.354_576_4 / 4.184;
/// Å in one nm.
pub const ANGSTROMS_PER_NANOMETRE: f64 = 10.0;
/// ps in one ns.
pub const PICOSECONDS_PER_NANOSECOND: f64 = 1000.0;

const CUBIC_ANGSTROMS_PER_LITRE: f64 = 1e27;
/// Beads in 1 Å³ of one mol/L (CODATA 2018, exact).
pub const BEADS_PER_MOLARITY: f64 = 6.022_140_76e23 / CUBIC_ANGSTROMS_PER_LITRE;

/// The dimension of a quantity.
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
    /// 1/ps inside.
    Rate,
    /// mol/L inside.
    Concentration,
    /// kcal/(mol Å³) inside.
    Pressure,
    /// 1/Å inside.
    InverseLength,
    /// A bare number.
    Number,
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

/// Exponents of length, energy, time, temperature and amount of substance.
type Exponents = [i32; 5];

/// Each dimension with its exponents, and its name with an example, in the order of the enum.
const DIMENSIONS: [(Dimension, Exponents, &str); 16] = {
    use Dimension::*;
    [
        (Length, [1, 0, 0, 0, 0], r#"a length such as "8 A" or "0.8 nm""#),
        (Area, [2, 0, 0, 0, 0], r#"an area such as "4 nm^2""#),
        (Energy, [0, 1, 0, 0, 0], r#"an energy such as "1.5 kcal/mol" or "10 pN nm""#),
        (Temperature, [0, 0, 0, 1, 0], r#"a temperature such as "300 K" or "0.6 kcal/mol""#),
        (Time, [0, 0, 1, 0, 0], r#"a time such as "20 ps" or "4 ms""#),
        (Force, [-1, 1, 0, 0, 0], r#"a force such as "100 pN" or "1.5 kcal/(mol A)""#),
        (Stiffness, [-2, 1, 0, 0, 0], r#"a stiffness such as "35 pN/nm" or "20 kcal/(mol A^2)""#),
        (Speed, [1, 0, -1, 0, 0], r#"a speed such as "2.5 um/s""#),
        (Friction, [-2, 1, 1, 0, 0], r#"a friction such as "8.685e6 pN ps/nm""#),
        (Diffusion, [2, 0, -1, 0, 0], r#"a coefficient of diffusion such as "0.25 nm^2/ns""#),
        (LoadingRate, [-1, 1, -1, 0, 0], r#"a loading rate such as "87.5 pN/ms""#),
        (Rate, [0, 0, -1, 0, 0], r#"a rate such as "0.01 /ps""#),
        (Concentration, [-3, 0, 0, 0, 1], r#"a concentration such as "0.15 M" or "150 mM""#),
        (Pressure, [-3, 1, 0, 0, 0], r#"a pressure such as "1 bar""#),
        (InverseLength, [-1, 0, 0, 0, 0], r#"an inverse length such as "0.2 /A""#),
        (Number, [0, 0, 0, 0, 0], "a number without a unit"),
    ]
};

impl Dimension {
    fn exponents(self) -> Exponents {
        DIMENSIONS[self as usize].1
    }

    /// The name with its article, and an example: `a stiffness such as "35 pN/nm"`.
    pub fn expectation(self) -> &'static str {
        DIMENSIONS[self as usize].2
    }
}

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
