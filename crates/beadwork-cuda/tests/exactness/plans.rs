//! The grid plan has the bits of the block plan, and of the reference path if all is rounded as written.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Job, Plan, Rounding};
use beadwork_model::potentials::{FeneBond, NativeContact};
use beadwork_model::{Dynamics, Generator, Integrator, Precision, Protocol, System};
use beadwork_simulation::SamplePoint;
use beadwork_simulation::{Failure, MemberState, StepError};

use crate::everything::{
    append_beads, append_pairs, everything, everything_and_types, protocol_of,
};
use crate::failures::mild_and_hot;
use crate::same_bits::{pulled, systems};
use crate::stepping::{assert_same, by_reference, device, new_member, stepped, without_squares};
use crate::support::{CASES, choices, helix, protocol, sop_dynamics, stage};

/// Both integrators in both precisions, with generators in turn: all combinations would double the programs to compile.
pub fn cases() -> impl Iterator<Item = ((Integrator, Precision), Generator)> {
    CASES.into_iter().zip(Generator::IN_LANES.into_iter().cycle())
}

fn planned(device: &Device, plan: Plan) -> Ensemble {
    Ensemble::new(device).unwrap().with_plan(plan)
}

/// The smallest system with everything but externals, step by step: an error shows here first.
#[test]
fn the_first_steps_of_a_grid_are_those_of_the_reference_path() {
    let Some(device) = device() else { return };
    let systems = [everything(), everything_and_types()].map(Arc::new);
    let mut ensemble = planned(&device, Plan::Grid).with_rounding(Rounding::AsWritten);
    let tried = cases().flat_map(|case| systems.iter().map(move |system| (case, system)));
    for ((case, generator), system) in tried {
        for steps in 1..12 {
            let stages = vec![stage(steps, vec![])];
            let protocol = Arc::new(Protocol {
                randomness: generator.into(),
                ..protocol(sop_dynamics(case), stages)
            });
            let expected = without_squares(by_reference(system, &protocol, 0));
            let member = new_member(system, &protocol, 0);
            let found = stepped(&mut ensemble, vec![member], std::iter::repeat(1000)).remove(0);
            let what = format!("{case:?} {generator:?}, {steps} steps");
            assert_same(&without_squares(found), &expected, &what);
        }
    }
}

#[test]
fn rounded_as_written_a_grid_is_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    let mut ensemble = planned(&device, Plan::Grid).with_rounding(Rounding::AsWritten);
    for (case, generator) in cases() {
        let system = Arc::new(everything());
        for number in [0, 5] {
            let protocol = protocol_of(case, generator, number);
            let expected = without_squares(by_reference(&system, &protocol, number));
            let member = new_member(&system, &protocol, number);
            let found = stepped(&mut ensemble, vec![member], std::iter::repeat(1000)).remove(0);
            let what = format!("everything {case:?} {generator:?}");
            assert_same(&without_squares(found), &expected, &what);
        }
        for (name, system) in systems().into_iter().skip(1) {
            let protocol = pulled(&system, case, generator, 40);
            let expected = without_squares(by_reference(&system, &protocol, 3));
            let member = new_member(&system, &protocol, 3);
            let found = stepped(&mut ensemble, vec![member], std::iter::repeat(23)).remove(0);
            let what = format!("{name} {case:?} {generator:?}");
            assert_same(&without_squares(found), &expected, &what);
        }
    }
}

/// Compares sums of squares too, alone and with other members, in launches of any length.
#[test]
fn a_grid_is_the_block_plan_to_the_bit() {
    let Some(device) = device() else { return };
    for (case, generator) in cases() {
        for (name, system) in systems() {
            let large = system.particles.positions.len() > 1000;
            let protocol = pulled(&system, case, generator, if large { 30 } else { 200 });
            let members = || (0..5).map(|number| new_member(&system, &protocol, number));
            let mut block = planned(&device, Plan::Block);
            let expected = stepped(&mut block, members().collect(), std::iter::repeat(1000));
            let mut ensemble = planned(&device, Plan::Grid);
            let what = |how: &str| format!("{name} {case:?} {generator:?}, {how}");
            let alone = members().nth(3).into_iter().collect();
            let found = stepped(&mut ensemble, alone, std::iter::repeat(1000));
            assert_same(&found[0], &expected[3], &what("alone"));
            let found = stepped(&mut ensemble, members().collect(), choices(6, 40));
            for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_same(found, expected, &what(&format!("member {number} of 5")));
            }
        }
    }
}

/// Members of one launch that differ in all their values.
#[test]
fn members_of_a_grid_do_not_depend_on_each_other() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    let (case, generator) = (CASES[2], Generator::HybridTaus);
    let protocols: Vec<_> = (0..11).map(|n| protocol_of(case, generator, n)).collect();
    let members = || (0..11_u64).map(|n| new_member(&system, &protocols[n as usize], n)).collect();
    let mut block = planned(&device, Plan::Block);
    let expected = stepped(&mut block, members(), std::iter::repeat(1000));
    let found = stepped(&mut planned(&device, Plan::Grid), members(), choices(9, 60));
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_same(found, expected, &format!("member {number}"));
    }
}

