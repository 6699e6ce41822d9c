//! A run recorded in memory, for programs that want no files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use beadwork_cpu::Member;
use beadwork_simulation::Measurement;

use super::{MemberRecorder, RecordEnd, Recorder, Row};
use crate::{Error, Plan};

/// What was recorded of a member.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemberMemory {
    /// The step of each row and what was measured there.
    pub rows: Vec<(u64, Measurement)>,
    /// The step of each frame and the positions there, Å.
    pub frames: Vec<(u64, Vec<[f64; 3]>)>,
}

/// Records rows and frames by member, and checkpoints, in memory.
#[derive(Debug, Default)]
pub struct MemoryRecorder {
    members: Mutex<BTreeMap<usize, Arc<Mutex<MemberMemory>>>>,
    checkpoints: Mutex<BTreeMap<usize, Vec<u8>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemoryRecorder {
    /// What was recorded of a member; nothing where it has not begun.
    pub fn member(&self, number: usize) -> MemberMemory {
        lock(&self.members).get(&number).map(|memory| lock(memory).clone()).unwrap_or_default()
    }
}

impl Recorder for MemoryRecorder {
    fn open(
        &self,
        _plan: &Plan,
        number: usize,
        end: Option<RecordEnd>,
    ) -> Result<Box<dyn MemberRecorder + '_>, Error> {
        let memory = lock(&self.members).entry(number).or_default().clone();
        let end = end.unwrap_or_default();
        let is_kept = |step: u64, last: Option<u64>| last.is_some_and(|last| step <= last);
        let mut recorded = lock(&memory);
        recorded.rows.retain(|(step, _)| is_kept(*step, end.last_row));
        recorded.frames.retain(|(step, _)| is_kept(*step, end.last_frame));
        drop(recorded);
        Ok(Box::new(OpenMemory(memory)))
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
struct OpenMemory(Arc<Mutex<MemberMemory>>);

impl MemberRecorder for OpenMemory {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let (step, mut memory) = (row.member.step_number(), lock(&self.0));
        if memory.rows.last().is_none_or(|(last, _)| *last != step) {
            memory.rows.push((step, row.measurement.clone()));
        }
        Ok(())
    }

    fn frame(&mut self, member: &Member, _rung: Option<u32>) -> Result<(), Error> {
        let (step, mut memory) = (member.step_number(), lock(&self.0));
        if memory.frames.last().is_none_or(|(last, _)| *last != step) {
            memory.frames.push((step, member.positions()));
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn sync(&mut self) -> Result<RecordEnd, Error> {
        let memory = lock(&self.0);
        let last_row = memory.rows.last().map(|(step, _)| *step);
        let last_frame = memory.frames.last().map(|(step, _)| *step);
        Ok(RecordEnd { last_row, last_frame, ..RecordEnd::default() })
    }
}
