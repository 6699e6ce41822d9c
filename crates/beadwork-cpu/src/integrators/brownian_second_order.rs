//! Overdamped Langevin dynamics to second order in the step.

use beadwork_random::Normal;

use crate::state::Trouble;
use crate::stepper::Stepper;

/// The stochastic Heun scheme, weakly of second order where the noise has constant strength:
/// r̃ = r + f(r, t) h/ξ + B, then r(t + h) = r + (f(r, t) + f(r̃, t + h)) h/(2ξ) + B with the same
/// noise B.
///
/// For a harmonic force under a ramp its mean is P4's equation 5 with the term r_f h²/(2ξ) that
/// the paper leaves out.
pub(crate) fn step<T: Normal>(stepper: &mut Stepper<T>) -> Result<(), Trouble> {
    stepper.evaluate_forces()?;
    let Stepper { positions, free, forces, thermal, predicted, kicks, .. } = stepper;
    predicted.copy_from_slice(positions);
    for &bead in free.iter() {
        let bead = bead as usize;
        kicks[bead] = thermal.kick(bead);
        for axis in 0..3 {
            predicted[bead][axis] += forces[bead][axis] * thermal.mobility + kicks[bead][axis];
        }
    }
    // The step begins in a sound state; should it lead nowhere, that state is to be kept.
    stepper.moved = false;
    stepper.evaluate_predicted_forces()?;
    std::mem::swap(&mut stepper.positions, &mut stepper.previous);
    let Stepper { positions, previous, free, forces, predicted_forces, thermal, kicks, .. } =
        stepper;
    let half = T::from_f64(0.5) * thermal.mobility;
    let mut squares = 0.0;
    for &bead in free.iter() {
        let bead = bead as usize;
        let mut square = T::zero();
        for axis in 0..3 {
            let force = forces[bead][axis] + predicted_forces[bead][axis];
            let shift = force * half + kicks[bead][axis];
            positions[bead][axis] = previous[bead][axis] + shift;
            square += shift * shift;
        }
        squares += square.to_f64();
    }
    stepper.count_displacements(squares);
    Ok(())
}
