//! The segment that follows where something was set.

use std::path::Path;

use beadwork_engine::MemberStatus;
use beadwork_input::{Next, Request};
use beadwork_model::{Boundary, Interactions, Model, Stage, StageKind, System};

use super::start_files::{self, Start};
use super::{MemberNow, Steered, write_inputs};
use crate::Error;

/// What is set. What is absent stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Positions of each member's beads, Å or reduced.
    pub positions: Option<Vec<Vec<[f64; 3]>>>,
    /// Velocities of each member's beads, Å/ps or reduced.
    pub velocities: Option<Vec<Vec<[f64; 3]>>>,
    /// Paths of settings and their values.
    pub settings: Vec<(String, String)>,
    /// Stages in place of those that are left, as TOML.
    pub stages: Option<String>,
}

/// Where all members of a segment are in its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reached {
    stage: usize,
    step: u64,
    /// Whether the stage has no steps left, because it was as long or a stop rule ended it.
    is_over: bool,
}

impl Steered {
    /// Ends this segment where it is.
    ///
    /// # Errors
    /// Members that are at different steps; errors of files.
    pub fn end(&mut self) -> Result<(), Error> {
        let members = self.members()?;
        match self.reached(&members)? {
            Some(Reached { stage, step, .. }) => self.cut(stage, step),
            None => Ok(()),
        }
    }

    /// The request of the segment that begins where this one is, with a change. `home` is an empty folder, which gets its files;
    /// nothing of this segment is changed. Stages that are over are left out, and a stage that has begun goes on with the steps
    /// that are left of it; if none are left, the last stage begins again.
    ///
    /// # Errors
    /// [`Error::Steering`] for what no input can say: drives that have moved, members at different steps, velocities that no start
    /// file holds, beads or interactions that would not be read back as they are. A change that makes no sense.
    pub fn next(&self, home: &Path, change: &Change) -> Result<Request, Error> {
        if self.request.points.len() > 1 {
            return Err(Error::Steering(
                "a run with a sweep has no second segment, since its members may have other beads, starts and lengths: make a run of each point".to_string(),
            ));
        }
        let members = self.members()?;
        self.refuse_failed(&members, change)?;
        let stages = &self.plan.members[0].protocol.stages;
        let reached = self.reached(&members)?;
        let at = reached.unwrap_or(Reached { stage: 0, step: 0, is_over: false });
        let (stage, left) = match (at.is_over, at.stage + 1 == stages.len()) {
            (true, false) => (at.stage + 1, None),
            (true, true) => (at.stage, None),
            (false, _) if at.step == 0 => (at.stage, None),
            (false, _) => (at.stage, Some(stages[at.stage].steps() - at.step)),
        };
        let begins_again = reached.is_some() && stage == at.stage;
        if change.stages.is_none() && begins_again {
            refuse_drives(&stages[stage])?;
        }
        let of_ensemble =
            |path: &str| path.starts_with("ensemble.") || path.starts_with("exchange.");
        if let Some((path, _)) = change.settings.iter().find(|(path, _)| of_ensemble(path)) {
            return Err(Error::Steering(format!(
                "{path} cannot be set here, since a segment has the members of the one before: begin another simulation"
            )));
        }
        let starts = self.starts(&members, change)?;
        write_inputs(home, &self.request)?;
        let with_velocities = start_files::write(home, &self.plan.members[0].system, &starts)?;
        let next = Next {
            stage,
            left,
            stages: change.stages.as_deref(),
            start: start_files::name(&self.plan.members[0].system),
            with_velocities,
            in_box: matches!(self.plan.members[0].system.boundary, Boundary::Periodic { .. }),
        };
        let text = beadwork_input::next_segment(&self.resolved(), &next)?;
        let read = |settings| beadwork_input::parse_begun(&text, "resolved.toml", home, settings);
        let request = read(&[])?;
        self.refuse_another_system(&request)?;
        if change.stages.is_none() {
            refuse_other_stages(&stages[stage..], &request.points[0].protocol.stages)?;
        }
        // Its noise is always its own.
        let quiet = |request| Request { notes: Vec::new(), ..request };
        if change.settings.is_empty() {
            return Ok(quiet(request));
        }
        let request = quiet(read(&change.settings)?);
        let [own, other] = [&self.request, &request].map(|one| one.points[0].system.beads());
        if own != other {
            return Err(Error::Steering(format!(
                "with these settings members would have {other} beads, and here they have {own}: begin another simulation"
            )));
        }
        Ok(request)
    }

    /// Refuses a segment in which members would begin from states in which they failed.
    fn refuse_failed(&self, members: &[MemberNow], change: &Change) -> Result<(), Error> {
        let has_failed = |now: &MemberNow| matches!(now.status, Some(MemberStatus::Failed { .. }));
        let failed = members.iter().zip(&self.plan.members).filter(|(now, _)| has_failed(now));
        let failed: Vec<String> = failed.map(|(_, plan)| plan.replica.to_string()).collect();
        let is_placed = change.positions.is_some()
            && (change.velocities.is_some() || self.plan.members[0].system.model != Model::Beads);
        if failed.is_empty() || is_placed {
            return Ok(());
        }
        let more = if failed.len() > 10 { ", …" } else { "" };
        Err(Error::Steering(format!(
            "{} of {} member(s) failed (replica {}{more}), and would begin the new segment from the states in which they failed: set positions of all members, and velocities where members have any, or begin another simulation",
            failed.len(),
            members.len(),
            failed[..failed.len().min(10)].join(", ")
        )))
    }

