//! The salt solution around residues: screening of charges, protonation of histidine.

use std::ops::RangeInclusive;

use crate::error::Error;

/// Elementary charge, C; vacuum permittivity, F/m; Avogadro's number; gas constant, kJ/(mol K): the digits with which the
/// published simulations were made.
const CHARGE: f64 = 1.602_176_6e-19;
const PERMITTIVITY: f64 = 8.854_188e-12;
const AVOGADRO: f64 = 6.022_140_76e23;
const GAS_CONSTANT: f64 = 8.314_5e-3;

/// K: where the permittivity of water is that of a liquid, with some room on both sides.
const LIQUID: RangeInclusive<f64> = 240.0..=420.0;

/// The pKa of histidine's side chain.
const HISTIDINE: f64 = 6.0;

/// Water with salt, as CALVADOS needs it; HPS-Urry and Mpipi have a solution of their own and use none of this.
///
/// The temperature is that of the permittivity of water, not of a thermostat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// K.
    pub temperature: f64,
    /// mol/L.
    pub ionic_strength: f64,
    /// The pH.
    pub ph: f64,
}

impl Solution {
    /// Refuses numbers that no solution has.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Solution { temperature, ionic_strength, ph } = *self;
        let wrong = |what: &str| Err(Error::Residues(format!("solution: {what}")));
        if !(temperature.is_finite() && temperature > 0.0) {
            return wrong(&format!("the temperature, {temperature} K, must be above 0"));
        }
        if !LIQUID.contains(&temperature) {
            return wrong(&format!(
                "the temperature, {temperature} K, is far from that of liquid water, whose permittivity is known: give one between {} and {} K",
                LIQUID.start(),
                LIQUID.end()
            ));
        }
        if !(ionic_strength.is_finite() && ionic_strength >= 0.0) {
            return wrong(&format!(
                "the ionic strength, {ionic_strength} mol/L, must be 0 or more"
            ));
        }
        if !ph.is_finite() {
            return wrong(&format!("the pH, {ph}, must be a finite number"));
        }
        Ok(())
    }

    /// The relative permittivity of water (Akerlof and Oshry, J. Am. Chem. Soc. 72, 2844, 1950).
    pub fn permittivity(&self) -> f64 {
        let t = self.temperature;
        5321.0 / t + 233.76 - 0.9297 * t + 1.417e-3 * t * t - 8.292e-7 * t * t * t
    }

    /// The distance, nm, at which two elementary charges have the energy k_B T.
    pub fn bjerrum_length(&self) -> f64 {
        let joules = CHARGE * CHARGE / (4.0 * std::f64::consts::PI * PERMITTIVITY);
        let energy = GAS_CONSTANT * 1e3 * self.temperature;
        joules * AVOGADRO / (self.permittivity() * energy) * 1e9
    }

    /// The energy of two elementary charges times their distance, without screening: kJ nm/mol.
    pub fn coulomb_strength(&self) -> f64 {
        self.bjerrum_length() * GAS_CONSTANT * self.temperature
    }

    /// The inverse of the screening length, 1/nm.
    pub fn inverse_screening_length(&self) -> f64 {
        let ions = self.ionic_strength * AVOGADRO * 1e-24;
        (8.0 * std::f64::consts::PI * self.bjerrum_length() * ions).sqrt()
    }

    /// The mean charge of a histidine, elementary charges.
    pub fn histidine_charge(&self) -> f64 {
        1.0 / (1.0 + 10_f64.powf(self.ph - HISTIDINE))
    }
}
