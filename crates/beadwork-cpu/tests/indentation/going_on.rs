//! Tips that go on into the next stage.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_model::externals::{BasePath, Cantilever, External, MoveSchedule, Surface, Tip};
use beadwork_model::observables::Observable;
use beadwork_model::{Precision, Protocol, Stage, StageKind, System};
use beadwork_simulation::{MemberState, StepError};

use crate::{molecule, protocol, surface, tip};

/// A power of two, so that all ways of the base are exact.
const SPEED: f64 = 1.0 / 4096.0;
const OUT: BasePath = BasePath { speed: SPEED, out: None, rest: 0, cycles: 1 };
const TEMPERATURE: f64 = 0.6;

fn stage(steps: u64, tip: Tip) -> Stage {
    let surface = Surface { goes_on: tip.cantilever.goes_on, ..surface(10.0, None) };
    Stage {
        name: format!("{steps}"),
        kind: StageKind::Dynamics { steps },
        fixed: vec![0],
        externals: vec![External::Surface(surface), External::Tip(tip)],
        stops: vec![],
    }
}

fn pressing(temperature: f64) -> Tip {
    let contact =
        beadwork_model::externals::Contact { sigma: 4.0, ..tip(1, MoveSchedule::Earlier).contact };
    let tip = tip(10, MoveSchedule::Earlier);
    let cantilever = Cantilever { path: OUT, temperature, ..tip.cantilever };
    Tip { contact, cantilever, ..tip }
}

fn going_on(tip: &Tip) -> Tip {
    Tip { cantilever: Cantilever { goes_on: true, ..tip.cantilever }, ..tip.clone() }
}

fn with_stages(stages: Vec<Stage>, temperature: f64, precision: Precision) -> Arc<Protocol> {
    let mut protocol = protocol(vec![], precision);
    protocol.dynamics.temperature = temperature;
    Arc::new(Protocol { stages, ..protocol })
}

/// Steps through all stages; `chunk` steps at a time, restored from its state each time.
fn run(system: &Arc<System>, protocol: &Arc<Protocol>, chunk: u64, path: CpuPath) -> Member {
    let start = &system.particles.positions;
    let restored = |state: MemberState| {
        Member::restore(system.clone(), protocol.clone(), 5, state).with_path(path)
    };
    let mut member = Member::new(system.clone(), protocol.clone(), 5, start).with_path(path);
    loop {
        if member.remaining() == 0 {
            member.verify().unwrap();
            if member.stage_number() + 1 == protocol.stages.len() {
                return member;
            }
            member.begin_stage(member.stage_number() + 1);
        }
        member.advance(chunk).unwrap();
        member = restored(member.state());
    }
}

/// A base that goes on as before, in a stage of its own, changes no bit where the tip moves at the end of the first stage and
/// the ways of the base are exact.
#[test]
fn two_stages_are_one_that_is_as_long() {
    let system = Arc::new(molecule());
    for temperature in [0.0, TEMPERATURE] {
        for precision in Precision::ALL {
            let own = pressing(temperature);
            let on = going_on(&own);
            let whole = with_stages(vec![stage(900, own.clone())], temperature, precision);
            let halves = vec![stage(400, own), stage(500, on)];
            let halves = with_stages(halves, temperature, precision);
            let mut members =
                [whole, halves].map(|protocol| run(&system, &protocol, 10_000, CpuPath::Reference));
            let [whole, halves] = members.each_ref().map(Member::state);
            assert_eq!(halves.positions, whole.positions);
            let [one, two] = [&whole, &halves].map(|state| &state.externals[1]);
            let [a, b] = [one, two].map(|state| state.moving.unwrap());
            assert_eq!((a.position, a.reaction, a.contact), (b.position, b.reaction, b.contact));
            assert!(a.contact.is_some(), "it never came into contact");
            assert_eq!(one.origin, two.origin);
            let rows = members.each_mut().map(|member| member.measure().unwrap());
            let columns = [
                (Observable::TipForce, 0.0),
                (Observable::Deformation, 0.0),
                (Observable::BaseTravel, 0.0),
                (Observable::Work, 0.0),
                (Observable::Force, 0.0),
            ];
            for (column, tolerance) in columns {
                let [a, b] = rows.each_ref().map(|row| row.get(column).unwrap());
                assert!((a - b).abs() <= tolerance, "{column:?}: {a} {b}");
            }
        }
    }
}

/// Approach, then retraction, with and without interruptions and on each path; the first stage ends between two moves.
#[test]
fn a_retraction_begins_where_the_approach_ends() {
    let system = Arc::new(molecule());
    let own = pressing(TEMPERATURE);
    let back = BasePath { speed: -SPEED, ..OUT };
    let mut on = going_on(&own);
    on.cantilever.path = back;
    let stages = vec![stage(1003, own), stage(997, on)];
    for precision in Precision::ALL {
        let protocol = with_stages(stages.clone(), TEMPERATURE, precision);
        let expected = run(&system, &protocol, 10_000, CpuPath::Reference).state();
        for (chunk, path) in [(7, CpuPath::Reference), (1, CpuPath::best()), (250, CpuPath::best())]
        {
            assert_eq!(run(&system, &protocol, chunk, path).state(), expected, "{chunk} {path:?}");
        }
        let mut member = Member::restore(system.clone(), protocol, 5, expected);
        let row = member.measure().unwrap();
        // 1003 steps of 20 ps out, 997 back.
        let base = 0.1 * SPEED * 20.0 * 6.0;
        assert!((row.get(Observable::BaseTravel).unwrap() - base).abs() < 1e-12);
        assert!(row.get(Observable::Deformation).is_some());
    }
}

/// A last move that is too long ends the member in its first stage.
#[test]
fn a_tip_that_jumps_at_the_end_of_a_stage_is_an_error_of_that_stage() {
    let system = Arc::new(molecule());
    // The base goes 8 Å in the ten steps before the first move.
    let path = BasePath { speed: 0.04, ..OUT };
    let mut own = pressing(0.0);
    let schedule = MoveSchedule::Present;
    own.cantilever = Cantilever { path, friction: 100.0, schedule, ..own.cantilever };
    let on = going_on(&own);
    let stages = vec![stage(10, own), stage(10, on)];
    let protocol = with_stages(stages, 0.0, Precision::Double);
    let start = &system.particles.positions;
    let mut member = Member::new(system.clone(), protocol, 5, start);
    member.advance(9).unwrap();
    member.verify().unwrap();
    member.advance(1).unwrap();
    let failure = member.verify().unwrap_err();
    assert!(matches!(failure.error, StepError::External { number: 1, .. }), "{failure:?}");
    assert_eq!((failure.step, member.stage_step()), (10, 9));
}
