//! A system as tables in device memory.

use std::sync::Arc;

use beadwork_model::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, NativeContact, SixthPowerRepulsion, convert,
};
use beadwork_model::{Pair, System};

use crate::arena::Arena;
use crate::layout::{self, LANES, MOST_MASKED, Number, Table};
use crate::program::Search;
use crate::{Buffer, Device, Error, Stream};

/// Å that a position may be wrong by in single precision, kept from the skin.
const SLACK: f64 = 1e-3;

/// A system's tables, for as long as members of it are stepped.
#[derive(Debug)]
pub struct Tables<T> {
    /// What they were made from; a pointer to it names them.
    pub system: Arc<System>,
    pub skin: f64,
    pub search: Search,
    pub terms: [bool; 4],
    pub beads: usize,
    pub list_capacity: usize,
    /// Native contacts of a place, at most.
    pub contacts: usize,
    /// Shared memory for bonds and contacts where a lane has a member.
    pub lane_bytes: usize,
    record: layout::Topology<T>,
    _data: Buffer<u8>,
    record_data: Buffer<layout::Topology<T>>,
}

impl<T: Number> Tables<T> {
    /// Tables of `system` in the memory of a device.
    pub fn new(
        device: &Device,
        stream: &Stream,
        system: &Arc<System>,
        skin: f64,
    ) -> Result<Self, Error> {
        let repels = !system.interactions.pairs.is_empty();
        let search = Search::of_block(repels, system.beads());
        Tables::with_search(device, stream, system, skin, search)
    }

    /// The same with lists of neighbours, whatever the size.
    pub fn with_lists(
        device: &Device,
        stream: &Stream,
        system: &Arc<System>,
        skin: f64,
    ) -> Result<Self, Error> {
        let repels = !system.interactions.pairs.is_empty();
        let search = if repels { Search::List } else { Search::None };
        Tables::with_search(device, stream, system, skin, search)
    }

