//! Replica-exchange runs have the same bits on any number of threads and wherever they are stopped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use beadwork_cpu::monte_carlo::{
    ChainSampler, ChainSamplerState, EitherSampler, MonteCarloMember, Rung, tuned,
};
use beadwork_engine::{CheckpointSet, Control, Ending, MemberPlan, Plan, Progress, run, statuses};
use beadwork_io::TrajectoryFormat;
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::{
    Dynamics, Exchange, Placement, Precision, Protocol, Stage, StageKind, Tuning,
};
use beadwork_simulation::exchange::{Ladder, LadderState};
use beadwork_testing::Dice;

use crate::common::{Moments, TemporaryRun, assert_same, dynamics, helix, protocol, stage};

const TEMPERATURES: [f64; 5] = [0.3, 0.45, 0.7, 1.1, 1.6];

fn sampled(name: &str, sweeps: u64, displacement: Option<f64>, tune: Option<u64>) -> Stage {
    Stage { kind: StageKind::Sample { sweeps, displacement, tune_every: tune }, ..stage(name, 0) }
}

/// Ladders of a chain of 9, from the ladder of number `first` on.
fn polymers(first: u64, ladders: u64, precision: Precision) -> Plan {
    let polymer = ElasticPolymer::new(9);
    let system = Arc::new(polymer.build());
    let dynamics = Dynamics { precision, friction: 1.0, timestep: 1.0, ..dynamics() };
    let stages =
        vec![sampled("equilibrate", 130, Some(0.3), Some(20)), sampled("sample", 250, None, None)];
    let protocol = Arc::new(Protocol { dynamics, ..protocol(stages) });
    let exchange =
        Arc::new(Exchange { temperatures: TEMPERATURES.to_vec(), every: 20, tunings: Vec::new() });
    let start = Arc::new(polymer.straight());
    let member = |replica| MemberPlan {
        system: system.clone(),
        protocol: protocol.clone(),
        replica,
        start: start.clone(),
        velocities: None,
        exchange: Some(exchange.clone()),
    };
    let rungs = TEMPERATURES.len() as u64;
    Plan {
        members: (first * rungs..(first + ladders) * rungs).map(member).collect(),
        table_every: 30,
        trajectory: Some((50, TrajectoryFormat::Dcd.into())),
        ..crate::common::plan(crate::common::protocol(vec![stage("none", 1)]), 1)
    }
}

/// Ladders of a protein.
fn proteins(ladders: u64) -> Plan {
    let plan =
        crate::common::plan(protocol(vec![stage("equilibrate", 230), stage("sample", 600)]), 1);
    let temperatures = [0.4, 0.5, 0.6, 0.75].to_vec();
    let exchange = Arc::new(Exchange { temperatures, every: 40, tunings: Vec::new() });
    let member = |replica| MemberPlan {
        replica,
        exchange: Some(exchange.clone()),
        ..plan.members[0].clone()
    };
    Plan { members: (0..4 * ladders).map(member).collect(), ..plan }
}

/// The same plan with temperatures placed anew in the first stage, of 130 sweeps or 230 steps.
fn placed(mut plan: Plan, temperatures: &[f64], every: u64, by: Placement) -> Plan {
    let attempts = plan.members[0].protocol.stages[0].steps() / every;
    let tunings = vec![Tuning { stage: 0, by, first: 0, attempts }];
    let exchange = Arc::new(Exchange { temperatures: temperatures.to_vec(), every, tunings });
    plan.members.iter_mut().for_each(|member| member.exchange = Some(exchange.clone()));
    plan
}

fn run_with(
    temporary: &TemporaryRun,
    plan: &Plan,
    threads: usize,
    time: Option<Duration>,
) -> Ending {
    run_until(temporary, plan, threads, time, None)
}

fn run_until(
    temporary: &TemporaryRun,
    plan: &Plan,
    threads: usize,
    time: Option<Duration>,
    until: Option<u64>,
) -> Ending {
    let interrupted = AtomicBool::new(false);
    let deadline = time.map(|time| Instant::now() + time);
    let control = Control { deadline, until, ..Control::on_processors(&interrupted, threads) };
    run(&temporary.folder, plan, &control, &Progress::default()).unwrap().ending
}

