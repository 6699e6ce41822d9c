//! Integrators with velocities: all plans have the bits of the reference path, whatever the launches.

use std::sync::Arc;

use beadwork_cpu::CpuPath;
use beadwork_cuda::{Device, Ensemble, Job, LaunchOverrides, Plan, Rounding, usual_plan};
use beadwork_model::{Dynamics, Generator, Integrator, Interactions, Precision, Protocol, System};
use beadwork_simulation::{MemberState, SamplePoint};
use beadwork_testing::few_or_many;

use crate::everything::{everything, everything_and_types, protocol_of};
use crate::filled::FILLED;
use crate::plans::length_of;
use crate::same_bits::pulled;
use crate::stepping::{assert_same, by_reference, device, new_member, stepped};
use crate::support::{WITH_VELOCITIES, choices, helix, protocol, sop_dynamics, stage};

type Case = ((Integrator, Precision), Generator);

/// Each integrator and precision, with generators in turn.
fn cases() -> impl Iterator<Item = Case> {
    let generators = [Generator::Philox4x32x10, Generator::HybridTaus].into_iter().cycle();
    WITH_VELOCITIES.into_iter().zip(generators)
}

fn as_written(device: &Device) -> Ensemble {
    Ensemble::new(device).unwrap().with_rounding(Rounding::AsWritten)
}

fn in_blocks(device: &Device, cluster: usize, members: usize) -> Ensemble {
    as_written(device).with_overrides(LaunchOverrides {
        lanes: Some(false),
        cluster: Some(cluster),
        members: Some(members),
        ..LaunchOverrides::default()
    })
}

fn in_lanes(device: &Device, members: usize) -> Ensemble {
    as_written(device).with_overrides(LaunchOverrides {
        lanes: Some(true),
        members: Some(members),
        ..LaunchOverrides::default()
    })
}

fn systems() -> [(&'static str, Arc<System>); 3] {
    [
        ("31 beads", Arc::new(everything())),
        ("31 beads of several types", Arc::new(everything_and_types())),
        ("203 beads", Arc::new(helix(203))),
    ]
}

/// The states of members 3 and 4 by the reference path.
fn expected(system: &Arc<System>, protocol: &Arc<Protocol>) -> Vec<MemberState> {
    (3..5).map(|number| by_reference(system, protocol, number)).collect()
}

#[track_caller]
fn assert_all_same(found: &[MemberState], expected: &[MemberState], what: &str) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.extra.motion, expected.extra.motion, "{what}");
        assert_same(found, expected, what);
    }
}

#[test]
fn with_velocities_steps_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    for (name, system) in systems() {
        for (case, generator) in cases() {
            let protocol = pulled(&system, case, generator, 40);
            let expected = expected(&system, &protocol);
            for (cluster, members, chunk) in [(1, 1, 23), (1, 2, 1), (2, 1, 7)] {
                let mut ensemble = in_blocks(&device, cluster, members);
                let all = (3..5).map(|number| new_member(&system, &protocol, number)).collect();
                let found = stepped(&mut ensemble, all, std::iter::repeat(chunk));
                let what = format!("{name} {case:?} {generator:?}, {cluster} blocks");
                assert_all_same(&found, &expected, &what);
            }
        }
    }
}

/// All pairs, bits of near pairs, several types. Each system and case has one number of lanes in turn; with
/// `BEADWORK_THOROUGH`, all.
#[test]
fn lanes_with_velocities_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    let systems = [
        ("31 beads", Arc::new(everything())),
        ("31 beads of several types", Arc::new(everything_and_types())),
        ("101 beads", Arc::new(helix(101))),
    ];
    let every = few_or_many(3, 1);
    for (place, (name, system)) in systems.into_iter().enumerate() {
        for (number, (case, generator)) in cases().enumerate() {
            let protocol = pulled(&system, case, generator, 40);
            let expected = expected(&system, &protocol);
            let skipped = (place + number) % every;
            for members in [8, 16, 32].into_iter().skip(skipped).step_by(every) {
                for chunk in [1, 23] {
                    // More members than some blocks have lanes.
                    let all = (3..14).map(|number| new_member(&system, &protocol, number));
                    let mut ensemble = in_lanes(&device, members);
                    let found = stepped(&mut ensemble, all.collect(), std::iter::repeat(chunk));
                    let what = format!(
                        "{name} {case:?} {generator:?}, {members} lanes, launches of {chunk}"
                    );
                    assert_all_same(&found, &expected, &what);
                }
            }
        }
    }
}

