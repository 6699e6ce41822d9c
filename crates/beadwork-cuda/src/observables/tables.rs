//! A system as the measuring kernels read it: parameters in double precision, in the order in which the host adds terms.

use std::ops::Range;

use beadwork_model::potentials::angle::{AngleFormula, AngleVisitor};
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::{PairEntry, PairFormula, PairTable, PairVisitor};
use beadwork_model::potentials::single::{SingleFormula, SingleVisitor};
use beadwork_model::potentials::{Parameters, convert};
use beadwork_model::sums::{have_runs, sum};
use beadwork_model::{Angles, Boundary, Pairs, Singles, System};
use bytemuck::{Pod, Zeroable};

use super::search::{Counts, Search, excluded_partners};
use crate::batch::arena::Arena;
use crate::tables::{MOST_TERMS, pair_types, record};
use crate::{Buffer, Device, Error, Stream};

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct TermList {
    entries: u64,
    count: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct SystemRecord {
    beads: u32,
    types: u32,
    molecule_count: u32,
    padding: u32,
    allowed: u64,
    type_of: u64,
    bonded: [TermList; MOST_TERMS],
    angles: [TermList; MOST_TERMS],
    singles: [TermList; MOST_TERMS],
    pairs: [u64; MOST_TERMS],
    molecules: u64,
    weights: u64,
    masses: u64,
    sides: [f64; 3],
    search: Search,
}

/// A system's tables in device memory.
#[derive(Debug)]
pub struct ObservedTables {
    data: Buffer<u8>,
    /// The offset of the record, which follows the arrays to which it points.
    record: u64,
    counts: Counts,
    sample_bytes: usize,
}

impl ObservedTables {
    /// Uploads the tables of a system.
    pub fn new(device: &Device, stream: &Stream, system: &System) -> Result<Self, Error> {
        let counts = Counts::of(system);
        let (mut arena, mut record) = tables(system, counts);
        let at = arena.add(&[record]);
        let mut data = Buffer::new(device, arena.bytes().len())?;
        record.move_by(data.address());
        let mut bytes = arena.bytes().to_vec();
        bytes[at as usize..].copy_from_slice(bytemuck::bytes_of(&record));
        data.upload(stream, 0, &bytes)?;
        Ok(ObservedTables { data, record: at, counts, sample_bytes: record.search.bytes() })
    }

    /// What a launch has one of for each sample.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The bytes that measurements of a sample take beside its positions.
    pub fn sample_bytes(&self) -> usize {
        self.sample_bytes
    }

    /// The address of the record.
    pub fn address(&self) -> u64 {
        self.data.address() + self.record
    }
}

impl SystemRecord {
    /// Adds `base` to all addresses.
    fn move_by(&mut self, base: u64) {
        for list in self.bonded.iter_mut().chain(&mut self.angles).chain(&mut self.singles) {
            list.entries += base;
        }
        let single = [
            &mut self.allowed,
            &mut self.type_of,
            &mut self.molecules,
            &mut self.weights,
            &mut self.masses,
            &mut self.search.excluded_starts,
            &mut self.search.excluded,
        ];
        single.into_iter().chain(&mut self.pairs).for_each(|address| *address += base);
    }
}

/// The arrays of a system, and its record with offsets in place of addresses. Empty lists are left out, as in
/// [`TermNames::of`](crate::tables::TermNames::of).
fn tables(system: &System, counts: Counts) -> (Arena, SystemRecord) {
    let mut arena = Arena::default();
    let mut record = SystemRecord::zeroed();
    let all = &system.interactions;
    let mut place = |lists: &mut [TermList; MOST_TERMS], entries: Vec<Vec<Vec<u8>>>| {
        let filled = entries.into_iter().filter(|entries| !entries.is_empty());
        for (list, entries) in lists.iter_mut().zip(filled) {
            *list = TermList { count: entries.len() as u64, entries: arena.add(&entries.concat()) };
        }
    };
    place(&mut record.bonded, all.bonded.iter().map(|term| term.visit(Entries)).collect());
    place(&mut record.angles, all.angles.iter().map(|term| term.visit(Entries)).collect());
    place(&mut record.singles, all.singles.iter().map(|term| term.visit(Entries)).collect());
    let types = pair_types(system);
    for (at, term) in record.pairs.iter_mut().zip(&all.pairs) {
        *at = arena.add(&term.visit(TypePairs(types)));
    }
    let molecules: Vec<[u32; 2]> =
        molecules(system).into_iter().map(|beads| [beads.start, beads.end]).collect();
    let masses: Vec<f64> = system.masses(0..system.beads()).collect();
    record.beads = system.beads() as u32;
    record.types = types as u32;
    record.molecule_count = molecules.len() as u32;
    record.search = Search::new(system, counts);
    if have_runs(system.beads()) {
        let (starts, partners) = excluded_partners(system);
        record.search.excluded_starts = arena.add(&starts);
        record.search.excluded = arena.add(&partners);
    } else {
        record.allowed = arena.add(&allowed(system));
    }
    record.type_of = arena.add(&system.particles.types);
    record.molecules = arena.add(&molecules);
    record.weights = arena.add(&weights(system, &masses));
    record.masses = arena.add(&masses);
    if let Boundary::Periodic { lengths } = system.boundary {
        record.sides = lengths;
    }
    (arena, record)
}

/// The beads of each molecule of several, which follow each other in systems that are measured on the card.
pub fn molecules(system: &System) -> Vec<Range<u32>> {
    let all = system.particles.beads_of_molecules();
    let several = all.iter().filter(|beads| beads.len() > 1);
    several.map(|beads| beads[0]..beads[beads.len() - 1] + 1).collect()
}

/// A bit for each pair i < j that is not excluded, in rows of whole words.
fn allowed(system: &System) -> Vec<u32> {
    let beads = system.beads();
    let words = beads.div_ceil(32);
    let mut bits = vec![0_u32; beads * words];
    for i in 0..beads {
        for j in i + 1..beads {
            bits[i * words + j / 32] |= 1 << (j % 32);
        }
    }
    for &(i, j) in &system.interactions.excluded {
        bits[i * words + j / 32] &= !(1 << (j % 32));
    }
    bits
}

/// The part of each bead in the mass of its molecule, as `beadwork_model::observables::radius_of_gyration_by_mass` has it.
fn weights(system: &System, masses: &[f64]) -> Vec<f64> {
    let mut weights = vec![0.0; masses.len()];
    for beads in system.particles.beads_of_molecules().iter() {
        let mass = |place: usize| masses[beads[place] as usize];
        let total = sum(beads.len(), beads.len(), mass);
        for (place, &bead) in beads.iter().enumerate() {
            weights[bead as usize] = mass(place) / total;
        }
    }
    weights
}

/// The numbers of a pair's formula: those of its force, then its own parameters, from which its energy is computed.
fn numbers<F: PairFormula>(potential: F) -> Vec<f64> {
    let prepared = F::prepared(convert::<f64, F::In<f64>>(potential));
    let own = potential.to_array();
    [&prepared[..F::PREPARED], &own[..<F as Parameters<f64>>::COUNT]].concat()
}

/// The entries of a term.
struct Entries;

impl BondedVisitor for Entries {
    type Output = Vec<Vec<u8>>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let entry = |pair: &beadwork_model::Pair<F>| {
            record(&[pair.i as u32, pair.j as u32], &numbers(pair.potential))
        };
        term.iter().map(entry).collect()
    }
}

