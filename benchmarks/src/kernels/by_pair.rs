//! [`ByPair`], the parallelisation by interacting pairs of \[A\] in the book's list of sources: a thread for each pair,
//! then one for each bead that adds up its pairs. It steps one protein in single precision, in first order.

use std::sync::Arc;

use beadwork_cpu::{Member, MemberView, NoiseSource};
use beadwork_cuda::{Buffer, Device, Error, Function, Graph, Program, Stream};
use beadwork_model::potentials::pair::PairFormula;
use beadwork_model::potentials::{FeneBond, NativeContact, SixthPowerRepulsion, convert};
use beadwork_model::{Boundary, Generator, Integrator, Pair, System, near_pairs};

const THREADS: usize = 128;
const PARTIAL_SUMS: usize = 4;
/// Steps of each graph.
const LENGTHS: [u32; 2] = [64, 1];
/// The most by which rounding to single precision may shift a position, Å; subtracted from the skin.
const SLACK: f64 = 1e-3;

/// The kernels of a step in their order, and the one that counts steps.
const FUNCTIONS: [&str; 7] = [
    "beadwork_pair_neighbours",
    "beadwork_pair_list",
    "beadwork_pair_bonds",
    "beadwork_pair_contacts",
    "beadwork_pair_repulsion",
    "beadwork_pair_move",
    "beadwork_pair_count",
];

/// The parameter of the kernels in `by_pair.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Step {
    positions: u64,
    references: u64,
    rows: u64,
    bonds: u64,
    contacts: u64,
    bond_formulas: u64,
    contact_formulas: u64,
    listed_counts: u64,
    excluded_starts: u64,
    excluded: u64,
    neighbour_counts: u64,
    neighbours: u64,
    pairs: u64,
    counters: u64,
    first_step: u64,
    key: [u32; 2],
    beads: u32,
    listed_rows: u32,
    capacity: u32,
    bond_count: u32,
    contact_count: u32,
    ahead: u32,
    mobility: f32,
    amplitude: f32,
    square_list: f32,
    square_shift: f32,
    square_cutoff: f32,
    repulsion: f32,
}

/// A protein on a card.
#[derive(Debug)]
pub struct ByPair {
    stream: Stream,
    /// Each kernel, with the number of threads that it needs.
    kernels: Vec<(Function, usize)>,
    graphs: [Option<Graph>; LENGTHS.len()],
    step: Step,
    positions: Buffer<[f32; 4]>,
    counters: Buffer<u32>,
    /// Arrays whose addresses the kernels hold.
    _words: Vec<Buffer<u32>>,
}

/// The beads and slots of listed pairs. `counts` holds the slots in use of each partial sum and is updated.
fn listed<F: PairFormula>(pairs: &[Pair<F>], counts: &mut [u32]) -> Vec<[u32; 4]> {
    let sums = counts.len() as u32;
    let mut slot = |bead: usize, partner: usize| {
        let sum = PARTIAL_SUMS * bead + partner % PARTIAL_SUMS;
        counts[sum] += 1;
        (counts[sum] - 1) * sums + sum as u32
    };
    let place = |pair: &Pair<F>| {
        let (i, j) = (pair.i, pair.j);
        [i as u32, j as u32, slot(i, j), slot(j, i)]
    };
    pairs.iter().map(place).collect()
}

/// The parameters of each pair's formula as the kernel reads them: the bits of single precision.
fn formulas<F: PairFormula + Copy>(pairs: &[Pair<F>]) -> Vec<u32> {
    let numbers = |pair: &Pair<F>| {
        let prepared = F::prepared(convert::<f32, F::In<f32>>(pair.potential));
        prepared.into_iter().take(F::PREPARED).map(f32::to_bits)
    };
    pairs.iter().flat_map(numbers).collect()
}

/// Room for a list of a partial sum: half as much again as the longest one has at the start.
fn capacity(system: &System, radius: f64) -> usize {
    let positions = &system.particles.positions;
    let mut counts = vec![0_usize; PARTIAL_SUMS * positions.len()];
    let position = |bead: usize| positions[bead];
    near_pairs(Boundary::Open, positions.len(), position, radius, |i, partners| {
        for &j in partners {
            let j = j as usize;
            let apart = [0, 1, 2].map(|axis| (positions[i][axis] - positions[j][axis]).powi(2));
            if apart.iter().sum::<f64>() < radius * radius {
                counts[PARTIAL_SUMS * i + j % PARTIAL_SUMS] += 1;
                counts[PARTIAL_SUMS * j + i % PARTIAL_SUMS] += 1;
            }
        }
    });
    let longest = counts.into_iter().max().unwrap_or(0);
    longest + longest / 2 + 4
}

