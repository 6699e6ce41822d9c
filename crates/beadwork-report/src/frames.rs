//! Frames of members' trajectories.

use std::ops::Range;
use std::path::PathBuf;

use beadwork_analysis::average::Average;
use beadwork_analysis::table::read_csv;
use beadwork_input::{Request, TrajectoryKind};
use beadwork_session::Error;
use beadwork_session::session::frame_format;
use rayon::prelude::*;

use crate::rows::{BegunMember, PointMembers};

/// Blocks of frames, in all replicas, from which errors are found. They may be shorter than an autocorrelation time, since errors
/// count how blocks correlate; so they are many.
pub(crate) const BLOCKS: usize = 128;

/// What threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// Each reads a replica.
    ForReplicas,
    /// All compute what a frame says.
    ForFrames,
}

/// The numbers of a member's frames in a stage; `None` before its first frame.
pub(crate) fn of_stage(
    of_point: &PointMembers<'_>,
    member: &BegunMember<'_>,
    stage: usize,
) -> Result<Option<Vec<usize>>, Error> {
    Ok(steps_of_stage(of_point, member, stage)?
        .map(|frames| frames.into_iter().map(|(frame, _)| frame).collect()))
}

/// The numbers and steps of a member's frames in a stage, but for the start of the run, which no step has made; `None` before its
/// first frame.
pub(crate) fn steps_of_stage(
    of_point: &PointMembers<'_>,
    member: &BegunMember<'_>,
    stage: usize,
) -> Result<Option<Vec<(usize, u64)>>, Error> {
    let Some(list) = list_of(member, of_point.request)? else { return Ok(None) };
    let stage = &of_point.point.protocol.stages[stage].name;
    let table = read_csv(&list)?;
    let (stages, steps) = (table.texts("stage")?, table.counts("step")?);
    let frames = steps.into_iter().enumerate();
    let is_in = |&(frame, step): &(usize, u64)| stages[frame] == *stage && step > 0;
    Ok(Some(frames.filter(is_in).collect()))
}

/// A frame of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FrameTime {
    /// From 0.
    pub number: usize,
    /// Of the run.
    pub step: u64,
    /// In the unit of tables.
    pub time: f64,
}

/// A member's frames in some stages, with the start of the run if they begin with it; none before its first frame.
pub(crate) fn times_of_stages(
    of_point: &PointMembers<'_>,
    member: &BegunMember<'_>,
    stages: &Range<usize>,
) -> Result<Vec<FrameTime>, Error> {
    let Some(list) = list_of(member, of_point.request)? else { return Ok(Vec::new()) };
    let table = read_csv(&list)?;
    let names: Vec<&str> = of_point.point.protocol.stages[stages.clone()]
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let times = table.numbers(of_point.point.system.units.time_column())?;
    let (of_frames, steps) = (table.texts("stage")?, table.counts("step")?);
    let frames = (0..times.len()).filter(|frame| names.contains(&of_frames[*frame]));
    let frame = |number: usize| FrameTime { number, step: steps[number], time: times[number] };
    Ok(frames.map(frame).collect())
}

/// The list of a member's frames; `None` before its first frame. A trajectory without its list is refused.
fn list_of(member: &BegunMember<'_>, request: &Request) -> Result<Option<PathBuf>, Error> {
    let list = member.folder.frames(member.place);
    if list.exists() {
        return Ok(Some(list));
    }
    let trajectory = request.output.trajectory;
    match trajectory.map(|(_, kind)| member.folder.trajectory(member.place, frame_format(kind))) {
        Some(trajectory) if trajectory.exists() => {
            Err(beadwork_io::Error::missing_output(&list).into())
        }
        _ => Ok(None),
    }
}

/// The number and time, in the unit of tables, of a member's last frame, or of its last one in the stage that a person asked for;
/// `None` before its first one.
pub(crate) fn last(
    of_point: &PointMembers<'_>,
    member: &BegunMember<'_>,
) -> Result<Option<(usize, f64)>, Error> {
    let Some(list) = list_of(member, of_point.request)? else { return Ok(None) };
    let table = read_csv(&list)?;
    let times = table.numbers(of_point.point.system.units.time_column())?;
    let last = match of_point.asked {
        None => times.len().checked_sub(1),
        Some(stage) => {
            let name = &of_point.point.protocol.stages[stage].name;
            table.texts("stage")?.iter().rposition(|stage| stage == name)
        }
    };
    Ok(last.map(|last| (last, times[last])))
}

