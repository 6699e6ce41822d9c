//! Generators whose words are filled before the steps: words and states are those of the reference path in all plans.

use std::ops::Range;
use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, LaunchOverrides, Plan, Rounding, usual_plan};
use beadwork_model::{
    Dynamics, Generator, Integrator, Interactions, Particles, Precision, Protocol, Stage, System,
};

use crate::beads::scattered;
use crate::boxes;
use crate::everything::everything;
use crate::plans::length_of;
use crate::same_bits::{pulled, systems};
use crate::stepping::{assert_same, by_reference, device, new_member, stepped, without_squares};
use crate::support::{CASES, WITH_VELOCITIES, choices, protocol, sop_dynamics, stage};

pub const FILLED: [Generator; 5] = [
    Generator::Lcg,
    Generator::Ran2,
    Generator::Xorwow,
    Generator::LaggedFibonacci,
    Generator::Mt19937,
];

/// Each generator with one integrator and precision: all combinations would be too many programs to compile.
fn cases() -> impl Iterator<Item = (Generator, (Integrator, Precision))> {
    FILLED.into_iter().zip(CASES.into_iter().cycle())
}

/// Lanes, a block, a cluster, the grid plan.
const FORMS: [(Plan, bool, Option<usize>); 4] = [
    (Plan::Block, true, None),
    (Plan::Block, false, Some(1)),
    (Plan::Block, false, Some(2)),
    (Plan::Grid, false, None),
];

fn in_form(device: &Device, (plan, lanes, cluster): (Plan, bool, Option<usize>)) -> Ensemble {
    let overrides = LaunchOverrides { lanes: Some(lanes), cluster, ..LaunchOverrides::default() };
    let ensemble = Ensemble::new(device).unwrap().with_plan(plan).with_overrides(overrides);
    ensemble.with_rounding(Rounding::AsWritten)
}

fn as_written(device: &Device) -> Ensemble {
    Ensemble::new(device).unwrap().with_rounding(Rounding::AsWritten)
}

/// Members have fixed beads and externals, in launches of any length.
#[test]
fn filled_words_are_those_of_the_reference_path() {
    let Some(device) = device() else { return };
    for form in FORMS {
        let mut ensemble = in_form(&device, form);
        for (generator, case) in cases() {
            for (name, system) in systems().into_iter().take(2) {
                if form.1 && system.beads() > 128 {
                    continue;
                }
                let protocol = pulled(&system, case, generator, 40);
                let expected = without_squares(by_reference(&system, &protocol, 3));
                for steps in [1, 7, 40] {
                    let member = new_member(&system, &protocol, 3);
                    let found =
                        stepped(&mut ensemble, vec![member], std::iter::repeat(steps)).remove(0);
                    let what = format!("{form:?} {generator:?} {case:?} {name}, by {steps}");
                    assert_same(&without_squares(found), &expected, &what);
                }
            }
        }
    }
}

/// Members with others, of which some have other generators.
#[test]
fn filled_words_do_not_depend_on_batching() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for form in FORMS {
        for case in [CASES[0], CASES[3]] {
            let protocols = FILLED.map(|generator| pulled(&system, case, generator, 60));
            let protocol_of = |number: u64| &protocols[number as usize % FILLED.len()];
            let members = (0..11).map(|number| new_member(&system, protocol_of(number), number));
            let mut ensemble = in_form(&device, form);
            let found = stepped(&mut ensemble, members.collect(), choices(6, 30));
            for (number, found) in (0..).zip(found) {
                let expected = without_squares(by_reference(&system, protocol_of(number), number));
                assert_same(&without_squares(found), &expected, &format!("{form:?}, {number}"));
            }
        }
    }
}

