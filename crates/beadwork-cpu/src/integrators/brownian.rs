//! Overdamped Langevin dynamics to first order in the step.

use beadwork_random::Normal;

use crate::state::Trouble;
use crate::stepper::Stepper;

/// r(t + h) = r(t) + f h/ξ + g √(2 kT h/ξ), g three standard normal numbers a bead
/// (P4, Algorithm 7; P4's equation 2 multiplies the force by ξ by mistake).
pub(crate) fn step<T: Normal>(stepper: &mut Stepper<T>) -> Result<(), Trouble> {
    stepper.evaluate_forces()?;
    std::mem::swap(&mut stepper.positions, &mut stepper.previous);
    let Stepper { positions, previous, forces, free, thermal, .. } = stepper;
    let mut squares = 0.0;
    for &bead in free.iter() {
        let bead = bead as usize;
        let kick = thermal.kick(bead);
        let mut square = T::zero();
        for axis in 0..3 {
            let shift = forces[bead][axis] * thermal.mobility + kick[axis];
            positions[bead][axis] = previous[bead][axis] + shift;
            square += shift * shift;
        }
        squares += square.to_f64();
    }
    stepper.count_displacements(squares);
    Ok(())
}
