//! A short-ranged attraction that ends smoothly at its cutoff.

use beadwork_arithmetic::{Elementary, Lane};

use super::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = ε α [(σ/r)^2μ − 1] [(R/r)^2μ − 1]^2ν inside the cutoff R (Wang, Ramírez-Hinestrosa, Dobnikar and Frenkel, Phys.
/// Chem. Chem. Phys. 22, 10624, 2020); α makes −ε the lowest energy. Energy and force are zero at R.
///
/// ```
/// use beadwork_model::potentials::{PairPotential, WangFrenkel};
/// let pair = WangFrenkel::new(0.3, 5.0, 15.0, 2, 1);
/// assert_eq!(pair.energy(25.0), 0.0);
/// let minimum = 1.104980636f64 * 5.0;
/// assert!((pair.energy(minimum * minimum) + 0.3).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WangFrenkel<T = f64> {
    /// ε α, unit of the energy.
    pub scale: T,
    /// σ, unit of the length: the energy is zero there.
    pub diameter: T,
    /// (R/σ)^2μ.
    pub ratio: T,
    /// μ, a whole number from 1 to 15.
    pub mu: T,
    /// ν, a whole number from 1 to 8.
    pub nu: T,
}

parameters!(WangFrenkel { scale, diameter, ratio, mu, nu });

/// The largest μ.
pub const MOST_MU: u32 = 15;
/// The largest ν.
pub const MOST_NU: u32 = 8;

impl WangFrenkel {
    /// The potential of a depth, a diameter, a cutoff beyond it, and the exponents μ (1 to [`MOST_MU`]) and ν (1 to
    /// [`MOST_NU`]).
    pub fn new(depth: f64, diameter: f64, cutoff: f64, mu: u32, nu: u32) -> Self {
        let [mu, nu] = [mu, nu].map(f64::from);
        let ratio = (cutoff / diameter).powf(2.0 * mu);
        let base = (2.0 * nu + 1.0) / (2.0 * nu * (ratio - 1.0));
        let alpha = 2.0 * nu * ratio * base.powf(2.0 * nu + 1.0);
        WangFrenkel { scale: depth * alpha, diameter, ratio, mu, nu }
    }
}

impl PairFormula for WangFrenkel {
    const NAME: &'static str = "wang_frenkel";
    const EXAMPLE: Self = WangFrenkel { scale: 2e-4, diameter: 4.2, ratio: 81.0, mu: 2.0, nu: 1.0 };
    type In<T: Elementary> = WangFrenkel<T>;

    /// ε α, σ², (R/σ)^2μ, μ and ν.
    fn prepared<T: Elementary>(pair: WangFrenkel<T>) -> [T; MOST_PARAMETERS] {
        padded([pair.scale, pair.diameter * pair.diameter, pair.ratio, pair.mu, pair.nu])
    }
}

/// `base` to a whole power from 0 to 15, by squares.
#[inline(always)]
fn whole_power<T: Lane>(base: T, power: T) -> T {
    let one = T::from_f64(1.0);
    let square = base * base;
    let fourth = square * square;
    let (mut result, mut rest) = (one, power);
    for (worth, factor) in [(8.0, fourth * fourth), (4.0, fourth), (2.0, square), (1.0, base)] {
        let left = rest.less_than(T::from_f64(worth));
        result *= T::select(left, one, factor);
        rest -= T::select(left, T::zero(), T::from_f64(worth));
    }
    result
}

impl<T: Lane> WangFrenkel<T> {
    /// (σ/r)^2μ, and (R/r)^2μ − 1.
    #[inline(always)]
    fn powers(&self, square: T) -> (T, T) {
        let near = whole_power(square, self.mu);
        (near, near * self.ratio - T::from_f64(1.0))
    }
}

impl<T: Lane> PairPotential<T> for WangFrenkel<T> {
    /// The small scale multiplies first, so that no product leaves single precision.
    fn energy(&self, r2: T) -> T {
        let (near, far) = self.powers(self.diameter * self.diameter / r2);
        let two = T::from_f64(2.0);
        let odd = whole_power(far, two * self.nu - T::from_f64(1.0));
        self.scale * odd * far * (near - T::from_f64(1.0))
    }

    /// ε α (2μ/r²) f^(2ν−1) [p f + 2ν (f + 1)(p − 1)] with p = (σ/r)^2μ and f = (R/r)^2μ − 1.
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let (one, two) = (T::from_f64(1.0), T::from_f64(2.0));
        let inverse = one / r2;
        let (near, far) = self.powers(self.diameter * self.diameter * inverse);
        let odd = whole_power(far, two * self.nu - one);
        let slopes = near * far + two * self.nu * (far + one) * (near - one);
        self.scale * odd * slopes * (two * self.mu * inverse)
    }
}