/// The number and time, in the unit of tables, of a member's frame with this number; `None` if it has no such frame.
pub(crate) fn numbered(
    of_point: &PointMembers<'_>,
    member: &BegunMember<'_>,
    number: usize,
) -> Result<Option<(usize, f64)>, Error> {
    let Some(list) = list_of(member, of_point.request)? else { return Ok(None) };
    let times = read_csv(&list)?.numbers(of_point.point.system.units.time_column())?;
    Ok(times.get(number).map(|time| (number, *time)))
}

/// The number of a member's frames.
pub(crate) fn count(of_point: &PointMembers<'_>, member: &BegunMember<'_>) -> Result<usize, Error> {
    let Some(list) = list_of(member, of_point.request)? else { return Ok(0) };
    Ok(read_csv(&list)?.counts("step")?.len())
}

/// What `add` makes of the blocks of successive frames of each replica in a stage, [`BLOCKS`] or more in all, beginning with
/// `empty`. No replica has more than `most_frames`, evenly chosen. Blocks without frames are left out.
///
/// If `add` itself uses all threads, replicas come one after another: a thread that waits inside one would begin the next, and
/// hold the frames of both.
pub(crate) fn in_blocks<T: Clone + Send + Sync>(
    of_point: &PointMembers<'_>,
    stage: usize,
    most_frames: f64,
    threads: Threads,
    empty: &T,
    add: impl Fn(&mut T, &[[f64; 3]]) + Sync,
) -> Result<Vec<Vec<T>>, Error> {
    let Some((_, kind)) = of_point.request.output.trajectory else { return Ok(Vec::new()) };
    let beads = of_point.point.system.beads();
    let one = |member: &BegunMember<'_>| -> Result<Vec<T>, Error> {
        let chosen = of_stage(of_point, member, stage)?.unwrap_or_default();
        let stride = chosen.len().div_ceil(most_frames.max(1.0) as usize).max(1);
        let chosen: Vec<usize> = chosen.into_iter().step_by(stride).collect();
        let blocks = BLOCKS.div_ceil(of_point.members.len()).min(chosen.len());
        let mut found = vec![(empty.clone(), 0); blocks];
        read(member, kind, &chosen, |place, positions| {
            if positions.len() == beads {
                let (block, frames) = &mut found[place * blocks / chosen.len()];
                add(block, positions);
                *frames += 1;
            }
        })?;
        Ok(found.into_iter().filter(|(_, frames)| *frames > 0).map(|(block, _)| block).collect())
    };
    match threads {
        Threads::ForReplicas => of_point.members.par_iter().map(one).collect(),
        Threads::ForFrames => of_point.members.iter().map(one).collect(),
    }
}

/// The mean of a value of blocks of each replica, with its standard error.
pub(crate) fn average<T>(blocks: &[Vec<T>], value: impl Fn(&T) -> f64) -> Option<Average> {
    let of_replica = |blocks: &Vec<T>| -> Vec<f64> { blocks.iter().map(&value).collect() };
    Average::of(&blocks.iter().map(of_replica).collect::<Vec<_>>())
}

/// Calls `see` for the chosen frames of a member, whose numbers ascend: with the place in `chosen`, and the positions in Å or
/// reduced units, those of the images that beads have reached.
pub(crate) fn read(
    member: &BegunMember<'_>,
    kind: TrajectoryKind,
    chosen: &[usize],
    mut see: impl FnMut(usize, &[[f64; 3]]),
) -> Result<(), Error> {
    // Before the first frame there may be no file.
    if chosen.is_empty() {
        return Ok(());
    }
    let mut next = chosen.iter().copied().enumerate().peekable();
    let mut positions = Vec::new();
    read_all(member, kind, |number, frame| {
        if let Some((place, _)) = next.next_if(|&(_, frame)| frame == number) {
            positions.clear();
            positions.extend(frame.as_chunks::<3>().0.iter().map(|at| at.map(f64::from)));
            see(place, &positions);
        }
    })?;
    if next.peek().is_some() {
        let path = member.folder.trajectory(member.place, frame_format(kind));
        return Err(beadwork_io::Error::short_trajectory(&path).into());
    }
    Ok(())
}

/// Calls `see` with the number of each frame, and x, y and z of each bead in turn.
pub(crate) fn read_all(
    member: &BegunMember<'_>,
    kind: TrajectoryKind,
    mut see: impl FnMut(usize, &[f32]),
) -> Result<(), Error> {
    let format = frame_format(kind);
    let mut number = 0;
    beadwork_io::frames::read(&member.folder.trajectory(member.place, format), format, |frame| {
        see(number, frame);
        number += 1;
    })?;
    Ok(())
}
