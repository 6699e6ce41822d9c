//! Measurements of samples on the card, with the bits of the host (`kernels/observables/`).
//!
//! After the kernel that steps the members of a launch, others measure their samples while they are in the card's memory: what
//! takes the host a loop over beads or pairs. Samples of small systems have a warp each, those of large ones a warp for each bead
//! and for each run of their sums. A member brought to such a sample has the measurements with it
//! (`beadwork_cpu::Stepper::observe`).

mod program;
mod search;
mod tables;

use std::collections::HashMap;

use beadwork_cpu::MemberView;
use beadwork_model::observables::{Measured, kinetic_energy_of};
use beadwork_model::sums::have_runs;
use beadwork_model::{Boundary, Energies, System};
use bytemuck::{Pod, Zeroable};

use crate::batch::records::{self, Number};
use crate::tables::TermNames;
use crate::{Device, Error, Function, Stream};

pub use program::{ObservedKey, observed_programs};
pub use search::Counts;
pub use tables::ObservedTables;

use program::{THREADS, WARPS};

/// Whether samples of a system are measured on the card. Independent particles are not: the host reads their coordinates once. Nor
/// are molecules whose beads do not follow each other, and systems that lack types, whose masses are among the tables of kernels.
pub fn are_observed(system: &System) -> bool {
    // Kernels find the beads of a molecule, and its ends, by the first and the last of them.
    let are_runs = system.particles.are_in_order_of_molecules() && system.ends.is_empty();
    let have_beads = system.has_columns_of_beads() && system.beads() > 0;
    have_beads && system.has_types() && (are_runs || system.sizes_are_of_all_beads())
}

/// Bytes of a sample for what is measured of it.
pub fn observed_bytes(system: &System) -> usize {
    let unwrapped = if system.boundary == Boundary::Open { 0 } else { size_of::<[f64; 3]>() };
    match are_observed(system) {
        false => 0,
        // A launch returns few samples of a large system, so what kernels keep beside them need not count.
        true if have_runs(system.beads()) => size_of::<Observed>(),
        true => size_of::<Observed>() + system.beads() * unwrapped,
    }
}

/// What a kernel measured of a sample.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Observed {
    bonds: f64,
    contacts: f64,
    angles: f64,
    pairs: f64,
    charges: f64,
    singles: f64,
    virial: f64,
    native_contacts: f64,
    radius_of_gyration: f64,
    radius_of_gyration_by_mass: f64,
    end_to_end: f64,
    twice_kinetic_energy: f64,
    sound: u64,
    padding: u64,
}

impl Observed {
    /// The measurements; `None` if the host must take them.
    pub fn measured(&self, system: &System, has_velocities: bool) -> Option<Measured> {
        let Observed { bonds, contacts, angles, pairs, charges, singles, .. } = *self;
        let of_all_beads = system.sizes_are_of_all_beads();
        // A mean over no molecules is not a number.
        let mean = |value: f64| (!of_all_beads && !value.is_nan()).then_some(value);
        (self.sound != 0).then(|| Measured {
            energies: Energies { bonds, contacts, angles, pairs, charges, singles },
            virial: (system.boundary != Boundary::Open).then_some(self.virial),
            native_contacts: self.native_contacts as usize,
            radius_of_gyration: match of_all_beads {
                true => Some(self.radius_of_gyration),
                false => mean(self.radius_of_gyration),
            },
            radius_of_gyration_by_mass: mean(self.radius_of_gyration_by_mass),
            end_to_end: mean(self.end_to_end),
            kinetic_energy: has_velocities
                .then(|| kinetic_energy_of(system, self.twice_kinetic_energy)),
        })
    }
}

/// A member of a launch, in the layout of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ObservedMember {
    pub system: u64,
    pub positions: u64,
    pub velocities: u64,
    pub images: u64,
    pub crossings: u64,
    pub unwrapped: u64,
    pub workspace: u64,
    pub first_sample: u32,
    pub samples: u32,
}

/// The parameter of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Observation {
    members: u64,
    observed: u64,
    outcomes: u64,
    outcome_words: u32,
    member_count: u32,
    most_samples: u32,
    most_beads: u32,
    most_things: u32,
    most_cells: u32,
    most_runs: u32,
}