fn files(plan: &Plan, threads: usize) -> BTreeMap<String, Vec<u8>> {
    let temporary = TemporaryRun::new();
    assert_eq!(run_with(&temporary, plan, threads, None), Ending::Finished);
    temporary.files()
}

#[test]
fn the_number_of_threads_changes_no_file() {
    for plan in [polymers(0, 3, Precision::Single), polymers(0, 2, Precision::Double), proteins(2)]
    {
        let one = files(&plan, 1);
        assert!(one.len() > 2 * plan.members.len());
        for threads in [2, 3, 5, 16] {
            assert_same(&format!("{threads} threads"), &one, &files(&plan, threads));
        }
    }
}

#[test]
fn a_ladder_does_not_depend_on_other_ladders() {
    let both = TemporaryRun::new();
    run_with(&both, &polymers(0, 2, Precision::Single), 2, None);
    let alone = TemporaryRun::new();
    run_with(&alone, &polymers(1, 1, Precision::Single), 2, None);
    let [both, alone] = [both.files(), alone.files()];
    for member in 0..5 {
        let name = |number: usize| format!("member-{number:04}.csv");
        let table = |files: &BTreeMap<String, Vec<u8>>, number: usize| {
            let found = files
                .iter()
                .find(|(key, _)| key.contains(&format!("{number:04}")) && key.ends_with(".csv"));
            found.unwrap_or_else(|| panic!("{} of {:?}", name(number), files.keys())).1.clone()
        };
        assert!(table(&both, 5 + member) == table(&alone, member));
        assert!(table(&both, member) != table(&alone, member));
    }
}

/// Runs are stopped at any moment, again and again, and continue on other numbers of threads.
#[test]
fn stopped_runs_continue_with_the_same_bits() {
    for plan in [polymers(0, 3, Precision::Single), proteins(2)] {
        let mut expected = BTreeMap::new();
        let mut moments = Moments::within(7, || expected = files(&plan, 2));
        let is_on_its_way = |temporary: &TemporaryRun| {
            statuses(&temporary.folder, &plan).unwrap().iter().any(Option::is_some)
        };
        stop_and_go_on(&plan, &expected, &mut moments, 20, is_on_its_way);
    }
}

/// Runs in pieces until a stop met the condition `enough` times; each run must leave the same files.
fn stop_and_go_on(
    plan: &Plan,
    expected: &BTreeMap<String, Vec<u8>>,
    moments: &mut Moments,
    enough: u32,
    is_seen: impl Fn(&TemporaryRun) -> bool,
) {
    let mut dice = Dice(13);
    let mut seen = 0;
    for _ in 0..5_000 {
        let temporary = TemporaryRun::new();
        loop {
            let threads = 1 + (dice.next() % 4) as usize;
            if run_with(&temporary, plan, threads, Some(moments.next())) == Ending::Finished {
                break;
            }
            seen += u32::from(is_seen(&temporary));
        }
        assert_same("stopped and gone on", expected, &temporary.files());
        if seen >= enough {
            return;
        }
    }
    panic!("5,000 runs in pieces, and only {seen} of {enough} stops at the right time");
}

/// A kill loses only the steps after the last checkpoint, however rare exchanges are.
#[test]
fn ladders_have_checkpoints_between_exchanges() {
    let mut plan = polymers(0, 2, Precision::Single);
    let temperatures = TEMPERATURES.to_vec();
    let exchange = Arc::new(Exchange { temperatures, every: 1_000_000, tunings: Vec::new() });
    let stages = vec![sampled("sample", 20_000, Some(0.3), None)];
    let protocol = Protocol { stages, ..(*plan.members[0].protocol).clone() };
    let protocol = Arc::new(protocol);
    for member in &mut plan.members {
        (member.protocol, member.exchange) = (protocol.clone(), Some(exchange.clone()));
    }
    plan.table_every = 5_000;
    let expected = files(&plan, 1);
    plan.checkpoint_seconds = 0.0;
    for _ in 0..100 {
        let temporary = TemporaryRun::new();
        let mut seen = false;
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| run_with(&temporary, &plan, 3, None));
            while !ended.is_finished() {
                let set =
                    CheckpointSet::read(&temporary.folder, &plan, &plan.ladders()[0]).unwrap();
                let steps = set.members.iter().flatten().map(|member| member.state.dynamics_step);
                if steps.clone().any(|step| step > 0) && steps.clone().any(|step| step < 20_000) {
                    assert_eq!(set.ladder.map(|ladder| ladder.attempt), Some(0));
                    seen = true;
                }
            }
            assert_eq!(ended.join().unwrap(), Ending::Finished);
        });
        assert_same("with checkpoints on the way", &expected, &temporary.files());
        if seen {
            return;
        }
    }
    panic!("100 runs, and no checkpoint was seen on the way");
}

