//! The host's part of the grid plan (`kernels/groups/grid.cuh`): the memory of members whose blocks fill the card.

use beadwork_cpu::MemberView;
use beadwork_model::Boundary;

use crate::batch::records::{GRID_MEETING, GridMember, Number, PARTIAL_SUMS};
use crate::batch::{BatchMember, Entry, Regions, reserve};
use crate::plans::bricks::{self, cells_of};
use crate::plans::layout::{Layout, Shape};
use crate::plans::shape::LaunchOverrides;
use crate::plans::steps::Search;
use crate::tables::{SystemTables, TableCache};
use crate::{Buffer, Device, Error, Stream};

/// The most cells for each bead: more would be empty.
const CELLS_PER_BEAD: usize = 4;

/// Beads in a cell from which on a search gains by cells of half the side: it tests the beads of all cells that the radius reaches.
const CROWD: usize = 100;

/// Beads of which a warp has the slots.
const BEADS_OF_WARP: usize = 32 / PARTIAL_SUMS;

/// Cells of a brick along y and z (`kernels/groups/cells.cuh`).
const BRICK: u32 = 4;

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
    /// All of them.
    count: usize,
    /// The logarithm of the cells that a block sums up, which fill whole bricks.
    bits: u32,
    per_length: f64,
}

impl Cells {
    /// Cells whose sides are not shorter than a length, for each kind of beads.
    fn new<T: Number>(
        view: &MemberView<'_, T>,
        shortest: f64,
        kinds: usize,
        blocks: usize,
    ) -> Cells {
        // Slightly longer, against rounding.
        let side = if shortest > 0.0 { 1.001 * shortest } else { f64::INFINITY };
        let mut sides = match view.system.boundary {
            Boundary::Periodic { lengths } => cells_of(lengths, shortest),
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
        let bricks = [sides[0], sides[1].next_multiple_of(BRICK), sides[2].next_multiple_of(BRICK)];
        // Behind the last cell there is an empty one.
        let share = (kinds * cells(bricks) + 1).div_ceil(blocks).next_power_of_two();
        Cells { sides, count: cells(sides), bits: share.ilog2(), per_length: 1.0 / side }
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

/// The search of the grid plan for a member in its present stage: in lists, or anew at each step by bricks.
pub fn search_of<T: Number>(view: &MemberView<'_, T>, overrides: LaunchOverrides) -> Search {
    let (system, externals) = (view.system, view.externals.len());
    let takes_bricks = view.descent.is_none() && bricks::can_step(system, view.protocol, externals);
    match takes_bricks && bricks::are_faster(system, overrides) {
        true => Search::Bricks,
        false => Search::List,
    }
}

impl GridMemory {
    /// Makes room for the members of a launch, clears what must be zero, and returns their records.
    pub fn records<T: Number>(
        &mut self,
        (device, stream): (&Device, &Stream),
        shape: &Shape,
        entries: &[Entry],
        members: &[BatchMember<'_, T>],
        cache: &TableCache<T>,
    ) -> Result<Vec<GridMember>, Error> {
        let GridMemory { zeros, rest } = self;
        // First the sizes, then the addresses.
        let mut regions = [Regions { end: 0 }, Regions { end: 0 }];
        let place = |regions: &mut [Regions; 2]| {
            let members = entries.iter().map(|entry| {
                record(&members[entry.member].view, &cache.tables[entry.table], shape, regions)
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
    [zeros, rest]: &mut [Regions; 2],
) -> GridMember {
    let (beads, blocks) = (tables.beads, shape.blocks_of_member());
    let in_bricks = tables.search == Search::Bricks;
    // Kinds of beads that have cells of their own (`CellSort::KINDS` of `kernels/groups/cells.cuh`).
    let kinds = match view.system.boundary {
        Boundary::Open => PARTIAL_SUMS,
        Boundary::Periodic { .. } if tables.terms.typed && !in_bricks => 2,
        Boundary::Periodic { .. } => 1,
    };
    let mut cells = Cells::new(view, tables.radius, kinds, blocks);
    if !in_bricks && beads > CROWD * cells.count {
        cells = Cells::new(view, 0.5 * tables.radius, kinds, blocks);
    }
    let Cells { sides, count, bits, per_length } = cells;
    let cells = blocks << bits;
    // Rows of no bead follow the last one. Both buffers of positions, and those of velocities that other threads read.
    let rows = PARTIAL_SUMS * (beads.div_ceil(PARTIAL_SUMS) + 1);
    // Places of beads in threads, where warps share lists.
    let shares = shape.shares_lists();
    let slots = if let Layout::Card { slots, .. } = shape.layout { slots } else { 1 };
    let places = blocks * slots * shape.threads / PARTIAL_SUMS;
    let heated = view.system.interactions.thermostat.is_some();
    GridMember {
        meeting: zeros.take::<u8>(GRID_MEETING),
        rows: rest.take::<[T; 4]>(rows * if heated { 4 } else { 2 }),
        order: rest.take::<u32>(beads + if shares { places } else { beads }),
        weights: zeros.take::<u32>(if shares { beads } else { 0 }),
        taken: rest.take::<u32>(if shares { places / BEADS_OF_WARP } else { 0 }),
        // A crowded brick computes no forces, and its beads read them until the launch is given up.
        moving: if in_bricks { zeros.take::<T>(6 * beads) } else { rest.take::<T>(6 * beads) },
        sides,
        bits,
        counts: zeros.take::<u32>(cells),
        starts: rest.take::<u32>(cells),
        totals: rest.take::<u32>(blocks),
        ranks: rest.take::<u32>(beads),
        sorted: rest.take::<[T; 4]>(if in_bricks {
            4 * count * tables.list_capacity
        } else {
            beads
        }),
        outer: rest.take::<u16>(tables.list_words()),
        outer_counts: rest.take::<u32>(if in_bricks { 0 } else { PARTIAL_SUMS * beads }),
        references: rest.take::<[T; 4]>(if in_bricks { 0 } else { beads }),
        entered: zeros.take::<u32>(if in_bricks { 3 * count } else { 0 }),
        count: count as u64,
        per_length,
        bricks: shape.brick().record(view, sides),
    }
}
