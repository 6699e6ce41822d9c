//! The repulsion as the engine writes it, and in fewer operations.

use std::fmt::Debug;

use beadwork_arithmetic::{Lane, Vector};
use beadwork_model::potentials::{PairPotential, SixthPowerRepulsion};

use crate::systems::REPULSION;

/// A way to write the repulsion.
pub trait Formula: Copy + Debug + 'static {
    /// In lanes.
    type Of<V: Vector>: PairPotential<V>;

    /// With its constants in every lane.
    fn spread<V: Vector>() -> Self::Of<V>;
}

/// That of [`SixthPowerRepulsion`]: a division and five multiplications.
#[derive(Clone, Copy, Debug)]
pub struct Engine;

impl Formula for Engine {
    type Of<V: Vector> = SixthPowerRepulsion<V>;

    #[inline(always)]
    fn spread<V: Vector>() -> SixthPowerRepulsion<V> {
        SixthPowerRepulsion {
            strength: V::from_f64(REPULSION.strength),
            diameter: V::from_f64(REPULSION.diameter),
        }
    }
}

/// [`EighthPower`].
#[derive(Clone, Copy, Debug)]
pub struct Short;

impl Formula for Short {
    type Of<V: Vector> = EighthPower<V>;

    #[inline(always)]
    fn spread<V: Vector>() -> EighthPower<V> {
        EighthPower(V::from_f64(6.0 * REPULSION.strength * REPULSION.diameter.powi(6)))
    }
}

/// The same potential from c = 6 ε σ⁶, kcal Å⁶/mol: its force over the distance is c/r⁸, a division
/// and three multiplications.
#[derive(Clone, Copy, Debug)]
pub struct EighthPower<V>(V);

impl<V: Lane> PairPotential<V> for EighthPower<V> {
    #[inline(always)]
    fn energy(&self, r2: V) -> V {
        self.0 / (V::from_f64(6.0) * r2 * r2 * r2)
    }

    #[inline(always)]
    fn force_over_distance(&self, r2: V) -> V {
        let inverse = V::from_f64(1.0) / r2;
        let square = inverse * inverse;
        self.0 * (square * square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_writing_are_the_same_force() {
        let (engine, short) = (Engine::spread::<f64>(), Short::spread::<f64>());
        for r2 in [9.0, 25.0, 399.0] {
            let relative = short.force_over_distance(r2) / engine.force_over_distance(r2) - 1.0;
            assert!(relative.abs() < 16.0 * f64::EPSILON, "{relative:e}");
            let relative = short.energy(r2) / engine.energy(r2) - 1.0;
            assert!(relative.abs() < 16.0 * f64::EPSILON, "{relative:e}");
        }
    }
}