/// A continued run places temperatures at the same steps, and later rows are at the placed temperatures.
#[test]
fn runs_continue_exactly_with_placed_temperatures() {
    let near = [0.9, 1.0, 1.1, 1.2, 1.3];
    let chains = || polymers(0, 2, Precision::Single);
    for (plan, by) in [
        (placed(chains(), &TEMPERATURES, 2, Placement::Acceptance), Placement::Acceptance),
        (placed(chains(), &near, 1, Placement::RoundTrips), Placement::RoundTrips),
        (
            placed(proteins(2), &[0.4, 0.5, 0.6, 0.75], 4, Placement::Acceptance),
            Placement::Acceptance,
        ),
    ] {
        let exchange = plan.members[0].exchange.clone().unwrap();
        let temporary = TemporaryRun::new();
        let interrupted = AtomicBool::new(false);
        let control = Control::on_processors(&interrupted, 2);
        let outcome = run(&temporary.folder, &plan, &control, &Progress::default()).unwrap();
        // No ladder fell back to placement by acceptance.
        assert!(outcome.notes.is_empty(), "{by:?}: {:?}", outcome.notes);
        let expected = temporary.files();
        for members in plan.ladders() {
            let set = CheckpointSet::read(&temporary.folder, &plan, &members).unwrap();
            let found = set.ladder.unwrap();
            let [last, rungs] = [found.temperatures.len() - 1, found.temperatures.len()];
            let moved = (1..last).filter(|&r| found.temperatures[r] != exchange.temperatures[r]);
            assert_eq!(moved.count(), rungs - 2, "{:?}", found.temperatures);
            assert_eq!(found.temperatures[0], exchange.temperatures[0]);
            assert_eq!(found.temperatures[last], exchange.temperatures[last]);
            // The record counts only attempts after the stage.
            let counted = found.record.attempted[0] + found.record.attempted[1];
            assert_eq!(counted, found.attempt - exchange.tunings[0].attempts);
        }
        assert_same("7 threads", &expected, &files(&plan, 7));
        let mut moments =
            Moments::within(19, || assert_same("1 thread", &expected, &files(&plan, 1)));
        let is_between = |temporary: &TemporaryRun| {
            plan.ladders().into_iter().any(|members| {
                let set = CheckpointSet::read(&temporary.folder, &plan, &members).unwrap();
                set.ladder.is_some_and(|ladder| {
                    ladder.temperatures != exchange.temperatures
                        && ladder.attempt < exchange.tunings[0].attempts
                })
            })
        };
        stop_and_go_on(&plan, &expected, &mut moments, 2, is_between);
    }
}

/// If replicas make no round trips, temperatures are placed by acceptance, and a note says so.
#[test]
fn missing_round_trips_are_noted() {
    let plan = placed(polymers(4, 1, Precision::Single), &TEMPERATURES, 10, Placement::RoundTrips);
    let temporary = TemporaryRun::new();
    let interrupted = AtomicBool::new(false);
    let control = Control::on_processors(&interrupted, 2);
    let outcome = run(&temporary.folder, &plan, &control, &Progress::default()).unwrap();
    let [note] = outcome.notes.as_slice() else { panic!("{:?}", outcome.notes) };
    let beginning =
        "the ladder of replica 20, stage \"equilibrate\": less than half of its replicas came";
    assert!(note.starts_with(beginning), "{note}");
}

/// Repeats the whole run on the reference path: sweeps, fits, energies, decisions.
#[test]
fn a_run_equals_the_reference_samplers_and_exchanges() {
    for exchanges_a_fit in [1, 3] {
        is_what_samplers_and_ladder_make(exchanges_a_fit);
    }
}

