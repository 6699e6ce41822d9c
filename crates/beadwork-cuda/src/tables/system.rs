//! A system as tables in device memory.

use std::marker::PhantomData;
use std::sync::Arc;

use beadwork_cpu::PeriodicBox;
use beadwork_model::potentials::pair::PairCutoffs;
use beadwork_model::{Boundary, Dynamics, NearPairs, System};

use crate::batch::arena::Arena;
use crate::batch::records::{self, Columns, MOST_MASKED, Number, PARTIAL_SUMS, Rows};
use crate::plans::Search;
use crate::tables::formulas::{MOST_TERMS, TermNames, pair_types};
use crate::tables::terms::{
    ActsOn, BeadRows, BondedSlots, ByBead, PairRecords, Slots, thermostat_records,
};
use crate::{Buffer, Device, Error, Stream};

/// Å by which a position may be wrong in single precision; it is subtracted from the skin.
const SLACK: f64 = 1e-3;

/// The part of the largest cutoff by which bricks search farther, so that rounding hides no pair.
const BRICK_MARGIN: f64 = 1e-4;

/// How far lists reach beyond the cutoff, Å.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skins {
    pub lists: f64,
    /// Of inner lists, where those are pruned from the others.
    pub inner: Option<f64>,
}

impl Skins {
    /// As the input asks for, of the only lists.
    pub fn of(dynamics: &Dynamics) -> Skins {
        Skins { lists: dynamics.skin, inner: None }
    }

    /// Of outer and inner lists of the grid plan, as timed (`benchmarks/README.md`, "How far lists reach"). A bead with a velocity
    /// crosses a skin in a time that grows as the skin, not as its square, so narrow inner lists last too shortly. In boxes wider
    /// lists were not timed.
    pub fn of_grid(dynamics: &Dynamics, boundary: &Boundary) -> Skins {
        let [lists, inner] = match (dynamics.integrator.has_velocities(), boundary) {
            (true, _) => [2.5, 1.0],
            (false, Boundary::Periodic { .. }) => [2.5, 0.5],
            (false, Boundary::Open) => [3.5, 0.65],
        };
        Skins { lists: lists * dynamics.skin, inner: Some(inner * dynamics.skin) }
    }
}

/// A system's tables, kept as long as its members are stepped.
#[derive(Debug)]
pub struct SystemTables<T> {
    /// The system of the tables; its address identifies them.
    pub system: Arc<System>,
    pub skins: Skins,
    /// The largest radius of the search for near pairs, Å.
    pub radius: f64,
    pub search: Search,
    /// The search that the plan wants, else that of its blocks.
    pub wanted: Option<Search>,
    pub terms: TermNames,
    pub beads: usize,
    pub list_capacity: usize,
    /// The beads in each cell of a brick for which room was found to be too small.
    pub crowding: usize,
    /// The most contacts of a slot.
    pub contacts: usize,
    /// Shared memory for bonded terms if a lane has a member.
    pub lane_bytes: usize,
    /// Bytes of the tables of pair terms and lists by types.
    pub table_bytes: usize,
    record: records::System<T>,
    _data: Buffer<u8>,
    record_data: Buffer<records::System<T>>,
}

