//! Members whose checkpoints are gone.

use beadwork_engine::{Lost, Plan};
use beadwork_io::RunFolder;

use crate::Error;

/// So many replicas are named whose checkpoints are gone.
const LISTED: usize = 10;

/// Refuses a folder with members that would begin anew because their checkpoints are gone, and says what would be lost.
pub(crate) fn refuse(folder: &RunFolder, plan: &Plan) -> Result<(), Error> {
    let lost = beadwork_engine::lost(folder, plan);
    if lost.is_empty() {
        return Ok(());
    }
    let replica = |lost: &Lost| {
        let number = plan.members[lost.number].replica;
        let path = folder.checkpoint(plan.first_of_group(lost.number));
        let name = path.strip_prefix(folder.root()).unwrap_or(&path).display();
        format!("replica {number} ({} rows, {} frames, {name})", lost.rows, lost.frames)
    };
    let mut names: Vec<String> = lost.iter().take(LISTED).map(replica).collect();
    if let Some(more) = lost.len().checked_sub(LISTED + 1) {
        names.push(format!("and {} more", more + 1));
    }
    let rows: u64 = lost.iter().map(|lost| lost.rows).sum();
    let frames: u64 = lost.iter().map(|lost| lost.frames).sum();
    let path = folder.root().display();
    Err(Error::Lost(format!(
        "in {path} the checkpoints of {} replica(s) are gone; to go on would start them from the beginning and drop {rows} rows and {frames} frames: {}. Put the checkpoints back, or start these replicas anew with: beadwork resume {path} --from-start",
        lost.len(),
        names.join(", ")
    )))
}
