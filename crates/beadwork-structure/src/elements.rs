//! Masses of the elements in proteins.

/// Element symbols in capitals with their standard atomic masses in Da (IUPAC, abridged values of 2021); D is deuterium.
const MASSES: &[(&str, f64)] = &[
    ("H", 1.008),
    ("D", 2.014),
    ("C", 12.011),
    ("N", 14.007),
    ("O", 15.999),
    ("F", 18.998),
    ("P", 30.974),
    ("S", 32.06),
    ("CL", 35.45),
    ("SE", 78.971),
    ("BR", 79.904),
    ("I", 126.90),
];

/// The mass in Da of the element with this symbol in capitals.
pub(crate) fn mass(symbol: &str) -> Option<f64> {
    MASSES.iter().find(|(known, _)| *known == symbol).map(|(_, mass)| *mass)
}
