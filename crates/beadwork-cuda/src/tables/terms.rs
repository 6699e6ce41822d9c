//! The terms of a system as bytes in the layout of kernels: one function for each shape.

use beadwork_cpu::PeriodicBox;
use beadwork_model::potentials::angle::{AngleFormula, AngleVisitor};
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairVisitor};
use beadwork_model::potentials::single::{SingleFormula, SingleVisitor};
use beadwork_model::potentials::{PairThermostat, Parameters, convert};
use beadwork_model::{Angles, Pairs, Singles};

use crate::batch::records::{Number, PARTIAL_SUMS};

/// The bytes of a record of some words and numbers: a multiple of 16, by `alignas(16)`.
fn record_bytes<T>(words: usize, numbers: usize) -> usize {
    (4 * words + numbers * size_of::<T>()).next_multiple_of(16)
}

/// A record: words, then numbers, padded to a multiple of 16 bytes.
pub fn record<T: Number>(words: &[u32], numbers: &[T]) -> Vec<u8> {
    let mut bytes: Vec<u8> = bytemuck::cast_slice(words).to_vec();
    bytes.extend_from_slice(bytemuck::cast_slice(numbers));
    bytes.resize(record_bytes::<T>(words.len(), numbers.len()), 0);
    bytes
}

/// The entries of all slots, one slot after another.
pub struct Slots {
    /// The number of entries of each slot.
    pub counts: Vec<u16>,
    /// The entries of each slot, ascending by partner.
    entries: Vec<Vec<u8>>,
    /// Bytes of an entry.
    size: usize,
    /// The number of breakable pairs of the term.
    pub breakable: u32,
}

impl Slots {
    /// Entries of pairs that ascend by (i, j), so the partners of a slot ascend. `entry` makes the entry of pair k for
    /// one of its beads from the number of the other bead.
    ///
    /// # Panics
    /// If a slot has more than 65,535 partners, which takes four times as many beads.
    pub fn new(
        beads: usize,
        pairs: impl Iterator<Item = (usize, usize)>,
        size: usize,
        entry: impl Fn(usize, u32) -> Vec<u8>,
    ) -> Slots {
        let slots = PARTIAL_SUMS * beads;
        let mut entries: Vec<Vec<u8>> = vec![Vec::new(); slots];
        for (k, (i, j)) in pairs.enumerate() {
            entries[PARTIAL_SUMS * i + j % PARTIAL_SUMS].extend(entry(k, j as u32));
            entries[PARTIAL_SUMS * j + i % PARTIAL_SUMS].extend(entry(k, i as u32));
        }
        let most = entries.iter().map(|bytes| bytes.len() / size).max().unwrap_or(0);
        assert!(most <= usize::from(u16::MAX), "a slot has {most} partners");
        let counts = entries.iter().map(|bytes| (bytes.len() / size) as u16).collect();
        Slots { counts, entries, size, breakable: 0 }
    }

    /// The most entries of any slot.
    pub fn longest(&self) -> usize {
        self.counts.iter().copied().max().map_or(0, usize::from)
    }

    /// For kernels in which a slot has a lane: entry k of a slot is at [k · slots + slot]; missing entries are zeros.
    pub fn columns(&self) -> Vec<u8> {
        let (slots, size) = (self.counts.len(), self.size);
        let mut columns = vec![0_u8; self.longest() * slots * size];
        for (slot, entries) in self.entries.iter().enumerate() {
            for (k, entry) in entries.chunks_exact(size).enumerate() {
                columns[(k * slots + slot) * size..][..size].copy_from_slice(entry);
            }
        }
        columns
    }

    /// For kernels in which a lane has a member: bead by bead, one slot after another. The head of a row has its offset
    /// in bytes, counted from `first`, and the number of entries of each partial sum, one byte each.
    pub fn rows(&self, first: usize) -> (Vec<[u32; 2]>, Vec<u8>) {
        let mut bytes = Vec::new();
        let mut heads = Vec::with_capacity(self.counts.len() / PARTIAL_SUMS);
        for slots in 0..self.counts.len() / PARTIAL_SUMS {
            let begin = (first + bytes.len()) as u32;
            let slots = PARTIAL_SUMS * slots..PARTIAL_SUMS * (slots + 1);
            let counts = self.counts[slots.clone()].iter().rev();
            heads.push([begin, counts.fold(0, |all, &count| all << 8 | u32::from(count))]);
            self.entries[slots].iter().for_each(|entries| bytes.extend_from_slice(entries));
        }
        (heads, bytes)
    }
}

/// Makes the entries of a bonded term; none if the term is empty.
pub struct BondedSlots<T> {
    pub beads: usize,
    /// The number of breakable pairs in earlier terms.
    pub first: u32,
    pub number: std::marker::PhantomData<T>,
}

