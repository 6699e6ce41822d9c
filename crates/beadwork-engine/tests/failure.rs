//! Members that become unphysical, and files that cannot be read or written.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use beadwork_engine::{
    CheckpointSet, Control, Ending, MemberStatus, Plan, Progress, run, statuses,
};
use beadwork_io::AppendFile;
use beadwork_model::externals::{Contact, External, Surface, SurfacePlace};
use beadwork_model::potentials::FeneBond;
use beadwork_model::{Integrator, Precision, Stage};

use crate::common::{TemporaryRun, assert_same, driven, plan, protocol, spring, stage};

/// 4 k h/ξ = 80 · 400 / 12 500 = 2.6: beyond 2 the stiffest mode grows each step, and bonds break.
const TOO_LONG: f64 = 400.0;

fn failing(stages: Vec<Stage>, replicas: u64) -> Plan {
    let mut protocol = protocol(stages);
    protocol.dynamics.timestep = TOO_LONG;
    plan(protocol, replicas)
}

fn failure(status: &MemberStatus) -> (u64, &str) {
    match status {
        MemberStatus::Failed { step, message } => (*step, message),
        other => panic!("expected a failure, found {other:?}"),
    }
}

#[test]
fn a_failing_member_is_frozen_in_its_last_sound_state() {
    for integrator in Integrator::OVERDAMPED {
        for precision in Precision::ALL {
            let stages = vec![stage("quiet", 10), driven("pull", 100_000, spring(1))];
            let mut plan = failing(stages, 4);
            for member in &mut plan.members {
                let protocol = Arc::make_mut(&mut member.protocol);
                protocol.dynamics.integrator = integrator;
                protocol.dynamics.precision = precision;
            }
            // Rows are so rare that none comes before the failure.
            plan.table_every = 1_000_000;
            plan.trajectory = plan.trajectory.map(|(_, format)| (1_000_000, format));
            let once = TemporaryRun::new();
            let outcome = once.run(&plan);
            plan.checkpoint_seconds = 0.0;
            let often = TemporaryRun::new();
            often.run(&plan);
            assert_same(&format!("{integrator:?}, {precision:?}"), &once.files(), &often.files());
            for member in 0..4 {
                let checkpoint = once.checkpoint(&plan, member);
                let (step, message) = failure(&checkpoint.status);
                assert_eq!(outcome.statuses[member], Some(checkpoint.status.clone()));
                // All bonds of the frozen state hold.
                for bond in plan.members[member].system.interactions.bonded_by::<FeneBond>() {
                    let [a, b] = [bond.i, bond.j].map(|bead| checkpoint.state.positions[bead]);
                    let square: f64 = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum();
                    assert!((square.sqrt() - bond.potential.length).abs() < bond.potential.limit);
                }
                assert!(message.starts_with(&format!("replica {member}, step {step}, stage ")));
                assert!(message.contains("FENE bond between bead "), "{message}");
                assert!(checkpoint.state.step <= step);
                // The last frame shows the frozen state.
                assert_eq!(checkpoint.record.last_frame, Some(checkpoint.state.step));
            }
            // The interval of rows does not change the step and the state at which members fail.
            plan.table_every = 1;
            let looked = TemporaryRun::new();
            looked.run(&plan);
            for member in 0..4 {
                let [a, b] = [&once, &looked].map(|temporary| temporary.checkpoint(&plan, member));
                assert_eq!(a.status, b.status);
                assert_eq!(a.state.positions, b.state.positions);
                assert_eq!(a.state.step, b.state.step);
            }
        }
    }
}

#[test]
fn a_bond_that_the_last_step_of_a_stage_breaks_is_found_there() {
    let mut whole = failing(vec![stage("whole", 2000)], 4);
    whole.table_every = 1_000_000;
    whole.trajectory = None;
    let mut parts = failing((0..2000).map(|n| stage(&format!("part-{n}"), 1)).collect(), 4);
    parts.table_every = 1_000_000;
    parts.trajectory = None;
    let [one, many, often] = [TemporaryRun::new(), TemporaryRun::new(), TemporaryRun::new()];
    one.run(&whole);
    many.run(&parts);
    parts.checkpoint_seconds = 0.0;
    often.run(&parts);
    assert_same("stages of one step", &many.files(), &often.files());
    for member in 0..4 {
        let (a, b) = (one.checkpoint(&whole, member), many.checkpoint(&parts, member));
        let ((step, message), (other_step, other_message)) =
            (failure(&a.status), failure(&b.status));
        assert_eq!(step, other_step);
        assert_eq!(a.state.positions, b.state.positions);
        assert_eq!(a.state.step, b.state.step);
        let reason = |text: &str| text.split("\": ").nth(1).unwrap().to_string();
        assert_eq!(reason(message), reason(other_message));
        // The next step, which is in the next stage, finds the broken bond.
        assert!(other_message.contains(&format!("stage \"part-{}\"", step - 1)), "{other_message}");
        // A run that ends with the step that broke the bond has failed as well.
        let mut short = failing(vec![stage("whole", step)], 4);
        short.table_every = 1_000_000;
        short.trajectory = None;
        let temporary = TemporaryRun::new();
        let outcome = temporary.run(&short);
        assert_eq!(failure(outcome.statuses[member].as_ref().unwrap()), (step, message));
    }
}

