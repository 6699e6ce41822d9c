//! Continuation: n + m steps have the same bits as n steps, a state, and m steps, with any interruptions.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{Ends, External, Force, ForceRamp, Restrain, Spring};
use beadwork_model::observables::Observable;
use beadwork_model::{ParticleType, Particles, Protocol, Stage, StageKind, System};
use beadwork_simulation::MemberState;
use beadwork_structure::Label;

use crate::support::{
    CASES, cases_with_noise, choices, every_randomness, going_on, helix, protocol, shaken,
    sop_dynamics, stage, tip_and_surface, with_noise,
};

const BEADS: usize = 24;

fn ends() -> Ends {
    Ends { fixed: vec![0], pulled: vec![BEADS - 2, BEADS - 1], direction: None, ..Ends::default() }
}

/// Stages with minimisations, restraints, a held spring, all other externals together, and no externals.
fn stages() -> Vec<Stage> {
    let spring = |update_every| {
        External::Spring(Spring { ends: ends(), stiffness: 0.05, speed: 1e-4, update_every })
    };
    let restrain =
        |stiffness| External::Restrain(Restrain { beads: vec![1, 5, BEADS - 1], stiffness });
    let force = Force { ends: Ends { direction: Some([0.0, 0.6, 0.8]), ..ends() }, force: 0.3 };
    let held = |kind, externals| Stage { kind, fixed: vec![0, 3], ..stage(0, externals) };
    vec![
        Stage {
            kind: StageKind::Minimise { tolerance: 0.05, steps: 400, push_off: 0 },
            ..stage(0, vec![])
        },
        stage(150, vec![restrain(2.0)]),
        held(StageKind::Dynamics { steps: 230 }, vec![spring(17), restrain(0.1)]),
        held(
            StageKind::Dynamics { steps: 170 },
            vec![
                External::Force(force),
                External::ForceRamp(ForceRamp { ends: ends(), rate: 1e-5 }),
                External::Spring(Spring {
                    ends: Ends { name: "named".into(), ..ends() },
                    stiffness: 0.05,
                    speed: 1e-4,
                    update_every: 1,
                }),
            ],
        ),
        stage(210, with_noise(tip_and_surface(BEADS), 0.5)),
        stage(90, going_on(with_noise(tip_and_surface(BEADS), 0.5))),
        held(StageKind::Minimise { tolerance: 0.0, steps: 40, push_off: 0 }, vec![]),
        stage(60, vec![]),
    ]
}

/// Interruptions of a run, as a caller makes them: chunks of steps, restored states, samples in between.
struct Interruptions {
    chunks: Box<dyn Iterator<Item = u64>>,
    interrupts: bool,
    samples: bool,
}

fn run(
    system: &Arc<System>,
    protocol: &Arc<Protocol>,
    start: &[[f64; 3]],
    interruptions: Interruptions,
) -> Member {
    let Interruptions { mut chunks, interrupts, samples } = interruptions;
    let replica = 11;
    let mut member = Member::new(system.clone(), protocol.clone(), replica, start);
    loop {
        if member.remaining() == 0 {
            if member.stage_number() + 1 == protocol.stages.len() {
                return member;
            }
            member.begin_stage(member.stage_number() + 1);
        }
        member.advance(chunks.next().unwrap()).unwrap();
        if samples {
            member.verify().unwrap();
            member.measure().unwrap();
        }
        if interrupts {
            let state: MemberState = member.state();
            member = Member::restore(system.clone(), protocol.clone(), replica, state.clone());
            assert_eq!(member.state(), state);
        }
    }
}

fn forever(steps: u64) -> Box<dyn Iterator<Item = u64>> {
    Box::new(std::iter::repeat(steps))
}

/// Chunks of 0 to 59 steps.
fn at_random(seed: u64) -> Box<dyn Iterator<Item = u64>> {
    Box::new(choices(seed, 60))
}

/// Every integrator and precision, with all kinds of noise.
fn each_case(body: impl Fn(&Arc<System>, &Arc<Protocol>, &[[f64; 3]], &str)) {
    let system = Arc::new(helix(BEADS));
    let start = shaken(&system.particles.positions, 0.1, 77);
    for (case, randomness) in cases_with_noise() {
        let protocol = Protocol { randomness, ..protocol(sop_dynamics(case), stages()) };
        body(&system, &Arc::new(protocol), &start, &format!("{case:?} {}", randomness.name()));
    }
}

#[test]
fn interruptions_change_nothing() {
    each_case(|system, protocol, start, case| {
        let interruptions =
            |chunks, interrupts| Interruptions { chunks, interrupts, samples: false };
        let whole = run(system, protocol, start, interruptions(forever(u64::MAX), false)).state();
        for seed in 0..3 {
            let parts = run(system, protocol, start, interruptions(at_random(seed), true)).state();
            assert_eq!(parts, whole, "{case}, seed {seed}");
        }
        // Checks that the run went through all stages.
        assert_eq!(
            (whole.stage, whole.dynamics_step),
            (7, 150 + 230 + 170 + 210 + 90 + 60),
            "{case}"
        );
        assert!(whole.step > whole.dynamics_step + 40, "{case}");
        assert_ne!(whole.positions, start);
    });
}

