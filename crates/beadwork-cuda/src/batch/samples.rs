//! The output of a launch: the states of members at their sample points.

use std::sync::Arc;

use beadwork_cpu::{Member, NoiseSource, Progress, StepControl, Stepper};
use beadwork_model::externals::{ExternalState, LastPoint, MovingState};
use beadwork_random::States;
use beadwork_simulation::Sums;

use crate::Error;
use crate::batch::Sampled;
use crate::batch::pack::Output;
use crate::batch::records::{self, NEVER, Number, square_unit};
use crate::observables::Observed;

/// Samples of one member, one for each point that was reached.
#[derive(Debug)]
pub enum Samples {
    Single(MemberSamples<f32>),
    Double(MemberSamples<f64>),
}

impl Samples {
    pub fn len(&self) -> usize {
        match self {
            Samples::Single(samples) => samples.steps.len(),
            Samples::Double(samples) => samples.steps.len(),
        }
    }

    /// Moves a member from the sample before to sample `number`; returns the steps between them.
    pub fn bring(&self, number: usize, member: &mut Member) -> Result<u64, Error> {
        match (self, member) {
            (Samples::Single(samples), Member::Single(stepper)) => samples.bring(number, stepper),
            (Samples::Double(samples), Member::Double(stepper)) => samples.bring(number, stepper),
            _ => Err(Error::Corrupt { what: "a sample of another precision".into() }),
        }
    }
}

/// The bytes of a launch's output, in words for their alignment, and where its arrays lie in them.
#[derive(Debug)]
pub struct Returned {
    pub words: Vec<u64>,
    pub(super) output: Output,
    /// Whether there are velocities and forces.
    pub has_velocities: bool,
    /// Whether members are in boxes, whose sides beads cross.
    pub boxed: bool,
    /// Whether samples were measured on the card.
    pub observed: bool,
    pub externals_per_member: usize,
    /// Whether generators' states are stored word by word instead of bead by bead.
    pub packed: bool,
}

impl Returned {
    /// `count` records of the array at byte `at`, from its record `first` on.
    fn records<R: bytemuck::Pod>(&self, at: usize, first: usize, count: usize) -> &[R] {
        let from = at + first * size_of::<R>();
        let bytes: &[u8] = bytemuck::cast_slice(&self.words);
        bytemuck::cast_slice(&bytes[from..from + count * size_of::<R>()])
    }
}

/// The samples of one member among those of its launch.
#[derive(Debug)]
pub struct MemberSamples<T> {
    pub returned: Arc<Returned>,
    pub first: usize,
    /// The beads and words of states in the samples of the members before.
    pub before: Sampled,
    /// The steps between each sample and the one before.
    pub steps: Vec<u32>,
    /// The control of a minimisation after its only sample, and whether it has ended.
    pub descent: Option<(StepControl, bool)>,
    pub number: std::marker::PhantomData<T>,
}

impl<T: Number> MemberSamples<T> {
    fn bring(&self, number: usize, stepper: &mut Stepper<T>) -> Result<u64, Error> {
        let returned = &*self.returned;
        let output = &returned.output;
        let sample = self.first + number;
        let view = stepper.view();
        let beads = view.system.beads();
        let per_member = returned.externals_per_member;
        let externals: &[records::External] =
            returned.records(output.externals, sample * per_member, per_member);
        let externals = view
            .externals
            .iter()
            .zip(externals)
            .map(|(before, now)| external_state(before, now))
            .collect();
        let sums = &returned.records::<records::Sums>(output.sums, sample, 1)[0];
        let sums = Sums {
            squared_displacements: sums.square_displacements as f64 * square_unit(view.amplitude),
            moves: 0,
            force: sums.force,
            force_steps: sums.force_steps,
        };
        let words = state_words(&view.noise);
        let noise: &[u32] =
            returned.records(output.noise, self.before.state_words + number * words, words);
        let by_bead: Vec<u32>;
        let noise = match view.noise {
            NoiseSource::Stateful(_) if returned.packed => {
                let words = |bead: usize| [0, 1, 2, 3].map(|k| noise[k * beads + bead]);
                by_bead = (0..beads).flat_map(words).collect();
                by_bead.as_slice()
            }
            _ => noise,
        };
        let first_bead = self.before.beads + number * beads;
        let vectors = |array| returned.records::<[T; 3]>(array, first_bead, beads);
        let positions = vectors(output.positions);
        let motion =
            returned.has_velocities.then(|| [output.velocities, output.forces].map(vectors));
        let crossings: &[[i32; 3]] = match returned.boxed {
            true => returned.records(output.crossings, first_bead, beads),
            false => &[],
        };
        let observed =
            returned.observed.then(|| &returned.records::<Observed>(output.observed, sample, 1)[0]);
        let measured = observed.and_then(|one| one.measured(view.system, motion.is_some()));
        let steps = self.steps.get(number).copied().map(u64::from);
        let steps =
            steps.ok_or_else(|| Error::Corrupt { what: "a sample that was not reached".into() })?;
        stepper
            .take_over(
                Progress {
                    steps,
                    externals,
                    sums,
                    noise,
                    motion,
                    crossings,
                    measured,
                    descent: self.descent,
                },
                |bead| positions[bead],
            )
            .map_err(|error| Error::Corrupt { what: error.to_string() })?;
        Ok(steps)
    }
}

/// The words of a member's generator states; 0 without states.
pub fn state_words(noise: &NoiseSource<'_>) -> usize {
    match noise {
        NoiseSource::Keyed(_) => 0,
        NoiseSource::Stateful(states) => 4 * states.len(),
        NoiseSource::Drawn(streams) => streams.states().map_or(0, States::packed_words),
    }
}

fn external_state(before: &ExternalState, now: &records::External) -> ExternalState {
    if let Some(MovingState { base, .. }) = before.moving {
        let [contact, ..] = now.last_centre;
        let moving = MovingState {
            position: now.held,
            reaction: now.last_force.map(|sum| sum.to_bits() as i64),
            step: (now.last_step != NEVER).then_some(now.last_step),
            contact: (!contact.is_nan()).then_some(contact),
            base,
        };
        return ExternalState { work: now.work, moving: Some(moving), ..before.clone() };
    }
    ExternalState {
        held: now.held,
        work: now.work,
        last: (now.last_step != NEVER).then_some(LastPoint {
            step: now.last_step,
            force: now.last_force,
            centre: now.last_centre,
        }),
        ..before.clone()
    }
}