impl AngleVisitor for Entries {
    type Output = Vec<Vec<u8>>;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Self::Output {
        let entry = |angle: &beadwork_model::Angle<F>| {
            let [i, j, k] = angle.beads.map(|bead| bead as u32);
            let own = angle.potential.to_array();
            record(&[i, j, k, 0], &own[..<F as Parameters<f64>>::COUNT])
        };
        term.iter().map(entry).collect()
    }
}

impl SingleVisitor for Entries {
    type Output = Vec<Vec<u8>>;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> Self::Output {
        let entry = |single: &beadwork_model::Single<F>| {
            let own = single.potential.to_array();
            let own = &own[..<F as Parameters<f64>>::COUNT];
            record(&[single.bead as u32, 0], &[&single.potential.anchor(), own].concat())
        };
        term.iter().map(entry).collect()
    }
}

/// The table of a pair term for so many types.
struct TypePairs(usize);

impl PairVisitor for TypePairs {
    type Output = Vec<u8>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Vec<u8> {
        let entry = |n: usize| {
            // Beads of further types are in no pair of this term.
            let [a, b] = [n / self.0, n % self.0].map(|kind| kind.min(term.types() - 1) as u16);
            let PairEntry { potential, cutoff } = term.between(a, b);
            record(&[], &[numbers(potential), vec![cutoff * cutoff]].concat())
        };
        (0..self.0 * self.0).flat_map(entry).collect()
    }
}
