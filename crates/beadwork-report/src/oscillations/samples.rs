//! The coordinates of oscillators in successive samples.

use beadwork_analysis::table::read_csv;
use beadwork_input::TrajectoryKind;
use beadwork_model::force_fields::oscillators::Oscillators;
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_session::Error;

use crate::frames;
use crate::rows::BegunMember;

/// The largest count of frame coordinates kept in memory, 4 bytes each.
const MOST_NUMBERS: usize = 200_000_000;

/// Successive samples of coordinates, nm.
pub(super) struct Samples {
    pub interval: u64,
    /// The coordinates of each sample.
    pub numbers: Vec<Vec<f32>>,
    /// Coordinates that are left out, because they are too many.
    pub not_held: usize,
    pub of: &'static str,
}

pub(super) fn of_frames(
    member: &BegunMember<'_>,
    every: u64,
    kind: TrajectoryKind,
    particles: &Oscillators,
) -> Result<Samples, Error> {
    let of = "the frames of the trajectory";
    let mut samples = Samples { interval: every, numbers: Vec::new(), not_held: 0, of };
    let list = member.folder.frames(member.place);
    if !list.exists() {
        return Ok(samples);
    }
    let steps = read_csv(&list)?.counts("step")?;
    let held = (MOST_NUMBERS / steps.len().max(1)).clamp(1, particles.coordinates());
    samples.not_held = particles.coordinates() - held;
    frames::read_all(member, kind, |number, frame| {
        // The last frame of a stage may be at an irregular step; it is left out.
        if steps.get(number).is_some_and(|step| step.is_multiple_of(every)) {
            let in_nanometres = |x: &f32| x / ANGSTROMS_PER_NANOMETRE as f32;
            samples.numbers.push(frame.iter().take(held).map(in_nanometres).collect());
        }
    })?;
    Ok(samples)
}