/// Integrators and precisions in turn: each system has every integrator.
#[test]
fn a_grid_with_velocities_is_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    let every = few_or_many(2, 1);
    for (place, (name, system)) in systems().into_iter().enumerate() {
        for (case, generator) in cases().skip(place % every).step_by(every) {
            let protocol = pulled(&system, case, generator, 40);
            let expected = expected(&system, &protocol);
            for chunk in [1, 23] {
                let mut ensemble = as_written(&device).with_plan(Plan::Grid);
                let all = (3..5).map(|number| new_member(&system, &protocol, number)).collect();
                let found = stepped(&mut ensemble, all, std::iter::repeat(chunk));
                let what = format!("{name} {case:?} {generator:?}, launches of {chunk}");
                assert_all_same(&found, &expected, &what);
            }
        }
    }
}

/// Generators whose words are filled before the steps, by all plans.
#[test]
fn filled_words_with_velocities_are_those_of_the_reference_path() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for (generator, case) in FILLED.into_iter().zip(WITH_VELOCITIES.into_iter().rev()) {
        let protocol = pulled(&system, case, generator, 40);
        let expected = by_reference(&system, &protocol, 3);
        let ensembles = [
            ("lanes", in_lanes(&device, 8)),
            ("a block", in_blocks(&device, 1, 1)),
            ("a grid", as_written(&device).with_plan(Plan::Grid)),
        ];
        for (what, mut ensemble) in ensembles {
            let member = new_member(&system, &protocol, 3);
            let found = stepped(&mut ensemble, vec![member], std::iter::repeat(17));
            let what = format!("{what}, {generator:?} {case:?}");
            assert_all_same(&found, std::slice::from_ref(&expected), &what);
        }
    }
}

/// The independent plan has no velocities.
#[test]
fn beads_with_velocities_on_which_only_fields_act_have_a_block() {
    let Some(device) = device() else { return };
    let mut system = everything();
    let singles = std::mem::take(&mut system.interactions.singles);
    system.interactions = Interactions { singles, ..Interactions::default() };
    let system = Arc::new(system);
    let case = WITH_VELOCITIES[1];
    let stages = vec![stage(40, vec![])];
    let protocol = Arc::new(protocol(sop_dynamics(case), stages));
    let member = || new_member(&system, &protocol, 3);
    assert_eq!(usual_plan(&device, &member(), Some(1)), Some(Plan::Block));
    let expected = [by_reference(&system, &protocol, 3)];
    for lanes in [false, true] {
        let overrides = LaunchOverrides { lanes: Some(lanes), ..LaunchOverrides::default() };
        let ensemble = as_written(&device).with_plan(Plan::Independent);
        let mut ensemble = ensemble.with_overrides(overrides);
        let found = stepped(&mut ensemble, vec![member()], std::iter::repeat(17));
        assert_all_same(&found, &expected, &format!("lanes: {lanes}"));
    }
}

/// A bond that breaks in the course of a launch.
#[test]
fn a_bond_breaks_at_the_same_step_in_all_plans_with_velocities() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for (case, generator) in cases().step_by(3) {
        let dynamics = Dynamics { temperature: 60.0, ..sop_dynamics(case) };
        let stages = vec![stage(400, vec![])];
        let protocol =
            Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) });
        let mut on_host = new_member(&system, &protocol, 2);
        let expected = on_host.advance(400).unwrap_err();
        assert!(expected.step > 3, "{expected:?}");
        let mut sound = new_member(&system, &protocol, 2).with_path(CpuPath::Reference);
        sound.advance(expected.step - 1).unwrap();
        let ensembles = [
            ("lanes", in_lanes(&device, 8)),
            ("a block", in_blocks(&device, 1, 1)),
            ("a grid", as_written(&device).with_plan(Plan::Grid)),
        ];
        for (what, mut ensemble) in ensembles {
            let what = format!("{what}, {case:?} {generator:?}");
            let mut member = new_member(&system, &protocol, 2);
            let points = [SamplePoint { steps: 400, row: false }];
            let results = ensemble.advance(&[Job { member: &member, points: &points }]).unwrap();
            let failure = results[0].fail(&mut member).unwrap().expect("a hot member fails");
            assert_eq!(failure.step, expected.step, "{what}");
            assert_eq!(length_of(&failure), length_of(&expected), "{what}");
            assert_all_same(&[member.state()], &[sound.state()], &what);
        }
    }
}

/// Members of one launch that differ in all their values and do not begin a stage together.
#[test]
fn members_with_velocities_do_not_depend_on_each_other() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    let (case, generator) = (WITH_VELOCITIES[4], Generator::HybridTaus);
    let protocols: Vec<_> = (0..9).map(|n| protocol_of(case, generator, n)).collect();
    let expected: Vec<_> =
        (0..9_u64).map(|n| by_reference(&system, &protocols[n as usize], n)).collect();
    let ensembles = [("lanes", in_lanes(&device, 8)), ("blocks", in_blocks(&device, 1, 3))];
    for (what, mut ensemble) in ensembles {
        let all = (0..9_u64).map(|n| new_member(&system, &protocols[n as usize], n)).collect();
        let found = stepped(&mut ensemble, all, choices(9, 60));
        assert_all_same(&found, &expected, what);
    }
}