/// Asserts that members of one system, in launches of up to `most` steps, have the bits of the reference path.
#[track_caller]
fn assert_together(
    device: &Device,
    system: &Arc<System>,
    protocol: &Arc<Protocol>,
    numbers: Range<u64>,
    most: u64,
    what: &str,
) {
    let members = numbers.clone().map(|number| new_member(system, protocol, number)).collect();
    let found = stepped(&mut as_written(device), members, choices(5, most));
    for (number, found) in numbers.zip(found) {
        let expected = by_reference(system, protocol, number);
        assert_same(&without_squares(found), &without_squares(expected), what);
    }
}

/// Where nothing acts between beads, a thread has a bead; where one sequence serves all beads, its words are filled.
#[test]
fn independent_beads_share_a_sequence() {
    let Some(device) = device() else { return };
    let mut system = everything();
    let singles = std::mem::take(&mut system.interactions.singles);
    system.interactions = Interactions { singles, ..Interactions::default() };
    let system = Arc::new(system);
    for (generator, case) in
        [Generator::LaggedFibonacci, Generator::Mt19937].into_iter().zip([CASES[0], CASES[3]])
    {
        let stages = vec![Stage { fixed: vec![3], ..stage(20, vec![]) }, stage(40, vec![])];
        let protocol = protocol(sop_dynamics(case), stages);
        let protocol = Arc::new(Protocol { randomness: generator.into(), ..protocol });
        assert_eq!(
            usual_plan(&device, &new_member(&system, &protocol, 3), Some(3)),
            Some(Plan::Independent)
        );
        let what = format!("{generator:?} {case:?}");
        assert_together(&device, &system, &protocol, 3..6, 20, &what);
    }
}

/// A sequence is made in rounds of depth 1 to 8, which end within steps: a launch of up to 79 steps makes up to 32 short lags of
/// numbers for 300 beads, 65 for 1,030 in double precision, and rounds are of depth 8 from 14 on.
#[test]
fn independent_beads_share_a_sequence_of_deep_rounds() {
    let Some(device) = device() else { return };
    for (beads, case) in [(300, CASES[0]), (1_030, CASES[3])] {
        let system = Arc::new(scattered(beads, false));
        let protocol = protocol(sop_dynamics(case), vec![stage(200, vec![])]);
        let protocol =
            Arc::new(Protocol { randomness: Generator::LaggedFibonacci.into(), ..protocol });
        let what = format!("{beads} beads, {case:?}");
        assert_together(&device, &system, &protocol, 3..5, 80, &what);
    }
}

/// Members of one launch have different lags, and different numbers of steps to their samples. Rounds of three members grow to depth 8,
/// those of 300 keep depth 1.
#[test]
fn members_with_other_lags_are_filled_together() {
    let Some(device) = device() else { return };
    let protocol = protocol(sop_dynamics(CASES[0]), vec![stage(60, vec![])]);
    let protocol = Arc::new(Protocol { randomness: Generator::LaggedFibonacci.into(), ..protocol });
    for count in [3, 300] {
        let systems = [312, 313, 320].map(|beads| Arc::new(scattered(beads, false)));
        let new = |number: u64| new_member(&systems[number as usize % 3], &protocol, number);
        let found =
            stepped(&mut as_written(&device), (0..count).map(new).collect(), choices(5, 40));
        for (number, found) in (0..).zip(found).step_by(count as usize / 3) {
            let expected = by_reference(&systems[number as usize % 3], &protocol, number);
            let what = format!("member {number} of {count}");
            assert_same(&without_squares(found), &without_squares(expected), &what);
        }
    }
}

/// In boxes too, with launches that measure their samples.
#[test]
fn filled_words_in_boxes_are_those_of_the_reference_path() {
    let Some(device) = device() else { return };
    for (number, form) in boxes::FORMS.into_iter().enumerate() {
        let cases = match form {
            boxes::Form::Bricks => &WITH_VELOCITIES[..],
            _ => &CASES[..],
        };
        for (place, &case) in cases.iter().enumerate().take(3) {
            let generator = FILLED[(number + place) % FILLED.len()];
            boxes::check_mixture(&device, form, case, generator);
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
