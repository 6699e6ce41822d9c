//! Bits do not depend on blocks, launches and other members; if all is rounded as written, they are those of the CPU.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::{Ensemble, LaunchOverrides, Plan, Rounding};
use beadwork_model::externals::{Ends, External, Restrain, Spring};
use beadwork_model::{Dynamics, Generator, Protocol, Stage, System};
use beadwork_testing::few_or_many;

use crate::everything::{
    crowd, crowd_and_types, everything, everything_and_types, protocol_of, with_every_formula,
    with_long_range_between_few,
};
use crate::stepping::{assert_same, by_reference, device, new_member, stepped, without_squares};
use crate::support::{CASES, choices, helix, protocol, sop_dynamics, stage};

/// Systems for each kind of search for neighbours: masks, bits, lists.
pub fn systems() -> Vec<(&'static str, Arc<System>)> {
    vec![
        ("31 beads", Arc::new(everything())),
        ("31 beads of several types", Arc::new(everything_and_types())),
        ("32 beads and three pair terms", Arc::new(three_pair_terms())),
        ("101 beads", Arc::new(helix(101))),
        ("101 beads, long range between few", Arc::new(with_long_range_between_few(helix(101)))),
        ("203 beads", Arc::new(helix(203))),
        ("203 beads, long range between few", Arc::new(with_long_range_between_few(helix(203)))),
        ("1240 beads", Arc::new(crowd())),
        ("1240 beads of several types", Arc::new(crowd_and_types())),
    ]
}

/// Three pair terms have an order of summation. The types of 32 beads fill their array to its alignment, so
/// that a type read beyond the last one would be a number of the next array.
fn three_pair_terms() -> System {
    let mut system = with_every_formula(helix(32));
    let first = system.interactions.pairs[0].clone();
    system.interactions.pairs.push(first);
    system
}

/// A protocol for a system of any size, with externals.
pub fn pulled(
    system: &System,
    case: (beadwork_model::Integrator, beadwork_model::Precision),
    generator: Generator,
    steps: u64,
) -> Arc<Protocol> {
    let last = system.particles.positions.len() - 1;
    // A name gives it columns of its own.
    let ends = Ends { fixed: vec![0], pulled: vec![5, last], direction: None, name: "a".into() };
    let spring = Spring { ends, stiffness: 0.05, speed: 1e-4, update_every: 1 };
    let restrain = Restrain { beads: vec![1, 13, last], stiffness: 0.5 };
    let externals = vec![External::Spring(spring), External::Restrain(restrain)];
    let stages = vec![
        stage(steps / 2, vec![]),
        Stage { fixed: vec![0, last / 2], ..stage(steps, externals) },
    ];
    let dynamics = Dynamics { skin: 0.7, ..sop_dynamics(case) };
    Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) })
}

#[test]
fn rounded_as_written_it_is_the_reference_path_to_the_bit() {
    as_written(false);
}

#[test]
fn rounded_as_written_a_lane_is_the_reference_path_to_the_bit() {
    as_written(true);
}

fn as_written(lanes: bool) {
    let Some(device) = device() else { return };
    let overrides = LaunchOverrides { lanes: Some(lanes), ..LaunchOverrides::default() };
    let ensemble = Ensemble::new(&device).unwrap().with_overrides(overrides);
    let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
    for case in CASES {
        for generator in Generator::IN_LANES {
            let system = Arc::new(everything());
            for number in [0, 5] {
                let protocol = protocol_of(case, generator, number);
                let expected = without_squares(by_reference(&system, &protocol, number));
                let member = new_member(&system, &protocol, number);
                let found = stepped(&mut ensemble, vec![member], std::iter::repeat(1000));
                let what = format!("{case:?} {generator:?}");
                assert_same(&without_squares(found[0].clone()), &expected, &what);
            }
            for (name, system) in systems().into_iter().skip(1) {
                if lanes && system.particles.positions.len() > 128 {
                    continue;
                }
                let protocol = pulled(&system, case, generator, 40);
                let expected = by_reference(&system, &protocol, 3);
                let member = new_member(&system, &protocol, 3);
                let found = stepped(&mut ensemble, vec![member], std::iter::repeat(23)).remove(0);
                let squares =
                    (found.sums.squared_displacements, expected.sums.squared_displacements);
                // Each axis of a move is rounded to a unit below 2¹¹/2²³ of the thermal step's mean square, 1.92e-3 Å².
                // The bound is six standard deviations of the sum of these errors, plus the error of single precision.
                let unit = 2048.0 * 1.92e-3 / f64::from(1 << 23);
                let rounding = 6.0 * unit * (3.0 * found.sums.moves as f64 / 12.0).sqrt();
                let bound = rounding + 1e-6 * squares.1;
                assert!((squares.0 - squares.1).abs() <= bound, "{name}: {squares:?}");
                let what = format!("{name} {case:?} {generator:?}");
                assert_same(&without_squares(found), &without_squares(expected), &what);
            }
        }
    }
}