impl ByPair {
    /// The protein of a member in its present state.
    ///
    /// # Errors
    /// [`Error::Other`] unless it is the SOP model without drives, in single precision, by the Brownian scheme with
    /// Philox4x32-10; errors of the device, the compiler or memory.
    pub fn new(device: &Device, member: &Member) -> Result<ByPair, Error> {
        let Member::Single(stepper) = member else { return Err(refused()) };
        let view = stepper.view();
        let (system, dynamics) = (&**view.system, &view.protocol.dynamics);
        let (NoiseSource::Keyed(key), Some(repulsion)) =
            (view.noise, system.interactions.pairs_by::<SixthPowerRepulsion>())
        else {
            return Err(refused());
        };
        if !is_supported(&view) {
            return Err(refused());
        }
        let (beads, cutoff) = (system.beads(), system.interactions.pair_cutoff());
        let radius = cutoff + dynamics.skin;
        let bonds = system.interactions.bonded_by::<FeneBond>();
        let contacts = system.interactions.bonded_by::<NativeContact>();
        let mut counts = vec![0_u32; PARTIAL_SUMS * beads];
        let bond_slots = listed(bonds, &mut counts);
        let contact_slots = listed(contacts, &mut counts);
        let listed_rows = counts.iter().copied().max().unwrap_or(0) as usize;
        let mut excluded = vec![Vec::new(); beads];
        for &(i, j) in &system.interactions.excluded {
            excluded[i].push(j as u32);
            excluded[j].push(i as u32);
        }
        let starts = excluded.iter().scan(0, |start, partners| {
            *start += partners.len() as u32;
            Some(*start)
        });
        let starts: Vec<u32> = std::iter::once(0).chain(starts).collect();
        let excluded: Vec<u32> = excluded.into_iter().flatten().collect();
        let (sums, capacity) = (PARTIAL_SUMS * beads, capacity(system, radius));

        let stream = device.stream()?;
        let mut words = Vec::new();
        let mut place = |array: &[u32], room: usize| -> Result<u64, Error> {
            let mut buffer = Buffer::new(device, array.len().max(room))?;
            buffer.upload(&stream, 0, array)?;
            words.push(buffer);
            Ok(words.last().map_or(0, Buffer::address))
        };
        let mut positions = Buffer::new(device, beads)?;
        let rows: Vec<[f32; 4]> = view.positions.iter().map(|[x, y, z]| [x, y, z, 0.0]).collect();
        positions.upload(&stream, 0, &rows)?;
        let mut counters = Buffer::new(device, 4)?;
        counters.fill_zero(&stream)?;
        let prepared = SixthPowerRepulsion::prepared(convert::<f32, SixthPowerRepulsion<f32>>(
            repulsion.entries()[0].potential,
        ));
        let shift = (0.5 * dynamics.skin - SLACK).max(0.0);
        let step = Step {
            positions: positions.address(),
            references: place(&[], 4 * beads)?,
            rows: place(&[], 4 * (listed_rows + capacity) * sums)?,
            bonds: place(bond_slots.as_flattened(), 0)?,
            contacts: place(contact_slots.as_flattened(), 0)?,
            bond_formulas: place(&formulas(bonds), 0)?,
            contact_formulas: place(&formulas(contacts), 0)?,
            listed_counts: place(&counts, 0)?,
            excluded_starts: place(&starts, 0)?,
            excluded: place(&excluded, 0)?,
            neighbour_counts: place(&[], sums)?,
            neighbours: place(&[], capacity * sums)?,
            pairs: place(&[], 4 * capacity * sums / 2)?,
            counters: counters.address(),
            first_step: view.step,
            key,
            beads: beads as u32,
            listed_rows: listed_rows as u32,
            capacity: capacity as u32,
            bond_count: bonds.len() as u32,
            contact_count: contacts.len() as u32,
            ahead: 0,
            mobility: view.mobility,
            amplitude: view.amplitude,
            square_list: (radius * radius) as f32,
            square_shift: (shift * shift) as f32,
            square_cutoff: (cutoff * cutoff) as f32,
            repulsion: prepared[0],
        };
        let program = program();
        let module = device.load(&program.name, &program.source)?;
        let things = [sums, sums, bonds.len(), contacts.len(), sums, beads, 1];
        let kernels = FUNCTIONS
            .iter()
            .zip(things)
            .map(|(name, count)| module.function(name).map(|function| (function, count)));
        Ok(ByPair {
            kernels: kernels.collect::<Result<_, _>>()?,
            graphs: [const { None }; LENGTHS.len()],
            step,
            positions,
            counters,
            _words: words,
            stream,
        })
    }

