//! Members whose bonds break: the GPU finds the error at the same step as the CPU, and no other member is affected.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::{Ensemble, Job, Rounding};
use beadwork_model::{Dynamics, Generator, Integrator, Precision, Protocol};
use beadwork_simulation::SamplePoint;

use crate::everything::everything;
use crate::stepping::{assert_same, device, new_member, stepped};
use crate::support::{CASES, protocol, sop_dynamics, stage};

/// Protocols of 400 steps: all bonds hold in the first, one breaks in the second.
pub fn mild_and_hot(case: (Integrator, Precision), generator: Generator) -> [Arc<Protocol>; 2] {
    // Fails within some hundred steps: the displacement of a step is a third of the bond's limit.
    let hot = Dynamics { temperature: 60.0, ..sop_dynamics(case) };
    [sop_dynamics(case), hot].map(|dynamics| {
        let protocol = protocol(dynamics, vec![stage(400, vec![])]);
        Arc::new(Protocol { randomness: generator.into(), ..protocol })
    })
}

#[test]
fn a_broken_bond_freezes_its_member_alone() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    for case in CASES {
        for generator in Generator::IN_LANES {
            let [mild, hot] = mild_and_hot(case, generator);
            let member = |n: u64| new_member(&system, if n == 2 { &hot } else { &mild }, n);
            let mut broken = member(2);
            let expected = broken.advance(400).unwrap_err();
            for rounding in [Rounding::AsWritten, Rounding::Fused] {
                let mut ensemble = Ensemble::new(&device).unwrap().with_rounding(rounding);
                let mut outcomes = Vec::new();
                for steps in [3_u32, 50, 400] {
                    let mut members: Vec<Member> = (0..5).map(member).collect();
                    let mut failure = None;
                    while members[0].remaining() > 0 {
                        let flying: Vec<usize> =
                            (0..5).filter(|&place| place != 2 || failure.is_none()).collect();
                        let steps = members[0].remaining().min(u64::from(steps)) as u32;
                        let points = [SamplePoint { steps, row: false }];
                        let jobs: Vec<Job<'_>> = flying
                            .iter()
                            .map(|&place| Job { member: &members[place], points: &points })
                            .collect();
                        let results = ensemble.advance(&jobs).unwrap();
                        for (&place, result) in flying.iter().zip(&results) {
                            for point in 0..result.samples() {
                                result.bring(point, &mut members[place]).unwrap();
                            }
                            let failed = result.fail(&mut members[place]).unwrap();
                            assert!(failed.is_none() || place == 2);
                            failure = failure.or(failed);
                        }
                    }
                    let failure = failure.expect("the hot member fails");
                    outcomes.push((failure, members[2].state()));
                    for number in [0, 1, 3, 4] {
                        let alone =
                            stepped(&mut ensemble, vec![member(number)], std::iter::repeat(400));
                        let what = format!("{case:?} {generator:?} {rounding:?} {number}");
                        assert_same(&members[number as usize].state(), &alone[0], &what);
                    }
                }
                assert!(
                    outcomes
                        .windows(2)
                        .all(|pair| pair[0].1 == pair[1].1 && pair[0].0.step == pair[1].0.step)
                );
                if rounding == Rounding::AsWritten {
                    let (failure, state) = &outcomes[0];
                    assert_eq!(failure.step, expected.step, "{case:?} {generator:?}");
                    let expected = broken.state().positions;
                    assert!(state.positions == expected, "{case:?} {generator:?}");
                    assert_eq!(state.step, broken.state().step);
                }
            }
        }
    }
}
