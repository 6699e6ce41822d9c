//! The host's part of the independent plan (`kernels/groups/single.cuh`): its threads do not wait for each other, so no
//! thread has the result of a whole member.

use crate::batch::Batch;
use crate::batch::records::{NOTHING, Number, Outcome, Sums};
use beadwork_simulation::SamplePoint;

/// The initial sums of each sample: a member's sums since its last row, up to the next row.
pub fn sums_before<T: Number>(batch: &Batch<T>) -> Vec<Sums> {
    let mut before = Vec::with_capacity(batch.segments.len());
    for (member, &sums) in batch.members.iter().zip(&batch.sums) {
        let first = member.first_segment as usize;
        let mut sums = sums;
        for segment in &batch.segments[first..first + member.segments as usize] {
            before.push(sums);
            if segment.row != 0 {
                sums = bytemuck::Zeroable::zeroed();
            }
        }
    }
    before
}

/// An outcome before the launch.
pub fn fresh() -> Outcome {
    Outcome { step: u64::MAX, ..Outcome::fresh() }
}

/// The outcome of a member that began at `step`. `found` has the order of the first error: twice the number of steps
/// made before it, plus one for an error at predicted positions; and the bead.
pub fn settled(found: &Outcome, points: &[SamplePoint], step: u64) -> Outcome {
    let order = found.step;
    let time = order >> 32;
    // A sample is sound if there is no error at its positions or before.
    let ends = points.iter().scan(0, |end, point| {
        *end += u64::from(point.steps);
        Some(*end)
    });
    let segments = ends.take_while(|end| order == u64::MAX || 2 * end < time).count() as u32;
    let what = if order == u64::MAX { NOTHING } else { order as u32 };
    Outcome { segments, what, step: step + time / 2, ahead: (time & 1) as u32, ..*found }
}

#[cfg(test)]
#[path = "../../tests/unit/independent.rs"]
mod tests;
