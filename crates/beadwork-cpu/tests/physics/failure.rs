//! The failure that a member reports, and its state, when a bond breaks or a coordinate is not finite.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{Ends, External, Force};
use beadwork_model::potentials::FeneBond;
use beadwork_model::units::{Dimension, parse};
use beadwork_model::{
    Dynamics, Generator, Integrator, Interactions, Pair, Precision, Protocol, System,
};
use beadwork_simulation::{Failure, StepError};

use crate::support::{
    CASES, along_x, choices, dynamics, helix, member, protocol, sop_dynamics, stage, system,
    trapped,
};

const BOND: FeneBond = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 };

fn dimer(distance: f64) -> Arc<System> {
    let bonded = vec![vec![Pair { i: 0, j: 1, potential: BOND }].into()];
    let interactions = Interactions { bonded, ..Interactions::default() };
    system(vec![[0.0; 3], [distance, 0.0, 0.0]], interactions)
}

fn pulled(force: f64) -> Vec<External> {
    vec![External::Force(Force { ends: along_x(vec![1]), force })]
}

/// Bond at rest, so that the first step moves bead 1 by f h/ξ = 30 · 0.1 = 3 Å, beyond the 2 Å.
#[test]
fn a_broken_bond_is_named_with_its_length_and_the_step() {
    for precision in Precision::ALL {
        let dynamics =
            Dynamics { temperature: 0.0, ..dynamics((Integrator::Brownian, precision), 0.1) };
        let mut run = member(&dimer(3.8), dynamics, pulled(30.0), 1);
        // The member makes the step that breaks the bond; the next step notices it.
        assert_eq!(run.clone().advance(1), Ok(1));
        let Failure { error, step } = run.advance(10).unwrap_err();
        assert_eq!(step, 1);
        let StepError::BrokenBond { i, j, distance, rest_length, limit } = error else {
            panic!("{error:?}")
        };
        assert_eq!((i, j, limit), (0, 1, 2.0));
        assert!((distance - 6.8).abs() < 1e-5 && (rest_length - 3.8).abs() < 1e-6, "{error:?}");
        // The member is back at the last state in which the bond held.
        let state = run.state();
        assert_eq!((state.step, state.dynamics_step, state.stage_step), (0, 0, 0));
        assert_eq!(
            state.positions[1][0],
            if precision == Precision::Single { f64::from(3.8_f32) } else { 3.8 }
        );
    }
}

/// The second-order scheme evaluates forces one step ahead; if that fails, it keeps the present state.
#[test]
fn a_bond_that_breaks_ahead_leaves_the_present_state() {
    for precision in Precision::ALL {
        let case = (Integrator::BrownianSecondOrder, precision);
        let dynamics = Dynamics { temperature: 0.0, ..dynamics(case, 0.01) };
        // Two steps with little force; then 3 Å in one.
        let stages = vec![stage(2, pulled(1.0)), stage(10, pulled(300.0))];
        let start = dimer(3.8);
        let mut run = Member::new(
            start.clone(),
            Arc::new(protocol(dynamics, stages)),
            0,
            &start.particles.positions,
        );
        run.advance(2).unwrap();
        run.begin_stage(1);
        let before = run.state();
        let failure = run.advance(10).unwrap_err();
        assert_eq!(failure.step, 2);
        assert!(matches!(failure.error, StepError::BrokenBond { i: 0, j: 1, .. }));
        let after = run.state();
        assert_eq!((after.step, after.stage_step), (2, 0));
        assert_eq!(after.positions, before.positions);
        run.verify().unwrap();
    }
}

#[test]
fn a_broken_start_fails_at_once_and_keeps_its_state() {
    for case in CASES {
        let mut run = member(&dimer(5.9), dynamics(case, 0.01), vec![], 1);
        let failure = run.verify().unwrap_err();
        assert_eq!(failure.step, 0);
        assert_eq!(run.advance(5).unwrap_err(), failure);
        assert_eq!(run.measure().unwrap_err(), failure);
        assert_eq!(run.state().step, 0);
        assert!((run.positions()[1][0] - 5.9).abs() < 1e-6);
    }
}

/// Two beads at rest with a third in their middle: no line leads from the centre of the two to it.
#[test]
fn a_stage_whose_drive_has_no_direction_does_not_begin() {
    let bonds = vec![Pair { i: 0, j: 1, potential: BOND }, Pair { i: 1, j: 2, potential: BOND }];
    let interactions = Interactions { bonded: vec![bonds.into()], ..Interactions::default() };
    let system = system(vec![[-3.8, 0.0, 0.0], [0.0; 3], [3.8, 0.0, 0.0]], interactions);
    for case in CASES {
        let run = |direction: Option<[f64; 3]>| {
            let ends = Ends { fixed: vec![0, 2], pulled: vec![1], direction, ..Ends::default() };
            let force = External::Force(Force { ends, force: 1.0 });
            let dynamics = Dynamics { temperature: 0.0, ..dynamics(case, 0.01) };
            let protocol = protocol(dynamics, vec![stage(3, vec![]), stage(3, vec![force])]);
            Member::new(system.clone(), Arc::new(protocol), 0, &system.particles.positions)
        };
        let mut along_no_line = run(None);
        along_no_line.advance(2).unwrap();
        along_no_line.verify().unwrap();
        along_no_line.advance(1).unwrap();
        let failure = along_no_line.verify().unwrap_err();
        assert!(
            matches!(failure.error, StepError::NoDirection { number: 0, .. }),
            "{case:?}: {failure:?}"
        );
        assert_eq!(failure.step, 3);
        let mut along_z = run(Some([0.0, 0.0, 1.0]));
        along_z.advance(3).unwrap();
        along_z.verify().unwrap();
    }
}

