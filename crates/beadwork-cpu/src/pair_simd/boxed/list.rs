//! Near pairs in a box: found anew at every evaluation, or kept in a list with a skin.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use beadwork_arithmetic::{Family, Instructions, Kernel, Lane, Vector};
use beadwork_model::System;
use beadwork_random::Normal;

use super::grid::CellGrid;
use super::order::{CellOrder, gather_in_slots};
use super::search::{CellSearch, SlotPairs};
use crate::arrays::coordinates::Coordinates;
use crate::arrays::lanes::{Triple, WIDEST, all_lanes, spread};
use crate::reference::{PairRows, SAFETY};
use crate::space::{PeriodicBox, Space};
use crate::teams::sharing::{dispatch_each, each};
use crate::teams::team::Team;
use crate::terms::reaches::Reaches;

/// Beads of one share of the cells: a thread takes one share after another.
const SHARE: usize = 256;
/// Beads of a cell that are searched together.
const TOGETHER: usize = 8;
/// A list pays if it serves so many evaluations. After one that served fewer, the next [`PAUSE`] evaluations use no list.
const FEWEST_USES: u32 = 3;
/// See [`FEWEST_USES`].
const PAUSE: u32 = 200;

/// The order of beads by cells, and the near pairs of beads.
#[derive(Clone, Debug)]
pub(crate) struct BoxList<T> {
    system: Arc<System>,
    sides: PeriodicBox<T>,
    /// The first excluded pair of each bead.
    excluded: PairRows,
    /// The search without a skin, and with it.
    radii: [SearchRadius<T>; 2],
    pub order: CellOrder,
    /// Positions in slots.
    pub places: Coordinates<T>,
    /// Positions in slots for which the list was made.
    reference: Coordinates<T>,
    /// Evaluations that the list has served, if there is one.
    listed: Option<u32>,
    /// Whether the search, and the list if there is one, have the skin.
    with_skin: bool,
    /// Evaluations to be made without a list.
    pause: u32,
    pub shares: Vec<CellShare>,
}

/// Pairs of the beads of some cells.
#[derive(Clone, Debug)]
pub(crate) struct CellShare {
    pub cells: Range<usize>,
    /// The listed pairs, if there is a list.
    pub pairs: SlotPairs,
}

/// How far a search looks.
#[derive(Clone, Debug)]
struct SearchRadius<T> {
    grid: CellGrid,
    reaches: Reaches<T>,
    /// The square of the largest reach, Å².
    limit: T,
    /// The square of the largest displacement, Å², at which a list is still valid.
    displacement: T,
}

impl<T: Normal> SearchRadius<T> {
    fn new(system: &System, lengths: [f64; 3], skin: f64) -> Self {
        let reaches = Reaches::new(&system.interactions.pair_cutoffs(), skin);
        SearchRadius {
            grid: CellGrid::new(lengths, reaches.largest, system.beads()),
            limit: T::from_f64(reaches.largest.powi(2) * 1.000_01),
            displacement: T::from_f64((SAFETY * skin).powi(2)),
            reaches,
        }
    }
}

impl<T: Normal> BoxList<T> {
    /// The skin is in Å.
    pub fn new(system: &Arc<System>, sides: PeriodicBox<T>, skin: f64) -> Self {
        let places = || Coordinates::zero(system.beads() + WIDEST);
        BoxList {
            sides,
            excluded: PairRows::new(&system.interactions.excluded, system.beads()),
            radii: [0.0, skin].map(|skin| SearchRadius::new(system, sides.lengths, skin)),
            order: CellOrder::default(),
            places: places(),
            reference: places(),
            listed: None,
            with_skin: false,
            pause: 0,
            shares: Vec::new(),
            system: system.clone(),
        }
    }

    fn radius(&self) -> &SearchRadius<T> {
        &self.radii[usize::from(self.with_skin)]
    }

    /// The cells of the order.
    pub fn grid(&self) -> &CellGrid {
        &self.radius().grid
    }

    /// Whether `shares` have the pairs.
    pub fn is_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// The square, Å², of the distance beyond which no force acts.
    pub fn square_cutoff(&self) -> T {
        self.radii[0].limit
    }

    /// Sorts beads by cells, or keeps a list that is still valid. Then `places` are those of `positions`.
    pub fn prepare(
        &mut self,
        instructions: Instructions,
        team: Option<&Team>,
        ranges: &[Range<usize>],
        positions: &Coordinates<T>,
    ) {
        if let Some(uses) = self.listed {
            if self.holds(instructions, team, ranges, positions) {
                self.listed = Some(uses + 1);
                return;
            }
            if self.with_skin && uses < FEWEST_USES {
                self.pause = PAUSE;
            }
        }
        self.with_skin = self.pause == 0;
        self.sort(instructions, team, ranges, positions);
        match self.pause {
            0 => self.build(instructions, team, ranges.len()),
            _ => self.pause -= 1,
        }
    }

