//! A run records the same numbers in memory as in a folder, and continues exactly from either.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use beadwork_engine::{
    CheckpointSet, Control, Ending, Error, MemberRecorder, MemberStatus, MemoryRecorder, Plan,
    Progress, RecordEnd, Recorder, run, statuses,
};
use beadwork_io::{RunFolder, TrajectoryFormat, frames};
use beadwork_model::{Stage, StageKind};

use crate::common::{Moments, TemporaryRun, driven, plan, protocol, spring, stage};

/// A minimisation and a pull.
fn pulled() -> Plan {
    let minimise = StageKind::Minimise { tolerance: 1e-4, steps: 400, push_off: 0 };
    let stages = vec![
        Stage { kind: minimise, ..stage("minimise", 0) },
        driven("pull", 4_000, spring(1)),
        stage("relax", 1_010),
    ];
    // A DCD frame holds the positions in single precision.
    Plan { trajectory: Some((200, TrajectoryFormat::Dcd.into())), ..plan(protocol(stages), 3) }
}

/// A ladder of chains that are sampled.
fn ladder() -> Plan {
    let trajectory = Some((200, TrajectoryFormat::Dcd.into()));
    Plan { trajectory, ..crate::common::ladder(2_000) }
}

fn run_for(recorder: &dyn Recorder, plan: &Plan, time: Option<Duration>) -> Ending {
    run_until(recorder, plan, time, None)
}

fn run_until(
    recorder: &dyn Recorder,
    plan: &Plan,
    time: Option<Duration>,
    until: Option<u64>,
) -> Ending {
    let interrupted = &AtomicBool::new(false);
    let deadline = time.map(|time| Instant::now() + time);
    let control = Control { deadline, until, ..Control::on_processors(interrupted, 2) };
    run(recorder, plan, &control, &Progress::default()).unwrap().ending
}

fn recorded(plan: &Plan) -> MemoryRecorder {
    let memory = MemoryRecorder::default();
    assert_eq!(run_for(&memory, plan, None), Ending::Finished);
    memory
}

/// The cells of a table below its head, each with the name of its column.
fn rows_of(folder: &RunFolder, member: usize) -> Vec<Vec<(String, String)>> {
    let text = fs::read_to_string(folder.table(member)).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(String::from));
    let head: Vec<String> = lines.next().unwrap().collect();
    lines.map(|cells| head.iter().cloned().zip(cells).collect()).collect()
}

/// The checkpoints hold the same states, of members and of ladders.
fn assert_same_states(plan: &Plan, one: &dyn Recorder, other: &dyn Recorder) {
    for members in plan.checkpoint_groups() {
        let [one, other] =
            [one, other].map(|recorder| CheckpointSet::read(recorder, plan, &members).unwrap());
        assert_eq!(one.ladder, other.ladder);
        for (one, other) in one.members.iter().flatten().zip(other.members.iter().flatten()) {
            assert_eq!((&one.state, &one.status), (&other.state, &other.status));
        }
    }
}

#[test]
fn memory_and_folder_hold_the_same_numbers() {
    for plan in [pulled(), ladder()] {
        let memory = recorded(&plan);
        let temporary = TemporaryRun::new();
        temporary.run(&plan);
        assert_same_states(&plan, &memory, &temporary.folder);
        for (number, member) in plan.members.iter().enumerate() {
            let found = memory.member(number);
            let rows = rows_of(&temporary.folder, number);
            assert!(rows.len() > 50 && rows.len() == found.rows.len());
            for (cells, row) in rows.iter().zip(&found.rows) {
                let cell = |name: &str| {
                    let cell = cells.iter().find(|(column, _)| column == name);
                    cell.and_then(|(_, text)| text.parse::<f64>().ok())
                };
                assert_eq!(cells[0].1.parse::<u64>().unwrap(), row.step);
                let columns = member.protocol.measured_columns(&member.system);
                assert_eq!(columns.len(), row.values.len());
                for (column, value) in columns.iter().zip(&row.values) {
                    let value = value.filter(|value| value.is_finite());
                    let name = column.column_in(member.system.units);
                    assert_eq!(cell(&name), value, "{name}");
                }
                assert_eq!(cell("acceptance"), row.acceptance);
                assert_eq!(cell("rung"), row.rung.map(|(rung, _)| f64::from(rung)));
                assert_eq!(cell("temperature"), row.rung.map(|(_, temperature)| temperature));
            }
            let mut read = Vec::new();
            let path = temporary.folder.trajectory(number, TrajectoryFormat::Dcd);
            frames::read(&path, TrajectoryFormat::Dcd, |frame| read.push(frame.to_vec())).unwrap();
            assert!(read.len() > 15 && read.len() == found.frames.len());
            for (frame, (_, positions)) in read.iter().zip(&found.frames) {
                let positions = positions.iter().flatten().map(|x| *x as f32);
                assert!(positions.eq(frame.iter().copied()));
            }
        }
    }
}