fn is_what_samplers_and_ladder_make(exchanges_a_fit: u64) {
    let mut plan = polymers(0, 1, Precision::Single);
    let stages = vec![
        sampled("equilibrate", 130, Some(0.3), Some(20 * exchanges_a_fit)),
        sampled("sample", 250, None, None),
    ];
    let protocol = Arc::new(Protocol { stages, ..(*plan.members[0].protocol).clone() });
    plan.members.iter_mut().for_each(|member| member.protocol = protocol.clone());
    let temporary = TemporaryRun::new();
    run_with(&temporary, &plan, 2, None);
    let found = CheckpointSet::read(&temporary.folder, &plan, &plan.ladders()[0]).unwrap();

    let polymer = ElasticPolymer::new(9);
    let start = ChainSamplerState { sweep: 0, positions: polymer.straight() };
    let seed = plan.members[0].protocol.seed;
    let mut samplers: Vec<ChainSampler<f32>> =
        (0..5).map(|replica| ChainSampler::new(&polymer, seed, replica, &start)).collect();
    let mut displacements = [0.3; 5];
    // Accepted moves count for the displacement of the rung, whichever replica made them.
    let mut accepted = [0; 5];
    let mut ladder = Ladder::new(seed, 0, LadderState::new(&TEMPERATURES));
    for interval in 1..=19 {
        let rungs = ladder.state().rungs.clone();
        for (sampler, &rung) in samplers.iter_mut().zip(&rungs) {
            let rung = rung as usize;
            let temporary =
                Rung { temperature: TEMPERATURES[rung], displacement: displacements[rung] };
            accepted[rung] += sampler.advance(20, temporary, &polymer);
            // The stage that fits displacements has 130 sweeps: it ends before the fit of the seventh interval.
            if interval <= 6 && interval % exchanges_a_fit == 0 {
                let attempted = 20 * 9 * exchanges_a_fit;
                let moves = std::mem::take(&mut accepted[rung]);
                displacements[rung] = tuned(displacements[rung], moves, attempted, 0.7);
            }
        }
        let energies: Vec<Option<f64>> =
            samplers.iter().map(|w| Some(w.energy(&polymer))).collect();
        let next = ladder.decide(&energies);
        ladder.settle(&next);
    }
    assert_eq!(found.ladder.as_ref(), Some(ladder.state()));
    assert!(ladder.state().record.accepted.iter().sum::<u64>() > 5);
    for (replica, sampler) in samplers.iter().enumerate() {
        let member = found.members[replica].as_ref().unwrap();
        assert_eq!(member.state.positions, sampler.positions());
        let rung = ladder.state().rungs[replica] as usize;
        assert_eq!(member.state.chain.as_ref().unwrap().displacement, displacements[rung]);
    }
}

/// Rare rows equal frequent rows at the same sweeps, estimated temperatures and accepted moves included: each row
/// covers the time since the last exchange.
#[test]
fn rows_do_not_mix_temperatures() {
    for (plan, every, mean) in
        [(polymers(0, 1, Precision::Single), 20, "acceptance"), (proteins(1), 40, "temperature_K")]
    {
        let with_rows = |table_every: u64| {
            let temporary = TemporaryRun::new();
            run_with(&temporary, &Plan { table_every, ..plan.clone() }, 2, None);
            temporary.files()
        };
        let [rare, frequent] = [3 * every, every].map(with_rows);
        for member in 0..plan.members.len() {
            let table = format!("member-{member:04}.csv");
            let lines = |files: &BTreeMap<String, Vec<u8>>| {
                let text = String::from_utf8(files[&table].clone()).unwrap();
                text.lines().map(str::to_string).collect::<Vec<_>>()
            };
            let [rare, frequent] = [lines(&rare), lines(&frequent)];
            assert!(rare[0].split(',').any(|column| column == mean), "{}", rare[0]);
            let expected: Vec<_> =
                frequent[..1].iter().chain(frequent[1..].iter().step_by(3)).collect();
            assert!(rare.len() > 5 && rare.iter().eq(expected), "{table}");
        }
    }
}

