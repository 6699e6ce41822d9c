//! Minimisation on a GPU has the bits of the reference path, whatever the launches.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Ensemble, Rounding, steps_on_host};
use beadwork_model::{Generator, Precision, Protocol, Stage, StageKind, System};
use beadwork_simulation::StepError;

use crate::boxed::{at_random, mixture, with_thermostat};
use crate::boxes::{Form, in_form, lennard_jones};
use crate::everything::{crowd, crowd_and_types, everything};
use crate::stepping::{assert_same, by_reference, device, new_member, step_once, stepped};
use crate::support::{CASES, WITH_VELOCITIES, dynamics, protocol, stage};

type Kind = (u64, u64, f64);

/// A stage of minimisation: the steps of its push-off, all of its steps, its tolerance; some beads are fixed.
fn minimisation(case: usize, (push_off, steps, tolerance): Kind) -> Arc<Protocol> {
    let cases = [CASES[0], CASES[1], WITH_VELOCITIES[0], WITH_VELOCITIES[5]];
    let kind = StageKind::Minimise { tolerance, steps, push_off };
    let stages = vec![Stage { kind, fixed: vec![2, 7], ..stage(0, vec![]) }];
    let dynamics = dynamics(cases[case % 4], 0.005);
    // Minimisations draw no numbers, so all generators are alike.
    let generators = [Generator::Philox4x32x10, Generator::HybridTaus, Generator::Lcg];
    let generator = generators[if dynamics.integrator.has_velocities() { 0 } else { case % 3 }];
    Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) })
}

/// Compares two members at once in launches of several lengths; returns the steps that the first one made.
#[track_caller]
fn check(form: Form, name: &str, system: &Arc<System>, case: usize, kind: Kind) -> u64 {
    let Some(device) = device() else { return 0 };
    let protocol = minimisation(case, kind);
    let expected = [3, 4].map(|number| by_reference(system, &protocol, number));
    for chunks in [vec![1_000], vec![1, 7, 4]] {
        let all = [3, 4].map(|number| new_member(system, &protocol, number)).to_vec();
        let found = stepped(&mut in_form(&device, form), all, chunks.iter().copied().cycle());
        for (found, expected) in found.iter().zip(&expected) {
            let what = format!("{name}, case {case}, {form:?}, launches of {chunks:?}");
            assert_eq!(found.minimiser, expected.minimiser, "{what}");
            assert_same(found, expected, &what);
        }
    }
    expected[0].step
}

#[test]
fn a_minimisation_in_open_space_is_the_reference_path_to_the_bit() {
    let systems =
        [("everything", everything()), ("a crowd", crowd()), ("types", crowd_and_types())];
    for (case, (name, system)) in systems.into_iter().enumerate() {
        let system = Arc::new(system);
        check(Form::Grid, name, &system, case, (0, 40, 0.0));
        check(Form::Grid, name, &system, case + 1, (12, 20, 1e-3));
    }
}

#[test]
fn a_minimisation_in_a_box_is_the_reference_path_to_the_bit() {
    for form in [Form::Grid, Form::SharedLists] {
        // Beads of the first two systems overlap.
        let systems = [
            ("at random", {
                let mut system = at_random(300, 0.0, 5);
                system.interactions.pairs = lennard_jones(4).interactions.pairs;
                system
            }),
            ("a mixture", mixture(150)),
            ("few", lennard_jones(45)),
            ("a pair thermostat", with_thermostat(mixture(150))),
        ];
        for (case, (name, system)) in systems.into_iter().enumerate() {
            check(form, name, &Arc::new(system), case, (31, 45, 1e-4));
        }
    }
}

/// Without a push-off, and after one that is too short.
#[test]
fn a_force_that_is_too_large_ends_a_minimisation_at_the_same_step() {
    let Some(device) = device() else { return };
    let mut system = at_random(300, 0.0, 5);
    system.interactions.pairs = lennard_jones(4).interactions.pairs;
    let system = Arc::new(system);
    for push_off in [0, 6] {
        let protocol = minimisation(2, (push_off, 20, 1e-4));
        let mut expected = new_member(&system, &protocol, 3).with_path(CpuPath::Reference);
        let failure = expected.advance(u64::MAX).unwrap_err();
        assert!(matches!(failure.error, StepError::ForceTooLarge { .. }), "{failure:?}");
        let mut members = [new_member(&system, &protocol, 3)];
        let mut ensemble = in_form(&device, Form::Grid);
        let mut chunks = [4].into_iter().cycle();
        let found = loop {
            match step_once(&mut ensemble, &mut members, &mut chunks) {
                Ok(goes_on) => assert!(goes_on),
                Err(failure) => break failure,
            }
        };
        assert_eq!((found.step, found.error), (failure.step, failure.error));
        assert_same(&members[0].state(), &expected.state(), "after a force that is too large");
    }
}

/// It ends at the same step, where no bead feels more than the tolerance.
#[test]
fn a_minimisation_ends_on_a_gpu_where_it_does_on_the_host() {
    for case in 0..2 {
        let made = check(Form::Grid, "everything", &Arc::new(everything()), case, (0, 5_000, 0.5));
        assert!(made < 5_000, "{made}");
    }
}

/// With `Rounding::Fused` forces differ from the host's in their last bits; the minimum is the same.
#[test]
fn a_fused_minimisation_finds_the_same_minimum() {
    let Some(device) = device() else { return };
    let (system, protocol) = (Arc::new(everything()), minimisation(1, (0, 20_000, 1e-8)));
    assert_eq!(protocol.dynamics.precision, Precision::Double);
    let mut ensemble = Ensemble::new(&device).unwrap().with_rounding(Rounding::Fused);
    let expected = by_reference(&system, &protocol, 3);
    let all = vec![new_member(&system, &protocol, 3)];
    let found = stepped(&mut ensemble, all, [500].into_iter().cycle());
    let [found, expected] =
        [&found[0], &expected].map(|state| system.energies(&state.positions).total());
    assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} {expected}");
}

#[test]
fn the_host_makes_the_first_step_of_a_push_off() {
    let protocol = minimisation(0, (10, 20, 1.0));
    let mut member: Member = new_member(&Arc::new(lennard_jones(45)), &protocol, 3);
    assert_eq!(steps_on_host(&member), 1);
    member.advance(1).unwrap();
    assert_eq!(steps_on_host(&member), 0);
}
