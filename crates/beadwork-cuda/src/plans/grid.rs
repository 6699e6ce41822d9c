//! The host's part of the grid plan (`kernels/groups/grid.cuh`): the memory of members whose blocks fill the card.

use beadwork_cpu::MemberView;
use beadwork_model::Boundary;

use crate::batch::layout::{GRID_MEETING, GridMember, Number, PARTIAL_SUMS};
use crate::batch::{Batch, BatchMember, Entry, Regions, reserve};
use crate::plans::shape::Shape;
use crate::tables::{SystemTables, TableCache};
use crate::{Buffer, Device, Error, Stream};

/// The most cells for each bead: more would be empty.
const CELLS_PER_BEAD: usize = 4;

/// Memory of the members of a launch that kernels alone use.
#[derive(Debug, Default)]
pub struct GridMemory {
    /// What is zero before a launch.
    zeros: Option<Buffer<u8>>,
    rest: Option<Buffer<u8>>,
}

/// The cells in which kernels sort beads.
struct Cells {
    sides: [u32; 3],
    /// The logarithm of the cells that a block sums up.
    bits: u32,
    per_length: f64,
}

impl Cells {
    /// Cells whose sides are not shorter than the radius of lists.
    fn new<T: Number>(view: &MemberView<'_, T>, radius: f64, blocks: usize) -> Cells {
        // Slightly longer, against rounding.
        let side = if radius > 0.0 { 1.001 * radius } else { f64::INFINITY };
        let mut sides = match view.system.boundary {
            Boundary::Periodic { lengths } => lengths.map(|length| ((length / side) as u32).max(1)),
            Boundary::Open => extents(view).map(|extent| {
                let cells = (extent / side).min(1e6) as u32 + 1;
                cells.next_power_of_two()
            }),
        };
        let most = CELLS_PER_BEAD * view.system.beads().max(16);
        let cells =
            |sides: [u32; 3]| sides.into_iter().map(|side| side as usize).product::<usize>();
        while cells(sides) > most {
            if let Some(longest) = sides.iter_mut().max() {
                *longest /= 2;
            }
        }
        // Behind the last cell there is an empty one.
        let share = (cells(sides) + 1).div_ceil(blocks).next_power_of_two();
        Cells { sides, bits: share.ilog2(), per_length: 1.0 / side }
    }
}

/// The lengths of the smallest box around the beads of a member in open space.
fn extents<T: Number>(view: &MemberView<'_, T>) -> [f64; 3] {
    let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for at in view.positions.iter() {
        for axis in 0..3 {
            least[axis] = least[axis].min(at[axis].to_f64());
            most[axis] = most[axis].max(at[axis].to_f64());
        }
    }
    [0, 1, 2].map(|axis| (most[axis] - least[axis]).max(0.0))
}

/// Beads in an order in which neighbours in space are near each other: in a box along a curve of Morton, in open space by
/// their numbers, because chains are neighbours in space.
pub fn order<T: Number>(view: &MemberView<'_, T>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..view.system.beads() as u32).collect();
    if view.system.boundary != Boundary::Open {
        let keys: Vec<u64> = view.positions.iter().map(|at| morton(at.map(T::fraction))).collect();
        order.sort_by_cached_key(|&bead| keys[bead as usize]);
    }
    order
}

/// The upper 16 bits of three fractions, in turn.
fn morton(fractions: [u32; 3]) -> u64 {
    (0..16).fold(0, |key, bit| {
        let place = 31 - bit;
        fractions.iter().fold(key, |key, fraction| key << 1 | u64::from(fraction >> place & 1))
    })
}

impl GridMemory {
    /// Makes room for the members of a launch, clears what must be zero, and returns their records. `orders` are the
    /// addresses of their beads' orders.
    pub fn records<T: Number>(
        &mut self,
        (device, stream): (&Device, &Stream),
        shape: &Shape,
        entries: &[Entry],
        members: &[BatchMember<'_, T>],
        cache: &TableCache<T>,
        orders: &[u64],
    ) -> Result<Vec<GridMember>, Error> {
        let GridMemory { zeros, rest } = self;
        // First the sizes, then the addresses.
        let mut regions = [Regions { end: 0 }, Regions { end: 0 }];
        let place = |regions: &mut [Regions; 2]| {
            let members = entries.iter().zip(orders).map(|(entry, &order)| {
                let view = &members[entry.member].view;
                record(view, &cache.tables[entry.table], shape, order, regions)
            });
            members.collect::<Vec<GridMember>>()
        };
        place(&mut regions);
        let [zeroed, room] = [&regions[0], &regions[1]].map(|regions| regions.end as usize);
        let zeros = reserve(zeros, device, zeroed)?;
        zeros.fill_zero(stream)?;
        let rest = reserve(rest, device, room)?;
        Ok(place(&mut [Regions { end: zeros.address() }, Regions { end: rest.address() }]))
    }
}

/// The record of a member: regions that are zeros at first, and others.
fn record<T: Number>(
    view: &MemberView<'_, T>,
    tables: &SystemTables<T>,
    shape: &Shape,
    order: u64,
    [zeros, rest]: &mut [Regions; 2],
) -> GridMember {
    let (beads, blocks) = (tables.beads, shape.cluster);
    let Cells { sides, bits, per_length } = Cells::new(view, tables.radius(), blocks);
    let cells = blocks << bits;
    // Rows of no bead follow the last one. Both buffers of positions, and those of velocities that other threads read.
    let rows = PARTIAL_SUMS * (beads / PARTIAL_SUMS + 1);
    let heated = view.system.interactions.thermostat.is_some();
    GridMember {
        meeting: zeros.take::<u8>(GRID_MEETING),
        rows: rest.take::<[T; 4]>(rows * if heated { 4 } else { 2 }),
        order,
        sides,
        bits,
        counts: zeros.take::<u32>(cells),
        starts: rest.take::<u32>(cells),
        totals: rest.take::<u32>(blocks),
        ranks: rest.take::<u32>(beads),
        sorted: rest.take::<[T; 4]>(beads),
        per_length,
    }
}

/// Adds the orders of the members' beads to a batch; returns their offsets.
pub fn place_orders<T: Number>(
    batch: &mut Batch<T>,
    entries: &[Entry],
    members: &[BatchMember<'_, T>],
) -> Vec<u64> {
    let add = |entry: &Entry| batch.arena.add(&order(&members[entry.member].view));
    entries.iter().map(add).collect()
}
