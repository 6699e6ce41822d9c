//! Steps a segment of a simulation, in memory or in the folder of a run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use beadwork::device::Choice;
use beadwork::engine::{Control, Devices, Outcome};
use beadwork::page;
use beadwork::running::{self, Beginning, carry_out, conclude};
use beadwork::session::Session;
use beadwork::steering::Steered;

use crate::failure::Failure;
use crate::job::Shared;

/// A segment, and the devices that step it in memory.
pub struct Held {
    pub steered: Steered,
    devices: Option<Devices>,
    /// Whether it has been asked for steps.
    pub is_begun: bool,
    /// Steps that were settled when it was last stepped.
    settled: u64,
    said: Said,
}

/// What was said of a segment, to say nothing at each of its pieces.
#[derive(Default)]
struct Said {
    notes: BTreeSet<String>,
    /// The places of members that failed.
    failures: BTreeSet<usize>,
}

/// What is asked of the members.
pub struct Asked {
    /// Steps of dynamics, or sweeps; all that are left without a number.
    pub steps: Option<u64>,
    /// The step to which these and later pieces go, if this is one of several.
    pub end: Option<u64>,
    /// The folder that a segment gets with its first steps; none in memory.
    pub folder: Option<PathBuf>,
    pub choice: Choice,
    pub max_time: Option<Duration>,
    pub command: String,
}

impl Held {
    /// A segment that has made no steps in this process.
    pub fn new(steered: Steered, is_begun: bool) -> Held {
        Held { steered, devices: None, is_begun, settled: 0, said: Said::default() }
    }

    /// Makes the steps that are asked for; returns how that ended.
    pub fn advance(
        &mut self,
        asked: &Asked,
        threads: usize,
        shared: &Shared,
    ) -> Result<&'static str, Failure> {
        let began = Instant::now();
        let before = self.steered.target();
        let until = self.steered.ask_for(asked.steps)?;
        // What is refused before a step was made was not asked for.
        let (session, devices) =
            self.ready(asked, threads, shared).inspect_err(|_| self.steered.aim_at(before))?;
        let end = asked.end.unwrap_or(0).max(self.steered.target());
        shared.settled_before.store(self.settled, Ordering::Relaxed);
        shared.total.store(self.steered.steps_until(end).max(1), Ordering::Relaxed);
        let control = Control {
            // A limit beyond the range of the clock is no limit.
            deadline: asked.max_time.and_then(|limit| began.checked_add(limit)),
            until,
            devices,
            ..Control::on_processors(&shared.interrupted, threads)
        };
        let outcome = match &session {
            Some(session) => carry_out(session, &control, &shared.progress, &asked.command, false),
            None => self.steered.run(&control, &shared.progress),
        };
        for notice in beadwork::cuda::notices() {
            shared.remark(&format!("note: {notice}"));
        }
        let outcome = outcome?;
        self.settled = shared.progress.settled.get();
        self.said.remark_on(session.as_ref(), &outcome, shared);
        Ok(outcome.ending.name())
    }

    /// The session of a run in a folder, and the devices that step the segment, which begins if it has not.
    fn ready(
        &mut self,
        asked: &Asked,
        threads: usize,
        shared: &Shared,
    ) -> Result<(Option<Session>, Devices), Failure> {
        if !self.is_begun {
            self.begin(asked, threads, shared)?;
        }
        let session = self.steered.session()?;
        let devices = match &session {
            Some(session) => session.devices(&asked.choice)?,
            None => self.devices.clone().unwrap_or(Devices::Cpu),
        };
        Ok((session, devices))
    }

    /// Chooses devices, and makes the folder of the run if it gets one.
    fn begin(&mut self, asked: &Asked, threads: usize, shared: &Shared) -> Result<(), Failure> {
        let steered = &self.steered;
        let target = steered.target();
        if let Some(folder) = &asked.folder {
            let resolved = steered.home().join("resolved.toml");
            let mut request = beadwork::input::load_begun(&resolved, &[])?;
            request.written.clone_from(&steered.request().written);
            request.notes.clone_from(&steered.request().notes);
            let beginning = Beginning {
                folder: Some(folder),
                replicas: None,
                go_on: false,
                from_start: false,
                choice: &asked.choice,
                threads,
            };
            let (session, _) = running::begin(request, &beginning, |text| shared.remark(text))?;
            drop::<Session>(session);
            self.steered = Steered::in_folder(folder)?;
            self.steered.aim_at(target);
        } else {
            for warning in &steered.request().warnings {
                shared.remark(&format!("warning: {warning}"));
            }
            for note in &steered.request().notes {
                shared.remark(&format!("note: {note}"));
            }
            let chosen = asked.choice.for_plan(steered.plan(), threads);
            let chosen = chosen.map_err(Failure::from)?;
            if let Some(notice) = &chosen.notice {
                shared.remark(&format!("note: {notice}"));
            }
            self.devices = Some(chosen.devices);
        }
        self.is_begun = true;
        Ok(())
    }

    /// Ends the segment where it is; a run in a folder gets its answer.
    pub fn end(
        &mut self,
        threads: usize,
        draws: bool,
        command: &str,
        shared: &Shared,
    ) -> Result<(), Failure> {
        if draws {
            // The input would be cut already where the answer is refused.
            page::refuse_foreign(&self.steered.home().join(page::FILE))?;
        }
        self.steered.end()?;
        let Some(session) = self.steered.session()? else { return Ok(()) };
        let control = Control {
            until: Some(self.steered.target()),
            devices: session.devices(&Choice::Auto)?,
            ..Control::on_processors(&shared.interrupted, threads)
        };
        carry_out(&session, &control, &shared.progress, command, draws)?;
        conclude(&session, draws, |_| {})?;
        Ok(())
    }
}

impl Said {
    /// Says what a person should know of a piece that has returned, and what was not said of an earlier one.
    fn remark_on(&mut self, session: Option<&Session>, outcome: &Outcome, shared: &Shared) {
        let notes = outcome.notes.iter().filter(|note| self.notes.insert((*note).clone()));
        shared.remark_on_some(notes.map(|note| format!("note: {note}")));
        let words: Vec<String> = match session {
            Some(session) => running::failures(session, outcome).collect(),
            // The message names the replica.
            None => outcome.failures().map(|(_, message)| format!("failed: {message}")).collect(),
        };
        let failures = outcome.failures().zip(words);
        let new = failures.filter(|((place, _), _)| self.failures.insert(*place));
        shared.remark_on_some(new.map(|(_, words)| words));
    }
}
