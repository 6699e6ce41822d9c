//! Members that a card steps by a program of its table, against the reference path.

mod agreement;
mod generated;

use std::sync::Arc;

use beadwork::cpu::{CpuPath, Member};
use beadwork::cuda::{Case, Device, Ensemble, Error, Job, Plan, Rounding, fits_a_block};
use beadwork::model::{Protocol, System};
use beadwork::simulation::MemberState;
use beadwork::simulation::SamplePoint;

use self::agreement::{Agreement, compare, growth};
use super::thorough::{Ends, Sound, TrialError};

/// Beads up to which the definition itself is asked, and not a faster way that has its bits.
const MOST_PLAIN: usize = 4_000;

/// A case and the system that is stepped for it.
struct Trial {
    case: Case,
    system: Arc<System>,
}

/// Has a card step a few members by the program of a case, and holds them to the reference path.
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
    let agreement = judge(trial, &protocol, &start, &states).map_err(TrialError::Wrong)?;
    Ok(Sound { ends: Ends::Members(states), of_bound: agreement.of_bound })
}

/// Steps up to each sample: launches of 64, of 8 and of single steps, and fewer where the processor has much to do.
fn steps_of(beads: usize) -> [u32; 2] {
    match beads {
        0..=1_000 => [73, 7],
        1_001..=MOST_PLAIN => [17, 3],
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
    let points = steps.map(|steps| SamplePoint { steps, row: false });
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, points: &points }).collect();
    let results = ensemble.advance(&jobs)?;
    for (member, result) in members.iter_mut().zip(&results) {
        if result.samples() < points.len() {
            return Err(Error::Corrupt { what: "a failure of a sound trajectory".to_string() });
        }
        for sample in 0..points.len() {
            result.bring(sample, member)?;
        }
    }
    Ok(())
}

/// Compares each member with what the processor makes of it.
fn judge(
    trial: &Trial,
    protocol: &Arc<Protocol>,
    start: &[[f64; 3]],
    states: &[MemberState],
) -> Result<Agreement, String> {
    let fused = trial.case.rounding == Rounding::Fused;
    let nearby = generated::moved(start, 1e-3);
    let mut worst = Agreement::default();
    let from_start = members_at(trial, protocol, start);
    let from_nearby = members_at(trial, protocol, &nearby);
    for ((found, member), twin) in states.iter().zip(from_start).zip(from_nearby) {
        let expected = on_processor(member)?;
        let agreement = if fused {
            let growth = growth([start, &nearby], [&expected, &on_processor(twin)?]);
            compare(protocol, found, &expected, growth)?
        } else {
            Agreement::to_the_bit(found, &expected)?
        };
        worst.of_bound = worst.of_bound.max(agreement.of_bound);
    }
    Ok(worst)
}

fn on_processor(member: Member) -> Result<MemberState, String> {
    let small = member.positions().len() <= MOST_PLAIN;
    let mut member = if small { member.with_path(CpuPath::Reference) } else { member };
    let steps = member.remaining();
    member.advance(steps).map_err(|failure| format!("on the CPU: {:?}", failure.error))?;
    Ok(member.state())
}