impl<T: Number> BondedVisitor for BondedSlots<T> {
    type Output = Option<Slots>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        if term.is_empty() {
            return None;
        }
        let pairs = term.iter().map(|pair| (pair.i, pair.j));
        let size = record_bytes::<T>(2, F::PREPARED);
        let slots = Slots::new(self.beads, pairs, size, |k, partner| {
            let numbers = F::prepared(convert::<T, F::In<T>>(term[k].potential));
            record(&[partner, self.first + k as u32], &numbers[..F::PREPARED])
        });
        let breakable = if F::BREAKS { term.len() as u32 } else { 0 };
        Some(Slots { breakable, ..slots })
    }
}

/// Makes the table of a pair term: row after row of types.
pub struct PairRecords<T>(pub std::marker::PhantomData<T>);

impl<T: Number> PairVisitor for PairRecords<T> {
    type Output = Vec<u8>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Vec<u8> {
        let numbers = |entry: &beadwork_model::potentials::pair::PairEntry<F>| {
            let prepared = F::prepared(convert::<T, F::In<T>>(entry.potential));
            let mut numbers = prepared[..F::PREPARED].to_vec();
            numbers.push(T::from_f64(entry.cutoff * entry.cutoff));
            record(&[], &numbers)
        };
        term.entries().iter().flat_map(numbers).collect()
    }
}

/// Whether a pair term may act on beads of each type.
pub struct ActsOn;

impl PairVisitor for ActsOn {
    type Output = Vec<bool>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Vec<bool> {
        let types = || 0..term.types() as u16;
        let reaches = |a, b| term.between(a, b).cutoff > 0.0;
        types().map(|a| types().any(|b| reaches(a, b))).collect()
    }
}

/// Makes the table of a pair thermostat for `types` types: row after row.
pub fn thermostat_records<T: Number>(thermostat: &PairThermostat, types: usize) -> Vec<u8> {
    let table = &thermostat.table;
    let record_of = |n: usize| {
        // A table of one type holds for all.
        let [a, b] = if table.types() == 1 { [0; 2] } else { [n / types, n % types] };
        let entry = table.between(a as u16, b as u16);
        let formula = entry.potential.convert::<T>();
        let square = T::from_f64(entry.cutoff * entry.cutoff);
        let inverse = T::from_f64(1.0) / formula.cutoff;
        record(&[], &[formula.friction, formula.cutoff, inverse, formula.friction.sqrt(), square])
    };
    (0..types * types).flat_map(record_of).collect()
}

/// The entries of each bead, and the index of its first one.
pub struct BeadRows {
    pub starts: Vec<u32>,
    pub entries: Vec<u8>,
}

impl BeadRows {
    /// Sorts entries by bead; those of one bead keep their order.
    fn new(beads: usize, mut entries: Vec<(usize, Vec<u8>)>) -> BeadRows {
        entries.sort_by_key(|(bead, _)| *bead);
        let start = |bead: usize| entries.partition_point(|(other, _)| *other < bead) as u32;
        BeadRows {
            starts: (0..=beads).map(start).collect(),
            entries: entries.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect(),
        }
    }
}

/// Makes the entries of angles or fields by bead; none if the term is empty. In a box, those of fields have the points to which
/// they belong.
pub struct ByBead<T> {
    pub beads: usize,
    pub sides: Option<PeriodicBox<T>>,
}

impl<T: Number> AngleVisitor for ByBead<T> {
    type Output = Option<BeadRows>;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Self::Output {
        let of_angle = term.iter().flat_map(|angle| {
            let numbers = convert::<T, F::In<T>>(angle.potential).to_array();
            let [i, j, k] = angle.beads.map(|bead| bead as u32);
            (0..3_u32).map(move |role| {
                let words = [i, j, k, role];
                (
                    angle.beads[role as usize],
                    record(&words, &numbers[..<F as Parameters<f64>>::COUNT]),
                )
            })
        });
        (!term.is_empty()).then(|| BeadRows::new(self.beads, of_angle.collect()))
    }
}

impl<T: Number> SingleVisitor for ByBead<T> {
    type Output = Option<BeadRows>;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> Self::Output {
        let of_single = term.iter().map(|single| {
            let numbers = convert::<T, F::In<T>>(single.potential).to_array();
            let anchor = single.potential.anchor();
            let anchors =
                self.sides.map(|sides| [anchor.map(T::from_f64), sides.coordinate(anchor)]);
            let anchors = anchors.iter().flatten().flatten().copied();
            let numbers = numbers[..<F as Parameters<f64>>::COUNT].iter().copied();
            (single.bead, record(&[], &anchors.chain(numbers).collect::<Vec<T>>()))
        });
        (!term.is_empty()).then(|| BeadRows::new(self.beads, of_single.collect()))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/terms.rs"]
mod tests;
