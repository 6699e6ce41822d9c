//! What comes back from a launch: the states of members at their looks.

use std::sync::Arc;

use beadwork_cpu::{Member, NoiseSource, Progressed, Stepper, Sums};
use beadwork_model::drives::{DriveState, LastPoint};
use beadwork_random::States;

use crate::Error;
use crate::layout::{self, NEVER, Number, square_unit};

/// Samples of one member, one a look that was reached.
#[derive(Debug)]
pub enum Samples {
    Single(Taken<f32>),
    Double(Taken<f64>),
}

impl Samples {
    pub fn len(&self) -> usize {
        match self {
            Samples::Single(taken) => taken.steps.len(),
            Samples::Double(taken) => taken.steps.len(),
        }
    }

    /// Brings a member from the sample before to sample `number`; returns the steps between.
    pub fn bring(&self, number: usize, member: &mut Member) -> Result<u64, Error> {
        match (self, member) {
            (Samples::Single(taken), Member::Single(stepper)) => taken.bring(number, stepper),
            (Samples::Double(taken), Member::Double(stepper)) => taken.bring(number, stepper),
            _ => Err(Error::Corrupt { what: "a sample of another precision".into() }),
        }
    }
}

/// The bytes of a launch's output, in words for their alignment, and where its arrays begin, in bytes.
#[derive(Debug)]
pub struct Returned {
    pub words: Vec<u64>,
    pub positions: usize,
    pub noise: usize,
    pub drives: usize,
    pub sums: usize,
    pub drives_per_member: usize,
    pub beads: usize,
    /// Whether states of generators lie word by word, else bead by bead.
    pub packed: bool,
}

impl Returned {
    /// `count` records of the array that begins at byte `at`, from its record `first` on.
    fn records<R: bytemuck::Pod>(&self, at: usize, first: usize, count: usize) -> &[R] {
        let from = at + first * size_of::<R>();
        let bytes: &[u8] = bytemuck::cast_slice(&self.words);
        bytemuck::cast_slice(&bytes[from..from + count * size_of::<R>()])
    }
}

/// The samples of one member among those of its launch.
#[derive(Debug)]
pub struct Taken<T> {
    pub returned: Arc<Returned>,
    pub first_slot: usize,
    /// Steps before each sample since the one before.
    pub steps: Vec<u32>,
    pub number: std::marker::PhantomData<T>,
}

impl<T: Number> Taken<T> {
    fn bring(&self, number: usize, stepper: &mut Stepper<T>) -> Result<u64, Error> {
        let returned = &*self.returned;
        let slot = self.first_slot + number;
        let beads = returned.beads;
        let standing = stepper.standing();
        let per_member = returned.drives_per_member;
        let drives: &[layout::Drive] =
            returned.records(returned.drives, slot * per_member, per_member);
        let drives = standing
            .drives
            .iter()
            .zip(drives)
            .map(|(before, now)| drive_state(before, now))
            .collect();
        let [sums]: &[layout::Sums; 1] = returned
            .records(returned.sums, slot, 1)
            .try_into()
            .map_err(|_| Error::Corrupt { what: "sums of a member".into() })?;
        let sums = Sums {
            squared_displacements: sums.square_displacements as f64
                * square_unit(standing.amplitude),
            moves: 0,
            force: sums.force,
            force_steps: sums.force_steps,
        };
        let words = state_words(&standing.noise);
        let noise: &[u32] = returned.records(returned.noise, slot * words, words);
        let by_bead: Vec<u32>;
        let noise = match standing.noise {
            NoiseSource::Stateful(_) if returned.packed => {
                let words = |bead: usize| [0, 1, 2, 3].map(|k| noise[k * beads + bead]);
                by_bead = (0..beads).flat_map(words).collect();
                by_bead.as_slice()
            }
            _ => noise,
        };
        let positions: &[[T; 3]] = returned.records(returned.positions, slot * beads, beads);
        let steps = self.steps.get(number).copied().map(u64::from);
        let steps =
            steps.ok_or_else(|| Error::Corrupt { what: "a look that was not reached".into() })?;
        stepper
            .take_over(Progressed { steps, drives, sums, noise }, |bead| positions[bead])
            .map_err(|error| Error::Corrupt { what: error.to_string() })?;
        Ok(steps)
    }
}

/// Words of a member's generators, where they keep a state.
pub fn state_words(noise: &NoiseSource<'_>) -> usize {
    match noise {
        NoiseSource::Keyed(_) => 0,
        NoiseSource::Stateful(states) => 4 * states.len(),
        NoiseSource::Drawn(streams) => streams.states().map_or(0, States::packed_words),
    }
}

fn drive_state(before: &DriveState, now: &layout::Drive) -> DriveState {
    DriveState {
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
