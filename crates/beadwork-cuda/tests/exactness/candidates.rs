//! Forms of blocks from which the fastest is chosen: all give the same bits, and all can be timed.

use std::sync::Arc;

use beadwork_cuda::forms::{candidates, time_forms};
use beadwork_cuda::{Ensemble, LaunchOverrides};
use beadwork_model::{Generator, Integrator, Precision, Protocol, System};

use crate::boxes::lennard_jones;
use crate::everything::{crowd, everything};
use crate::stepping::{assert_same, device, new_member, stepped};
use crate::support::{helix, protocol, sop_dynamics, stage};

/// Members in lanes or blocks, in clusters, on a grid, and in boxes with bricks and lists.
fn systems() -> [(&'static str, Arc<System>, Integrator, usize); 6] {
    let brownian = Integrator::Brownian;
    [
        ("31 beads", Arc::new(everything()), brownian, 400),
        ("31 beads alone", Arc::new(everything()), brownian, 1),
        ("203 beads", Arc::new(helix(203)), brownian, 1),
        ("203 beads, many", Arc::new(helix(203)), brownian, 400),
        ("1240 beads", Arc::new(crowd()), brownian, 1),
        ("a liquid", Arc::new(lennard_jones(300)), Integrator::LangevinMiddle, 1),
    ]
}

fn protocol_of(integrator: Integrator) -> Arc<Protocol> {
    let dynamics = sop_dynamics((integrator, Precision::Single));
    let protocol = protocol(dynamics, vec![stage(60, vec![])]);
    Arc::new(Protocol { randomness: Generator::Philox4x32x10.into(), ..protocol })
}

#[test]
fn every_candidate_gives_the_same_bits() {
    let Some(device) = device() else { return };
    for (name, system, integrator, together) in systems() {
        let protocol = protocol_of(integrator);
        let member = || new_member(&system, &protocol, 3);
        let forms = candidates(&device, &member(), together);
        assert!((2..=5).contains(&forms.len()), "{name}: {forms:?}");
        assert_eq!(forms[0], LaunchOverrides::default(), "{name}");
        let mut expected = None;
        for form in forms {
            let ensemble = Ensemble::new(&device).unwrap().with_members_on_device(together);
            let mut ensemble = ensemble.with_overrides(form);
            let found =
                stepped(&mut ensemble, vec![member(), member()], std::iter::repeat(23)).remove(0);
            let expected = expected.get_or_insert_with(|| found.clone());
            assert_same(&found, expected, &format!("{name}, {form}"));
        }
    }
}

#[test]
fn candidates_are_timed_until_enough_are() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    let protocol = protocol_of(Integrator::Brownian);
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