    /// Whether no bead has moved too far since the list was made.
    fn holds(
        &mut self,
        instructions: Instructions,
        team: Option<&Team>,
        ranges: &[Range<usize>],
        positions: &Coordinates<T>,
    ) -> bool {
        gather_in_slots(instructions, team, ranges, &self.order, positions, &mut self.places);
        let moved = AtomicBool::new(false);
        let BoxList { sides, places, reference, .. } = self;
        let limit = self.radii[usize::from(self.with_skin)].displacement;
        let work = ranges.iter().cloned();
        let work =
            work.map(|slots| MovedTooFar { sides, places, reference, slots, limit, moved: &moved });
        dispatch_each(team, instructions, work);
        !moved.into_inner()
    }

    fn sort(
        &mut self,
        instructions: Instructions,
        team: Option<&Team>,
        ranges: &[Range<usize>],
        positions: &Coordinates<T>,
    ) {
        let grid = &self.radii[usize::from(self.with_skin)].grid;
        self.order.sort(instructions, team, ranges, grid, positions);
        gather_in_slots(instructions, team, ranges, &self.order, positions, &mut self.places);
        self.listed = None;
        let cells = self.order.shares(SHARE);
        self.shares.truncate(cells.len());
        let empty = || CellShare { cells: 0..0, pairs: SlotPairs::default() };
        self.shares.resize_with(cells.len(), empty);
        for (share, cells) in self.shares.iter_mut().zip(cells) {
            share.cells = cells;
        }
    }

    /// Makes the list for the beads in `places`.
    fn build(&mut self, instructions: Instructions, team: Option<&Team>, threads: usize) {
        let mut shares = std::mem::take(&mut self.shares);
        let work: Vec<_> = shares.iter_mut().map(Mutex::new).collect();
        let (next, list) = (AtomicUsize::new(0), &*self);
        each(team, threads, &|_| {
            let mut around = Vec::new();
            while let Some(share) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut share = share.lock().unwrap_or_else(PoisonError::into_inner);
                let CellShare { cells, pairs } = &mut **share;
                pairs.count = 0;
                for cell in cells.clone() {
                    list.order.around(list.grid(), cell, &mut around);
                    list.search(instructions, cell, &around, pairs, |_| ());
                }
            }
        });
        drop(work);
        self.shares = shares;
        self.reference.copy_from(&self.places);
        self.listed = Some(1);
    }

    /// Adds the near pairs of the beads of a cell with those around it ([`CellOrder::around`]), and calls `added` every now and
    /// then.
    pub fn search(
        &self,
        instructions: Instructions,
        cell: usize,
        around: &[Range<usize>],
        pairs: &mut SlotPairs,
        mut added: impl FnMut(&mut SlotPairs),
    ) {
        let BoxList { sides, order, places, .. } = self;
        let own = order.slots_of(cell..cell + 1);
        let SearchRadius { reaches, limit, .. } = self.radius();
        let is_one_radius = reaches.same().is_some();
        let excludes = !self.system.interactions.excluded.is_empty();
        for first in own.clone().step_by(TOGETHER) {
            let before = pairs.count;
            let beads = first..own.end.min(first + TOGETHER);
            instructions.dispatch(CellSearch {
                sides,
                places,
                beads,
                around,
                limit: *limit,
                pairs,
            });
            if excludes || !is_one_radius {
                pairs.retain_from(before, |a, b| self.are_near(a, b));
            }
            added(pairs);
        }
    }

    /// Whether the beads in two slots are not excluded, and within the reach of their types.
    fn are_near(&self, a: usize, b: usize) -> bool {
        let [i, j] = [a, b].map(|slot| self.order.beads[slot] as usize);
        let (i, j) = (i.min(j), i.max(j));
        let (types, excluded) = (&self.system.particles.types, &self.system.interactions.excluded);
        let apart = Space::<T>::separation::<T>(
            self.sides,
            Triple(self.places.get(a)),
            Triple(self.places.get(b)),
        );
        let reach = self.radius().reaches.square(types[i], types[j]);
        apart.square() < reach && excluded[self.excluded.row(i)].binary_search(&(i, j)).is_err()
    }
}

/// Notes whether a bead in some slots has moved too far.
struct MovedTooFar<'a, T> {
    sides: &'a PeriodicBox<T>,
    places: &'a Coordinates<T>,
    reference: &'a Coordinates<T>,
    slots: Range<usize>,
    /// The square of the largest displacement, Å².
    limit: T,
    moved: &'a AtomicBool,
}

impl<T: Normal> Kernel for MovedTooFar<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let MovedTooFar { sides, places, reference, slots, limit, moved } = self;
        let limit = spread::<T::Vector<F>>(limit);
        for first in slots.step_by(T::Vector::<F>::WIDTH) {
            // Places beyond the last bead never change.
            let apart = sides.separation(places.load::<T::Vector<F>>(first), reference.load(first));
            let far = T::Vector::<F>::mask_to_bits(limit.less_than(apart.square()));
            if far & all_lanes::<T::Vector<F>>() != 0 {
                moved.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
}
