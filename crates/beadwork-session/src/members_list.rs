//! `members.csv`: the settings of each member of a folder, how it ended, and where each of its stages ended.

use std::fmt::Write as _;

use beadwork_analysis::table;
use beadwork_engine::{MemberCheckpoint, MemberStatus, Plan, StageEnd, StageReason};
use beadwork_input::Request;
use beadwork_io::table::quoted;
use beadwork_io::{RunFolder, atomic};
use beadwork_model::Units;

use crate::Error;
use crate::final_coordinates::is_same;
use crate::outputs::of_checkpoints;
use crate::part::Part;

/// The status of a member while no process steps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It has no table.
    NotBegun,
    /// It has steps left.
    Stopped,
    /// It has finished all stages.
    Finished,
    /// It is frozen in its last sound state.
    Failed,
}

impl Listed {
    const ALL: [Listed; 4] = [Listed::NotBegun, Listed::Stopped, Listed::Finished, Listed::Failed];

    /// That of a checkpoint; `None` stands for a member without one.
    pub fn of(status: Option<&MemberStatus>) -> Listed {
        match status {
            None => Listed::NotBegun,
            Some(MemberStatus::Running) => Listed::Stopped,
            Some(MemberStatus::Finished) => Listed::Finished,
            Some(MemberStatus::Failed { .. }) => Listed::Failed,
        }
    }

    /// The word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Listed::NotBegun => "not begun",
            Listed::Stopped => "stopped",
            Listed::Finished => "finished",
            Listed::Failed => "failed",
        }
    }
}

/// Writes one line for each member. Call it when no process steps the members: those with steps left count as stopped.
pub(crate) fn write(
    folder: &RunFolder,
    request: &Request,
    part: &Part,
    plan: &Plan,
    statuses: &[Option<MemberStatus>],
) -> Result<(), Error> {
    let of_member = |_: usize, found: Option<MemberCheckpoint>| {
        found.map_or_else(Vec::new, |one| one.stage_ends())
    };
    let ends: Result<Vec<Vec<Vec<StageEnd>>>, _> =
        of_checkpoints(folder, plan, of_member).into_iter().collect();
    let ends = ends?.into_iter().flatten();
    let mut text = String::from("member,point,replica_of_point");
    for (path, _) in &request.points[0].settings {
        let _ = write!(text, ",{}", quoted(path));
    }
    text.push_str(",status,message");
    let first = &request.points[0];
    let is_sampled = first.system.is_sampled();
    for stage in &first.protocol.stages {
        let columns = stage_columns(&stage.name, first.system.units, is_sampled);
        text.extend(columns.map(|column| format!(",{}", quoted(&column))));
    }
    text.push('\n');
    for ((number, status), ends) in part.range().zip(statuses).zip(ends) {
        let (point, replica) = request.member(number);
        let place = number / request.replicas.max(1);
        let _ = write!(text, "{number},{place},{replica}");
        for (_, value) in &point.settings {
            let _ = write!(text, ",{}", quoted(value));
        }
        let message = match status {
            Some(MemberStatus::Failed { message, .. }) => message.as_str(),
            _ => "",
        };
        let word = Listed::of(status.as_ref()).word();
        let _ = write!(text, ",{word},{}", quoted(message));
        for (place, stage) in point.protocol.stages.iter().enumerate() {
            let Some(end) = ends.get(place) else {
                text.push_str(",,,");
                continue;
            };
            let reason = match end.reason {
                StageReason::Duration => "duration",
                StageReason::Rule(rule) => {
                    stage.stops.get(rule as usize).map_or("stop rule", |rule| rule.text.as_str())
                }
                StageReason::Converged => "converged",
                StageReason::StepsUsedUp => "steps used up",
            };
            let clock = end.dynamics_step as f64 * point.protocol.dynamics.timestep;
            let time = match is_sampled {
                true => end.step as f64,
                false => point.system.units.time_in_tables(clock),
            };
            let _ = write!(text, ",{},{},{time}", quoted(reason), end.step);
        }
        text.push('\n');
    }
    let path = folder.members_csv();
    // Runs in many pieces would wait for the disk at each.
    if is_same(&path, text.as_bytes()) {
        return Ok(());
    }
    Ok(atomic::write(&path, text.as_bytes())?)
}

/// The columns that say why a stage ended, at which step of the run, and at which time of tables, which minimising does not
/// take.
pub fn stage_columns(stage: &str, units: Units, is_sampled: bool) -> [String; 3] {
    let time = if is_sampled { "sweep" } else { units.time_column() };
    [format!("{stage}_ended"), format!("{stage}_step"), format!("{stage}_{time}")]
}

/// When a stage of a member began and ended, in the unit of tables, and why it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTimes {
    /// A stop rule as written, `duration`, `converged` or `steps used up`.
    pub reason: String,
    /// The end of the stage before it, or 0.
    pub began: f64,
    /// Its own end.
    pub ended: f64,
    /// Its steps.
    pub steps: u64,
}

/// Reads when a stage of each member ended, and the stage `before` it; `None` for members that have not left it. Empty without the
/// list, or with one of an earlier version.
///
/// # Errors
/// A damaged list.
pub fn stage_times(
    folder: &RunFolder,
    stage: &str,
    before: Option<&str>,
    units: Units,
) -> Result<Vec<Option<StageTimes>>, Error> {
    read_stage_times(folder, stage, before, units).map_err(|source| unusable(folder, source))
}

fn read_stage_times(
    folder: &RunFolder,
    stage: &str,
    before: Option<&str>,
    units: Units,
) -> Result<Vec<Option<StageTimes>>, beadwork_analysis::Error> {
    let path = folder.members_csv();
    let [reason, last_step, ended] = stage_columns(stage, units, false);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let table = table::read_csv(&path)?;
    if !table.has(&reason) {
        return Ok(Vec::new());
    }
    let (last_step, ended) = (table.numbers(&last_step)?, table.numbers(&ended)?);
    let (first_step, began) = match before.map(|before| stage_columns(before, units, false)) {
        Some([_, step, time]) => (table.numbers(&step)?, table.numbers(&time)?),
        None => (vec![0.0; ended.len()], vec![0.0; ended.len()]),
    };
    let times = table.texts(&reason)?.into_iter().enumerate().map(|(row, reason)| {
        let reason = Some(reason.to_string()).filter(|reason| !reason.is_empty())?;
        let steps = (last_step[row] - first_step[row]) as u64;
        Some(StageTimes { reason, began: began[row], ended: ended[row], steps })
    });
    Ok(times.collect())
}

/// Reads the status of each member; empty during the first session of a run, which writes the list at its end.
///
/// # Errors
/// A damaged list, or one with an unknown status.
pub fn read(folder: &RunFolder) -> Result<Vec<Listed>, Error> {
    read_statuses(folder).map_err(|source| unusable(folder, source))
}

fn unusable(folder: &RunFolder, source: beadwork_analysis::Error) -> Error {
    Error::List { folder: folder.root().to_path_buf(), source }
}

fn read_statuses(folder: &RunFolder) -> Result<Vec<Listed>, beadwork_analysis::Error> {
    let path = folder.members_csv();
    if !path.exists() {
        return Ok(Vec::new());
    }
    let table = table::read_csv(&path)?;
    let listed = |(row, word): (usize, &str)| {
        let listed = Listed::ALL.into_iter().find(|listed| listed.word() == word);
        listed.ok_or_else(|| {
            let words = Listed::ALL.map(Listed::word).join(", ");
            table.damaged(row, format!("its status is \"{word}\", which is none of {words}"))
        })
    };
    table.texts("status")?.into_iter().enumerate().map(listed).collect()
}
