//! A recorder in memory, for programs that need no files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use beadwork_cpu::Member;
use beadwork_io::TrajectoryPosition;
use beadwork_model::observables::MeasuredColumn;

use super::{MemberRecorder, RecordEnd, Recorder, Row};
use crate::locks::lock;
use crate::{Error, Plan};

/// What was recorded of a member.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemberMemory {
    /// One entry for each row.
    pub rows: Vec<MemoryRow>,
    /// The step of each frame and the positions there, Å.
    pub frames: Vec<(u64, Vec<[f64; 3]>)>,
}

/// A row in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryRow {
    /// The step or sweep.
    pub step: u64,
    /// The time, ps or reduced; of chains that are sampled the sweep.
    pub time: f64,
    /// The number of the stage.
    pub stage: usize,
    /// What was measured, in the order of [`Protocol::measured_columns`](beadwork_model::Protocol::measured_columns).
    pub values: Box<[Option<f64>]>,
    /// The rung of a replica, and k_B T there in the unit of energy.
    pub rung: Option<(u32, f64)>,
    /// The fraction of Monte Carlo moves that were accepted.
    pub acceptance: Option<f64>,
}

/// Records rows and frames by member, and checkpoints, in memory.
#[derive(Debug, Default)]
pub struct MemoryRecorder {
    members: Mutex<BTreeMap<usize, Arc<Mutex<MemberMemory>>>>,
    checkpoints: Mutex<BTreeMap<usize, Vec<u8>>>,
}

impl MemoryRecorder {
    /// Calls `see` with what was recorded of a member, if it has begun.
    pub fn with_member<T>(&self, number: usize, see: impl FnOnce(&MemberMemory) -> T) -> Option<T> {
        let memory = lock(&self.members).get(&number).cloned()?;
        let seen = see(&lock(&memory));
        Some(seen)
    }

    /// What was recorded of a member; empty if it has not begun.
    pub fn member(&self, number: usize) -> MemberMemory {
        self.with_member(number, MemberMemory::clone).unwrap_or_default()
    }
}

impl Recorder for MemoryRecorder {
    fn open(
        &self,
        plan: &Plan,
        number: usize,
        end: Option<RecordEnd>,
    ) -> Result<Box<dyn MemberRecorder + '_>, Error> {
        let memory = lock(&self.members).entry(number).or_default().clone();
        let end = end.unwrap_or_default();
        let is_before = |step: u64, end: Option<u64>| end.is_some_and(|end| step <= end);
        let mut recorded = lock(&memory);
        recorded.rows.retain(|row| is_before(row.step, end.last_row));
        recorded.frames.retain(|(step, _)| is_before(*step, end.last_frame));
        drop(recorded);
        let member = &plan.members[number];
        let columns = member.protocol.measured_columns(&member.system);
        Ok(Box::new(OpenMemory { memory, columns, has_frames: plan.trajectory.is_some() }))
    }

    fn write_checkpoint(&self, first: usize, _kind: &str, payload: &[u8]) -> Result<(), Error> {
        lock(&self.checkpoints).insert(first, payload.to_vec());
        Ok(())
    }

    fn read_checkpoint(&self, first: usize, _kind: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(lock(&self.checkpoints).get(&first).cloned())
    }

    fn checkpoint_name(&self, first: usize) -> PathBuf {
        format!("memory, member {first}").into()
    }
}

#[derive(Debug)]
struct OpenMemory {
    memory: Arc<Mutex<MemberMemory>>,
    columns: Vec<MeasuredColumn>,
    has_frames: bool,
}

impl MemberRecorder for OpenMemory {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let Row { member, measurement, rung, acceptance } = *row;
        let (step, mut memory) = (member.step_number(), lock(&self.memory));
        if memory.rows.last().is_none_or(|last| last.step != step) {
            let values = self.columns.iter().map(|column| measurement.of_column(column)).collect();
            let (time, stage) = (member.time(), member.stage_number());
            memory.rows.push(MemoryRow { step, time, stage, values, rung, acceptance });
        }
        Ok(())
    }

    fn frame(&mut self, member: &Member, _rung: Option<u32>) -> Result<(), Error> {
        let (step, mut memory) = (member.step_number(), lock(&self.memory));
        if self.has_frames && memory.frames.last().is_none_or(|(last, _)| *last != step) {
            memory.frames.push((step, member.positions()));
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn sync(&mut self) -> Result<RecordEnd, Error> {
        let memory = lock(&self.memory);
        let frames = memory.frames.len() as u64;
        Ok(RecordEnd {
            last_row: memory.rows.last().map(|row| row.step),
            last_frame: memory.frames.last().map(|(step, _)| *step),
            trajectory: self.has_frames.then_some(TrajectoryPosition {
                bytes: 0,
                frames,
                checksum: 0,
            }),
            ..RecordEnd::default()
        })
    }
}