    /// Where all running members are; `None` before the first step.
    fn reached(&self, members: &[MemberNow]) -> Result<Option<Reached>, Error> {
        let stages = &self.plan.members[0].protocol.stages;
        let of = |now: &MemberNow| {
            let (stage, step) = (now.state.stage, now.state.stage_step);
            Reached { stage, step, is_over: now.state.stage_over || step == stages[stage].steps() }
        };
        let running = |now: &&MemberNow| matches!(now.status, None | Some(MemberStatus::Running));
        let mut running_at = members.iter().filter(running).map(of);
        let last = stages.len() - 1;
        let end = Reached { stage: last, step: stages[last].steps(), is_over: true };
        let at = running_at.next().unwrap_or(end);
        let is_finished = |now: &MemberNow| now.status == Some(MemberStatus::Finished);
        let some_are_ahead = members.iter().any(is_finished) && at.stage != last;
        if some_are_ahead || running_at.any(|other| other != at) {
            return Err(Error::Steering(
                "members are at different steps, because the run was stopped on its way or stop rules ended stages of some, so that no input can say where this segment ends: go on until all have come to the same step".to_string(),
            ));
        }
        if members.iter().all(|now| now.state.step == 0) {
            return Ok(None);
        }
        if at.step == 0 || matches!(stages[at.stage].kind, StageKind::Minimise { .. }) {
            return Err(Error::Steering(format!(
                "the run was stopped in or before stage \"{}\", which cannot be cut there: go on until its members have made steps of dynamics",
                stages[at.stage].name
            )));
        }
        Ok(Some(at))
    }

    /// The start of each member.
    fn starts(&self, members: &[MemberNow], change: &Change) -> Result<Vec<Start>, Error> {
        let system = &self.plan.members[0].system;
        let beads = system.beads();
        let fits = |what: &str, given: &Option<Vec<Vec<[f64; 3]>>>| {
            let Some(given) = given else { return Ok(()) };
            let is_whole = |one: &Vec<[f64; 3]>| {
                one.len() == beads && one.iter().flatten().all(|number| number.is_finite())
            };
            if given.len() == members.len() && given.iter().all(is_whole) {
                return Ok(());
            }
            Err(Error::Steering(format!(
                "the {what} must be finite numbers of {} member(s) of {beads} beads",
                members.len()
            )))
        };
        fits("positions", &change.positions)?;
        fits("velocities", &change.velocities)?;
        let moves = members.iter().any(|now| now.state.extra.motion.is_some());
        if change.velocities.is_some() && (!moves || system.model != Model::Beads) {
            let why = match moves {
                false => "the integrator has none",
                true => {
                    "start files of this model hold no velocities, so that each segment draws them at its temperature"
                }
            };
            return Err(Error::Steering(format!("velocities cannot be set here: {why}")));
        }
        let of_change = |given: &Option<Vec<Vec<[f64; 3]>>>, number: usize| {
            given.as_ref().map(|given| given[number].clone())
        };
        let start = |(number, now): (usize, &MemberNow)| Start {
            replica: self.plan.members[number].replica,
            step: now.state.step,
            positions: of_change(&change.positions, number)
                .unwrap_or_else(|| now.state.positions.clone()),
            velocities: of_change(&change.velocities, number).or_else(|| {
                now.state.extra.motion.as_ref().map(|motion| motion.velocities.clone())
            }),
        };
        Ok(members.iter().enumerate().map(start).collect())
    }

    /// Refuses a segment whose input would mean other beads or interactions: its start files may lack something that the input
    /// takes from a start.
    fn refuse_another_system(&self, request: &Request) -> Result<(), Error> {
        let (own, read) = (&*self.plan.members[0].system, &*request.points[0].system);
        let Some(what) = difference(own, read) else { return Ok(()) };
        Err(Error::Steering(format!(
            "the input takes {what} from its start, and the start of a new segment would give others: name them in the input ({what} by lists and numbers), or give a file of beads as the start"
        )))
    }
}

/// What of two systems differs, positions and labels aside.
fn difference(own: &System, read: &System) -> Option<&'static str> {
    let bonds =
        |system: &System| (system.interactions.bonded.clone(), system.interactions.angles.clone());
    // Lists of beads keep no numbers that types of bonds have in a file, on which no force depends.
    let interactions = |system: &System| Interactions {
        bond_types: Vec::new(),
        angle_types: Vec::new(),
        ..system.interactions.clone()
    };
    let particles = |system: &System| {
        let particles = &system.particles;
        (particles.types.clone(), particles.charges.clone(), system.types.clone())
    };
    match () {
        () if own.boundary != read.boundary => Some("its box"),
        () if particles(own) != particles(read) => Some("types, masses or charges"),
        () if own.particles.molecules != read.particles.molecules => Some("molecules"),
        () if bonds(own) != bonds(read) => Some("bonds or angles"),
        () if interactions(own) != interactions(read) => Some("interactions"),
        () if own.ends != read.ends => Some("the ends of molecules"),
        () => None,
    }
}

fn refuse_drives(stage: &Stage) -> Result<(), Error> {
    if stage.externals.is_empty() {
        return Ok(());
    }
    Err(Error::Steering(format!(
        "stage \"{}\" has drives, and a new segment would begin them anew where the beads are now: give the segment stages of its own",
        stage.name
    )))
}

/// Refuses stages whose beads or drives are others than before: selections may mean others where a start has no chains.
fn refuse_other_stages(own: &[Stage], read: &[Stage]) -> Result<(), Error> {
    let parts = |stage: &Stage| (stage.fixed.clone(), stage.externals.clone(), stage.stops.clone());
    let other = own.iter().zip(read).find(|(own, read)| parts(own) != parts(read));
    let Some((stage, _)) = other else { return Ok(()) };
    Err(Error::Steering(format!(
        "stage \"{}\" would mean other beads or drives in a new segment, since its start has other labels of beads than the first one: give the segment stages of its own, with beads by their numbers",
        stage.name
    )))
}
