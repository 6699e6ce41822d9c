//! Steps members that share nothing: each thread takes them from a queue.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Error;
use crate::checkpoint::{CheckpointSet, MemberStatus};
use crate::member::MemberRun;
use crate::shared_run::SharedRun;
use crate::threads::{on_all, on_each};
use crate::worker::Worker;

impl<'a> SharedRun<'a, '_> {
    /// Steps members that share nothing.
    pub fn step_members(&self, open: &[Range<usize>]) -> Result<(), Error> {
        let queue = AtomicUsize::new(0);
        // A run without steps left needs neither threads nor devices.
        on_all(self.workers.rooms.len().min(open.len()), |number| {
            let stepped = self.workers.worker(number).and_then(|mut worker| {
                let stepped = self.step_from_queue(&mut worker, open, &queue);
                // A full disk or a failed GPU must not lose the steps of the other members.
                let open = std::mem::take(&mut worker.runs);
                stepped.and(self.close_all(&worker, open))
            });
            if let Err(error) = stepped {
                self.stop_for(error);
            }
        })
    }

    /// Steps members one after another until the queue is empty or the run stops.
    fn step_from_queue(
        &self,
        worker: &mut Worker<'a>,
        open: &[Range<usize>],
        queue: &AtomicUsize,
    ) -> Result<(), Error> {
        while !self.is_stopped() {
            while worker.has_room() {
                let Some(members) = open.get(queue.fetch_add(1, Ordering::Relaxed)) else { break };
                let mut found = CheckpointSet::read(self.recorder, self.plan, members)?.members;
                worker.runs.push(self.open_member(members.start, found.remove(0), None)?);
            }
            if worker.runs.is_empty() {
                break;
            }
            worker.run_slice(&mut [])?;
            let finished = worker.take_finished();
            self.close_all(worker, finished)?;
        }
        Ok(())
    }

    /// Writes the last checkpoints of members in this session.
    fn close_all(&self, worker: &Worker<'a>, members: Vec<MemberRun<'a>>) -> Result<(), Error> {
        on_each(worker.others_for(members.len()), members.into_iter(), |member| self.close(member))
    }

    fn close(&self, mut member: MemberRun<'_>) -> Result<(), Error> {
        member.write_checkpoint()?;
        self.note_end(&member);
        if matches!(member.status, MemberStatus::Failed { .. }) {
            self.stop_for_failure();
        }
        Ok(())
    }
}
