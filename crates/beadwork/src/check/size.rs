//! How much a run writes, and whether the disk has room for it.

use std::path::Path;

use crate::input::{Point, Request, TrajectoryKind};
use crate::io::free_space;

use crate::analysis::numbers::grouped_whole;

/// Bytes of a bead in the last coordinates and in the checkpoint of a replica, with velocities: 230 were read for 192,000 beads of
/// a DPD melt.
const AT_THE_END: f64 = 230.0;

/// Bytes of a bead in both topologies, from the same run.
const IN_TOPOLOGIES: f64 = 200.0;

/// Bytes of the frames and rows of one replica, and of what it leaves at its end.
fn bytes_of(request: &Request, point: &Point) -> f64 {
    let steps = point.protocol.steps() as f64;
    let rows = steps / request.output.table_every as f64;
    let frames = request.output.trajectory.map_or(0.0, |(every, kind)| {
        let bead = match kind {
            TrajectoryKind::Xtc => 5.0,
            TrajectoryKind::Dcd => 12.0,
            // Positions, velocities and images.
            TrajectoryKind::Gsd => 36.0,
        };
        steps / every as f64 * bead * point.system.beads() as f64
    });
    let row = if point.system.is_sampled() { 90.0 } else { 180.0 };
    rows * row + frames + AT_THE_END * point.system.beads() as f64
}

/// Bytes of all files of a run, approximately.
pub fn estimated_bytes(request: &Request) -> f64 {
    let of_point = |point| bytes_of(request, point) * request.replicas as f64;
    let topologies = request.points.first().map_or(0, |point| point.system.beads()) as f64;
    request.points.iter().map(of_point).sum::<f64>() + IN_TOPOLOGIES * topologies
}

/// A warning if the disk of a run's folder has less room than `bytes`.
pub fn warning(folder: &Path, bytes: f64) -> Option<String> {
    let free = free_space(folder)?;
    let megabytes = |bytes: f64| grouped_whole(bytes / 1e6);
    (bytes > free as f64).then(|| {
        format!(
            "the run will write about {} MB, and the disk of {} has room for {} MB: write rows and frames less often, make room, or choose a folder elsewhere",
            megabytes(bytes),
            folder.display(),
            megabytes(free as f64)
        )
    })
}
