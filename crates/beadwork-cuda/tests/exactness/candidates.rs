//! Forms of blocks from which the fastest is chosen: all give the same bits, and all can be timed.

use std::sync::Arc;

use beadwork_cuda::forms::{candidates, time_forms};
use beadwork_cuda::{Ensemble, LaunchOverrides};
use beadwork_model::{Generator, Integrator, Precision, Protocol, System};

use crate::boxed::at_random_in;
use crate::boxes::lennard_jones;
use crate::everything::{crowd, everything};
use crate::stepping::{assert_same, device, new_member, stepped};
use crate::support::{helix, protocol, sop_dynamics, stage};

fn protocol_of(integrator: Integrator) -> Arc<Protocol> {
    protocol_over(integrator, 60)
}

fn protocol_over(integrator: Integrator, steps: u64) -> Arc<Protocol> {
    let dynamics = sop_dynamics((integrator, Precision::Single));
    let protocol = protocol(dynamics, vec![stage(steps, vec![])]);
    Arc::new(Protocol { randomness: Generator::Philox4x32x10.into(), ..protocol })
}

/// Steps two members of a system in every form, with so many members together.
fn assert_same_bits(system: impl FnOnce() -> System, integrator: Integrator, together: usize) {
    let Some(device) = device() else { return };
    let system = Arc::new(system());
    let protocol = protocol_of(integrator);
    let member = || new_member(&system, &protocol, 3);
    let forms = candidates(&device, &member(), together);
    assert!((2..=5).contains(&forms.len()), "{forms:?}");
    assert_eq!(forms[0], LaunchOverrides::default());
    let mut expected = None;
    for form in forms {
        let ensemble = Ensemble::new(&device).unwrap().with_members_on_device(together);
        let mut ensemble = ensemble.with_overrides(form);
        let found =
            stepped(&mut ensemble, vec![member(), member()], std::iter::repeat(23)).remove(0);
        let expected = expected.get_or_insert_with(|| found.clone());
        assert_same(&found, expected, &form.to_string());
    }
}

// Each form is a program that takes seconds to compile: a test for each system, so that they compile side by side.
#[test]
fn every_candidate_of_lanes_or_blocks_gives_the_same_bits() {
    assert_same_bits(everything, Integrator::Brownian, 400);
}

#[test]
fn every_candidate_of_one_small_member_gives_the_same_bits() {
    assert_same_bits(everything, Integrator::Brownian, 1);
}

#[test]
fn every_candidate_of_a_cluster_gives_the_same_bits() {
    assert_same_bits(|| helix(203), Integrator::Brownian, 1);
}

#[test]
fn every_candidate_of_many_helices_gives_the_same_bits() {
    assert_same_bits(|| helix(203), Integrator::Brownian, 400);
}

#[test]
fn every_candidate_of_a_grid_gives_the_same_bits() {
    assert_same_bits(crowd, Integrator::Brownian, 1);
}

#[test]
fn every_candidate_in_a_box_gives_the_same_bits() {
    let liquid = || {
        let interactions = lennard_jones(4).interactions;
        System { interactions, ..at_random_in([16.0, 20.0, 18.0], 300, 1.5, 8) }
    };
    assert_same_bits(liquid, Integrator::LangevinMiddle, 1);
}

#[test]
fn candidates_are_timed_until_enough_are() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    // Launches are lengthened until the time of their steps can be told from that of starting them, on any card.
    let protocol = protocol_over(Integrator::Brownian, 1_000_000);
    let members = [new_member(&system, &protocol, 0), new_member(&system, &protocol, 1)];
    let all = candidates(&device, &members[0], 2);
    let times = time_forms(&device, &members, 2, |_| false).unwrap();
    let forms: Vec<LaunchOverrides> = times.iter().map(|time| time.form).collect();
    assert_eq!(forms, all);
    assert!(times.iter().all(|time| time.seconds > 0.0 && time.seconds.is_finite()), "{times:?}");
    let one = time_forms(&device, &members, 2, |times| !times.is_empty()).unwrap();
    assert_eq!(one.len(), 1);
    // A member that fails has no times.
    let mut hot = sop_dynamics((Integrator::Brownian, Precision::Single));
    hot.temperature = 1e4;
    let protocol = Arc::new(crate::support::protocol(hot, vec![stage(400, vec![])]));
    let members = [new_member(&system, &protocol, 0)];
    assert!(time_forms(&device, &members, 1, |_| false).unwrap().is_empty());
}
