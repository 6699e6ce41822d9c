//! Frames of a stage.

use beadwork_analysis::table::read_csv;
use beadwork_input::TrajectoryKind;
use beadwork_io::TrajectoryFormat;
use beadwork_session::Error;

use crate::rows::{Member, PointMembers};

/// The numbers of a member's frames in a stage; `None` before its first frame.
pub(super) fn of_stage(
    of_point: &PointMembers<'_>,
    member: &Member<'_>,
    stage: usize,
) -> Result<Option<Vec<usize>>, Error> {
    let list = member.folder.frames(member.place);
    if !list.exists() {
        return Ok(None);
    }
    let stage = &of_point.point.protocol.stages[stage].name;
    let table = read_csv(&list)?;
    let stages = table.texts("stage")?;
    Ok(Some((0..stages.len()).filter(|&frame| stages[frame] == *stage).collect()))
}

/// Calls `see` for the chosen frames of a member, whose numbers ascend: with the place in `chosen`, and the positions in Å or
/// reduced units. There are none in GSD files.
pub(super) fn read(
    member: &Member<'_>,
    kind: TrajectoryKind,
    chosen: &[usize],
    mut see: impl FnMut(usize, &[[f64; 3]]),
) -> Result<(), Error> {
    let format = match kind {
        TrajectoryKind::Xtc => TrajectoryFormat::Xtc,
        TrajectoryKind::Dcd => TrajectoryFormat::Dcd,
        TrajectoryKind::Gsd => return Ok(()),
    };
    let mut next = chosen.iter().copied().enumerate().peekable();
    let mut number = 0;
    let mut positions = Vec::new();
    let path = member.folder.trajectory(member.place, format);
    beadwork_io::frames::read(&path, format, |frame| {
        if let Some((place, _)) = next.next_if(|&(_, frame)| frame == number) {
            positions.clear();
            positions.extend(frame.as_chunks::<3>().0.iter().map(|at| at.map(f64::from)));
            see(place, &positions);
        }
        number += 1;
    })?;
    Ok(())
}
