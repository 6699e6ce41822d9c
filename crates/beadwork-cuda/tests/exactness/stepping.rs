//! Helpers that step members on a GPU.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Job, steps_on_host};
use beadwork_model::{Protocol, StageKind, System};
use beadwork_simulation::SamplePoint;
use beadwork_simulation::{Failure, MemberState};

use crate::everything::{enter, start_of};

/// The first GPU; `None`, with a notice, if there is none.
pub fn device() -> Option<Device> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(error) => {
            println!("skipped: no CUDA device ({})", error.code());
            None
        }
    }
}

pub fn new_member(system: &Arc<System>, protocol: &Arc<Protocol>, number: u64) -> Member {
    Member::new(system.clone(), protocol.clone(), number, &start_of(system, number))
}

/// Makes up to as many steps of all members' present stages as `chunks` says; false if all members are done.
pub fn step_once(
    ensemble: &mut Ensemble,
    members: &mut [Member],
    chunks: &mut impl Iterator<Item = u64>,
) -> Result<bool, Failure> {
    let mut points = vec![Vec::new(); members.len()];
    for (member, points) in members.iter_mut().zip(&mut points) {
        let protocol = protocol_of(member);
        if !enter(member, &protocol) {
            continue;
        }
        let on_host = steps_on_host(member);
        if on_host > 0 {
            member.advance(on_host).unwrap();
            continue;
        }
        if let StageKind::Minimise { .. } = member.stage().kind {
            member.prepare();
            let steps = member.steps_alike().min(chunks.next().unwrap().max(1));
            points.push(SamplePoint { steps: steps as u32, row: false });
            continue;
        }
        // Several points in a launch, at irregular intervals.
        let mut left = member.remaining().min(chunks.next().unwrap().max(1));
        while left > 0 {
            let steps = (left / 2 + 1).min(left);
            points.push(SamplePoint { steps: steps as u32, row: false });
            left -= steps;
        }
    }
    let jobs: Vec<Job<'_>> = members
        .iter()
        .zip(&points)
        .filter(|(_, points)| !points.is_empty())
        .map(|(member, points)| Job { member, points })
        .collect();
    let results = ensemble.advance(&jobs).unwrap();
    let mut results = results.iter();
    for (member, points) in members.iter_mut().zip(&points).filter(|(_, points)| !points.is_empty())
    {
        let result = results.next().unwrap();
        for (number, point) in points.iter().enumerate().take(result.samples()) {
            let made = result.bring(number, member).unwrap();
            // Only a minimisation ends earlier.
            assert!(made == u64::from(point.steps) || member.remaining() == 0, "{made}");
        }
        if let Some(failure) = result.fail(member).unwrap() {
            return Err(failure);
        }
        assert_eq!(result.samples(), points.len());
    }
    Ok(members.iter_mut().any(|member| {
        let protocol = protocol_of(member);
        enter(member, &protocol)
    }))
}

pub fn protocol_of(member: &Member) -> Arc<Protocol> {
    match member {
        Member::Single(stepper) => stepper.view().protocol.clone(),
        Member::Double(stepper) => stepper.view().protocol.clone(),
        Member::MonteCarlo(_) => unreachable!(),
    }
}

/// All stages of some members on a GPU.
pub fn stepped(
    ensemble: &mut Ensemble,
    mut members: Vec<Member>,
    mut chunks: impl Iterator<Item = u64>,
) -> Vec<MemberState> {
    while step_once(ensemble, &mut members, &mut chunks).unwrap() {}
    members.iter().map(Member::state).collect()
}

/// All stages by the reference path.
pub fn by_reference(system: &Arc<System>, protocol: &Arc<Protocol>, number: u64) -> MemberState {
    let mut member = new_member(system, protocol, number).with_path(CpuPath::Reference);
    while enter(&mut member, protocol) {
        member.advance(u64::MAX).unwrap();
    }
    member.state()
}

/// Asserts that two states are the same to the bit; otherwise reports where they differ.
#[track_caller]
pub fn assert_same(found: &MemberState, expected: &MemberState, what: &str) {
    if found == expected {
        return;
    }
    let differ = |place: usize| found.positions[place] != expected.positions[place];
    let beads: Vec<usize> = (0..found.positions.len()).filter(|&bead| differ(bead)).collect();
    let example =
        beads.first().map(|&bead| (bead, found.positions[bead], expected.positions[bead]));
    panic!(
        "{what}: step {} and {}, {} beads differ, such as {example:?}; sums {:?} and {:?}; drives {}, noise {}",
        found.step,
        expected.step,
        beads.len(),
        found.sums,
        expected.sums,
        if found.externals == expected.externals { "agree" } else { "differ" },
        if found.noise == expected.noise { "agrees" } else { "differs" },
    );
}

/// A state without the sum of squares, which a GPU counts in whole units.
pub fn without_squares(mut state: MemberState) -> MemberState {
    state.sums.squared_displacements = 0.0;
    state
}
