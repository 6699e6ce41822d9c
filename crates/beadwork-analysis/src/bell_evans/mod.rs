//! The law of Bell and Evans: how the force at which a bond or a domain gives way grows with the loading rate.
//!
//! A barrier at the distance x lowers its height by F x under a force, so the rate of escape is k(F) = k₀ exp(F x/kT) (Bell,
//! Science 200, 618, 1978). A force that grows as F = r t then leads to the share of unbroken bonds
//!
//! S(F) = exp(−(k₀ s/r) (exp(F/s) − 1)) with s = kT/x
//!
//! and to the most probable force s ln(r/(k₀ s)) (Evans and Ritchie, Biophys. J. 72, 1541, 1997).

mod fit;
mod mode;

pub use fit::{Estimator, FEWEST_RATES, Fit, LEAST_SPAN, MeasuredRate, Unfit, fit};
pub use mode::most_probable;

/// A barrier that forces lower. Forces are in pN, times in s, lengths in nm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BellEvans {
    /// s = kT/x, pN: the force that makes escapes e times as frequent.
    pub thermal_force: f64,
    /// k₀, 1/s: the rate of escape without a force.
    pub rate: f64,
}

impl BellEvans {
    /// A barrier at a distance of `distance`, nm, at a temperature of `thermal_energy`, kT in pN nm.
    pub fn new(distance: f64, rate: f64, thermal_energy: f64) -> BellEvans {
        BellEvans { thermal_force: thermal_energy / distance, rate }
    }

    /// x, nm: the distance of the barrier at kT of `thermal_energy`, pN nm.
    pub fn distance(&self, thermal_energy: f64) -> f64 {
        thermal_energy / self.thermal_force
    }

    /// k₀ s/r, the escapes without a force in the time in which the force grows by s.
    fn escapes(&self, loading_rate: f64) -> f64 {
        self.rate * self.thermal_force / loading_rate
    }

    /// The share of bonds that break below `force`, pN, at a loading rate in pN/s.
    pub fn share_below(&self, force: f64, loading_rate: f64) -> f64 {
        let growth = (force.max(0.0) / self.thermal_force).exp_m1();
        -(-self.escapes(loading_rate) * growth).exp_m1()
    }

    /// The force, pN, below which this share of bonds breaks.
    pub fn quantile(&self, share: f64, loading_rate: f64) -> f64 {
        self.thermal_force * (-(-share).ln_1p() / self.escapes(loading_rate)).ln_1p()
    }

    /// The most probable force, pN: s ln(r/(k₀ s)), or 0 at rates so low that bonds break before the force counts.
    pub fn most_probable(&self, loading_rate: f64) -> f64 {
        self.thermal_force * (-self.escapes(loading_rate).ln()).max(0.0)
    }

    /// The mean force, pN: the integral of S(F), which is s exp(a) E₁(a) with a = k₀ s/r.
    pub fn mean(&self, loading_rate: f64) -> f64 {
        self.thermal_force * scaled_integral(self.escapes(loading_rate))
    }
}

/// exp(a) E₁(a) for positive a, with the exponential integral E₁.
fn scaled_integral(a: f64) -> f64 {
    if a <= 1.0 {
        let integral = statrs::function::exponential::integral(a, 1);
        return integral.map_or(f64::NAN, |integral| integral * a.exp());
    }
    // E₁ alone would vanish for large a. The continued fraction 1/(a + 1/(1 + 1/(a + 2/(1 + 2/(a + …))))), contracted (Abramowitz
    // and Stegun, 5.1.22), from the inside out: after 100 of its parts it is exact to rounding from a = 1 on.
    let inside =
        (1..=100).rev().map(f64::from).fold(0.0, |inside, n| n * n / (a + 2.0 * n + 1.0 - inside));
    1.0 / (a + 1.0 - inside)
}
