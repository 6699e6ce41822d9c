//! Beads on which only traps act, stepped by the independent plan.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Job, LaunchOverrides, Plan, Rounding};
use beadwork_model::potentials::HarmonicTrap;
use beadwork_model::{Generator, Integrator, Precision, Protocol, Single, System};
use beadwork_simulation::SamplePoint;
use beadwork_simulation::{Failure, MemberState};

use crate::plans::samples_of;
use crate::stepping::{assert_same, by_reference, device, new_member, stepped, without_squares};
use crate::support::{CASES, helix, protocol, sop_dynamics, stage};

fn planned(device: &Device, plan: Plan) -> Ensemble {
    Ensemble::new(device).unwrap().with_plan(plan)
}

/// Beads of a helix with none, one, two and three traps in turn, or all without traps.
pub fn scattered(beads: usize, trapped: bool) -> System {
    let mut system = helix(beads);
    system.interactions = Default::default();
    let mut traps = Vec::new();
    for (bead, &[x, y, z]) in system.particles.positions.iter().enumerate().filter(|_| trapped) {
        for trap in 0..bead % 4 {
            let stiffness = 0.4 + 0.3 * trap as f64;
            let potential = HarmonicTrap { stiffness, centre: [x, y - 1.5, z + 2.0 * trap as f64] };
            traps.push(Single { bead, potential });
        }
    }
    system.interactions.singles.extend((!traps.is_empty()).then(|| traps.into()));
    system
}

/// Two stages with different fixed beads.
fn two_stages(
    case: (Integrator, Precision),
    generator: Generator,
    temperature: f64,
) -> Arc<Protocol> {
    let mut stages = vec![stage(50, vec![]), stage(30, vec![])];
    stages[0].fixed = vec![1, 4];
    stages[1].fixed = vec![0, 1, 2, 30];
    let mut dynamics = sop_dynamics(case);
    dynamics.temperature = temperature;
    Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) })
}

/// Generators with words for each bead: those without a state and those with any kind of state.
const GENERATORS: [Generator; 8] = [
    Generator::Philox4x32x10,
    Generator::HybridTaus,
    Generator::Ran2,
    Generator::Xorwow,
    Generator::HybridTaus,
    Generator::Lcg,
    Generator::SaruTea,
    Generator::Philox4x32x10,
];

fn cases() -> impl Iterator<Item = ((Integrator, Precision), Generator)> {
    CASES.into_iter().cycle().zip(GENERATORS)
}

#[test]
fn independent_beads_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    for system in [scattered(101, true), scattered(31, false)].map(Arc::new) {
        for (case, generator) in cases() {
            for temperature in [0.6, 0.0] {
                let protocol = two_stages(case, generator, temperature);
                let expected = without_squares(by_reference(&system, &protocol, 5));
                for (threads, chunk) in [(None, 1), (Some(32), 7), (Some(64), 1000)] {
                    let mut ensemble = planned(&device, Plan::Independent)
                        .with_rounding(Rounding::AsWritten)
                        .with_overrides(LaunchOverrides { threads, ..LaunchOverrides::default() });
                    let member = new_member(&system, &protocol, 5);
                    let found = stepped(&mut ensemble, vec![member], std::iter::repeat(chunk));
                    let what = format!("{case:?} {generator:?} T {temperature}, {chunk} steps");
                    assert_same(&without_squares(found[0].clone()), &expected, &what);
                }
            }
        }
    }
}

#[test]
fn independent_beads_and_rows_are_the_block_plan_to_the_bit() {
    let Some(device) = device() else { return };
    let system = Arc::new(scattered(101, true));
    for (case, generator) in cases() {
        let protocol = two_stages(case, generator, 0.6);
        let mut members: Vec<Member> =
            (0..4).map(|number| new_member(&system, &protocol, number)).collect();
        // Half way to the next row of each member.
        for member in &mut members {
            member.advance(20).unwrap();
        }
        let points = |steps: &[u32]| -> Vec<SamplePoint> {
            let point = |(place, &steps): (usize, &u32)| SamplePoint { steps, row: place % 3 != 0 };
            steps.iter().enumerate().map(point).collect()
        };
        let points = [points(&[1, 2, 7, 1, 9, 10]), points(&[30]), points(&[]), points(&[29, 1])];
        let expected = samples_of(&mut planned(&device, Plan::Block), &members, &points);
        let found = samples_of(&mut planned(&device, Plan::Independent), &members, &points);
        assert_eq!(found.len(), expected.len());
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let what = format!("{case:?} {generator:?}, point {number}");
            assert_same(&found.0, &expected.0, &what);
            assert_eq!(found.1, expected.1, "{what}");
        }
    }
}

/// Steps a member until it fails; returns the failure and the last sound state.
fn failed(ensemble: &mut Ensemble, member: &Member, steps: u32) -> (Failure, MemberState) {
    let mut member = member.clone();
    loop {
        let left = member.remaining().min(30) as u32;
        let mut points = vec![SamplePoint { steps, row: true }; (left / steps) as usize];
        points.extend(
            (!left.is_multiple_of(steps))
                .then_some(SamplePoint { steps: left % steps, row: false }),
        );
        let results = ensemble.advance(&[Job { member: &member, points: &points }]).unwrap();
        for (number, point) in points.iter().enumerate().take(results[0].samples()) {
            results[0].bring(number, &mut member).unwrap();
            if point.row {
                let _ = member.measure();
            }
        }
        if let Some(failure) = results[0].fail(&mut member).unwrap() {
            return (failure, member.state());
        }
    }
}

/// Traps so stiff that each step overshoots more than the last one: coordinates overflow after some steps, those of one
/// bead before those of the other.
#[test]
fn a_bead_that_is_not_finite_freezes_its_member_at_the_same_step() {
    let Some(device) = device() else { return };
    let mut system = scattered(101, true);
    let mut traps = system.interactions.singles_by::<HarmonicTrap>().to_vec();
    for (bead, stiffness) in [(70, 1e11), (37, 4e10)] {
        let trap = traps.iter_mut().find(|trap| trap.bead == bead).unwrap();
        trap.potential.stiffness = stiffness;
    }
    system.interactions.singles = vec![traps.into()];
    let system = Arc::new(system);
    for (case, generator) in cases() {
        let stages = vec![stage(400, vec![])];
        let protocol = Arc::new(Protocol {
            randomness: generator.into(),
            ..protocol(sop_dynamics(case), stages)
        });
        let member = new_member(&system, &protocol, 2);
        let mut on_host = member.clone().with_path(CpuPath::Reference);
        let expected = on_host.advance(400).unwrap_err();
        for steps in [1, 7, 30] {
            let mut beads = planned(&device, Plan::Independent).with_rounding(Rounding::AsWritten);
            let (found, state) = failed(&mut beads, &member, steps);
            let what = format!("{case:?} {generator:?}, {steps} steps");
            assert_eq!(found.step, expected.step, "{what}");
            assert_eq!(format!("{:?}", found.error), format!("{:?}", expected.error), "{what}");
            assert_eq!(state.positions, on_host.state().positions, "{what}");
            let mut block = planned(&device, Plan::Block).with_rounding(Rounding::AsWritten);
            assert_same(&state, &failed(&mut block, &member, steps).1, &what);
        }
    }
}