/// Asserts that the failure and the state after it do not depend on chunks or samples, and that this state is the last
/// sound one.
fn assert_failure_is_exact(make: impl Fn() -> Member, limit: u64, name: &str) -> Failure {
    let fails = |chunks: &mut dyn Iterator<Item = u64>, verifies: bool| {
        let mut run = make();
        loop {
            let outcome = run.advance(chunks.next().unwrap());
            let outcome = match outcome {
                Ok(_) if verifies => run.verify(),
                Ok(_) => Ok(()),
                Err(failure) => Err(failure),
            };
            if let Err(failure) = outcome {
                return (run, failure);
            }
            assert!(run.step_number() < limit, "{name}: nothing broke");
        }
    };
    let (run, failure) = fails(&mut std::iter::repeat(1_000_000), false);
    let state = run.state();
    for (mut chunks, verifies) in [
        (Box::new(std::iter::repeat(1_u64)) as Box<dyn Iterator<Item = u64>>, true),
        (Box::new(std::iter::repeat(1)), false),
        (Box::new(choices(1, 50)), true),
        (Box::new(choices(2, 50)), true),
        (Box::new(choices(3, 50)), false),
    ] {
        let (other, again) = fails(&mut chunks, verifies);
        assert_eq!(again, failure, "{name}");
        let other = other.state();
        assert_eq!((other.step, other.dynamics_step), (state.step, state.dynamics_step), "{name}");
        assert_eq!(other.positions, state.positions, "{name}");
    }
    // A run up to that state finds it sound, and fails at the next step.
    let mut reference = make();
    reference.advance(state.step).unwrap();
    reference.verify().unwrap();
    assert_eq!(reference.positions(), state.positions, "{name}");
    assert_eq!(reference.state().dynamics_step, state.dynamics_step, "{name}");
    assert!(failure.step == state.step || failure.step == state.step + 1, "{name}");
    assert!(reference.advance(1).is_err() || reference.verify().is_err(), "{name}");
    failure
}

/// \[A\] prints ξ = 7.0×10⁵ pN ps/nm beside steps of 20 ps: 4 k h/ξ = 1.6, where its own program has 0.13. A chain as
/// long as the WW domain loses a bond within some thousand steps of the first-order scheme, the paper's. The
/// second-order one endures that and breaks at 3.2.
#[test]
fn the_papers_printed_friction_breaks_a_bond() {
    let system = Arc::new(helix(34));
    for case in CASES {
        let friction = |text| parse(text, Dimension::Friction).unwrap().value;
        let run = |friction, generator: Generator| {
            let dynamics = Dynamics { friction, ..sop_dynamics(case) };
            let stages = vec![stage(20_000, vec![])];
            let protocol = Protocol { randomness: generator.into(), ..protocol(dynamics, stages) };
            Member::new(system.clone(), Arc::new(protocol), 0, &system.particles.positions)
        };
        let printed = match case.0 {
            Integrator::Brownian => friction("7.0e5 pN ps/nm"),
            _ => friction("3.5e5 pN ps/nm"),
        };
        for generator in Generator::ALL {
            let failure =
                assert_failure_is_exact(|| run(printed, generator), 20_000, &format!("{case:?}"));
            let StepError::BrokenBond { i, j, distance, rest_length, limit } = failure.error else {
                panic!("{failure:?}")
            };
            assert_eq!(j, i + 1);
            assert!((distance - rest_length).abs() >= limit, "{failure:?}");
        }
        // With the friction that the paper's program used, the same number of steps succeeds.
        let mut sound = run(friction("8.685e6 pN ps/nm"), Generator::Philox4x32x10);
        assert_eq!(sound.advance(20_000), Ok(20_000));
        sound.verify().unwrap();
    }
}

/// a = k h/ξ = 3 doubles the deviation in each step, without a bond that could break. The coordinates overflow, in f32
/// after some 130 steps, in f64 after a thousand.
#[test]
fn coordinates_that_overflow_are_reported_without_a_bond() {
    for case in CASES {
        let system = trapped(3, 3.0);
        let failure = assert_failure_is_exact(
            || member(&system, dynamics(case, 1.0), vec![], 1),
            3_000,
            &format!("{case:?}"),
        );
        assert!(matches!(failure.error, StepError::NotFinite { bead: 0..3 }), "{failure:?}");
    }
}