    fn with_search(
        device: &Device,
        stream: &Stream,
        system: &Arc<System>,
        skin: f64,
        search: Search,
    ) -> Result<Self, Error> {
        let beads = system.beads();
        let interactions = &system.interactions;
        let mut arena = Arena::default();
        let number = |value: f64| T::from_f64(value);
        let fene = columns(beads, pairs(interactions.bonded_by::<FeneBond>()), |k, partner| {
            let bond: FeneBond<T> = convert(interactions.bonded_by::<FeneBond>()[k].potential);
            let FeneBond { stiffness, limit, length } = bond;
            let padding = [number(0.0); 3];
            layout::FeneBond { partner, number: k as u32, stiffness, limit, length, padding }
        });
        let harmonic =
            columns(beads, pairs(interactions.bonded_by::<HarmonicBond>()), |k, partner| {
                let bond: HarmonicBond<T> =
                    convert(interactions.bonded_by::<HarmonicBond>()[k].potential);
                let HarmonicBond { stiffness, length } = bond;
                layout::HarmonicBond { partner, padding: 0, stiffness, length }
            });
        let contacts =
            columns(beads, pairs(interactions.bonded_by::<NativeContact>()), |k, partner| {
                let contact: NativeContact<T> =
                    convert(interactions.bonded_by::<NativeContact>()[k].potential);
                let NativeContact { depth, length } = contact;
                let (scale, square_length) = (number(12.0) * depth, length * length);
                layout::NativeContact { partner, padding: 0, scale, square_length }
            });
        let excluded_pairs = interactions.excluded.as_slice();
        let excluded = columns(beads, excluded_pairs.iter().copied(), |_, partner| partner);
        // Only small systems have a lane a member.
        let small = beads <= MOST_MASKED;
        let lane_bonds = if small { fene.by_bead() } else { ByBead::default() };
        let lane_contacts = if small { contacts.by_bead() } else { ByBead::default() };
        let heads: Vec<layout::LaneHead> = lane_bonds
            .heads
            .iter()
            .zip(&lane_contacts.heads)
            .map(|(&(first_bond, bonds), &(first_contact, contacts))| layout::LaneHead {
                first_bond,
                first_contact,
                bonds,
                contacts,
            })
            .collect();
        let lane_heads = arena.place(&heads);
        let lane_bond_count = lane_bonds.entries.len();
        let lane_contact_count = lane_contacts.entries.len();
        let lane_bonds = arena.place(&lane_bonds.entries);
        let lane_contacts = arena.place(&lane_contacts.entries);
        let fene_bonds = fene.place(&mut arena);
        let harmonic_bonds = harmonic.place(&mut arena);
        let most_contacts = contacts.counts.iter().copied().max().map_or(0, usize::from);
        let native_contacts = contacts.place(&mut arena);
        let excluded = excluded.place(&mut arena);
        let masks = if beads <= MOST_MASKED { masks(beads, excluded_pairs) } else { Vec::new() };
        let masks = arena.place(&masks);
        let (starts, traps) = traps::<T>(system);
        let (trap_starts, traps) = (arena.place(&starts), arena.place(&traps));

        let mut repulsion_scale = number(0.0);
        let mut cutoff = 0.0;
        if let Some(repulsion) = interactions.pairs_by::<SixthPowerRepulsion>() {
            cutoff = repulsion.largest_cutoff();
            let potential: SixthPowerRepulsion<T> = convert(repulsion.entries()[0].potential);
            let square = potential.diameter * potential.diameter;
            repulsion_scale = number(6.0) * potential.strength * (square * square * square);
        }
        let shift = (0.5 * skin - SLACK).max(0.0);
        let list_capacity = match search {
            Search::List => capacity(system, cutoff + skin),
            Search::None | Search::Mask | Search::Bits => 0,
        };
        let data = arena.upload(device, stream)?;
        let at = |place: u64| data.address() + place;
        let table = |table: Table| Table { counts: at(table.counts), entries: at(table.entries) };
        let record = layout::Topology {
            lane_bond_count: lane_bond_count as u32,
            lane_contact_count: lane_contact_count as u32,
            lane_heads: at(lane_heads),
            lane_bonds: at(lane_bonds),
            lane_contacts: at(lane_contacts),
            beads: beads as u32,
            list_capacity: list_capacity as u32,
            fene_bonds: table(fene_bonds),
            harmonic_bonds: table(harmonic_bonds),
            native_contacts: table(native_contacts),
            excluded: table(excluded),
            masks: at(masks),
            trap_starts: at(trap_starts),
            traps: at(traps),
            repulsion_scale,
            square_cutoff: number(cutoff * cutoff),
            square_list: number((cutoff + skin) * (cutoff + skin)),
            square_shift: number(shift * shift),
        };
        let mut record_data = Buffer::new(device, 1)?;
        record_data.upload(stream, 0, &[record])?;
        let terms = [
            !interactions.bonded_by::<FeneBond>().is_empty(),
            !interactions.bonded_by::<HarmonicBond>().is_empty(),
            !interactions.bonded_by::<NativeContact>().is_empty(),
            !interactions.singles_by::<HarmonicTrap>().is_empty(),
        ];
        Ok(Tables {
            system: system.clone(),
            skin,
            search,
            terms,
            beads,
            list_capacity,
            contacts: most_contacts,
            lane_bytes: lane_bond_count * size_of::<layout::FeneBond<T>>()
                + lane_contact_count * size_of::<layout::NativeContact<T>>()
                + beads * size_of::<layout::LaneHead>(),
            record,
            _data: data,
            record_data,
        })
    }

    /// Within this distance, Å, beads are in each other's lists; 0 where nothing repels.
    pub fn radius(&self) -> f64 {
        match self.system.interactions.pairs.is_empty() {
            true => 0.0,
            false => self.system.interactions.pair_cutoff() + self.skin,
        }
    }

    /// The record.
    pub fn record(&self) -> layout::Topology<T> {
        self.record
    }

    /// Where the record lies.
    pub fn address(&self) -> u64 {
        self.record_data.address()
    }

    /// Makes room for `wanted` entries of a place, and some more.
    pub fn grow_list(&mut self, stream: &Stream, wanted: usize) -> Result<(), Error> {
        self.list_capacity = self.list_capacity.max((wanted + wanted / 4 + 4).next_multiple_of(4));
        self.record.list_capacity = self.list_capacity as u32;
        self.record_data.upload(stream, 0, &[self.record])
    }

    /// Entries of a member's list.
    pub fn list_length(&self) -> usize {
        self.list_capacity * LANES * self.beads
    }
}

fn pairs<P>(pairs: &[Pair<P>]) -> impl Iterator<Item = (usize, usize)> + '_ {
    pairs.iter().map(|pair| (pair.i, pair.j))
}

/// Entries of each place in the order of the kernels: entry k of a place at k · places + place.
struct Columns<E> {
    counts: Vec<u16>,
    entries: Vec<E>,
}

impl<E: bytemuck::Pod> Columns<E> {
    fn place(&self, arena: &mut Arena) -> Table {
        Table { counts: arena.place(&self.counts), entries: arena.place(&self.entries) }
    }

