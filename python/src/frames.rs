//! The frames of members as arrays.

use std::sync::Arc;

use beadwork::analysis::table::read_csv;
use beadwork::input::Request;
use beadwork::io::RunFolder;
use beadwork::model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork::model::{Boundary, System, Units};
use beadwork::session::frame_format;
use rayon::prelude::*;

use crate::failure::Failure;
use crate::memory::check_room;
use crate::tables::stage_numbers;
use crate::threads::check_signal;

/// Where the frames of a member are.
pub struct Frames<'a> {
    pub number: u64,
    pub folder: &'a RunFolder,
    /// Its index in the folder.
    pub place: usize,
    pub request: &'a Request,
    pub system: &'a Arc<System>,
}

/// Steps, times and numbers of stages of the frames of a member.
#[derive(Default)]
pub struct FrameList {
    pub steps: Vec<i64>,
    pub times: Vec<f64>,
    pub stages: Vec<i32>,
}

impl Frames<'_> {
    /// The internal length that arrays have as 1.
    fn unit(&self) -> f64 {
        match self.system.units {
            Units::Real => ANGSTROMS_PER_NANOMETRE,
            Units::Reduced => 1.0,
        }
    }

    /// The sides of the box; `None` in open space.
    pub fn sides(&self) -> Option<[f64; 3]> {
        match self.system.boundary {
            Boundary::Periodic { lengths } => Some(lengths.map(|length| length / self.unit())),
            _ => None,
        }
    }

    /// Reads all positions of a member into `room`, x, y and z of each bead in turn.
    fn read_into(&self, room: &mut [f32]) -> Result<(), Failure> {
        check_signal()?;
        let Some((_, kind)) = self.request.output.trajectory else { return Ok(()) };
        let path = self.folder.trajectory(self.place, frame_format(kind));
        let unit = self.unit() as f32;
        let mut frames = room.chunks_exact_mut((3 * self.system.beads()).max(1));
        let mut is_whole = true;
        beadwork::io::frames::read(&path, frame_format(kind), |frame| {
            // What the list of frames does not have yet was written meanwhile.
            let Some(into) = frames.next() else { return };
            is_whole &= into.len() == frame.len();
            for (x, from) in into.iter_mut().zip(frame) {
                *x = from / unit;
            }
        })?;
        match frames.next().is_some() || !is_whole {
            true => Err(beadwork::io::Error::short_trajectory(&path).into()),
            false => Ok(()),
        }
    }
}

/// Reads the list of a member's frames; empty before its first one.
pub fn read_list(frames: &Frames<'_>) -> Result<FrameList, Failure> {
    let path = frames.folder.frames(frames.place);
    if frames.request.output.trajectory.is_none() || !path.exists() {
        return Ok(FrameList::default());
    }
    let table = read_csv(&path)?;
    let column = if frames.system.is_sampled() { "sweep" } else { "step" };
    let steps: Vec<i64> = table.counts(column)?.into_iter().map(|step| step as i64).collect();
    let times = match frames.system.is_sampled() {
        true => steps.iter().map(|&sweep| sweep as f64).collect(),
        false => table.numbers(frames.system.units.time_column())?,
    };
    let (point, _) = frames.request.member(frames.number);
    Ok(FrameList { steps, times, stages: stage_numbers(&table, point)? })
}

/// Reads all frames of members, and returns the shape members × frames × beads × 3.
///
/// # Errors
/// Members with other numbers of frames or beads than the first; a damaged trajectory.
pub fn read_positions(members: &[Frames<'_>]) -> Result<([usize; 4], Vec<f32>), Failure> {
    let count = |frames: &Frames<'_>| Ok(read_list(frames)?.steps.len());
    let counts: Vec<usize> = members.par_iter().map(count).collect::<Result<_, Failure>>()?;
    let (frames, beads) = match members.first() {
        Some(first) => (counts[0], first.system.beads()),
        None => (0, 0),
    };
    for (member, &count) in members.iter().zip(&counts) {
        if (count, member.system.beads()) != (frames, beads) {
            return Err(Failure::argument(format!(
                "member {} has {count} frames of {} beads, and member {} {frames} of {beads}, so no array holds both: take frames[{}].positions, a member at a time",
                member.number,
                member.system.beads(),
                members[0].number,
                member.number
            )));
        }
    }
    let of_member = frames * beads * 3;
    let numbers = members.len() * of_member;
    check_room(numbers as f64 * 4.0, "read the frames of fewer members at once")?;
    let mut positions = vec![0.0_f32; numbers];
    if of_member > 0 {
        let rooms = positions.par_chunks_exact_mut(of_member);
        rooms.zip(members).try_for_each(|(room, member)| member.read_into(room))?;
    }
    Ok(([members.len(), frames, beads, 3], positions))
}
