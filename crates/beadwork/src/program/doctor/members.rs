//! Compares members that a program steps on a card with the reference path.

pub mod agreement;
pub mod generated;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use beadwork::cpu::{CpuPath, Member};
use beadwork::cuda::{Case, Device, Ensemble, Error, Plan, Rounding, fits_a_block};
use beadwork::model::{Protocol, System};
use beadwork::simulation::MemberState;

use self::agreement::{compare, compare_bits, growth};
use super::trial::{Ends, Sound, TrialError};
use crate::program::reference::advance_on_gpu;

/// Larger systems are compared with a faster path, which gives the same bits as the reference path.
const MOST_BEADS_OF_REFERENCE: usize = 4_000;

/// A case and the system that is stepped for it.
struct Trial {
    case: Case,
    system: Arc<System>,
}

/// Has a card step a few members by the program of a case, and compares them with the reference path.
pub fn attempt(card: &Device, case: Case) -> Result<Sound, TrialError> {
    let system = Arc::new(generated::system(&case).map_err(TrialError::Wrong)?);
    let trial = &Trial { case, system };
    let steps = steps_of(case.beads);
    let protocol = generated::protocol(&case, steps.iter().map(|&s| u64::from(s)).sum());
    let start = generated::moved(&trial.system.particles.positions, 0.15);
    let mut members = members_at(trial, &protocol, &start);
    let fits = members.iter().all(|member| fits_a_block(card, member));
    if case.plan == Plan::Block && !fits {
        return Err(TrialError::DoesNotFit);
    }
    step(card, &case, &steps, &mut members)?;
    let states: Vec<MemberState> = members.iter().map(Member::state).collect();
    let of_bound = judge(trial, &protocol, &start, &states).map_err(TrialError::Wrong)?;
    Ok(Sound { ends: Ends::Members(states), of_bound })
}

/// Steps up to each sample, in launches of 64, 8 and single steps; fewer for systems that the processor steps slowly.
fn steps_of(beads: usize) -> [u32; 2] {
    match beads {
        0..=1_000 => [73, 7],
        1_001..=MOST_BEADS_OF_REFERENCE => [17, 3],
        _ => [9, 1],
    }
}

fn members_at(trial: &Trial, protocol: &Arc<Protocol>, start: &[[f64; 3]]) -> Vec<Member> {
    let count = if trial.case.beads <= 1_000 { 3 } else { 1 };
    let member = |replica| Member::new(trial.system.clone(), protocol.clone(), replica, start);
    (0..count).map(member).collect()
}

/// Steps members on the card to their last sample.
fn step(card: &Device, case: &Case, steps: &[u32; 2], members: &mut [Member]) -> Result<(), Error> {
    let ensemble = Ensemble::new(card)?.with_plan(case.plan).with_members_on_device(case.members);
    let mut ensemble = ensemble.with_rounding(case.rounding);
    advance_on_gpu(&mut ensemble, members, steps)
}

/// Compares each member with the processor's. Returns the largest difference as a fraction of what rounding allows.
fn judge(
    trial: &Trial,
    protocol: &Arc<Protocol>,
    start: &[[f64; 3]],
    states: &[MemberState],
) -> Result<f64, String> {
    let fused = trial.case.rounding == Rounding::Fused;
    let nearby = generated::moved(start, 1e-3);
    let mut worst = 0.0_f64;
    let from_start = members_at(trial, protocol, start);
    let from_nearby = members_at(trial, protocol, &nearby);
    for ((found, member), twin) in states.iter().zip(from_start).zip(from_nearby) {
        let expected = on_processor(member)?;
        if fused {
            let growth = growth([start, &nearby], [&expected, &on_processor(twin)?]);
            worst = worst.max(compare(protocol, found, &expected, growth)?);
        } else {
            compare_bits(found, &expected)?;
        }
    }
    Ok(worst)
}

fn on_processor(member: Member) -> Result<MemberState, String> {
    let small = member.positions().len() <= MOST_BEADS_OF_REFERENCE;
    let mut member = if small { member.with_path(CpuPath::Reference) } else { member };
    let steps = member.remaining();
    member.advance(steps).map_err(|failure| format!("on the CPU: {:?}", failure.error))?;
    Ok(member.state())
}