/// The states of members at each of their points, of which some have rows, and the values of the rows.
pub fn samples_of(
    ensemble: &mut Ensemble,
    members: &[Member],
    points: &[Vec<SamplePoint>],
) -> Vec<(MemberState, String)> {
    let jobs: Vec<Job<'_>> =
        members.iter().zip(points).map(|(member, points)| Job { member, points }).collect();
    let results = ensemble.advance(&jobs).unwrap();
    let mut seen = Vec::new();
    for ((member, points), result) in members.iter().zip(points).zip(&results) {
        let mut member = member.clone();
        assert_eq!(result.samples(), points.len());
        for (number, point) in points.iter().enumerate() {
            assert_eq!(result.bring(number, &mut member).unwrap(), u64::from(point.steps));
            let said = if point.row { format!("{:?}", member.measure()) } else { String::new() };
            seen.push((member.state(), said));
        }
    }
    seen
}

/// The same states by the CPU.
fn samples_on_host(members: &[Member], points: &[Vec<SamplePoint>]) -> Vec<MemberState> {
    let mut seen = Vec::new();
    for (member, points) in members.iter().zip(points) {
        let mut member = member.clone().with_path(CpuPath::Reference);
        for point in points {
            member.advance(u64::from(point.steps)).unwrap();
            if point.row {
                let _ = member.measure();
            }
            seen.push(without_squares(member.state()));
        }
    }
    seen
}

#[test]
fn samples_and_rows_of_all_plans_are_the_same() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for (case, generator) in cases() {
        let protocol = pulled(&system, case, generator, 400);
        let mut members: Vec<Member> =
            (0..5).map(|number| new_member(&system, &protocol, number)).collect();
        for member in &mut members {
            member.advance(200).unwrap();
            member.begin_stage(1);
        }
        let point =
            |(place, steps): (usize, &u32)| SamplePoint { steps: *steps, row: place % 3 != 1 };
        let points = |steps: &[u32]| steps.iter().enumerate().map(point).collect();
        // Intervals just below and above batches of noise; one point; none.
        let points: Vec<Vec<SamplePoint>> = vec![
            points(&[1, 2, 7, 8, 9, 63, 64, 65, 1]),
            points(&[200]),
            points(&[]),
            points(&[1, 1, 1, 1, 1, 130, 3]),
            points(&[17, 17, 17]),
        ];
        let expected = samples_of(&mut planned(&device, Plan::Block), &members, &points);
        let on_host = samples_on_host(&members, &points);
        let mut as_written = planned(&device, Plan::Grid).with_rounding(Rounding::AsWritten);
        let found = samples_of(&mut as_written, &members, &points);
        for (number, ((found, _), expected)) in found.into_iter().zip(&on_host).enumerate() {
            let what = format!("{case:?} {generator:?}, point {number}");
            assert_same(&without_squares(found), expected, &what);
        }
        let found = samples_of(&mut planned(&device, Plan::Grid), &members, &points);
        assert_eq!(found.len(), expected.len());
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let what = format!("{case:?} {generator:?}, point {number}");
            assert_same(&found.0, &expected.0, &what);
            assert_eq!(found.1, expected.1, "{what}");
        }
    }
}

/// The length of a broken bond in the precision of the card's report.
pub fn length_of(failure: &Failure) -> Option<f32> {
    match failure.error {
        StepError::BrokenBond { distance, .. } => Some(distance as f32),
        StepError::NotFinite { .. }
        | StepError::ForceTooLarge { .. }
        | StepError::External { .. }
        | StepError::NoDirection { .. }
        | StepError::MovedTooFar { .. } => None,
    }
}

/// Steps five members, of which number 2 is hot, by `steps` at a time; returns the failure and all states.
fn until_it_fails(
    ensemble: &mut Ensemble,
    mut members: Vec<Member>,
    steps: u32,
) -> (Option<Failure>, Vec<MemberState>) {
    let mut failure = None;
    while members[0].remaining() > 0 {
        let flying: Vec<usize> = (0..5).filter(|&n| n != 2 || failure.is_none()).collect();
        let steps = members[0].remaining().min(u64::from(steps)) as u32;
        let points = [SamplePoint { steps, row: false }];
        let jobs: Vec<Job<'_>> =
            flying.iter().map(|&n| Job { member: &members[n], points: &points }).collect();
        let results = ensemble.advance(&jobs).unwrap();
        for (&number, result) in flying.iter().zip(&results) {
            for point in 0..result.samples() {
                result.bring(point, &mut members[number]).unwrap();
            }
            let failed = result.fail(&mut members[number]).unwrap();
            assert!(failed.is_none() || number == 2, "member {number}: {failed:?}");
            failure = failure.or(failed);
        }
    }
    (failure, members.iter().map(Member::state).collect())
}

