//! Generators that draw words in sequence, in the graph plan: words and states are those of the reference path.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Plan, Rounding};
use beadwork_model::{Dynamics, Generator, Integrator, Particles, Precision, Protocol, System};

use crate::everything::everything;
use crate::plans::length_of;
use crate::same_bits::{pulled, systems};
use crate::stepping::{assert_same, by_reference, device, new_member, stepped, without_squares};
use crate::support::{CASES, choices, protocol, sop_dynamics, stage};

pub const DRAWN: [Generator; 5] = [
    Generator::Lcg,
    Generator::Ran2,
    Generator::Xorwow,
    Generator::LaggedFibonacci,
    Generator::Mt19937,
];

/// Each generator with one integrator and precision: all combinations would be too many programs to compile.
fn cases() -> impl Iterator<Item = (Generator, (Integrator, Precision))> {
    DRAWN.into_iter().zip(CASES.into_iter().cycle())
}

fn as_written(device: &Device) -> Ensemble {
    Ensemble::new(device).unwrap().with_plan(Plan::Graph).with_rounding(Rounding::AsWritten)
}

/// Members have fixed beads and externals, in launches of any length.
#[test]
fn words_drawn_by_a_graph_are_those_of_the_reference_path() {
    let Some(device) = device() else { return };
    for (generator, case) in cases() {
        for (name, system) in systems().into_iter().take(2) {
            let protocol = pulled(&system, case, generator, 40);
            let expected = without_squares(by_reference(&system, &protocol, 3));
            for steps in [1, 7, 40] {
                let member = new_member(&system, &protocol, 3);
                let mut ensemble = as_written(&device);
                let found =
                    stepped(&mut ensemble, vec![member], std::iter::repeat(steps)).remove(0);
                let what = format!("{generator:?} {case:?} {name}, launches of {steps}");
                assert_same(&without_squares(found), &expected, &what);
            }
        }
    }
}

/// Members with others and alone, restored, and with a request for the block plan.
#[test]
fn drawn_words_do_not_depend_on_batching() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for (generator, case) in cases() {
        let protocol = pulled(&system, case, generator, 60);
        let members = || (0..5).map(|number| new_member(&system, &protocol, number));
        // The block plan does not have these generators, so the request has no effect.
        let ensemble = Ensemble::new(&device).unwrap().with_plan(Plan::Block);
        let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
        let found = stepped(&mut ensemble, members().collect(), choices(6, 30));
        for (number, found) in (0..).zip(found) {
            let expected = without_squares(by_reference(&system, &protocol, number));
            assert_same(&without_squares(found), &expected, &format!("{generator:?}, {number}"));
        }
    }
}

/// Nothing is drawn at T = 0.
#[test]
fn without_noise_generators_keep_their_states() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for (generator, case) in cases() {
        let dynamics = Dynamics { temperature: 0.0, ..sop_dynamics(case) };
        let protocol = Arc::new(Protocol {
            randomness: generator.into(),
            ..protocol(dynamics, vec![stage(9, vec![])])
        });
        let expected = without_squares(by_reference(&system, &protocol, 1));
        let before: Member = new_member(&system, &protocol, 1);
        assert_eq!(expected.noise, before.state().noise);
        let found = stepped(&mut as_written(&device), vec![before], std::iter::repeat(4));
        assert_same(&without_squares(found[0].clone()), &expected, &format!("{generator:?}"));
    }
}

/// A member that fails returns to its last sound state, and so do its generators.
#[test]
fn failures_restore_the_generators_of_the_sound_state() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for (generator, case) in cases() {
        let dynamics = Dynamics { temperature: 60.0, ..sop_dynamics(case) };
        let stages = vec![stage(400, vec![])];
        let protocol =
            Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) });
        let mut on_host = new_member(&system, &protocol, 2);
        let expected = on_host.advance(400).unwrap_err();
        let mut member = new_member(&system, &protocol, 2);
        let points = [beadwork_simulation::SamplePoint { steps: 400, row: false }];
        let jobs = [beadwork_cuda::Job { member: &member, points: &points }];
        let results = as_written(&device).advance(&jobs).unwrap();
        assert_eq!(results[0].samples(), 0);
        let failure = results[0].fail(&mut member).unwrap().expect("a hot member fails");
        assert_eq!((failure.step, length_of(&failure)), (expected.step, length_of(&expected)));
        assert_eq!(member.step_number(), on_host.step_number());
        // The generator on the host also drew for the step that failed.
        let mut sound = new_member(&system, &protocol, 2).with_path(CpuPath::Reference);
        sound.advance(member.step_number()).unwrap();
        let what = format!("{generator:?} {case:?}");
        assert_same(&without_squares(member.state()), &without_squares(sound.state()), &what);
    }
}

/// A step needs more numbers than the lags allow in parallel, so they are made in rounds.
#[test]
fn a_step_of_lagged_fibonacci_may_take_rounds() {
    let Some(device) = device() else { return };
    let one = everything();
    let beads = 126_500;
    let system = Arc::new(System {
        particles: Particles::of_one_type(
            one.particles.labels.iter().cycle().take(beads).copied().collect(),
            (0..beads).map(|bead| [bead as f64, 0.0, 0.0]).collect(),
        ),
        ..System::default()
    });
    let generator = Generator::LaggedFibonacci;
    let dynamics = sop_dynamics((Integrator::Brownian, Precision::Double));
    let protocol = Arc::new(Protocol {
        randomness: generator.into(),
        ..protocol(dynamics, vec![stage(3, vec![])])
    });
    let expected = without_squares(by_reference(&system, &protocol, 1));
    let member = new_member(&system, &protocol, 1);
    let mut ensemble = as_written(&device);
    let found = stepped(&mut ensemble, vec![member], std::iter::repeat(2)).remove(0);
    assert_same(&without_squares(found), &expected, "in rounds");
}
