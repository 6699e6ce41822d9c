//! Integrators with velocities: blocks and clusters have the bits of the reference path, whatever the launches.

use std::sync::Arc;

use beadwork_cuda::{Device, Ensemble, LaunchOverrides, Rounding};
use beadwork_model::{Generator, System};

use crate::everything::{everything, everything_and_types};
use crate::same_bits::pulled;
use crate::stepping::{assert_same, by_reference, device, new_member, stepped};
use crate::support::{WITH_VELOCITIES, helix};

fn as_written(device: &Device, cluster: usize, members: usize) -> Ensemble {
    let overrides = LaunchOverrides {
        lanes: Some(false),
        cluster: Some(cluster),
        members: Some(members),
        ..LaunchOverrides::default()
    };
    Ensemble::new(device).unwrap().with_overrides(overrides).with_rounding(Rounding::AsWritten)
}

fn systems() -> [(&'static str, Arc<System>); 3] {
    [
        ("31 beads", Arc::new(everything())),
        ("31 beads of several types", Arc::new(everything_and_types())),
        ("203 beads", Arc::new(helix(203))),
    ]
}

#[test]
fn with_velocities_steps_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    for (name, system) in systems() {
        let generators = [Generator::Philox4x32x10, Generator::HybridTaus].into_iter().cycle();
        for (case, generator) in WITH_VELOCITIES.into_iter().zip(generators) {
            let protocol = pulled(&system, case, generator, 40);
            let expected: Vec<_> =
                (3..5).map(|number| by_reference(&system, &protocol, number)).collect();
            for (cluster, members, chunk) in [(1, 1, 23), (1, 2, 1), (2, 1, 7)] {
                let mut ensemble = as_written(&device, cluster, members);
                let all = (3..5).map(|number| new_member(&system, &protocol, number)).collect();
                let found = stepped(&mut ensemble, all, std::iter::repeat(chunk));
                for (found, expected) in found.iter().zip(&expected) {
                    let what = format!("{name} {case:?} {generator:?}, {cluster} blocks");
                    assert_eq!(found.motion, expected.motion, "{what}");
                    assert_same(found, expected, &what);
                }
            }
        }
    }
}