#[test]
fn a_broken_bond_is_found_by_all_plans_at_the_same_step() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for (case, generator) in cases() {
        let [mild, hot] = mild_and_hot(case, generator);
        let member = |n: u64| new_member(&system, if n == 2 { &hot } else { &mild }, n);
        let members = || (0..5).map(member).collect::<Vec<Member>>();
        let mut broken = member(2);
        let on_host = broken.advance(400).unwrap_err();
        for rounding in [Rounding::AsWritten, Rounding::Fused] {
            let ensemble = |plan| planned(&device, plan).with_rounding(rounding);
            let expected = until_it_fails(&mut ensemble(Plan::Block), members(), 400);
            let failure = expected.0.expect("the hot member fails");
            if rounding == Rounding::AsWritten {
                assert_eq!(failure.step, on_host.step, "{case:?} {generator:?}");
            }
            for steps in [3, 50, 400] {
                let found = until_it_fails(&mut ensemble(Plan::Grid), members(), steps);
                let what = format!("{case:?} {generator:?} {rounding:?} by {steps}");
                let found_failure = found.0.expect("the hot member fails");
                assert_eq!(found_failure.step, failure.step, "{what}");
                if rounding == Rounding::AsWritten {
                    let lengths = (length_of(&found_failure), length_of(&on_host));
                    assert_eq!(lengths.0, lengths.1, "{what}");
                }
                assert_eq!(
                    format!("{:?}", found_failure.error),
                    format!("{:?}", failure.error),
                    "{what}"
                );
                for (found, expected) in found.1.iter().zip(&expected.1) {
                    assert_same(found, expected, &what);
                }
            }
        }
    }
}

/// The beads of the system start far apart, as in a chain that folds: lists are made for too few neighbours.
#[test]
fn lists_that_are_too_short_grow() {
    let Some(device) = device() else { return };
    let folded = helix(203);
    let mut stretched = folded.clone();
    for position in &mut stretched.particles.positions {
        position[2] *= 50.0;
    }
    let system = Arc::new(stretched);
    let case = (Integrator::Brownian, Precision::Single);
    let dynamics = Dynamics { skin: 20.0, ..sop_dynamics(case) };
    let protocol = Arc::new(protocol(dynamics, vec![stage(30, vec![])]));
    let member = || Member::new(system.clone(), protocol.clone(), 0, &folded.particles.positions);
    let mut on_host = member().with_path(CpuPath::Reference);
    on_host.advance(30).unwrap();
    let expected = without_squares(on_host.state());
    for plan in Plan::ALL {
        let mut ensemble = planned(&device, plan).with_rounding(Rounding::AsWritten);
        let found = stepped(&mut ensemble, vec![member()], std::iter::repeat(13)).remove(0);
        assert_same(&without_squares(found), &expected, plan.name());
    }
}

/// `copies` helices 16 Å apart, so that some neighbours are in other cells.
fn field(copies: usize) -> System {
    let one = everything();
    let side = (copies as f64).cbrt().ceil() as usize;
    let mut system = System { types: one.types.clone(), ..System::default() };
    for copy in 0..copies {
        let cell = [copy % side, copy / side % side, copy / side / side];
        let shift = [16.0 * cell[0] as f64, 16.0 * cell[1] as f64, 55.0 * cell[2] as f64 - 300.0];
        let first = append_beads(&mut system, &one, shift);
        append_pairs::<FeneBond>(&mut system, &one, first);
        append_pairs::<NativeContact>(&mut system, &one, first);
        let excluded = one.interactions.excluded.iter().map(|&(i, j)| (i + first, j + first));
        system.interactions.excluded.extend(excluded);
    }
    system.interactions.pairs = one.interactions.pairs;
    system
}

/// Systems too large for a block: neighbours from cells, then with more beads than 16 bits count. The skin is so thin
/// that lists are rebuilt every few steps.
#[test]
fn large_systems_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    for copies in [970, 2_200] {
        let system = Arc::new(field(copies));
        for (case, generator) in
            [(CASES[0], Generator::Philox4x32x10), (CASES[3], Generator::HybridTaus)]
        {
            let dynamics = Dynamics { skin: 0.3, ..sop_dynamics(case) };
            let stages = vec![stage(25, vec![])];
            let protocol =
                Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) });
            // The default path has the reference path's bits and is faster.
            let mut member = new_member(&system, &protocol, 1);
            member.advance(25).unwrap();
            let expected = without_squares(member.state());
            let mut ensemble = planned(&device, Plan::Grid).with_rounding(Rounding::AsWritten);
            let member = new_member(&system, &protocol, 1);
            let found = stepped(&mut ensemble, vec![member], std::iter::repeat(11)).remove(0);
            let what = format!("{} beads {case:?}", system.beads());
            assert_same(&without_squares(found), &expected, &what);
        }
    }
}