/// A run that stops at given steps has all members there, and the records and states of one that never stopped: at rows and between
/// them, at exchanges, at the ends of stages, and beside a minimisation.
#[test]
fn a_run_that_pauses_is_the_same_run() {
    for plan in [pulled(), ladder()] {
        let whole = recorded(&plan);
        let memory = MemoryRecorder::default();
        let length = match plan.ladders().is_empty() {
            true => 5_010,
            false => 4_000,
        };
        for until in [0, 1, 9, 10, 200, 1_999, 2_000, 2_001, 3_999, 4_000, 4_500, length] {
            let ending = run_until(&memory, &plan, None, Some(until));
            let is_over = until >= length;
            assert_eq!(ending, if is_over { Ending::Finished } else { Ending::Paused }, "{until}");
            for members in plan.checkpoint_groups() {
                let set = CheckpointSet::read(&memory, &plan, &members).unwrap();
                for member in set.members.iter().flatten() {
                    assert_eq!(member.state.dynamics_step, until.min(length));
                }
            }
            // What has been reached is not made again.
            assert_eq!(run_until(&memory, &plan, None, Some(until)), ending);
        }
        assert_same_states(&plan, &whole, &memory);
        for member in 0..plan.members.len() {
            assert_eq!(whole.member(member), memory.member(member), "member {member}");
        }
    }
}

/// `continuation.rs` has the same test for folders.
#[test]
fn a_run_in_memory_continues_exactly() {
    for plan in [pulled(), ladder()] {
        let whole = recorded(&plan);
        let mut moments = Moments::within(23, || drop(recorded(&plan)));
        let mut stops = 0;
        for _ in 0..1_000 {
            let memory = MemoryRecorder::default();
            while run_for(&memory, &plan, Some(moments.next() / 2)) != Ending::Finished {
                let running = Some(MemberStatus::Running);
                stops += u32::from(statuses(&memory, &plan).unwrap().contains(&running));
            }
            assert_same_states(&plan, &whole, &memory);
            for member in 0..plan.members.len() {
                assert_eq!(whole.member(member), memory.member(member), "member {member}");
            }
            if stops >= 5 {
                break;
            }
        }
        assert!(stops >= 5, "1,000 runs, and only {stops} stops on their way");
    }
}

/// A record whose writing of a checkpoint is the moment at which a signal comes.
#[derive(Debug, Default)]
struct SignalledAtCheckpoint {
    memory: MemoryRecorder,
    interrupted: AtomicBool,
}

impl Recorder for SignalledAtCheckpoint {
    fn open(
        &self,
        plan: &Plan,
        number: usize,
        end: Option<RecordEnd>,
    ) -> Result<Box<dyn MemberRecorder + '_>, Error> {
        self.memory.open(plan, number, end)
    }

    fn write_checkpoint(&self, first: usize, kind: &str, payload: &[u8]) -> Result<(), Error> {
        self.interrupted.store(true, Ordering::Relaxed);
        self.memory.write_checkpoint(first, kind, payload)
    }

    fn read_checkpoint(&self, first: usize, kind: &str) -> Result<Option<Vec<u8>>, Error> {
        self.memory.read_checkpoint(first, kind)
    }

    fn checkpoint_name(&self, first: usize) -> PathBuf {
        self.memory.checkpoint_name(first)
    }
}

/// A signal that comes when all members have made their steps stops none of them.
#[test]
fn a_signal_while_the_last_checkpoint_is_written_stops_nothing() {
    let run_to = |plan: &Plan, until| {
        let recorder = SignalledAtCheckpoint::default();
        let control =
            Control { until: Some(until), ..Control::on_processors(&recorder.interrupted, 1) };
        run(&recorder, plan, &control, &Progress::default()).unwrap().ending
    };
    let alone = plan(protocol(vec![stage("relax", 100)]), 1);
    assert_eq!(run_to(&alone, 40), Ending::Paused);
    assert_eq!(run_to(&alone, 100), Ending::Finished);
    assert_eq!(run_to(&ladder(), 45), Ending::Paused);
    // A thread has some of many members at a time: the others have not begun.
    let many = plan(protocol(vec![stage("relax", 100)]), 100);
    assert_eq!(run_to(&many, 40), Ending::Interrupted);
}
