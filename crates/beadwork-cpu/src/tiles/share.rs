//! The forces on a range of beads.

use std::ops::Range;

use beadwork_arithmetic::{Family, Instructions, Kernel, Pair, Real, Vector};
use beadwork_model::System;
use beadwork_model::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, NativeContact, PairPotential, SixthPowerRepulsion,
};
use beadwork_random::Normal;

use crate::aligned::Aligned;
use crate::coordinates::{BLOCK, Coordinates, Part};
use crate::forces::Forces;
use crate::lanes::{Triple, all_lanes, spread};
use crate::tiles::list::{Tile, TileList, TileRows};
use crate::tiles::pairs::{BLOCK_SUMS, Potentials, Rows, Same, TILE, place};

/// The interactions of a range of beads, the share of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Share<T> {
    beads: Range<usize>,
    bonds: BondArrays<T>,
    harmonic_bonds: Vec<(u32, u32, HarmonicBond<T>)>,
    contacts: ContactTiles<T>,
    list: Option<TileList<T>>,
    traps: Vec<(u32, HarmonicTrap<T>)>,
    /// Zero between evaluations, if `cleared`.
    sums: Aligned<T>,
    cleared: bool,
}

/// FENE bonds with an end in the range; the numbers are filled up to whole vectors with bonds at
/// rest.
#[derive(Clone, Debug)]
struct BondArrays<T> {
    ends: Vec<(u32, u32)>,
    stiffness: Vec<T>,
    limit: Vec<T>,
    length: Vec<T>,
}

/// Tiles of native contacts with the parameters of their pairs.
#[derive(Clone, Debug)]
struct ContactTiles<T> {
    rows: TileRows,
    /// Those of one tile where all contacts have the same depth, as in most models: half as many
    /// bytes go through the caches.
    depth: Aligned<T>,
    /// Which bits of a place in `length` count in `depth`.
    depth_places: usize,
    length: Aligned<T>,
}

/// No vector has more lanes.
const WIDEST: usize = 16;

impl<T: Normal> Share<T> {
    pub fn new(system: &System, forces: &Forces<T>, skin: f64, beads: Range<usize>) -> Self {
        // All fields, so that a term that is forgotten here does not compile.
        let Forces {
            fene_bonds: _,
            harmonic_bonds,
            native_contacts: _,
            repulsion: _,
            harmonic_traps,
        } = forces;
        let blocks = beads.start / BLOCK..beads.end.div_ceil(BLOCK);
        let all = system.beads.len();
        let list = system.interactions.repulsion.as_ref().map(|repulsion| {
            TileList::new(all, blocks.clone(), repulsion.cutoff, skin, &repulsion.excluded)
        });
        let inside = |bead: u32| beads.contains(&(bead as usize));
        Share {
            bonds: BondArrays::new(forces, inside),
            harmonic_bonds: harmonic_bonds
                .iter()
                .filter(|(i, j, _)| inside(*i) || inside(*j))
                .copied()
                .collect(),
            contacts: ContactTiles::new(forces, blocks.clone()),
            list,
            traps: harmonic_traps.iter().filter(|(bead, _)| inside(*bead)).copied().collect(),
            sums: Aligned::new(T::zero(), blocks.len() * BLOCK_SUMS),
            cleared: true,
            beads,
        }
    }

    /// The range.
    pub fn beads(&self) -> Range<usize> {
        self.beads.clone()
    }

    /// Forces at `positions` on the beads of the range, into `total`. False where a bond is broken
    /// or a coordinate is lost; what is in `total` is of no use then.
    pub fn evaluate(
        &mut self,
        forces: &Forces<T>,
        instructions: Instructions,
        positions: &Coordinates<T>,
        total: Part<'_, T>,
    ) -> bool {
        instructions.dispatch(Evaluation { share: self, forces, positions, total })
    }

    /// Makes the list of tiles right for `positions`; false where a coordinate is lost.
    pub fn refresh(&mut self, instructions: Instructions, positions: &Coordinates<T>) -> bool {
        instructions.dispatch(Refreshment { share: self, positions })
    }

    /// Tells of all pairs i < j of the list with i in the range, ascending.
    pub fn for_each_pair(&self, tell: &mut impl FnMut(usize, usize)) {
        if let Some(list) = &self.list {
            list.rows.for_each_pair(tell);
        }
    }
}

