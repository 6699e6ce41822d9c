//! External forces and restraints on a system: one file for each kind.
//!
//! A drive acts on the centre of the beads that it pulls and shares its force equally among them. Drives are evaluated
//! in f64 in either precision: a base that moves 5e-7 Å a step would not move at all in f32.

mod force;
mod force_ramp;
mod restrain;
mod spring;

use serde::{Deserialize, Serialize};

pub use force::Force;
pub use force_ramp::ForceRamp;
pub use restrain::Restrain;
pub use spring::Spring;

/// A drive of a stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// A cantilever whose base moves.
    Spring(Spring),
    /// A constant force.
    Force(Force),
    /// A force that grows in proportion to time.
    ForceRamp(ForceRamp),
    /// Harmonic wells that hold beads near their positions at the beginning of the stage.
    Restrain(Restrain),
}

/// The beads that a pulling drive holds and pulls, and along which line.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends {
    /// Beads that do not move.
    pub fixed: Vec<usize>,
    /// Beads that are pulled.
    pub pulled: Vec<usize>,
    /// Unit vector of pulling. If it is missing, it points from the centre of `fixed` to that of `pulled` when the
    /// stage begins.
    pub direction: Option<[f64; 3]>,
}

/// The state of a drive within a stage; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriveState {
    /// Å: centre of the pulled beads when the stage began.
    pub origin: [f64; 3],
    /// Unit vector of pulling.
    pub direction: [f64; 3],
    /// Å: position of each restrained bead when the stage began.
    pub anchors: Vec<[f64; 3]>,
    /// kcal/(mol Å): the force that acts until the next renewal, for drives that hold their force over several steps.
    pub held: [f64; 3],
    /// kcal/mol: work done on the beads since the stage began.
    pub work: f64,
    /// Force and centre at the last step that the work includes.
    pub last: Option<LastPoint>,
}

/// The last step that the mechanical work of a drive includes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastPoint {
    /// Step within the stage.
    pub step: u64,
    /// kcal/(mol Å).
    pub force: [f64; 3],
    /// Å.
    pub centre: [f64; 3],
}

impl Drive {
    /// The name in an input.
    pub fn kind(&self) -> &'static str {
        match self {
            Drive::Spring(_) => "spring",
            Drive::Force(_) => "force",
            Drive::ForceRamp(_) => "force-ramp",
            Drive::Restrain(_) => "restrain",
        }
    }

    /// The ends of a pulling drive.
    pub fn ends(&self) -> Option<&Ends> {
        match self {
            Drive::Spring(drive) => Some(&drive.ends),
            Drive::Force(drive) => Some(&drive.ends),
            Drive::ForceRamp(drive) => Some(&drive.ends),
            Drive::Restrain(_) => None,
        }
    }

    /// The state of the drive when a stage begins with beads at `positions`, Å.
    ///
    /// If the centres of the two ends coincide and no direction is given, the direction is x.
    pub fn begin(&self, positions: &[[f64; 3]]) -> DriveState {
        let mut state = DriveState::default();
        match self {
            Drive::Restrain(restrain) => {
                state.anchors = restrain.beads.iter().map(|&bead| positions[bead]).collect();
            }
            Drive::Spring(_) | Drive::Force(_) | Drive::ForceRamp(_) => {
                if let Some(ends) = self.ends() {
                    state.origin = centre(&ends.pulled, |bead| positions[bead]);
                    state.direction = ends.direction.unwrap_or_else(|| {
                        let from = centre(&ends.fixed, |bead| positions[bead]);
                        let line = [0, 1, 2].map(|axis| state.origin[axis] - from[axis]);
                        unit(line).unwrap_or([1.0, 0.0, 0.0])
                    });
                }
            }
        }
        state
    }

    /// Force, kcal/(mol Å), on the centre `at` (Å) of the pulled beads at a step of the stage; adds the work up to this
    /// step. None for restraints, which act on single beads.
    ///
    /// A second call at the same step changes nothing.
    pub fn pull(
        &self,
        state: &mut DriveState,
        step: u64,
        timestep: f64,
        at: [f64; 3],
    ) -> Option<[f64; 3]> {
        if let Some(last) = state.last.filter(|last| last.step == step) {
            return Some(last.force);
        }
        let force = match self {
            Drive::Spring(spring) => spring.force(state, step, timestep, at),
            Drive::Force(constant) => constant.force(state),
            Drive::ForceRamp(ramp) => ramp.force(state, step as f64 * timestep),
            Drive::Restrain(_) => return None,
        };
        if let Some(last) = state.last {
            // The trapezoid rule is exact for a force linear in the displacement. A one-sided sum would give work −
            // energy a bias under noise. A held force is constant over the step and is renewed after it.
            let held = matches!(self, Drive::Spring(spring) if spring.update_every > 1);
            for axis in 0..3 {
                let end = if held { last.force[axis] } else { force[axis] };
                state.work += 0.5 * (last.force[axis] + end) * (at[axis] - last.centre[axis]);
            }
        }
        state.last = Some(LastPoint { step, force, centre: at });
        Some(force)
    }
}

/// The centre of `beads`, Å; `position` returns the position of a bead.
#[inline(always)]
pub fn centre(beads: &[usize], position: impl Fn(usize) -> [f64; 3]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for &bead in beads {
        let at = position(bead);
        for axis in 0..3 {
            sum[axis] += at[axis];
        }
    }
    sum.map(|component| component / beads.len() as f64)
}

/// `vector` with length one; `None` if it has no length.
pub fn unit(vector: [f64; 3]) -> Option<[f64; 3]> {
    let length = dot(vector, vector).sqrt();
    (length > 0.0 && length.is_finite()).then(|| vector.map(|component| component / length))
}

/// Scalar product.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