    /// The same, bead by bead, one partial sum after another.
    fn by_bead(&self) -> ByBead<E> {
        let places = self.counts.len();
        let mut all = ByBead::default();
        for bead in 0..places / LANES {
            let first = all.entries.len() as u32;
            let mut counts = 0;
            for part in 0..LANES {
                let place = LANES * bead + part;
                let count = usize::from(self.counts[place]);
                counts |= u32::from(self.counts[place]) << (8 * part);
                all.entries.extend((0..count).map(|k| self.entries[k * places + place]));
            }
            all.heads.push((first, counts));
        }
        all
    }
}

/// Entries bead by bead: the first of each, and how many each partial sum has, a byte each.
struct ByBead<E> {
    heads: Vec<(u32, u32)>,
    entries: Vec<E>,
}

impl<E> Default for ByBead<E> {
    fn default() -> Self {
        ByBead { heads: Vec::new(), entries: Vec::new() }
    }
}

/// Columns of pairs that ascend by (i, j), so that the partners of a place ascend. `entry` makes that of pair number k
/// for one of its beads from the number of the other.
///
/// # Panics
/// When a place has more than 65,535 partners, which takes four times as many beads.
fn columns<E: bytemuck::Pod>(
    beads: usize,
    pairs: impl Iterator<Item = (usize, usize)>,
    entry: impl Fn(usize, u32) -> E,
) -> Columns<E> {
    let places = LANES * beads;
    let mut pairs = pairs.peekable();
    if pairs.peek().is_none() {
        return Columns { counts: vec![0; places], entries: Vec::new() };
    }
    let mut lists: Vec<Vec<E>> = vec![Vec::new(); places];
    for (k, (i, j)) in pairs.enumerate() {
        lists[LANES * i + j % LANES].push(entry(k, j as u32));
        lists[LANES * j + i % LANES].push(entry(k, i as u32));
    }
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    assert!(longest <= usize::from(u16::MAX), "{longest} partners of one kind at one place");
    let mut entries = vec![E::zeroed(); longest * places];
    for (place, list) in lists.iter().enumerate() {
        for (k, &entry) in list.iter().enumerate() {
            entries[k * places + place] = entry;
        }
    }
    Columns { counts: lists.iter().map(|list| list.len() as u16).collect(), entries }
}

/// Bit k of a place: partner 4 k + (place mod 4) is another bead and not excluded.
fn masks(beads: usize, excluded: &[(usize, usize)]) -> Vec<u32> {
    let mut masks = vec![0_u32; LANES * beads];
    for bead in 0..beads {
        for partner in (0..beads).filter(|&partner| partner != bead) {
            masks[LANES * bead + partner % LANES] |= 1 << (partner / LANES);
        }
    }
    for &(i, j) in excluded {
        masks[LANES * i + j % LANES] &= !(1 << (j / LANES));
        masks[LANES * j + i % LANES] &= !(1 << (i / LANES));
    }
    masks
}

/// Where the traps of each bead begin, and the traps, which keep their order at each bead.
fn traps<T: Number>(system: &System) -> (Vec<u32>, Vec<layout::Trap<T>>) {
    let mut by_bead: Vec<_> = system.interactions.singles_by::<HarmonicTrap>().iter().collect();
    by_bead.sort_by_key(|trap| trap.bead);
    let starts = (0..=system.beads())
        .map(|bead| by_bead.partition_point(|trap| trap.bead < bead) as u32)
        .collect();
    let traps = by_bead.iter().map(|trap| {
        let HarmonicTrap { stiffness, centre } = convert::<T, HarmonicTrap<T>>(trap.potential);
        layout::Trap { stiffness, centre }
    });
    (starts, traps.collect())
}

/// Pairs of beads that are looked at to see how long lists will be.
const MOST_LOOKED_AT: usize = 1 << 27;

/// Entries that the longest list of a place has at the start, and room for half as many more, in fours. Of a large system some
/// beads are looked at; what is too short grows.
fn capacity(system: &System, radius: f64) -> usize {
    let beads = system.particles.positions.len();
    let stride = (beads * beads).div_ceil(MOST_LOOKED_AT).max(1);
    let mut longest = 0;
    for i in (0..beads).step_by(stride) {
        let mut counts = [0_usize; LANES];
        for j in (0..beads).filter(|&j| j != i) {
            let [x, y, z] = [0, 1, 2].map(|axis| {
                system.particles.positions[i][axis] - system.particles.positions[j][axis]
            });
            if x * x + y * y + z * z < radius * radius {
                counts[j % LANES] += 1;
            }
        }
        longest = longest.max(counts[0]).max(counts[1]).max(counts[2]).max(counts[3]);
    }
    (longest + longest / 2 + 4).next_multiple_of(4)
}
