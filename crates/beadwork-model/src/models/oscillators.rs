//! Independent particles, each in its own harmonic well or free: the test application of \[C\].

use crate::dynamics::{Dynamics, Integrator, Precision};

/// The number of dimensions in which a particle moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimensions {
    /// Along a line: the three axes of a bead are three particles.
    One,
    /// In space: a bead is a particle.
    Three,
}

/// Particles in wells V(x) = (k/2) x² around the origin, without any other force.
///
/// In one dimension, particle p is axis p mod 3 of bead p div 3; unused axes of the last bead move too, but do not
/// count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillators {
    /// How many.
    pub particles: usize,
    /// Where they move.
    pub dimensions: Dimensions,
    /// k, kcal/(mol Å²); zero for free particles.
    pub stiffness: f64,
    /// R₀, Å: each coordinate's start.
    pub start: f64,
}

/// The law of a coordinate in a discrete scheme: x′ = c x + B, with ⟨B⟩ = 0.
///
/// Let a = k h/ξ and ⟨b²⟩ = 2 kT h/ξ. The first-order scheme has c = 1 − a and B = b; the second-order scheme has c = 1
/// − a + a²/2 and B = (1 − a/2) b. These laws hold for any time step; a → 0 gives the law of continuous time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// c.
    pub factor: f64,
    /// ⟨B²⟩, Å².
    pub kick: f64,
    /// R₀, Å.
    pub start: f64,
}

impl Oscillators {
    /// The number of coordinates that count: one or three for each particle. They precede all unused ones.
    pub fn coordinates(&self) -> usize {
        match self.dimensions {
            Dimensions::One => self.particles,
            Dimensions::Three => 3 * self.particles,
        }
    }

    /// Whether the particles move in three dimensions.
    pub fn are_in_space(&self) -> bool {
        self.dimensions == Dimensions::Three
    }

    /// The law of a coordinate.
    pub fn law(&self, dynamics: &Dynamics) -> Law {
        let a = self.stiffness * dynamics.timestep / dynamics.friction;
        let kick = 2.0 * dynamics.temperature * dynamics.timestep / dynamics.friction;
        let (factor, strength) = match dynamics.integrator {
            Integrator::Brownian => (1.0 - a, 1.0),
            Integrator::BrownianSecondOrder => (1.0 - a + a * a / 2.0, 1.0 - a / 2.0),
            Integrator::Langevin | Integrator::LangevinMiddle | Integrator::VelocityVerlet => {
                unreachable!("inputs give these particles no velocities")
            }
        };
        Law { factor, kick: kick * strength * strength, start: self.start }
    }

    /// Bound on the distance from R₀ cⁿ, Å, that rounding alone may cause in a coordinate without noise after n steps.
    ///
    /// A step x + (h/ξ)(−k x) rounds a x four times and the sum once, which makes its factor c + δ with |δ| ≤ ε (|c| +
    /// 4a)/2, ε from 1 to the next number; the second order rounds a² x as often. The bound is twice as large, and adds
    /// one rounding of the start.
    pub fn rounding(&self, dynamics: &Dynamics, steps: f64) -> f64 {
        let epsilon = match dynamics.precision {
            Precision::Single => f64::from(f32::EPSILON),
            Precision::Double => f64::EPSILON,
        };
        let a = self.stiffness * dynamics.timestep / dynamics.friction;
        let size = self.law(dynamics).factor.abs();
        let delta = epsilon * (1.0 + 4.0 * a + 4.0 * a * a);
        // (|c| + δ)ⁿ − |c|ⁿ, without cancellation.
        let grown = if size > delta {
            size.powf(steps) * (steps * (delta / size).ln_1p()).exp_m1()
        } else {
            (size + delta).powf(steps)
        };
        self.start.abs() * (grown + epsilon * size.powf(steps))
    }

    /// Mean of each axis, Å, and mean square of all coordinates, Å²; in one dimension the three means are equal.
    pub fn moments(&self, positions: &[[f64; 3]]) -> ([f64; 3], f64) {
        let coordinates = self.coordinates();
        let (mut sums, mut squares) = ([0.0; 3], 0.0);
        for (number, x) in positions.iter().flatten().take(coordinates).enumerate() {
            sums[number % 3] += x;
            squares += x * x;
        }
        let means = match self.dimensions {
            Dimensions::One => [sums.iter().sum::<f64>() / self.particles as f64; 3],
            Dimensions::Three => sums.map(|sum| sum / self.particles as f64),
        };
        (means, squares / coordinates as f64)
    }
}

impl Law {
    /// ⟨x⟩ after n `steps`, Å: R₀ cⁿ.
    pub fn mean(&self, steps: f64) -> f64 {
        self.start * self.power(steps)
    }

    /// The variance of x after n `steps`, Å²: ⟨B²⟩ (1 − c²ⁿ)/(1 − c²), or n ⟨B²⟩ if |c| = 1.
    pub fn variance(&self, steps: f64) -> f64 {
        let left = 1.0 - self.factor * self.factor;
        // If |c| > 1, numerator and denominator are both negative.
        if left == 0.0 {
            self.kick * steps
        } else {
            self.kick * ((1.0 - self.power(2.0 * steps)) / left)
        }
    }

    /// The variance in equilibrium, Å²: kT/k (1 − a/2)⁻¹ in the first-order scheme. None for free particles, and for
    /// time steps too large for an equilibrium.
    pub fn stationary(&self) -> Option<f64> {
        let left = 1.0 - self.factor * self.factor;
        (left > 0.0).then(|| self.kick / left)
    }

    /// Steps in which the mean falls to 1/e; none for free particles, and if the mean does not decay.
    pub fn relaxation(&self) -> Option<f64> {
        let size = self.factor.abs();
        // With c = 0 the mean vanishes in one step.
        (size < 1.0).then(|| -1.0 / size.max(f64::MIN_POSITIVE).ln())
    }

    /// cⁿ for integer n.
    pub fn power(&self, steps: f64) -> f64 {
        let size = self.factor.abs().powf(steps);
        if self.factor < 0.0 && steps % 2.0 != 0.0 { -size } else { size }
    }
}
