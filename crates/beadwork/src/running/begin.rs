//! Begins a run, or goes on with the one that a folder holds.

use std::path::Path;

use beadwork_engine::Devices;
use beadwork_input::Request;
use beadwork_io::RunFolder;
use beadwork_session::Error;
use beadwork_session::device::Choice;
use beadwork_session::part::Part;
use beadwork_session::session::{Session, plan, refuse_what_cannot_run};

use crate::check::{estimated_bytes, warning_of_room};

/// What is asked of a run beside its input.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// The folder of the run, in place of the one that the input names.
    pub folder: Option<&'a Path>,
    /// The members that are run, such as `100..200`; all without it.
    pub replicas: Option<&'a str>,
    /// Whether to go on with the run if the folder holds it.
    pub go_on: bool,
    /// Whether members begin anew whose checkpoints are gone, where the run goes on.
    pub from_start: bool,
    /// Where members are stepped.
    pub choice: &'a Choice,
    /// Threads; at least 1.
    pub threads: usize,
}

/// Makes the folder of a run, or opens it to go on, and chooses the devices. `remark` gets what a person should know first, a
/// line each.
///
/// # Errors
/// A folder that exists, or that holds another run; a request of which no run can be made here; devices that cannot step it.
pub fn begin(
    request: Request,
    asked: &Beginning<'_>,
    remark: impl Fn(&str),
) -> Result<(Session, Devices), Error> {
    let folder = asked.folder.unwrap_or(&request.output.folder).to_path_buf();
    let part = match asked.replicas {
        Some(text) => Part::parse(text, &request)?,
        None => Part::whole(&request),
    };
    if asked.go_on && Session::exists(&folder) {
        return go_on(&folder, &request, &part, asked);
    }
    let share = part.members() as f64 / request.members() as f64;
    let room = warning_of_room(&folder, share * estimated_bytes(&request));
    for warning in request.warnings.iter().chain(&room) {
        remark(&format!("warning: {warning}"));
    }
    for note in &request.notes {
        remark(&format!("note: {note}"));
    }
    refuse_what_cannot_run(&request)?;
    let chosen = asked.choice.for_plan(&plan(&request, &part), asked.threads)?;
    if let Some(notice) = &chosen.notice {
        remark(&format!("note: {notice}"));
    }
    let created = match asked.go_on {
        true => RunFolder::create_again(&folder),
        false => RunFolder::create(&folder),
    };
    // Another process may have made the whole run since the check above.
    if created.is_err() && asked.go_on && Session::exists(&folder) {
        return go_on(&folder, &request, &part, asked);
    }
    let session = Session::fill(created?, request, part, &chosen.devices)?;
    Ok((session, chosen.devices))
}

/// Opens a run to go on with it; `from_start` allows members without their checkpoints to begin anew.
///
/// # Errors
/// Errors of [`Session::open`].
pub fn open(folder: &Path, from_start: bool) -> Result<Session, Error> {
    match from_start {
        true => Session::open_from_start(folder),
        false => Session::open(folder),
    }
}

/// Opens the run in a folder, which must be the requested one.
fn go_on(
    folder: &Path,
    request: &Request,
    part: &Part,
    asked: &Beginning<'_>,
) -> Result<(Session, Devices), Error> {
    let session = open(folder, asked.from_start)?;
    session.refuse_other_request(request, part)?;
    let devices = session.devices(asked.choice)?;
    Ok((session, devices))
}
