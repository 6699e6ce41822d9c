//! What the threads of a run share: how it stops, its statuses, notes and first error.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use beadwork_cuda::LaunchOverrides;

use crate::Error;
use crate::checkpoint::{MemberCheckpoint, MemberStatus, is_over};
use crate::control::{Control, Ending, Outcome};
use crate::locks::{lock, unpoisoned};
use crate::member::{MemberRun, RungAssignment};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::worker::Workers;

/// A run and what its threads share.
pub(crate) struct SharedRun<'a, 'c> {
    pub recorder: &'a dyn Recorder,
    pub plan: &'a Plan,
    pub progress: &'a Progress,
    pub workers: Workers,
    control: &'c Control<'c>,
    /// Whether an error or a failed member stops the run.
    halted: AtomicBool,
    error: Mutex<Option<Error>>,
    statuses: Mutex<Vec<Option<MemberStatus>>>,
    /// Whether each member has come to [`Control::until`] with steps left.
    paused: Mutex<Vec<bool>>,
    /// Remarks with the number of the member that they are about.
    notes: Mutex<Vec<(usize, String)>>,
}

impl<'a, 'c> SharedRun<'a, 'c> {
    /// A run of members with these statuses, of which `open` have steps left.
    pub fn new(
        (recorder, plan): (&'a dyn Recorder, &'a Plan),
        control: &'c Control<'c>,
        progress: &'a Progress,
        open: usize,
        statuses: Vec<Option<MemberStatus>>,
        form: Option<(beadwork_cuda::Plan, LaunchOverrides)>,
    ) -> Self {
        SharedRun {
            recorder,
            plan,
            progress,
            workers: Workers::of(&control.devices, plan, open, control.threads, form),
            control,
            halted: AtomicBool::new(false),
            error: Mutex::new(None),
            paused: Mutex::new(vec![false; statuses.len()]),
            statuses: Mutex::new(statuses),
            notes: Mutex::default(),
        }
    }

    /// Whether every thread must stop at the end of its time slice.
    pub fn is_stopped(&self) -> bool {
        self.halted.load(Ordering::Relaxed) || self.control.is_over()
    }

    /// Stops the run for an error; the first error is the one that the run returns.
    pub fn stop_for(&self, error: Error) {
        self.halted.store(true, Ordering::Relaxed);
        lock(&self.error).get_or_insert(error);
    }

    /// Stops the run for a member that failed, if the plan says so.
    pub fn stop_for_failure(&self) {
        self.halted.fetch_or(self.plan.stop_on_failure, Ordering::Relaxed);
    }

    pub fn add_note(&self, number: usize, note: String) {
        lock(&self.notes).push((number, note));
    }

    /// Records the status and the notes of a member.
    pub fn note_end(&self, member: &MemberRun<'_>) {
        self.progress.count(&member.status);
        let number = member.number;
        lock(&self.statuses)[number] = Some(member.status.clone());
        lock(&self.paused)[number] = member.is_paused();
        lock(&self.notes).extend(member.notes.iter().map(|note| (number, note.clone())));
    }

    pub fn open_member(
        &self,
        number: usize,
        checkpoint: Option<MemberCheckpoint>,
        rung: Option<RungAssignment>,
    ) -> Result<MemberRun<'a>, Error> {
        let (recorder, plan, progress) = (self.recorder, self.plan, self.progress);
        let mut run = MemberRun::open(recorder, plan, number, checkpoint, rung, progress)?;
        run.pause_at(self.control.until);
        if self.workers.threads_each > 1 {
            run.member.set_threads(self.workers.threads_each);
        }
        Ok(run)
    }

    /// The first error that a thread met, or else that of the threads themselves, or the outcome.
    pub fn finish(self, stepped: Result<(), Error>) -> Result<Outcome, Error> {
        unpoisoned(self.error.into_inner()).map_or(stepped, Err)?;
        let statuses = unpoisoned(self.statuses.into_inner());
        let mut notes = unpoisoned(self.notes.into_inner());
        notes.sort();
        let paused = unpoisoned(self.paused.into_inner());
        // A signal or the time limit that came while the last checkpoints were written stopped nothing.
        let all_came =
            statuses.iter().zip(paused).all(|(status, paused)| paused || is_over(status));
        let ending = if statuses.iter().all(is_over) {
            Ending::Finished
        } else if self.halted.into_inner() {
            // A signal or the time limit may have come while the other threads wrote their checkpoints.
            Ending::Failure
        } else if !all_came && self.control.interrupted.load(Ordering::Relaxed) {
            Ending::Interrupted
        } else if !all_came && self.control.is_over() {
            Ending::TimeLimit
        } else {
            Ending::Paused
        };
        Ok(Outcome {
            ending,
            statuses,
            notes: notes.into_iter().map(|(_, note)| note).collect(),
            gpu_form: None,
        })
    }
}
