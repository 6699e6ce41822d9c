//! n + m steps give the same bits as n steps, a checkpoint and m steps, for each integrator, generator and external.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use beadwork_engine::{Control, Ending, MemberStatus, Plan, Progress, run, statuses};
use beadwork_io::TrajectoryFormat;
use beadwork_model::externals::External;
use beadwork_model::observables::Observable;
use beadwork_model::{Generator, Integrator, Precision, Stage, StageKind, StopRule};
use beadwork_testing::Dice;

use crate::common::{Moments, TemporaryRun, assert_same, driven, plan, protocol, spring, stage};

/// The examples of all laws for a helix of 16 residues, and a spring with a force that is held between renewals.
fn externals() -> Vec<External> {
    External::examples(16).into_iter().chain([spring(37)]).collect()
}

fn minimise() -> Stage {
    Stage {
        kind: StageKind::Minimise { tolerance: 1e-4, steps: 400, push_off: 0 },
        ..stage("minimise", 0)
    }
}

fn stages(external: External) -> Vec<Stage> {
    vec![minimise(), stage("equilibrate", 730), driven("drive", 1800, external)]
}

/// Interrupts a run again and again until it finishes; returns how often members were stopped before their end.
fn run_in_pieces(
    temporary: &TemporaryRun,
    plan: &Plan,
    moments: &mut Moments,
    dice: &mut Dice,
) -> u32 {
    let mut pieces = 0;
    loop {
        let progress = Progress::default();
        let interrupted = AtomicBool::new(false);
        // A fraction of the whole, so that a run has several pieces.
        let wait = moments.next() / 4;
        let ending = if dice.next().is_multiple_of(2) {
            let deadline = Some(Instant::now() + wait);
            let control = Control { deadline, ..Control::on_processors(&interrupted, 2) };
            run(&temporary.folder, plan, &control, &progress).unwrap().ending
        } else {
            let control = Control::on_processors(&interrupted, 2);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(wait);
                    interrupted.store(true, Ordering::Relaxed);
                });
                run(&temporary.folder, plan, &control, &progress).unwrap().ending
            })
        };
        match ending {
            Ending::Finished => return pieces,
            Ending::Interrupted | Ending::TimeLimit => {}
            Ending::Failure | Ending::Paused => panic!("nothing fails here"),
        }
        let running = |status: &Option<MemberStatus>| *status == Some(MemberStatus::Running);
        let found = statuses(&temporary.folder, plan).unwrap();
        pieces += u32::from(found.iter().any(running));
    }
}

/// Repeats a run in pieces until a stop met unfinished members; the files must be those of `whole`. Returns the stops.
fn compare_in_pieces(
    what: &str,
    whole: &TemporaryRun,
    plan: &Plan,
    moments: &mut Moments,
    dice: &mut Dice,
) -> u32 {
    for _ in 0..1_000 {
        let cut = TemporaryRun::new();
        let pieces = run_in_pieces(&cut, plan, moments, dice);
        assert_same(what, &whole.files(), &cut.files());
        if pieces > 0 {
            return pieces;
        }
    }
    panic!("{what}: 1,000 runs, and none was interrupted on its way");
}

#[test]
fn interrupted_runs_equal_whole_ones() {
    let mut dice = Dice(20_101);
    let mut pieces = 0;
    for integrator in Integrator::OVERDAMPED {
        for precision in Precision::ALL {
            for generator in Generator::ALL {
                // Generators that do not compute in vector lanes are tested with one of the externals.
                let some = if generator.is_in_lanes() { usize::MAX } else { 1 };
                for external in externals().into_iter().take(some) {
                    let what = format!(
                        "{integrator:?}, {precision:?}, {generator:?}, {}",
                        external.kind()
                    );
                    let mut protocol = protocol(stages(external));
                    protocol.dynamics.integrator = integrator;
                    protocol.dynamics.precision = precision;
                    protocol.randomness = generator.into();
                    let mut plan = plan(protocol, 2);
                    if dice.next().is_multiple_of(2) {
                        plan.trajectory = Some((200, TrajectoryFormat::Dcd.into()));
                    }
                    let whole = TemporaryRun::new();
                    let mut moments = Moments::within(dice.next(), || drop(whole.run(&plan)));
                    // Checkpoints are also written between interruptions.
                    plan.checkpoint_seconds = moments.next().as_secs_f64();
                    pieces += compare_in_pieces(&what, &whole, &plan, &mut moments, &mut dice);
                }
            }
        }
    }
    println!("{pieces} interruptions");
}