/// The lowest bead, 0, begins at 0.6 σ of a plane, which moves it by 14 Å in the first step; without the plane bonds hold.
#[test]
fn a_surface_that_breaks_a_bond_is_named() {
    let surface = |gap: f64| {
        External::Surface(Surface {
            beads: (0..16).collect(),
            contact: Contact { epsilon: 1.0, sigma: 1.0, twelfth: 1.0, sixth: -2.0 },
            normal: [0.0, 0.0, 1.0],
            place: SurfacePlace::Below(gap),
            points: None,
            goes_on: false,
        })
    };
    let run = |gap: f64| {
        let plan = plan(protocol(vec![driven("fall", 200, surface(gap))]), 2);
        let temporary = TemporaryRun::new();
        temporary.run(&plan);
        temporary.checkpoint(&plan, 1).status
    };
    assert_eq!(run(30.0), MemberStatus::Finished);
    let status = run(0.6);
    let (_, message) = failure(&status);
    let cause =
        "bead 0 (ALA 1 of chain A) was within 2 sigma of the surface of drive 1 of the stage";
    assert!(message.contains(cause) && message.contains("FENE bond"), "{message}");
    // A bond that breaks far from the surface has another cause.
    let mut far = failing(vec![driven("far", 100_000, surface(30.0))], 1);
    far.table_every = 1_000_000;
    let temporary = TemporaryRun::new();
    temporary.run(&far);
    let status = temporary.checkpoint(&far, 0).status;
    let (_, message) = failure(&status);
    assert!(message.contains("FENE bond") && !message.contains("surface"), "{message}");
}

#[test]
fn other_members_continue_unless_the_plan_stops_them() {
    // Longer than a time slice, so that the other members are still running when one fails.
    let mut plan = plan(protocol(vec![stage("run", 300_000)]), 4);
    plan.table_every = 10_000;
    let sound = TemporaryRun::new();
    sound.run(&plan);
    let protocol = Arc::make_mut(&mut plan.members[1].protocol);
    protocol.dynamics.timestep = TOO_LONG;
    let temporary = TemporaryRun::new();
    let progress = Progress::default();
    let outcome = temporary.run_for(&plan, None, &progress);
    assert_eq!(outcome.ending, Ending::Finished);
    assert_eq!((progress.finished.get(), progress.failed.get()), (3, 1));
    // The steps that the failed member skips count as settled.
    assert_eq!(progress.settled.get(), 4 * 300_000);
    assert!(progress.computed.get() < 4 * 300_000);
    assert_eq!(outcome.failures().map(|(member, _)| member).collect::<Vec<_>>(), [1]);
    for member in [0, 2, 3] {
        assert_eq!(outcome.statuses[member], Some(MemberStatus::Finished));
        let [a, b] =
            [&sound, &temporary].map(|temporary| fs::read(temporary.folder.table(member)).unwrap());
        assert_eq!(a, b, "the failure of one member changes no other");
    }

    plan.stop_on_failure = true;
    let temporary = TemporaryRun::new();
    let interrupted = AtomicBool::new(false);
    let control = Control::on_processors(&interrupted, 1);
    let outcome = run(&temporary.folder, &plan, &control, &Progress::default()).unwrap();
    assert_eq!(outcome.ending, Ending::Failure);
    failure(outcome.statuses[1].as_ref().unwrap());
    // The number of members stepped together depends on the machine: the first member may have finished, and later ones
    // have not passed the moment of the failure.
    assert!(!matches!(outcome.statuses[0], Some(MemberStatus::Failed { .. })));
    for member in [2, 3] {
        let status = &outcome.statuses[member];
        assert!(matches!(status, None | Some(MemberStatus::Running)), "{member}: {status:?}");
    }
    assert_eq!(statuses(&temporary.folder, &plan).unwrap(), outcome.statuses);
}