/// Forms of blocks: lanes, blocks of a cluster, members and threads of a block.
const FORMS: [(bool, usize, usize, usize); 9] = [
    (false, 1, 1, 64),
    (false, 2, 1, 64),
    (true, 1, 8, 96),
    (false, 1, 2, 256),
    (false, 4, 1, 512),
    (true, 1, 16, 992),
    (false, 1, 7, 512),
    (false, 16, 1, 32),
    (true, 1, 32, 256),
];

/// Changes launch lengths, members and threads of a block, and other members. Each form is a program that takes
/// seconds to compile: without `BEADWORK_THOROUGH`, each system has a third of them in turn.
#[test]
fn bits_do_not_depend_on_the_form_of_blocks() {
    let Some(device) = device() else { return };
    let every = few_or_many(3, 1);
    let cases = CASES.into_iter().zip(Generator::IN_LANES.into_iter().cycle());
    let pairs = cases.flat_map(|case| systems().into_iter().map(move |system| (case, system)));
    for (number, ((case, generator), (name, system))) in pairs.enumerate() {
        let large = system.particles.positions.len() > 1000;
        let protocol = pulled(&system, case, generator, if large { 30 } else { 200 });
        let member = |number| new_member(&system, &protocol, number);
        let fresh = |overrides| Ensemble::new(&device).unwrap().with_overrides(overrides);
        let mut alone = fresh(LaunchOverrides::default());
        let expected = stepped(&mut alone, vec![member(3)], std::iter::repeat(1000)).remove(0);
        for chunk in [1, 7] {
            if chunk == 1 && large {
                continue;
            }
            let found = stepped(&mut alone, vec![member(3)], std::iter::repeat(chunk));
            let what = format!("{name} {case:?} {generator:?}, launches of {chunk}");
            assert_same(&found[0], &expected, &what);
        }
        for (lanes, cluster, members, threads) in
            FORMS.into_iter().skip(number % every).step_by(every)
        {
            let overrides = LaunchOverrides {
                lanes: Some(lanes),
                cluster: Some(cluster),
                members: Some(members),
                threads: Some(threads),
                ..LaunchOverrides::default()
            };
            if !lanes && cluster > device.properties().blocks_per_cluster {
                continue;
            }
            // A large system has only one form of block without lanes.
            if lanes && system.particles.positions.len() > 128 {
                continue;
            }
            let nine: Vec<Member> = (0..9).map(member).collect();
            let found = stepped(&mut fresh(overrides), nine, choices(6, 40));
            let shape =
                format!("{cluster} blocks, {members} members and {threads} threads, lanes {lanes}");
            let what = format!("{name} {case:?} {generator:?}, {shape}");
            assert_same(&found[3], &expected, &what);
        }
    }
}

/// Members of one launch differ in all values: temperature, time step, friction, skin, externals, number of steps.
#[test]
fn a_trajectory_does_not_depend_on_batching() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for case in CASES {
        for generator in Generator::IN_LANES {
            let mut ensemble = Ensemble::new(&device).unwrap();
            let protocols: Vec<_> = (0..23).map(|n| protocol_of(case, generator, n)).collect();
            let member = |number: u64| new_member(&system, &protocols[number as usize], number);
            let together = stepped(&mut ensemble, (0..23).map(member).collect(), choices(9, 60));
            for number in 0..23 {
                let alone = stepped(&mut ensemble, vec![member(number)], std::iter::repeat(1000));
                let what = format!("{case:?} {generator:?}, member {number}");
                assert_same(&alone[0], &together[number as usize], &what);
            }
        }
    }
}

/// Restores a member from its state, among two thousand others.
#[test]
fn two_thousand_members_and_a_resumed_one() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for generator in Generator::IN_LANES {
        let protocol = pulled(&system, CASES[0], generator, 400);
        // Pretends that there are more members, so that each has a lane.
        let mut many = Ensemble::new(&device).unwrap().with_members_on_device(20_000);
        let mut ensemble = Ensemble::new(&device).unwrap();
        let members: Vec<Member> = (0..2000).map(|n| new_member(&system, &protocol, n)).collect();
        let all = stepped(&mut many, members, std::iter::repeat(150));
        for number in [0, 1, 977, 1999] {
            let member = new_member(&system, &protocol, number);
            let alone = stepped(&mut ensemble, vec![member], std::iter::repeat(1000));
            assert_same(&alone[0], &all[number as usize], &format!("{generator:?}, {number}"));
            let mut first = vec![new_member(&system, &protocol, number)];
            crate::stepping::step_once(&mut ensemble, &mut first, &mut std::iter::repeat(133))
                .unwrap();
            let state = first[0].state();
            let again = Member::restore(system.clone(), protocol.clone(), number, state);
            let mut fresh = Ensemble::new(&device).unwrap();
            let resumed = stepped(&mut fresh, vec![again], std::iter::repeat(1000));
            assert_same(
                &resumed[0],
                &all[number as usize],
                &format!("resumed {generator:?}, {number}"),
            );
        }
        assert_ne!(all[0].positions, all[1].positions);
    }
}