impl<T: Number> SystemTables<T> {
    /// Tables of `system` in the memory of a device, for the `wanted` search if there is one.
    pub fn new(
        device: &Device,
        stream: &Stream,
        system: &Arc<System>,
        skins: Skins,
        wanted: Option<Search>,
    ) -> Result<Self, Error> {
        let paired = system.interactions.act_on_pairs();
        let search = match wanted {
            Some(search) if paired => search,
            _ => Search::of_block(paired, system.beads()),
        };
        let beads = system.beads();
        let interactions = &system.interactions;
        let terms = TermNames::of(system);
        let mut arena = Arena::default();
        let mut record = records::System::<T>::zeroed_record();
        let bonded = bonded_slots::<T>(system);
        for (term, slots) in bonded.iter().enumerate() {
            record.bonded[term] = columns(&mut arena, slots);
        }
        let excluded = Slots::new(
            beads,
            interactions.excluded.iter().copied(),
            size_of::<u32>(),
            |_, partner| partner.to_ne_bytes().to_vec(),
        );
        record.excluded = columns(&mut arena, &excluded);
        let cutoffs = interactions.pair_cutoffs();
        // Only small systems have a lane for each member, and masks.
        let (lane_bytes, masks) = match beads <= MOST_MASKED {
            true => (place_rows(&bonded, beads, &mut record, &mut arena), masks(system, &cutoffs)),
            false => (0, Vec::new()),
        };
        record.masks = arena.add(&masks);
        let types = pair_types(system);
        record.types = types as u32;
        let skin = match search {
            Search::Bricks => BRICK_MARGIN * cutoffs.largest(),
            _ => skins.lists,
        };
        let inner = skins.inner.unwrap_or(0.0);
        record.square_lists = arena.add(&square_lists::<T>(&cutoffs, types, skin));
        record.square_inners = arena.add(&square_lists::<T>(&cutoffs, types, inner));
        // Kernels that pad lists with a bead beyond the last one read a type for it.
        record.type_of = arena.add(&[system.particles.types.as_slice(), &[0]].concat());
        let acting = acting(system, types);
        record.acting = arena.add(&acting);
        record.bead_order = arena.add(&bead_order(system, &acting));
        let mut table_bytes = types * types * size_of::<T>() + size_of_val(acting.as_slice());
        for (number, term) in interactions.pairs.iter().enumerate() {
            let records = term.visit(PairRecords::<T>(PhantomData));
            table_bytes += records.len();
            record.pairs[number] = arena.add(&records);
        }
        if let Some(thermostat) = &interactions.thermostat {
            let records = thermostat_records::<T>(thermostat, types);
            table_bytes += records.len();
            record.thermostat = arena.add(&records);
        }
        let sides = PeriodicBox::<T>::of(system);
        if let Some(sides) = &sides {
            record.sides = sides_record(sides);
        }
        let by_bead = || ByBead::<T> { beads, sides };
        let angles = interactions.angles.iter().filter_map(|term| term.visit(by_bead()));
        place_by_bead(angles, &mut record.angles, &mut arena);
        let singles = interactions.singles.iter().filter_map(|term| term.visit(by_bead()));
        place_by_bead(singles, &mut record.singles, &mut arena);

        let [radius, inner_radius] = [skin, inner].map(|skin| cutoffs.largest() + skin);
        // An outer list has all pairs of an inner one.
        let [shift, inner_shift] = [skin - inner, inner].map(|skin| (0.5 * skin - SLACK).max(0.0));
        let list_capacity = match search {
            Search::List | Search::Bricks => capacity(system, &cutoffs, skin),
            Search::None | Search::Mask | Search::Bits => 0,
        };
        let data = arena.upload(device, stream)?;
        record.beads = beads as u32;
        record.list_capacity = list_capacity as u32;
        record.square_list = T::from_f64(radius * radius);
        record.square_shift = T::from_f64(shift * shift);
        record.square_inner = T::from_f64(inner_radius * inner_radius);
        record.square_inner_shift = T::from_f64(inner_shift * inner_shift);
        record.move_by(data.address());
        let mut record_data = Buffer::new(device, 1)?;
        record_data.upload(stream, 0, &[record])?;
        let contacts = terms.bonded.iter().zip(&bonded).filter(|(name, _)| !name.is_bond);
        Ok(SystemTables {
            system: system.clone(),
            skins,
            radius: if paired { radius } else { 0.0 },
            search,
            wanted,
            contacts: contacts.map(|(_, slots)| slots.longest()).sum(),
            terms,
            beads,
            list_capacity,
            crowding: 0,
            lane_bytes,
            table_bytes,
            record,
            _data: data,
            record_data,
        })
    }