#[test]
fn a_file_that_cannot_be_written_leaves_earlier_checkpoints_usable() {
    let mut plan = plan(protocol(vec![stage("run", 200_000)]), 3);
    plan.table_every = 1000;
    let whole = TemporaryRun::new();
    whole.run(&plan);
    let interrupted = AtomicBool::new(false);
    let control = Control::on_processors(&interrupted, 1);

    // A folder has the name of the second member's table.
    let temporary = TemporaryRun::new();
    fs::create_dir(temporary.folder.table(1)).unwrap();
    let error = run(&temporary.folder, &plan, &control, &Progress::default()).unwrap_err();
    assert_eq!(error.code(), "io/write");
    assert!(error.to_string().contains("member-0001.csv"), "{error}");
    let found = statuses(&temporary.folder, &plan).unwrap();
    assert!(matches!(found[0], Some(MemberStatus::Running | MemberStatus::Finished)));
    assert_eq!(found[1..], [None, None]);
    fs::remove_dir(temporary.folder.table(1)).unwrap();
    temporary.run(&plan);
    assert_same("a folder in the way", &whole.files(), &temporary.files());

    // The table is shorter than its checkpoint says.
    let (temporary, _) = TemporaryRun::begun(&plan);
    let before = temporary.files();
    let table = temporary.folder.table(0);
    let bytes = fs::read(&table).unwrap();
    assert_eq!(temporary.checkpoint(&plan, 0).status, MemberStatus::Running);
    fs::write(&table, &bytes[..bytes.len() - 1]).unwrap();
    let error = run(&temporary.folder, &plan, &control, &Progress::default()).unwrap_err();
    assert_eq!(error.code(), "io/short-output");
    assert_eq!(temporary.files()["member-0000.ckpt"], before["member-0000.ckpt"]);
    // The table has other bytes, then the columns of another version, as its checkpoint says.
    let renamed = [b"another_".as_slice(), &bytes].concat();
    fs::write(&table, &renamed).unwrap();
    let error = run(&temporary.folder, &plan, &control, &Progress::default()).unwrap_err();
    assert_eq!(error.code(), "io/changed-output");
    assert_eq!(temporary.files()["member-0000.ckpt"], before["member-0000.ckpt"]);
    let mut set = CheckpointSet::read(&temporary.folder, &plan, &(0..1)).unwrap();
    let mut copy = AppendFile::create(&table).unwrap();
    copy.write_all(&renamed).unwrap();
    copy.flush().unwrap();
    set.members[0].as_mut().unwrap().record.table = copy.end();
    set.write(&temporary.folder, &(0..1)).unwrap();
    let error = run(&temporary.folder, &plan, &control, &Progress::default()).unwrap_err();
    assert_eq!(error.code(), "io/table-header");
    assert!(error.to_string().contains("the version that run.json names"), "{error}");
    fs::write(temporary.folder.checkpoint(0), &before["member-0000.ckpt"]).unwrap();
    fs::write(&table, &bytes).unwrap();
    temporary.run(&plan);
    assert_same("a shortened table", &whole.files(), &temporary.files());
}

#[test]
fn checkpoints_that_do_not_fit_are_refused_before_a_file_is_touched() {
    let mut plan = plan(protocol(vec![stage("run", 2000)]), 2);
    let temporary = TemporaryRun::new();
    temporary.run(&plan);
    let before = temporary.files();
    let refused = |plan: &Plan| {
        let interrupted = AtomicBool::new(false);
        let control = Control::on_processors(&interrupted, 2);
        run(&temporary.folder, plan, &control, &Progress::default()).unwrap_err()
    };
    plan.fingerprint = "other".to_string();
    let error = refused(&plan);
    assert_eq!(error.code(), "engine/other-input");
    assert!(error.to_string().contains("(fingerprint test, this run has other)"), "{error}");
    plan.fingerprint = "test".to_string();
    plan.members.swap(0, 1);
    let error = refused(&plan);
    assert_eq!(error.code(), "engine/unfit-checkpoint");
    assert!(error.to_string().contains("it is of replica 0, not 1"), "{error}");
    plan.members.swap(0, 1);
    assert_same("refusals", &before, &temporary.files());

    let path = temporary.folder.checkpoint(1);
    let good = fs::read(&path).unwrap();
    for length in 0..good.len() {
        fs::write(&path, &good[..length]).unwrap();
        assert_eq!(refused(&plan).code(), "io/checkpoint-truncated", "{length} bytes");
    }
    for byte in 0..good.len() {
        let mut bad = good.clone();
        bad[byte] ^= 1 << (byte % 8);
        fs::write(&path, &bad).unwrap();
        let code = refused(&plan).code();
        assert!(code.starts_with("io/"), "byte {byte}: {code}");
    }
    fs::write(&path, &good).unwrap();
    assert_same("damaged checkpoints", &before, &temporary.files());
}