/// A replica with a broken bond stops exchanging; the others finish.
#[test]
fn a_ladder_continues_without_a_failed_replica() {
    let temperatures = [0.4, 0.5, 0.6, 0.75];
    let mut plan = placed(proteins(1), &temperatures, 40, Placement::Acceptance);
    let mut stretched = helix().particles.positions.clone();
    // The last bond 6.3 Å long instead of 3.8, with a limit of 2.
    stretched[15][2] += 3.7;
    plan.members[2].start = Arc::new(stretched);
    let temporary = TemporaryRun::new();
    let interrupted = AtomicBool::new(false);
    let control = Control::on_processors(&interrupted, 2);
    let outcome = run(&temporary.folder, &plan, &control, &Progress::default()).unwrap();
    assert_eq!(outcome.ending, Ending::Finished);
    let failed: Vec<usize> = outcome.failures().map(|(number, _)| number).collect();
    assert_eq!(failed, [2]);
    let found = CheckpointSet::read(&temporary.folder, &plan, &plan.ladders()[0]).unwrap();
    let ladder = found.ladder.as_ref().unwrap();
    assert_eq!(ladder.rungs[2], 2);
    // The failed replica reports no energy, so temperatures are not placed anew.
    assert_eq!(ladder.temperatures, temperatures);
    assert_eq!(ladder.record.accepted[1..], [0, 0]);
    assert!(ladder.record.accepted[0] > 0);
}

/// The fits of displacements do not depend on how the sweeps are divided.
#[test]
fn a_chain_fits_its_displacements_at_the_same_sweeps() {
    let plan = polymers(0, 1, Precision::Double);
    let member = &plan.members[0];
    let chain =
        || MonteCarloMember::new(member.system.clone(), member.protocol.clone(), 0, &member.start);
    let (mut whole, mut pieces) = (chain(), chain());
    assert_eq!(whole.advance(1_000), 130);
    for sweeps in [1, 19, 7, 33, 70] {
        pieces.advance(sweeps);
    }
    assert_eq!(whole.state(), pieces.state());
    assert!(matches!(whole.sampler_mut(), EitherSampler::Double(_)));
    assert_ne!(whole.rung().displacement, 0.3);
}

/// Ladders of different lengths share the same threads, and each ends at its own last step.
#[test]
fn a_ladder_that_has_ended_makes_no_more_attempts() {
    let mut plan = polymers(0, 3, Precision::Single);
    let longer = Protocol {
        stages: vec![
            sampled("equilibrate", 130, Some(0.3), None),
            sampled("sample", 900, None, None),
        ],
        ..(*plan.members[0].protocol).clone()
    };
    for member in &mut plan.members[5..10] {
        member.protocol = Arc::new(longer.clone());
    }
    let one = files(&plan, 1);
    for threads in [2, 3, 7] {
        assert_same(&format!("{threads} threads"), &one, &files(&plan, threads));
    }
    let temporary = TemporaryRun::new();
    run_with(&temporary, &plan, 1, None);
    let attempts = plan.ladders().into_iter().map(|members| {
        CheckpointSet::read(&temporary.folder, &plan, &members).unwrap().ladder.unwrap().attempt
    });
    assert_eq!(attempts.collect::<Vec<_>>(), [19, 51, 19]);
}

/// A ladder goes on to where the others of its group wait already, as after a stop with other groups.
#[test]
fn a_ladder_comes_to_the_step_of_one_that_is_ahead() {
    let plan = polymers(0, 2, Precision::Single);
    let first = Plan { members: plan.members[..5].to_vec(), ..plan.clone() };
    let whole = files(&plan, 1);
    // At an exchange, and between two.
    for until in [60, 70] {
        for threads in [1, 2, 3] {
            let temporary = TemporaryRun::new();
            let ending = run_until(&temporary, &first, 1, None, Some(until));
            assert_eq!(ending, Ending::Paused);
            let ending = run_until(&temporary, &plan, threads, None, Some(until));
            assert_eq!(ending, Ending::Paused);
            for members in plan.ladders() {
                let set = CheckpointSet::read(&temporary.folder, &plan, &members).unwrap();
                let members = set.members.iter().flatten();
                assert!(members.clone().all(|one| one.state.dynamics_step == until));
                assert_eq!((members.count(), set.ladder.unwrap().attempt), (5, until / 20));
            }
            assert_eq!(run_with(&temporary, &plan, threads, None), Ending::Finished);
            assert_same(&format!("{until}, {threads} threads"), &whole, &temporary.files());
        }
    }
}