impl<T: Real> BondArrays<T> {
    fn new(forces: &Forces<T>, inside: impl Fn(u32) -> bool) -> Self {
        let bonds: Vec<_> =
            forces.fene_bonds.iter().filter(|(i, j, _)| inside(*i) || inside(*j)).collect();
        let filled = |value: fn(&FeneBond<T>) -> T| -> Vec<T> {
            let values = bonds.iter().map(|(_, _, bond)| value(bond));
            values.chain([T::from_f64(1.0); WIDEST]).collect()
        };
        BondArrays {
            ends: bonds.iter().map(|(i, j, _)| (*i, *j)).collect(),
            stiffness: filled(|bond| bond.stiffness),
            limit: filled(|bond| bond.limit),
            length: filled(|bond| bond.length),
        }
    }
}

impl<T: Real> ContactTiles<T> {
    fn new(forces: &Forces<T>, range: Range<usize>) -> Self {
        // By row and block, a tile's sixteen contacts.
        let mut tiles: Vec<Vec<(Tile, [NativeContact<T>; TILE])>> = vec![Vec::new(); range.len()];
        let none = NativeContact { depth: T::zero(), length: T::from_f64(1.0) };
        let mut enter = |i: usize, j: usize, contact: NativeContact<T>| {
            let row = &mut tiles[i / BLOCK - range.start];
            let block = (j / BLOCK) as u32;
            let pair = i % BLOCK * BLOCK + j % BLOCK;
            let found = row.iter().position(|(tile, _)| tile.block == block);
            let number = found.unwrap_or_else(|| {
                row.push((Tile { block, pairs: 0 }, [none; TILE]));
                row.len() - 1
            });
            row[number].0.pairs |= 1 << pair;
            row[number].1[pair] = contact;
        };
        for &(i, j, contact) in &forces.native_contacts {
            let (i, j) = (i as usize, j as usize);
            let (of_i, of_j) = (i / BLOCK, j / BLOCK);
            if range.contains(&of_i) {
                enter(i, j, contact);
            }
            // Within the range a tile adds to both its blocks.
            if range.contains(&of_j) && (of_i == of_j || !range.contains(&of_i)) {
                enter(j, i, contact);
            }
        }
        let mut rows = TileRows::new(range);
        let mut contacts = Vec::new();
        for row in &mut tiles {
            row.sort_unstable_by_key(|(tile, _)| tile.block);
            rows.push_row(row.iter().map(|(tile, _)| *tile));
            contacts.extend(row.iter().flat_map(|(_, contacts)| *contacts));
        }
        let array = |numbers: &mut dyn ExactSizeIterator<Item = T>| {
            let mut array = Aligned::new(T::zero(), numbers.len());
            array.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
            array
        };
        let (depth, depth_places) = match common_depth(forces) {
            Some(depth) => (Aligned::new(depth, TILE), TILE - 1),
            None => (array(&mut contacts.iter().map(|contact| contact.depth)), usize::MAX),
        };
        let length = array(&mut contacts.iter().map(|contact| contact.length));
        ContactTiles { rows, depth, depth_places, length }
    }
}

/// The depth of all contacts, if they have the same.
fn common_depth<T: Real>(forces: &Forces<T>) -> Option<T> {
    let mut depths = forces.native_contacts.iter().map(|(_, _, contact)| contact.depth);
    let first = depths.next()?;
    depths.all(|depth| depth == first).then_some(first)
}

impl<T: Real, V: Vector<Scalar = T>> Potentials<V> for ContactTiles<T> {
    type Potential = NativeContact<V>;

    #[inline(always)]
    fn of(&self, number: usize, part: usize) -> NativeContact<V> {
        let place = number * TILE + part * V::WIDTH;
        NativeContact {
            depth: V::load(&self.depth[place & self.depth_places..]),
            length: V::load(&self.length[place..]),
        }
    }
}

/// [`Share::refresh`], to be compiled for each set of instructions.
struct Refreshment<'a, T> {
    share: &'a mut Share<T>,
    positions: &'a Coordinates<T>,
}

impl<T: Normal> Kernel for Refreshment<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<F: Family>(self) -> bool {
        match &mut self.share.list {
            Some(list) => list.refresh::<T::Vector<F>>(self.positions),
            None => self.positions.first_not_finite().is_none(),
        }
    }
}

/// [`Share::evaluate`], to be compiled for each set of instructions.
struct Evaluation<'a, T> {
    share: &'a mut Share<T>,
    forces: &'a Forces<T>,
    positions: &'a Coordinates<T>,
    total: Part<'a, T>,
}

