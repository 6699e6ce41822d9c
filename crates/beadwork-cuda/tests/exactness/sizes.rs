//! Members of different sizes in one launch: each has the bits that it has alone.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Ensemble, LaunchOverrides, Rounding};
use beadwork_model::{Generator, Protocol, System};

use crate::clusters::{contracting, contraction};
use crate::everything::{everything, everything_and_types, with_every_formula};
use crate::same_bits::pulled;
use crate::stepping::{assert_same, device, new_member, stepped, without_squares};
use crate::support::{CASES, WITH_VELOCITIES, helix};

#[test]
fn members_of_all_sizes_step_together_as_they_do_alone() {
    let Some(device) = device() else { return };
    // Some share a kernel, others have one of their own; the last helices need lists. The typed ones of 33 and 40 beads share
    // masks of the larger one.
    let sizes = [25, 30, 32, 34, 61, 64, 133, 140].map(helix);
    let typed = [33, 40].map(|beads| with_every_formula(helix(beads)));
    let others = typed.into_iter().chain([everything(), everything_and_types()]);
    let systems: Vec<Arc<System>> = sizes.into_iter().chain(others).map(Arc::new).collect();
    for case in [WITH_VELOCITIES[0], CASES[0]] {
        let members = || {
            systems.iter().enumerate().map(|(number, system)| {
                (system, pulled(system, case, Generator::Philox4x32x10, 30), number as u64)
            })
        };
        for lanes in [false, true] {
            let together = |all| {
                let overrides =
                    LaunchOverrides { lanes: Some(lanes), ..LaunchOverrides::default() };
                let ensemble = Ensemble::new(&device).unwrap().with_overrides(overrides);
                let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
                stepped(&mut ensemble, all, std::iter::repeat(17))
            };
            let new = |(system, protocol, number): (&Arc<System>, _, _)| {
                new_member(system, &protocol, number)
            };
            let expected = members().flat_map(|one| together(vec![new(one)]));
            let found = together(members().map(new).collect());
            for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
                let what = format!("member {number} {case:?}, lanes {lanes}");
                assert_eq!(found.extra.motion, expected.extra.motion, "{what}");
                assert_same(found, &expected, &what);
            }
        }
    }
}

/// Members of one system with two generators have two kernels and one set of tables. Both need longer lists.
#[test]
fn lists_of_a_system_grow_when_no_kernel_reads_them() {
    let Some(device) = device() else { return };
    let system = Arc::new(contracting());
    let start = system.particles.positions.clone();
    let protocols =
        [Generator::Philox4x32x10, Generator::SaruTea].map(|one| Arc::new(contraction(one)));
    let member =
        |protocol: &Arc<Protocol>| Member::new(system.clone(), protocol.clone(), 0, &start);
    let expected = protocols.iter().map(|protocol| {
        let mut member = member(protocol).with_path(CpuPath::Reference);
        member.advance(500).unwrap();
        without_squares(member.state())
    });
    let overrides =
        LaunchOverrides { lanes: Some(false), cluster: Some(1), ..LaunchOverrides::default() };
    let ensemble = Ensemble::new(&device).unwrap().with_overrides(overrides);
    let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
    let all = protocols.iter().map(member).collect();
    let found = stepped(&mut ensemble, all, std::iter::repeat(500));
    for (found, expected) in found.into_iter().zip(expected) {
        assert_same(&without_squares(found), &expected, "both generators");
    }
}
