//! Minimisation.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cpu::reference::Forces;
use beadwork_model::externals::External;
use beadwork_model::{Precision, Stage, StageKind};

use crate::support::{CASES, helix, protocol, shaken, sop_dynamics, stage};

/// Steps of a minimisation are no time, in which anything could move.
#[test]
fn nothing_moves_in_a_minimisation() {
    let system = helix(30);
    for external in External::examples(30) {
        let kind = StageKind::Minimise { tolerance: 1e-2, steps: 10, push_off: 0 };
        let moves = external.moves();
        let stages = vec![Stage { kind, ..stage(0, vec![external]) }];
        let problem = system.problem_with(&protocol(sop_dynamics(CASES[0]), stages));
        let said = problem.as_ref().is_some_and(|text| text.contains("drives that move"));
        assert_eq!(said, moves, "{problem:?}");
    }
}

#[test]
fn a_minimisation_ends_where_no_bead_feels_more_than_its_tolerance() {
    let system = Arc::new(helix(30));
    let start = shaken(&system.particles.positions, 0.2, 1);
    for case in CASES {
        let tolerance = match case.1 {
            Precision::Single => 1e-2,
            Precision::Double => 1e-8,
        };
        let kind = StageKind::Minimise { tolerance, steps: 20_000, push_off: 0 };
        let stages = vec![Stage { kind, ..stage(0, vec![]) }];
        let protocol = Arc::new(protocol(sop_dynamics(case), stages));
        let mut run = Member::new(system.clone(), protocol, 0, &start);
        let made = run.advance(u64::MAX).unwrap();
        assert!(made > 0 && made < 20_000, "{made}");
        assert_eq!((run.remaining(), run.time()), (0, 0.0));
        // The stage is over: it makes no more steps.
        assert_eq!(run.advance(10).unwrap(), 0);
        let end = run.positions();
        let mut forces = vec![[0.0; 3]; 30];
        Forces::<f64>::new(&system, 1.0).evaluate(&end, &mut forces).unwrap();
        let largest = forces
            .iter()
            .map(|f| (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]).sqrt())
            .fold(0.0, f64::max);
        // In f32 the force itself has errors of some 1e-5.
        let slack = if case.1 == Precision::Single { 1e-3 } else { 1e-12 };
        assert!(largest <= tolerance + slack, "{largest:e}");
        // The result is near the native structure, and its energy is not higher.
        let native = system.energies(&system.particles.positions).total();
        let found = system.energies(&end).total();
        assert!(found <= native && found > native - 5.0, "{found} {native}");
    }
}

#[test]
fn a_minimisation_gives_up_after_its_steps() {
    let system = Arc::new(helix(30));
    let start = shaken(&system.particles.positions, 0.2, 1);
    let kind = StageKind::Minimise { tolerance: 0.0, steps: 25, push_off: 0 };
    let stages = vec![Stage { kind, ..stage(0, vec![]) }];
    let protocol = Arc::new(protocol(sop_dynamics(CASES[1]), stages));
    let mut run = Member::new(system, protocol, 0, &start);
    assert_eq!(run.advance(u64::MAX).unwrap(), 25);
    assert_eq!((run.remaining(), run.step_number(), run.dynamics_step()), (0, 25, 0));
}