    /// The same with neighbour lists in place of bricks.
    pub fn with_lists(&self, device: &Device, stream: &Stream) -> Result<Self, Error> {
        let list = Some(Search::List);
        let tables = SystemTables::new(device, stream, &self.system, self.skins, list)?;
        Ok(SystemTables { wanted: self.wanted, ..tables })
    }

    /// The address of the record.
    pub fn address(&self) -> u64 {
        self.record_data.address()
    }

    /// Makes room for `wanted` entries of a slot, with a margin.
    pub fn grow_list(&mut self, stream: &Stream, wanted: usize) -> Result<(), Error> {
        self.list_capacity = self.list_capacity.max((wanted + wanted / 4 + 4).next_multiple_of(4));
        self.record.list_capacity = self.list_capacity as u32;
        self.record_data.upload(stream, 0, &[self.record])
    }

    /// Whether the entries of lists need more than 16 bits.
    pub fn is_wide(&self) -> bool {
        let by_quarters = self.skins.inner.is_some() && self.system.boundary == Boundary::Open;
        is_wide(self.beads, by_quarters)
    }

    /// Words of 16 bits in a member's list. Bricks have no lists in the card's memory.
    pub fn list_words(&self) -> usize {
        if self.search == Search::Bricks {
            return 0;
        }
        self.list_capacity * PARTIAL_SUMS * self.beads * if self.is_wide() { 2 } else { 1 }
    }
}

/// Whether the numbers of beads, or their quarters, need more than 16 bits in lists, where the last one stands for no bead. The limits
/// are such that members of one launch, whose numbers of beads are similar, agree.
pub fn is_wide(beads: usize, by_quarters: bool) -> bool {
    beads > 61_440 * if by_quarters { PARTIAL_SUMS } else { 1 }
}

/// The pair terms that may act on beads of each type, a bit for each.
fn acting(system: &System, types: usize) -> Vec<u32> {
    let mut acting = vec![0; types];
    for (number, term) in system.interactions.pairs.iter().enumerate() {
        for (of_type, acts) in acting.iter_mut().zip(term.visit(ActsOn)) {
            *of_type |= u32::from(acts) << number;
        }
    }
    acting
}

/// All beads, sorted so that beads on which the same pair terms act are neighbours: the threads of a warp then compute the same.
fn bead_order(system: &System, acting: &[u32]) -> Vec<u16> {
    let terms_of = |&bead: &u16| {
        let of_type = system.particles.types.get(usize::from(bead)).copied().unwrap_or(0);
        acting.get(usize::from(of_type)).copied().unwrap_or(0)
    };
    let last = u16::try_from(system.beads()).unwrap_or(u16::MAX);
    let mut order: Vec<u16> = (0..last).collect();
    order.sort_by_key(terms_of);
    order
}

/// A box as kernels read it.
fn sides_record<T: Number>(sides: &PeriodicBox<T>) -> records::Sides<T> {
    let PeriodicBox { part, parts, quarter, limit, force, .. } = *sides;
    records::Sides { part, parts, quarter, limit, unit: force.unit, units: 1.0 / force.unit }
}

/// The entries of each bonded term that has any; breakable pairs are numbered through all terms.
fn bonded_slots<T: Number>(system: &System) -> Vec<Slots> {
    let (beads, mut first) = (system.beads(), 0);
    let mut all = Vec::new();
    for term in &system.interactions.bonded {
        let build = BondedSlots::<T> { beads, first, number: PhantomData };
        if let Some(slots) = term.visit(build) {
            first += slots.breakable;
            all.push(slots);
        }
    }
    all
}

fn columns(arena: &mut Arena, slots: &Slots) -> Columns {
    Columns { counts: arena.add(&slots.counts), entries: arena.add(&slots.columns()) }
}