/// The kernels of a program.
#[derive(Clone, Debug)]
pub struct Observer {
    /// In the order in which they run, with the threads that each of them has.
    kernels: Vec<(Function, Threads)>,
    /// Whether the systems are large.
    large: bool,
}

/// The threads of a kernel.
#[derive(Clone, Copy, Debug)]
enum Threads {
    /// One for each axis of a bead of each member.
    Coordinates,
    /// One for each cell of each sample.
    Cells,
    /// One for each bead of each sample.
    Beads,
    /// A warp for each molecule and bead of each sample.
    Things,
    /// A warp for each run of each sample.
    Runs,
    /// A warp for each sample.
    Samples,
}

/// The measuring kernels of all systems on a card.
#[derive(Debug, Default)]
pub struct Observers(HashMap<ObservedKey, Observer>);

impl Observers {
    /// The kernels that measure the samples of a launch; `None` if the host does, because systems have different columns.
    pub fn of_launch<'a, T: Number + 'a>(
        &mut self,
        device: &Device,
        members: impl Iterator<Item = (&'a MemberView<'a, T>, &'a TermNames)>,
    ) -> Result<Option<Observer>, Error> {
        let mut key = None;
        for (view, terms) in members {
            let moving = view.motion.is_some();
            let of_member = || ObservedKey::of(view.system, terms, T::PRECISION, moving);
            if !key.get_or_insert_with(of_member).suits(view.system) || !are_observed(view.system) {
                return Ok(None);
            }
        }
        key.map(|key| self.of(device, key)).transpose()
    }

    /// The kernels for a key, compiled if they are not yet.
    fn of(&mut self, device: &Device, key: ObservedKey) -> Result<Observer, Error> {
        if let Some(observer) = self.0.get(&key) {
            return Ok(observer.clone());
        }
        let program = key.program();
        let module = device.load(&program.name, &program.source)?;
        let kernel = |(name, threads)| Ok((module.function(name)?, threads));
        let kernels = key.kernels().map(kernel).collect::<Result<_, Error>>()?;
        let observer = Observer { kernels, large: key.large };
        self.0.insert(key, observer.clone());
        Ok(observer)
    }
}

/// The arrays that a launch of measurements reads and writes, by their addresses.
#[derive(Clone, Copy, Debug)]
pub struct Arrays {
    pub members: u64,
    pub observed: u64,
    pub outcomes: u64,
}

impl Observer {
    /// Measures the samples of a launch that `stream` makes before; `counts` are the largest of any member.
    ///
    /// # Safety
    /// The arrays must be those of `members`, and large enough for all that kernels read and write, until a wait for the
    /// stream.
    pub unsafe fn start(
        &self,
        stream: &Stream,
        arrays: Arrays,
        members: &[ObservedMember],
        counts: Counts,
    ) -> Result<(), Error> {
        let most_samples = members.iter().map(|member| member.samples).max().unwrap_or(0);
        if most_samples == 0 {
            return Ok(());
        }
        let task = Observation {
            members: arrays.members,
            observed: arrays.observed,
            outcomes: arrays.outcomes,
            outcome_words: (size_of::<records::Outcome>() / 4) as u32,
            member_count: members.len() as u32,
            most_samples,
            most_beads: counts.beads as u32,
            most_things: counts.things as u32,
            most_cells: counts.cells as u32,
            most_runs: counts.runs as u32,
        };
        let samples = members.len() * most_samples as usize;
        for (kernel, threads) in &self.kernels {
            // Each sample has whole blocks.
            let blocks = match threads {
                Threads::Coordinates => members.len() * (3 * counts.beads).div_ceil(THREADS),
                Threads::Cells => samples * counts.cells.div_ceil(THREADS),
                Threads::Beads => samples * counts.beads.div_ceil(THREADS),
                Threads::Things => samples * counts.things.div_ceil(WARPS),
                Threads::Runs => samples * counts.runs.div_ceil(WARPS),
                Threads::Samples if self.large => samples,
                Threads::Samples => samples.div_ceil(WARPS),
            };
            // SAFETY: the parameter is that of the kernels; the caller promises the rest.
            unsafe { stream.launch(kernel, blocks as u32, THREADS as u32, 0, &task)? };
        }
        Ok(())
    }
}
