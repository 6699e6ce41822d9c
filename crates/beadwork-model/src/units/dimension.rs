//! Dimensions of quantities.

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

/// Exponents of length, energy, time, temperature and amount of substance.
pub(super) type Exponents = [i32; 5];

/// Each dimension with its exponents, and its name with an example, in the order of the enum.
pub(super) const DIMENSIONS: [(Dimension, Exponents, &str); 16] = {
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
    /// All of them.
    pub fn all() -> impl Iterator<Item = Dimension> {
        DIMENSIONS.into_iter().map(|(dimension, ..)| dimension)
    }

    pub(super) fn exponents(self) -> Exponents {
        DIMENSIONS[self as usize].1
    }

    /// The name with its article, and an example: `a stiffness such as "35 pN/nm"`.
    pub fn expectation(self) -> &'static str {
        DIMENSIONS[self as usize].2
    }
}