#[test]
fn runs_continue_from_copies_taken_while_they_ran() {
    // A kill leaves files that are longer than the checkpoint says, cut at any byte.
    let mut protocol = protocol(stages(spring(1)));
    protocol.randomness = Generator::HybridTaus.into();
    let mut plan = plan(protocol, 1);
    let whole = TemporaryRun::new();
    whole.run(&plan);
    plan.checkpoint_seconds = 0.0;
    let mut moments = Moments::within(7, || drop(TemporaryRun::new().run(&plan)));
    let mut dice = Dice(7);
    let mut cut = 0;
    for _ in 0..5_000 {
        let killed = TemporaryRun::new();
        let outcome = killed.run_for(&plan, Some(moments.next()), &Progress::default());
        if outcome.statuses != [Some(MemberStatus::Running)] {
            // No checkpoint is written yet, or the member has finished.
            continue;
        }
        cut += 1;
        for path in [
            killed.folder.table(0),
            killed.folder.frames(0),
            killed.folder.trajectory(0, TrajectoryFormat::Xtc),
        ] {
            let Ok(mut bytes) = std::fs::read(&path) else { continue };
            bytes.extend((0..dice.next() % 5000).map(|byte| byte as u8));
            std::fs::write(&path, bytes).unwrap();
        }
        killed.run(&plan);
        assert_same("a kill", &whole.files(), &killed.files());
        if cut == 20 {
            return;
        }
    }
    panic!("5,000 runs, and only {cut} of 20 were cut short on their way");
}

#[test]
fn continued_runs_count_stages_that_stopped_early() {
    let mut pull = driven("pull", 50_000, spring(1));
    pull.stops = vec![StopRule {
        text: "extension > 3 nm".to_string(),
        column: Observable::Extension.into(),
        above: true,
        threshold: 3.0,
        every: 70,
    }];
    let mut plan = plan(protocol(vec![minimise(), pull, stage("rest", 500)]), 3);
    let total: u64 = plan.members.iter().map(|member| member.protocol.steps()).sum();
    let whole = TemporaryRun::new();
    let progress = Progress::default();
    whole.run_for(&plan, None, &progress);
    assert_eq!(progress.settled.get(), total);
    assert!(progress.computed.get() < total, "both stages end before their last step");
    assert_eq!((progress.finished.get(), progress.failed.get()), (3, 0));
    // Only dynamics takes time: a minimisation has steps but no time.
    let dynamics: u64 =
        (0..3).map(|member| whole.checkpoint(&plan, member).state.dynamics_step).sum();
    assert_eq!(progress.femtoseconds.get() as f64, dynamics as f64 * 20_000.0);

    plan.checkpoint_seconds = 0.0;
    let mut moments = Moments::within(11, || drop(TemporaryRun::new().run(&plan)));
    compare_in_pieces("early stops", &whole, &plan, &mut moments, &mut Dice(11));
    // When a continued run ends, all its steps are settled, wherever it was stopped.
    for time in [Some(Duration::ZERO), None] {
        let progress = Progress::default();
        whole.run_for(&plan, time, &progress);
        assert_eq!((progress.settled.get(), progress.computed.get()), (total, 0));
    }
    let (half, _) = TemporaryRun::begun(&plan);
    let progress = Progress::default();
    half.run_for(&plan, None, &progress);
    assert_eq!(progress.settled.get(), total);
    assert_same("in two halves", &whole.files(), &half.files());
}

#[test]
fn statuses_name_finished_stopped_and_new_members() {
    // More members than are stepped at a time.
    let mut plan = plan(protocol(vec![stage("long", 100_000)]), 40);
    plan.trajectory = None;
    plan.table_every = 10_000;
    assert_eq!(statuses(&TemporaryRun::new().folder, &plan).unwrap(), vec![None; 40]);
    let (temporary, outcome) = TemporaryRun::begun(&plan);
    let (begun, others): (Vec<_>, Vec<_>) = outcome.statuses.iter().partition(|s| s.is_some());
    assert!(!begun.is_empty() && !others.is_empty());
    assert!(begun.iter().all(|status| **status == Some(MemberStatus::Running)));
    assert_eq!(statuses(&temporary.folder, &plan).unwrap(), outcome.statuses);
    temporary.run(&plan);
    let finished = vec![Some(MemberStatus::Finished); 40];
    assert_eq!(statuses(&temporary.folder, &plan).unwrap(), finished);
}