impl<T: Normal> Kernel for Evaluation<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<F: Family>(self) -> bool {
        let Evaluation { share, forces, positions, mut total } = self;
        let Share { beads, bonds, harmonic_bonds, contacts, list, traps, sums, cleared } = share;
        if !std::mem::replace(cleared, false) {
            sums.fill(T::zero());
        }
        let mut sums = Sums { beads: beads.clone(), numbers: sums };
        if !sums.add_fene_bonds::<T::Vector<F>>(bonds, positions) {
            return false;
        }
        for &(i, j, bond) in harmonic_bonds.iter() {
            sums.add_pair(&bond, i as usize, j as usize, positions);
        }
        // Two vectors that hold a tile together wait for each other less than one after the other.
        let whole = T::Vector::<F>::WIDTH * 2 == TILE;
        if whole {
            let rows = &contacts.rows;
            sums.add_tiles::<Pair<T::Vector<F>>, _>(rows, contacts, None, positions, None);
        } else {
            sums.add_tiles::<T::Vector<F>, _>(&contacts.rows, contacts, None, positions, None);
        }
        match (&forces.repulsion, list) {
            (Some((potential, square_cutoff)), Some(list)) => {
                if !list.refresh::<T::Vector<F>>(positions) {
                    return false;
                }
                if whole {
                    type Whole<T, F> = Pair<<T as Real>::Vector<F>>;
                    let potential = same::<Whole<T, F>>(potential);
                    let cutoff = Some(spread(*square_cutoff));
                    let (rows, total) = (&list.rows, Some(&mut total));
                    sums.add_tiles::<Whole<T, F>, _>(rows, &potential, cutoff, positions, total);
                } else {
                    let potential = same::<T::Vector<F>>(potential);
                    let cutoff = Some(spread(*square_cutoff));
                    let (rows, total) = (&list.rows, Some(&mut total));
                    sums.add_tiles::<T::Vector<F>, _>(rows, &potential, cutoff, positions, total);
                }
            }
            _ => {
                if positions.first_not_finite().is_some() {
                    return false;
                }
                for block in 0..sums.numbers.len() / BLOCK_SUMS {
                    sums.add_up(block, &mut total);
                }
            }
        }
        *cleared = true;
        for &(bead, trap) in traps.iter() {
            let bead = bead as usize;
            let term = trap.force(positions.get(bead));
            for (axis, component) in total.axes.iter_mut().zip(term) {
                axis[bead - beads.start] += component;
            }
        }
        true
    }
}

/// The same repulsion in every lane.
#[inline(always)]
fn same<V: Vector>(potential: &SixthPowerRepulsion<V::Scalar>) -> Same<SixthPowerRepulsion<V>> {
    Same(SixthPowerRepulsion {
        strength: spread(potential.strength),
        diameter: spread(potential.diameter),
    })
}

/// The partial sums of a range of beads.
struct Sums<'a, T> {
    beads: Range<usize>,
    numbers: &'a mut [T],
}

