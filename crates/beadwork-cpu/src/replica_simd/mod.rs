//! Members that are stepped together, one in each vector lane; [`MonteCarloBatch`] does the same for sampled chains.
//!
//! Positions are arrays over replicas: each operation on a bead or a pair of beads serves all members at once and
//! gathers nothing. Members share tables and neighbour list, which holds every pair that any of them needs, and differ
//! in everything else: noise, step, temperature, friction, externals, fixed beads. A lane's arithmetic is that of
//! [`crate::reference`] and of the integrators in the same order, so a member's bits do not depend on the others.

pub(crate) mod arrays;
mod buffers;
mod forces;
mod inertial_steps;
mod list;
mod motion_buffers;
mod steps;
mod terms;

use std::sync::Arc;

use beadwork_arithmetic::Instructions;
use beadwork_model::{Precision, StageKind};
use beadwork_random::Normal;

use crate::member::Member;
use crate::monte_carlo::MonteCarloBatch;
use crate::noise::member_noise::Noise;
use crate::replica_simd::buffers::Buffers;
use crate::replica_simd::steps::StepsOfReplicas;
use crate::stepping::Stepper;
use beadwork_simulation::Failure;

/// Workspace for members that are stepped together; its contents change the speed, never a trajectory.
#[derive(Clone, Debug)]
pub struct Group {
    instructions: Instructions,
    single: Buffers<f32>,
    double: Buffers<f64>,
    chains: MonteCarloBatch,
}

impl Group {
    /// A workspace for a set of vector instructions.
    pub fn new(instructions: Instructions) -> Group {
        Group {
            instructions,
            single: Buffers::default(),
            double: Buffers::default(),
            chains: MonteCarloBatch::new(instructions),
        }
    }

    /// The largest number of members that are stepped together.
    pub fn width(&self, precision: Precision) -> usize {
        match precision {
            Precision::Single => self.instructions.width::<f32>(),
            Precision::Double => self.instructions.width::<f64>(),
        }
    }

    /// Whether two members can be stepped together now; never if their noise is drawn word after word.
    pub fn fit(a: &Member, b: &Member) -> bool {
        match (a, b) {
            (Member::Single(a), Member::Single(b)) => fit(a, b),
            (Member::Double(a), Member::Double(b)) => fit(a, b),
            (Member::MonteCarlo(a), Member::MonteCarlo(b)) => a.fits(b),
            _ => false,
        }
    }

    /// Makes up to `steps` steps of each member, fewer only if the stage of one of them ends. Members must fit
    /// together. Returns the outcome of each: all members that did not fail make the same number of steps.
    ///
    /// # Panics
    /// If there are more members than [`Group::width`].
    pub fn advance(
        &mut self,
        members: &mut [&mut Member],
        steps: u64,
    ) -> Vec<Result<u64, Failure>> {
        if let Some(first) = members.first() {
            let width = self.width(first.precision());
            assert!(members.len() <= width, "{} members for {width} lanes", members.len());
        }
        let (mut singles, mut doubles, mut chains) = (Vec::new(), Vec::new(), Vec::new());
        for member in members {
            match &mut **member {
                Member::Single(stepper) => singles.push(&mut **stepper),
                Member::Double(stepper) => doubles.push(&mut **stepper),
                Member::MonteCarlo(chain) => chains.push(&mut **chain),
            }
        }
        if !chains.is_empty() {
            self.chains.advance(&mut chains, steps)
        } else if doubles.is_empty() {
            advance(self.instructions, &mut self.single, singles, steps)
        } else {
            advance(self.instructions, &mut self.double, doubles, steps)
        }
    }
}

fn fit<T: Normal>(a: &Stepper<T>, b: &Stepper<T>) -> bool {
    let dynamics =
        |stepper: &Stepper<T>| matches!(stepper.stage().kind, StageKind::Dynamics { .. });
    let noise = match (a.noise(), b.noise()) {
        (Noise::Keyed(_), Noise::Keyed(_)) => true,
        // The generators of beads that are not free keep their states.
        (Noise::Stateful(_), Noise::Stateful(_)) => a.free().beads == b.free().beads,
        _ => false,
    };
    let moves = |stepper: &Stepper<T>| stepper.amplitude() != T::zero();
    Arc::ptr_eq(a.system(), b.system())
        && dynamics(a)
        && dynamics(b)
        && a.protocol().dynamics.integrator == b.protocol().dynamics.integrator
        && noise
        && moves(a) == moves(b)
}

fn advance<T: Normal>(
    instructions: Instructions,
    buffers: &mut Buffers<T>,
    mut steppers: Vec<&mut Stepper<T>>,
    steps: u64,
) -> Vec<Result<u64, Failure>> {
    let steps = steppers.iter().map(|stepper| stepper.remaining()).fold(steps, u64::min);
    if steppers.iter().any(|stepper| !stepper.protocol().randomness.is_in_lanes()) {
        return steppers.iter_mut().map(|stepper| stepper.advance(steps)).collect();
    }
    let mut outcomes = vec![Ok(steps); steppers.len()];
    // The indices of the members that have not failed.
    let mut sound: Vec<usize> = (0..steppers.len()).collect();
    let mut made = 0;
    while made < steps && !sound.is_empty() {
        let mut lanes = Vec::with_capacity(sound.len());
        for (place, stepper) in steppers.iter_mut().enumerate() {
            if sound.contains(&place) {
                lanes.push(&mut **stepper);
            }
        }
        // A member without sound forces at its positions is stepped alone, to find its error.
        let unsound = lanes.iter_mut().position(|stepper| stepper.know_forces().is_err());
        if let Some(lane) = unsound {
            let place = sound.remove(lane);
            if let Err(failure) = lanes[lane].advance(1) {
                outcomes[place] = Err(failure);
            }
            continue;
        }
        buffers.pack(&lanes, instructions);
        let (members, left) = (lanes.as_mut_slice(), steps - made);
        let (now, lost) =
            instructions.dispatch(StepsOfReplicas { buffers, members, steps: left, instructions });
        buffers.unpack(&mut lanes, now);
        made += now;
        let places = std::mem::take(&mut sound);
        for (lane, place) in places.into_iter().enumerate() {
            if lost & (1 << lane) == 0 {
                sound.push(place);
            } else if let Err(failure) = lanes[lane].advance(1) {
                // The member is stepped alone to find its error.
                outcomes[place] = Err(failure);
            }
        }
    }
    outcomes
}