/// Philox of seven rounds and Saru's micro-streams, with each form of blocks and on a grid.
#[test]
fn generators_computed_from_a_key_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for case in [CASES[0], CASES[3]] {
        for generator in [Generator::Philox4x32x7, Generator::SaruTea, Generator::Saru] {
            let protocol = pulled(&system, case, generator, 40);
            let expected = without_squares(by_reference(&system, &protocol, 3));
            let fresh = || Ensemble::new(&device).unwrap().with_rounding(Rounding::AsWritten);
            let overrides =
                |lanes| LaunchOverrides { lanes: Some(lanes), ..LaunchOverrides::default() };
            let ways = [
                ("four lanes a bead", fresh().with_overrides(overrides(false))),
                ("a lane a member", fresh().with_overrides(overrides(true))),
                ("a grid", fresh().with_plan(Plan::Grid)),
            ];
            for (way, mut ensemble) in ways {
                let member = new_member(&system, &protocol, 3);
                let found = stepped(&mut ensemble, vec![member], std::iter::repeat(23)).remove(0);
                let what = format!("{way} {case:?} {generator:?}");
                assert_same(&without_squares(found), &expected, &what);
            }
        }
    }
}

/// Step by step without externals: an error shows here first.
#[test]
fn the_first_steps_are_those_of_the_reference_path() {
    let Some(device) = device() else { return };
    let mut ensemble = Ensemble::new(&device).unwrap().with_rounding(Rounding::AsWritten);
    let system = Arc::new(everything());
    for case in CASES {
        for generator in Generator::IN_LANES {
            for steps in 1..12 {
                let stages = vec![stage(steps, vec![])];
                let protocol = Protocol {
                    randomness: generator.into(),
                    ..protocol(sop_dynamics(case), stages)
                };
                let protocol = Arc::new(protocol);
                let expected = without_squares(by_reference(&system, &protocol, 0));
                let member = new_member(&system, &protocol, 0);
                let found = stepped(&mut ensemble, vec![member], std::iter::repeat(1000)).remove(0);
                let what = format!("{case:?} {generator:?}, {steps} steps");
                assert_same(&without_squares(found), &expected, &what);
            }
        }
    }
}

// Small tests for tools that check every memory access: each form of blocks, with externals, both integrators, generators
// and precisions, several members.

#[test]
fn a_few_steps_in_blocks() {
    a_few_steps(LaunchOverrides {
        cluster: Some(1),
        members: Some(8),
        ..LaunchOverrides::default()
    });
}

#[test]
fn a_few_steps_of_threads_with_many_slots() {
    a_few_steps(LaunchOverrides {
        cluster: Some(1),
        threads: Some(64),
        ..LaunchOverrides::default()
    });
}

#[test]
fn a_few_steps_in_clusters() {
    a_few_steps(LaunchOverrides { cluster: Some(4), ..LaunchOverrides::default() });
}

#[test]
fn a_few_steps_of_lanes() {
    a_few_steps(LaunchOverrides {
        lanes: Some(true),
        members: Some(8),
        ..LaunchOverrides::default()
    });
}

fn a_few_steps(overrides: LaunchOverrides) {
    let Some(device) = device() else { return };
    if overrides.cluster.is_some_and(|blocks| blocks > device.properties().blocks_per_cluster) {
        println!("skipped: this card has no clusters");
        return;
    }
    let lanes = overrides.lanes.unwrap_or(false);
    let overrides = LaunchOverrides { lanes: Some(lanes), ..overrides };
    let cases = [(CASES[0], Generator::Philox4x32x10), (CASES[3], Generator::HybridTaus)];
    for (case, generator) in cases {
        for (name, system) in systems() {
            if system.particles.positions.len() > if lanes { 128 } else { 1000 } {
                continue;
            }
            let protocol = pulled(&system, case, generator, 6);
            let expected = without_squares(by_reference(&system, &protocol, 1));
            let ensemble = Ensemble::new(&device).unwrap().with_overrides(overrides);
            let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
            let members = (0..3).map(|n| new_member(&system, &protocol, n)).collect();
            let found = stepped(&mut ensemble, members, std::iter::repeat(4)).remove(1);
            let what = format!("{name} {case:?} {generator:?}, {overrides:?}");
            assert_same(&without_squares(found), &expected, &what);
        }
    }
}