/// Adds the rows of all bonded terms, for kernels in which a lane has a member; returns their size in shared memory.
fn place_rows<T: Number>(
    bonded: &[Slots],
    beads: usize,
    record: &mut records::System<T>,
    arena: &mut Arena,
) -> usize {
    let mut entries = Vec::new();
    let mut heads = vec![[0_u32; 2]; bonded.len() * beads];
    for (term, slots) in bonded.iter().enumerate() {
        let (of_beads, bytes) = slots.rows(entries.len());
        for (bead, head) in of_beads.into_iter().enumerate() {
            heads[bead * bonded.len() + term] = head;
        }
        record.row_counts[term] = slots.counts.iter().map(|&count| u32::from(count)).sum();
        entries.extend(bytes);
    }
    record.row_bytes = entries.len() as u32;
    record.row_entries = arena.add(&entries);
    record.row_heads = arena.add(&heads);
    entries.len() + (8 * heads.len()).next_multiple_of(16)
}

fn place_by_bead(
    terms: impl Iterator<Item = BeadRows>,
    rows: &mut [Rows; MOST_TERMS],
    arena: &mut Arena,
) {
    for (row, term) in rows.iter_mut().zip(terms) {
        *row = Rows { starts: arena.add(&term.starts), entries: arena.add(&term.entries) };
    }
}

/// The squares of list radii by pair of types, row after row.
fn square_lists<T: Number>(cutoffs: &PairCutoffs, types: usize, skin: f64) -> Vec<T> {
    let square = |n: usize| {
        let radius = cutoffs.reach((n / types) as u16, (n % types) as u16, skin);
        T::from_f64(radius * radius)
    };
    (0..types * types).map(square).collect()
}

/// Bit k of a slot is set if partner 4 k + (slot mod 4) is another bead, is not excluded, and is of a type on which
/// some term acts.
fn masks(system: &System, cutoffs: &PairCutoffs) -> Vec<u32> {
    let (beads, excluded) = (system.beads(), &system.interactions.excluded);
    let types = &system.particles.types;
    let acts = |i: usize, j: usize| i != j && cutoffs.between(types[i], types[j]) > 0.0;
    let mut masks = vec![0_u32; PARTIAL_SUMS * beads];
    for bead in 0..beads {
        for partner in (0..beads).filter(|&partner| acts(bead, partner)) {
            masks[PARTIAL_SUMS * bead + partner % PARTIAL_SUMS] |= 1 << (partner / PARTIAL_SUMS);
        }
    }
    for &(i, j) in excluded {
        masks[PARTIAL_SUMS * i + j % PARTIAL_SUMS] &= !(1 << (j / PARTIAL_SUMS));
        masks[PARTIAL_SUMS * j + i % PARTIAL_SUMS] &= !(1 << (i / PARTIAL_SUMS));
    }
    masks
}

/// The most beads whose neighbours are counted for the length of lists. Others are like them, or their lists grow.
const MOST_COUNTED: usize = 20_000;

/// The capacity of a slot's list: the entries of the longest list at the start, among those that are counted, and half as many,
/// in groups of four. A list that is too short grows later.
fn capacity(system: &System, cutoffs: &PairCutoffs, skin: f64) -> usize {
    let (positions, types) = (&system.particles.positions, &system.particles.types);
    let beads = positions.len();
    let reach = cutoffs.largest() + skin;
    let near = NearPairs::new(system.boundary, beads, |bead| positions[bead], reach);
    let longest_of = |i: usize| {
        let mut counts = [0_usize; PARTIAL_SUMS];
        near.around(i, |j| {
            let radius = cutoffs.reach(types[i], types[j], skin);
            let square = system.boundary.squared_distance(positions[i], positions[j]);
            counts[j % PARTIAL_SUMS] += usize::from(square < radius * radius);
        });
        counts.into_iter().max().unwrap_or(0)
    };
    let longest = (0..beads).step_by(beads.div_ceil(MOST_COUNTED).max(1)).map(longest_of).max();
    let longest = longest.unwrap_or(0);
    (longest + longest / 2 + 4).next_multiple_of(4)
}

#[cfg(test)]
#[path = "../../tests/unit/system_tables.rs"]
mod tests;
