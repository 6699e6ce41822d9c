//! The finitely extensible bond with a repulsion of its own.

use beadwork_arithmetic::{Elementary, natural_logarithm};

use crate::potentials::pair::{PairFormula, PairPotential, SQUARE_MINIMUM_PER_DIAMETER};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = −(k/2) R² ln(1 − (r/R)²) + V_rep(r), where V_rep is 4ε[(σ/r)¹² − (σ/r)⁶] + ε within 2^(1/6) σ and zero beyond
/// (Kremer and Grest, J. Chem. Phys. 92, 5057, 1990). It is the bond `fene` of LAMMPS and `FENEWCA` of HOOMD-blue, for beads
/// on which no pair term acts.
///
/// It diverges at r = R. Beyond it the bond is broken: a path must check [`PairPotential::holds`] and stop, since the
/// force formula then has the wrong sign.
///
/// ```
/// use beadwork_model::potentials::{PairPotential, RepulsiveFeneBond};
/// let bond = RepulsiveFeneBond { stiffness: 30.0, limit: 1.5, depth: 1.0, diameter: 1.0 };
/// // At one diameter the repulsion is ε: 33.75 ln(9/5) + 1.
/// assert!((bond.energy(1.0) - (33.75 * 1.8f64.ln() + 1.0)).abs() < 1e-12);
/// // Beyond 2^(1/6) diameters the spring acts alone: −30/(1 − (1.2/1.5)²).
/// assert!((bond.force_over_distance(1.44) + 30.0 / 0.36).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepulsiveFeneBond<T = f64> {
    /// k, kcal/(mol Å²).
    pub stiffness: T,
    /// R, Å: the distance at which the bond breaks.
    pub limit: T,
    /// ε of the repulsion, kcal/mol.
    pub depth: T,
    /// σ of the repulsion, Å.
    pub diameter: T,
}

parameters!(RepulsiveFeneBond { stiffness, limit, depth, diameter });

impl PairFormula for RepulsiveFeneBond {
    const NAME: &'static str = "repulsive_fene_bond";
    const EXAMPLE: Self =
        RepulsiveFeneBond { stiffness: 0.2, limit: 12.0, depth: 0.3, diameter: 3.5 };
    const BREAKS: bool = true;
    const PREPARED: usize = 5;
    type In<T: Elementary> = RepulsiveFeneBond<T>;

    /// k, R², 24 ε, σ² and the square of the distance where the repulsion ends.
    fn prepared<T: Elementary>(bond: RepulsiveFeneBond<T>) -> [T; MOST_PARAMETERS] {
        let square_limit = bond.limit * bond.limit;
        let square_diameter = bond.diameter * bond.diameter;
        let scale = T::from_f64(24.0) * bond.depth;
        padded([bond.stiffness, square_limit, scale, square_diameter, bond.square_end()])
    }

    /// V″ where the energy is lowest, which the repulsion makes much stiffer than k.
    fn stiffness(&self) -> f64 {
        let r = self.lowest();
        if r == 0.0 {
            return self.stiffness;
        }
        let force = |r: f64| r * self.force_over_distance(r * r);
        let step = 1e-4 * r;
        (force(r - step) - force(r + step)) / (2.0 * step)
    }

    fn limit(&self) -> f64 {
        self.limit
    }

    fn room(&self) -> f64 {
        self.limit - self.lowest()
    }
}

impl RepulsiveFeneBond {
    /// The distance with the lowest energy: the force falls from a repulsion to an attraction and is zero once.
    fn lowest(&self) -> f64 {
        let (mut low, mut high) = (0.0, self.limit);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.force_over_distance(middle * middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl<T: Elementary> RepulsiveFeneBond<T> {
    /// The square of the distance where the repulsion ends.
    #[inline(always)]
    fn square_end(&self) -> T {
        T::from_f64(SQUARE_MINIMUM_PER_DIAMETER) * (self.diameter * self.diameter)
    }
}

impl<T: Elementary> PairPotential<T> for RepulsiveFeneBond<T> {
    fn energy(&self, r2: T) -> T {
        let square_limit = self.limit * self.limit;
        let remaining = T::from_f64(1.0) - r2 / square_limit;
        let spring =
            T::from_f64(-0.5) * self.stiffness * square_limit * natural_logarithm(remaining);
        let square = self.diameter * self.diameter / r2;
        let sixth = square * square * square;
        let four = T::from_f64(4.0) * self.depth;
        let repulsion = four * sixth * (sixth - T::from_f64(1.0)) + self.depth;
        spring + T::select(r2.less_than(self.square_end()), repulsion, T::zero())
    }

    /// −k / (1 − (r/R)²), and within the repulsion 24 ε [2(σ/r)¹² − (σ/r)⁶] / r².
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let remaining = T::from_f64(1.0) - r2 / (self.limit * self.limit);
        let spring = self.stiffness / remaining;
        let inverse = T::from_f64(1.0) / r2;
        let square = self.diameter * self.diameter * inverse;
        let sixth = square * square * square;
        let twice = sixth + sixth - T::from_f64(1.0);
        let scale = T::from_f64(24.0) * self.depth;
        let repulsion = scale * inverse * sixth * twice;
        T::select(r2.less_than(self.square_end()), repulsion, T::zero()) - spring
    }

    /// True if r < R.
    #[inline(always)]
    fn holds(&self, r2: T) -> T::Mask {
        r2.less_than(self.limit * self.limit)
    }
}
