//! Integrators with velocities: all plans have the bits of the reference path, whatever the launches.

use std::sync::Arc;

use beadwork_cuda::{Device, Ensemble, LaunchOverrides, Rounding};
use beadwork_model::{Generator, Integrator, Precision, Protocol, System};
use beadwork_simulation::MemberState;
use beadwork_testing::few_or_many;

use crate::everything::{everything, everything_and_types, protocol_of};
use crate::same_bits::pulled;
use crate::stepping::{assert_same, by_reference, device, new_member, stepped};
use crate::support::{WITH_VELOCITIES, choices, helix};

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
        assert_eq!(found.motion, expected.motion, "{what}");
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