    /// Makes this many steps by replays of graphs.
    ///
    /// # Errors
    /// Errors of the device; [`Error::Other`] if a list of neighbours had too little room.
    pub fn advance(&mut self, mut steps: u32) -> Result<(), Error> {
        for (number, length) in LENGTHS.into_iter().enumerate() {
            while steps >= length {
                if self.graphs[number].is_none() {
                    self.graphs[number] = Some(self.record(length)?);
                }
                let Some(graph) = &self.graphs[number] else { break };
                // SAFETY: as for each launch in `record`.
                unsafe { graph.replay(&self.stream)? };
                steps -= length;
            }
        }
        let mut counters = [0; 4];
        self.counters.download(&self.stream, 0, &mut counters)?;
        let wanted = counters[3];
        if wanted == 0 { Ok(()) } else { Err(too_short(wanted, self.step.capacity)) }
    }

    fn record(&self, length: u32) -> Result<Graph, Error> {
        let name: Arc<str> = "steps by pairs".into();
        let (of_step, count) = self.kernels.split_at(self.kernels.len() - 1);
        Graph::record(&self.stream, &name, || {
            for ahead in 0..length {
                of_step.iter().try_for_each(|kernel| self.launch(kernel, ahead))?;
            }
            count.iter().try_for_each(|kernel| self.launch(kernel, length))
        })
    }

    fn launch(&self, (function, count): &(Function, usize), ahead: u32) -> Result<(), Error> {
        let (blocks, threads) = (count.div_ceil(THREADS) as u32, THREADS.min(*count) as u32);
        if blocks == 0 {
            return Ok(());
        }
        let step = Step { ahead, ..self.step };
        // SAFETY: the parameter is the kernel's; its addresses are those of arrays of `self`, which are as long as the
        // kernels need, and freeing them waits for the card.
        unsafe { self.stream.launch(function, blocks, threads, 0, &step) }
    }

    /// Positions of the beads, Å.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn positions(&self) -> Result<Vec<[f64; 3]>, Error> {
        let mut rows = vec![[0.0; 4]; self.positions.len()];
        self.positions.download(&self.stream, 0, &mut rows)?;
        Ok(rows.iter().map(|[x, y, z, _]: &[f32; 4]| [x, y, z].map(|x| f64::from(*x))).collect())
    }
}

fn is_supported(view: &MemberView<'_, f32>) -> bool {
    let interactions = &view.system.interactions;
    let of_types = interactions.pairs_by::<SixthPowerRepulsion>().map_or(0, |table| table.types());
    let listed = usize::from(!interactions.bonded_by::<FeneBond>().is_empty())
        + usize::from(!interactions.bonded_by::<NativeContact>().is_empty());
    view.protocol.dynamics.integrator == Integrator::Brownian
        && view.protocol.randomness.generator() == Generator::Philox4x32x10
        && view.protocol.stages[view.stage].fixed.is_empty()
        && view.externals.is_empty()
        && (of_types, interactions.pairs.len()) == (1, 1)
        && interactions.bonded.iter().filter(|term| !term.pairs().is_empty()).count() == listed
        && interactions.angles.is_empty()
        && interactions.singles.is_empty()
}

fn refused() -> Error {
    Error::Other {
        action: "step a member by pairs".into(),
        reason: "It takes proteins in the SOP model without drives and fixed beads, in single precision, by the Brownian \
                 scheme with Philox4x32-10."
            .into(),
    }
}

fn too_short(wanted: u32, capacity: u32) -> Error {
    let reason =
        format!("A list of neighbours needs {wanted} entries, but has room for {capacity}.");
    Error::Other { action: "step a member by pairs".into(), reason }
}

pub(super) fn program() -> Program {
    let kernels = include_str!("../../kernels/by_pair.cuh");
    super::published("proteins by pairs", kernels, &FUNCTIONS)
}
