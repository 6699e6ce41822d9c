//! Velocities of a minimisation, and how FIRE controls them.
//!
//! Bitzek, Koskinen, Gähler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201 (2006): dynamics of unit mass. It turns the
//! velocity towards the force while the energy falls, and stops the beads when it rises.
//!
//! All products and sums of a step are in double precision. Sums over the beads are sums of whole numbers, so their order does
//! not matter: each block of a GPU adds up its own beads, and the sum has the CPU's bits.

use beadwork_arithmetic::Real;
use beadwork_model::externals::dot;
use beadwork_simulation::{MinimiserState, StepError};

use crate::arrays::coordinates::Coordinates;
use crate::arrays::whole_sum::WholeSum;

/// Å √(mol/kcal): the first step and the longest; the stiffest modes of SOP systems, of some
/// 100 kcal/(mol Å²), are stable below 0.2.
const FIRST_STEP: f64 = 0.02;
const LONGEST_STEP: f64 = 0.15;
/// The published values of N_min, f_inc, f_dec, α_start and f_α.
const DELAY: u32 = 5;
const GROWTH: f64 = 1.1;
const SHRINKAGE: f64 = 0.5;
const FIRST_MIXING: f64 = 0.1;
const MIXING_DECAY: f64 = 0.99;

/// Velocities of a minimisation, and the control of its steps.
#[derive(Clone, Debug)]
pub(super) struct Descent<T> {
    /// In units of its own: unit mass, time in Å √(mol/kcal).
    pub velocities: Coordinates<T>,
    pub control: StepControl,
}

/// The control of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepControl {
    /// Step.
    pub timestep: f64,
    /// Share of the velocity that is turned towards the force (FIRE's α).
    pub mixing: f64,
    /// Steps downhill since the last uphill one.
    pub downhill: u32,
}

impl<T: Real> Descent<T> {
    /// Beads at rest.
    pub fn new(beads: usize) -> Descent<T> {
        let control = StepControl { timestep: FIRST_STEP, mixing: FIRST_MIXING, downhill: 0 };
        Descent { velocities: Coordinates::zero(beads), control }
    }

    pub fn state(&self) -> MinimiserState {
        let StepControl { timestep, mixing, downhill } = self.control;
        let velocity = |velocity: [T; 3]| velocity.map(Real::to_f64);
        let velocities = self.velocities.iter().map(velocity).collect();
        MinimiserState { velocities, timestep, mixing, downhill }
    }

    pub fn restore(state: &MinimiserState) -> Descent<T> {
        let MinimiserState { ref velocities, timestep, mixing, downhill } = *state;
        let velocities: Vec<_> = velocities.iter().map(|v| v.map(T::from_f64)).collect();
        let control = StepControl { timestep, mixing, downhill };
        Descent { velocities: Coordinates::from_triples(&velocities), control }
    }
}

impl StepControl {
    /// Decides on a step. All velocities become the first factor times the velocity plus the second times the force.
    pub(super) fn next(&mut self, sums: &DescentSums) -> [f64; 2] {
        if sums.power <= 0.0 {
            self.downhill = 0;
            self.timestep *= SHRINKAGE;
            self.mixing = FIRST_MIXING;
            return [0.0; 2];
        }
        self.downhill += 1;
        if self.downhill > DELAY {
            self.timestep = (self.timestep * GROWTH).min(LONGEST_STEP);
            self.mixing *= MIXING_DECAY;
        }
        let turn = self.mixing * (sums.square_velocity / sums.square_force).sqrt();
        [1.0 - self.mixing, turn]
    }
}

/// DescentSums over the free beads.
#[derive(Debug)]
pub(super) struct DescentSums {
    /// The largest square of a force.
    pub largest_force: f64,
    power: f64,
    square_force: f64,
    square_velocity: f64,
}

impl DescentSums {
    /// The sums over these beads.
    pub fn of<T: Real>(
        beads: &[u32],
        forces: &Coordinates<T>,
        velocities: &Coordinates<T>,
    ) -> Result<DescentSums, StepError> {
        let at = |coordinates: &Coordinates<T>, bead: u32| {
            coordinates.get(bead as usize).map(Real::to_f64)
        };
        let (mut largest_force, mut largest_velocity) = (0.0_f64, 0.0_f64);
        for &bead in beads {
            let (force, velocity) = (at(forces, bead), at(velocities, bead));
            let square = dot(force, force);
            if !square.is_finite() {
                return Err(StepError::NotFinite { bead: bead as usize });
            }
            largest_force = largest_force.max(square);
            largest_velocity = largest_velocity.max(dot(velocity, velocity));
        }
        let count = forces.len();
        let of_force = WholeSum::new(largest_force, count);
        let of_velocity = WholeSum::new(largest_velocity, count);
        let mut sums = [WholeSum::of_products(of_force, of_velocity), of_force, of_velocity];
        for &bead in beads {
            let (force, velocity) = (at(forces, bead), at(velocities, bead));
            let values = [dot(force, velocity), dot(force, force), dot(velocity, velocity)];
            sums.iter_mut().zip(values).for_each(|(sum, value)| sum.add(value));
        }
        let [power, square_force, square_velocity] = sums.map(|sum| sum.value());
        Ok(DescentSums { largest_force, power, square_force, square_velocity })
    }
}