impl<T: Real> Sums<'_, T> {
    /// False where a bond is broken.
    #[inline(always)]
    fn add_fene_bonds<V: Vector<Scalar = T>>(
        &mut self,
        bonds: &BondArrays<T>,
        positions: &Coordinates<T>,
    ) -> bool {
        let mut sound = true;
        for (number, ends) in bonds.ends.chunks(V::WIDTH).enumerate() {
            let first = number * V::WIDTH;
            let bond = FeneBond {
                stiffness: V::load(&bonds.stiffness[first..]),
                limit: V::load(&bonds.limit[first..]),
                length: V::load(&bonds.length[first..]),
            };
            let apart = Triple([
                apart::<V>(ends, &positions.axes[0]),
                apart::<V>(ends, &positions.axes[1]),
                apart::<V>(ends, &positions.axes[2]),
            ]);
            let r2 = apart.square();
            sound &= V::mask_to_bits(bond.holds(r2)) == all_lanes::<V>();
            let Triple([x, y, z]) = apart * bond.force_over_distance(r2);
            let mut terms = [[T::zero(); WIDEST]; 3];
            x.store(&mut terms[0]);
            y.store(&mut terms[1]);
            z.store(&mut terms[2]);
            for (lane, &(i, j)) in ends.iter().enumerate() {
                let term = [terms[0][lane], terms[1][lane], terms[2][lane]];
                self.add(i as usize, j as usize, term);
            }
        }
        sound
    }

    #[inline(always)]
    fn add_pair(
        &mut self,
        potential: &impl PairPotential<T>,
        i: usize,
        j: usize,
        positions: &Coordinates<T>,
    ) {
        let apart = Triple(positions.get(i)) - Triple(positions.get(j));
        let Triple(term) = apart * potential.force_over_distance(apart.square());
        self.add(i, j, term);
    }

    /// Adds the force on i from j, and its opposite, where the beads are in the range.
    #[inline(always)]
    fn add(&mut self, i: usize, j: usize, [x, y, z]: [T; 3]) {
        if self.beads.contains(&i) {
            let on_i = place(i - self.beads.start, j);
            self.numbers[on_i] += x;
            self.numbers[on_i + TILE] += y;
            self.numbers[on_i + 2 * TILE] += z;
        }
        if self.beads.contains(&j) {
            let on_j = place(j - self.beads.start, i);
            self.numbers[on_j] -= x;
            self.numbers[on_j + TILE] -= y;
            self.numbers[on_j + 2 * TILE] -= z;
        }
    }

    /// Adds a term of tiles. Tiles with blocks below the range come first, then those within, which
    /// add to both their blocks, so that partners ascend for every bead.
    ///
    /// With the last term comes `total`: once a row is done no other adds to its block, whose sums
    /// are added up and cleared while they are at hand.
    #[inline(always)]
    fn add_tiles<V: Vector<Scalar = T>, P: Potentials<V>>(
        &mut self,
        rows: &TileRows,
        potentials: &P,
        square_cutoff: Option<V>,
        positions: &Coordinates<T>,
        mut total: Option<&mut Part<'_, T>>,
    ) {
        let first = rows.range.start;
        if first > 0 {
            for block in rows.range.clone() {
                let below = rows.below(block);
                if below.is_empty() {
                    continue;
                }
                for part in 0..Rows::<V>::PARTS {
                    let place = (block - first) * BLOCK_SUMS;
                    let sums = &self.numbers[place..][..BLOCK_SUMS];
                    let mut lanes = Rows::<V>::take(positions, block, part, sums);
                    lanes.add::<P, false>(
                        &rows.tiles[below.clone()],
                        below.start,
                        positions,
                        potentials,
                        square_cutoff,
                        self.numbers,
                        first,
                    );
                    lanes.put(&mut self.numbers[place..][..BLOCK_SUMS]);
                }
            }
        }
        for block in rows.range.clone() {
            let (own, within, above) = (rows.own(block), rows.within(block), rows.above(block));
            let idle = own.is_empty() && within.is_empty() && above.is_empty();
            let parts = if idle { 0 } else { Rows::<V>::PARTS };
            for part in 0..parts {
                let place = (block - first) * BLOCK_SUMS;
                let sums = &self.numbers[place..][..BLOCK_SUMS];
                let mut lanes = Rows::<V>::take(positions, block, part, sums);
                lanes.add::<P, false>(
                    &rows.tiles[own.clone()],
                    own.start,
                    positions,
                    potentials,
                    square_cutoff,
                    self.numbers,
                    first,
                );
                lanes.add::<P, true>(
                    &rows.tiles[within.clone()],
                    within.start,
                    positions,
                    potentials,
                    square_cutoff,
                    self.numbers,
                    first,
                );
                lanes.add::<P, false>(
                    &rows.tiles[above.clone()],
                    above.start,
                    positions,
                    potentials,
                    square_cutoff,
                    self.numbers,
                    first,
                );
                lanes.put(&mut self.numbers[place..][..BLOCK_SUMS]);
            }
            if let Some(total) = &mut total {
                self.add_up(block - first, total);
            }
        }
    }

    /// (p₀ + p₁) + (p₂ + p₃) for each bead of a block, counted from the first of the range; its sums
    /// are zero then.
    #[inline(always)]
    fn add_up(&mut self, block: usize, total: &mut Part<'_, T>) {
        let sums = &mut self.numbers[block * BLOCK_SUMS..][..BLOCK_SUMS];
        for (axis, sums) in sums.chunks_exact(TILE).enumerate() {
            let total = &mut total.axes[axis][block * BLOCK..][..BLOCK];
            for bead in 0..BLOCK {
                let low = sums[bead] + sums[BLOCK + bead];
                let high = sums[2 * BLOCK + bead] + sums[3 * BLOCK + bead];
                total[bead] = low + high;
            }
        }
        sums.fill(T::zero());
    }
}

/// r_i − r_j along an axis for some pairs, one a lane; 1 Å for lanes beyond the last.
#[inline(always)]
fn apart<V: Vector>(ends: &[(u32, u32)], axis: &[V::Scalar]) -> V {
    let mut lanes = [V::from_f64(1.0).lane(0); WIDEST];
    for (lane, &(i, j)) in lanes.iter_mut().zip(ends) {
        *lane = axis[i as usize] - axis[j as usize];
    }
    V::load(&lanes)
}