#[test]
fn an_interruption_at_every_step_changes_nothing() {
    each_case(|system, protocol, start, case| {
        let interruptions =
            |chunks, interrupts| Interruptions { chunks, interrupts, samples: false };
        let whole = run(system, protocol, start, interruptions(forever(u64::MAX), false)).state();
        let single = run(system, protocol, start, interruptions(forever(1), true)).state();
        assert_eq!(single, whole, "{case}");
    });
}

#[test]
fn chunks_change_nothing() {
    each_case(|system, protocol, start, case| {
        let interruptions = |chunks| Interruptions { chunks, interrupts: false, samples: false };
        let whole = run(system, protocol, start, interruptions(forever(u64::MAX))).state();
        for chunks in [forever(1), forever(7), at_random(4), at_random(5)] {
            assert_eq!(
                run(system, protocol, start, interruptions(chunks)).state(),
                whole,
                "{case}"
            );
        }
    });
}

/// Taking a sample resets the averages of a row and may add to the work, so both runs take a sample before they are
/// compared.
#[test]
fn samples_change_only_the_averages_of_a_row() {
    each_case(|system, protocol, start, case| {
        let interruptions = |chunks, samples| Interruptions { chunks, interrupts: false, samples };
        let last_sample = |interruptions| {
            let mut member = run(system, protocol, start, interruptions);
            let row = member.measure().unwrap();
            (member.state(), row)
        };
        let (whole, expected) = last_sample(interruptions(forever(u64::MAX), false));
        for chunks in [forever(1), forever(13), at_random(6)] {
            let (state, row) = last_sample(interruptions(chunks, true));
            assert_eq!(state, whole, "{case}");
            for observable in Observable::ALL {
                if !observable.is_average() {
                    assert_eq!(row.get(observable), expected.get(observable), "{case}");
                }
            }
        }
    });
}

/// Compares work and averages of a stage with externals between runs with and without interruptions.
#[test]
fn work_and_averages_survive_interruptions() {
    each_case(|system, protocol, start, case| {
        let rows = [false, true].map(|interrupted| {
            let mut member = Member::new(system.clone(), protocol.clone(), 11, start);
            member.begin_stage(3);
            for _ in 0..17 {
                member.advance(10).unwrap();
                if interrupted {
                    let state = member.state();
                    member = Member::restore(system.clone(), protocol.clone(), 11, state);
                }
            }
            member.measure().unwrap()
        });
        assert_eq!(rows[0], rows[1], "{case}");
        for observable in [Observable::Work, Observable::MeanForce, Observable::Temperature] {
            assert!(rows[0].get(observable).is_some_and(|value| value != 0.0), "{case}");
        }
    });
}

/// Replicas, seeds and generators give different trajectories: the comparisons above are not trivial.
#[test]
fn other_noise_is_another_trajectory() {
    let system = Arc::new(helix(BEADS));
    for case in CASES {
        let end = |seed, randomness, replica| {
            let stages = vec![stage(10, vec![])];
            let protocol = Protocol { seed, randomness, ..protocol(sop_dynamics(case), stages) };
            let mut member = Member::new(
                system.clone(),
                Arc::new(protocol),
                replica,
                &system.particles.positions,
            );
            member.advance(10).unwrap();
            member.positions()
        };
        let ends = every_randomness().flat_map(|randomness| {
            // The published seeding has no key for a replica; it uses the next seed.
            [(1, 0), (1, 1), (5, 0)].map(|(seed, replica)| end(seed, randomness, replica))
        });
        let ends: Vec<_> = ends.collect();
        for (index, one) in ends.iter().enumerate() {
            assert!(ends[index + 1..].iter().all(|other| other != one), "{case:?} {index}");
        }
    }
}

/// Generators whose states depend on the number of words in a step (the lags of lagged Fibonacci) have different states
/// in each precision and for each number of beads.
#[test]
fn states_fit_their_system_and_protocol() {
    for beads in [1, 24, 200, 1_500] {
        let system = Arc::new(System {
            particles: Particles::of_one_type(
                vec![Label::default(); beads],
                (0..beads).map(|bead| [5.0 * bead as f64, 0.0, 0.0]).collect(),
            ),
            types: vec![ParticleType::new("bead", 110.0)],
            ..System::default()
        });
        for (case, randomness) in cases_with_noise() {
            let protocol = protocol(sop_dynamics(case), vec![stage(5, vec![])]);
            let protocol = Arc::new(Protocol { randomness, ..protocol });
            let start = &system.particles.positions;
            let mut member = Member::new(system.clone(), protocol.clone(), 3, start);
            for _ in 0..2 {
                let state = member.state();
                assert_eq!(
                    state.check(&system, &protocol),
                    Ok(()),
                    "{beads} {case:?} {randomness:?}"
                );
                member = Member::restore(system.clone(), protocol.clone(), 3, state);
                member.advance(2).unwrap();
            }
        }
    }
}
