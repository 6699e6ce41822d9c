//! The change of an elastic chain's energy in a move.

use beadwork_arithmetic::{Elementary, Lane, natural_logarithm};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;

/// Partial sums of a change of energy; partner j adds to number j mod 32.
pub(crate) const PARTIALS: usize = 32;

/// The constants of an [`ElasticPolymer`], energies in units of 4ε.
///
/// The functions here define the order of all sums that decide a move; fast paths keep that order.
#[derive(Clone, Copy, Debug)]
pub struct Chain<T> {
    /// σ².
    pub(crate) square_diameter: T,
    /// r_c².
    pub(crate) square_cutoff: T,
    /// V_c/4ε.
    pub(crate) shift: T,
    /// r₀.
    pub(crate) length: T,
    /// 1/R.
    pub(crate) inverse_limit: T,
    /// −K R²/2 · 1/4ε.
    pub(crate) bond_scale: T,
}

impl<T: Elementary> Chain<T> {
    /// Each constant is computed in f64 and rounded once.
    pub fn new(polymer: &ElasticPolymer) -> Chain<T> {
        let ElasticPolymer { pairs, bonds, .. } = polymer;
        let unit = 4.0 * pairs.depth;
        Chain {
            square_diameter: T::from_f64(pairs.diameter * pairs.diameter),
            square_cutoff: T::from_f64(pairs.cutoff * pairs.cutoff),
            shift: T::from_f64(pairs.shift / unit),
            length: T::from_f64(bonds.length),
            inverse_limit: T::from_f64(1.0 / bonds.limit),
            bond_scale: T::from_f64(-0.5 * bonds.stiffness * bonds.limit * bonds.limit / unit),
        }
    }

    /// σ², r_c², V_c, r₀, 1/R and −K R²/2, in the order in which kernels take them.
    pub fn numbers(&self) -> [T; 6] {
        let Chain { square_diameter, square_cutoff, shift, length, inverse_limit, bond_scale } =
            *self;
        [square_diameter, square_cutoff, shift, length, inverse_limit, bond_scale]
    }

    /// s³(s³ − 1) − V_c inside the cutoff, s = σ²/r².
    #[inline(always)]
    fn well(&self, s: T, r2: T) -> T {
        let sixth = s * s * s;
        let energy = sixth * (sixth - T::from_f64(1.0)) - self.shift;
        T::select(r2.less_than(self.square_cutoff), energy, T::zero())
    }

    /// The energy of a pair.
    #[inline(always)]
    pub fn pair(&self, r2: T) -> T {
        self.well(self.square_diameter / r2, r2)
    }

    /// The change of a pair's energy from one squared distance to another; one division serves both.
    #[inline(always)]
    pub fn pair_change(&self, to: T, from: T) -> T {
        let quotient = self.square_diameter / (to * from);
        self.well(quotient * from, to) - self.well(quotient * to, from)
    }

    /// 1 − ((r − r₀)/R)², which is positive as long as the bond holds.
    #[inline(always)]
    fn slack(&self, r2: T) -> T {
        let stretch = (r2.sqrt() - self.length) * self.inverse_limit;
        T::from_f64(1.0) - stretch * stretch
    }

    /// The energy of a bond; infinite if it is broken.
    #[inline(always)]
    pub fn bond(&self, r2: T) -> T {
        let slack = self.slack(r2);
        let energy = self.bond_scale * natural_logarithm(slack);
        T::select(T::zero().less_than(slack), energy, T::from_f64(f64::INFINITY))
    }

    /// The change of a bond's energy from a squared distance at which it holds to another one; infinite if the bond
    /// breaks there.
    #[inline(always)]
    pub fn bond_change(&self, to: T, from: T) -> T {
        let slack = self.slack(to);
        let change = self.bond_scale * natural_logarithm(slack / self.slack(from));
        T::select(T::zero().less_than(slack), change, T::from_f64(f64::INFINITY))
    }
}

/// The total of a power of two of partial sums: adds the upper half to the lower one until one sum is left.
#[inline(always)]
pub(crate) fn together<T: Lane>(partials: &mut [T]) -> T {
    let mut half = partials.len() / 2;
    while half > 0 {
        for place in 0..half {
            let upper = partials[place + half];
            partials[place] += upper;
        }
        half /= 2;
    }
    partials[0]
}
