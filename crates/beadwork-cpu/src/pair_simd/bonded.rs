//! Bonded terms with lanes over pairs: gathered pairs or tiles.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use beadwork_arithmetic::{Family, Instructions, Kernel, Pair, Real, Vector};
use beadwork_model::Pairs;
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::PairFormula;
use beadwork_model::potentials::{EnergyKind, MOST_PARAMETERS, PairPotential, Parameters, convert};
use beadwork_random::Normal;

use crate::arrays::aligned::Aligned;
use crate::arrays::coordinates::Coordinates;
use crate::arrays::lanes::{Triple, all_lanes};
use crate::pair_simd::rows::{TILE_SIDE, Tile, TileRows};
use crate::pair_simd::sums::TileSums;
use crate::pair_simd::tiles::{Factor, TILE};

/// A bonded term of a range of beads with any formula.
pub(crate) trait BondedInLanes<T>: Debug + Send + Sync {
    /// Adds the forces; returns false if a bond is broken.
    fn add(
        &self,
        instructions: Instructions,
        positions: &Coordinates<T>,
        sums: &mut TileSums<'_, T>,
    ) -> bool;
}

/// Makes the term of a range of beads. Beads have many contacts, which fill tiles, and few bonds, which are gathered.
pub(crate) struct BuildBonded<T> {
    pub beads: Range<usize>,
    /// What the energy of the term counts as.
    pub kind: EnergyKind,
    pub number: PhantomData<T>,
}

impl<T: Normal> BondedVisitor for BuildBonded<T> {
    type Output = Arc<dyn BondedInLanes<T>>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        match self.kind {
            EnergyKind::Contact => Arc::new(Tiled::<F, T>::new(term, self.beads)),
            _ => Arc::new(Gathered::<F, T>::new(term, self.beads)),
        }
    }
}

/// The number of lanes of the widest vector.
const WIDEST: usize = 16;

/// One parameter of many pairs: stored once if it is the same for all, to halve the bytes that go through the caches.
#[derive(Clone, Debug)]
struct Column<T> {
    numbers: Aligned<T>,
    /// The bits of an index that count.
    mask: usize,
}

impl<T: Real> Column<T> {
    /// Keeps only `period` numbers of a parameter that is the same for all pairs.
    fn new(numbers: Vec<T>, period: usize) -> Self {
        let uniform = numbers.windows(2).all(|two| two[0] == two[1]) && numbers.len() > period;
        let length = if uniform { period } else { numbers.len() };
        let mut column = Aligned::new(T::zero(), length);
        column.copy_from_slice(&numbers[..length]);
        Column { numbers: column, mask: if uniform { period - 1 } else { usize::MAX } }
    }
}

/// The parameters of many pairs, a column each.
#[derive(Clone, Debug)]
struct Columns<T>(Vec<Column<T>>);

impl<T: Real> Columns<T> {
    fn new<P: Parameters<T>>(parameters: &[P], period: usize) -> Self {
        let column = |k: usize| {
            Column::new(parameters.iter().map(|one| one.to_array()[k]).collect(), period)
        };
        Columns((0..P::COUNT).map(column).collect())
    }

    /// The numbers and masks, for a loop; the compiler does not move their addresses out of it.
    #[inline(always)]
    fn slices(&self) -> Slices<'_, T> {
        let mut slices = Slices([(&[], 0); MOST_PARAMETERS]);
        for (slice, column) in slices.0.iter_mut().zip(&self.0) {
            *slice = (&column.numbers, column.mask);
        }
        slices
    }
}

/// The numbers and masks of columns.
struct Slices<'a, T>([(&'a [T], usize); MOST_PARAMETERS]);

impl<T: Real> Slices<'_, T> {
    #[inline(always)]
    fn load<V: Vector<Scalar = T>, P: Parameters<V>>(&self, index: usize) -> P {
        let mut parameters = [V::zero(); MOST_PARAMETERS];
        for (parameter, (numbers, mask)) in parameters.iter_mut().zip(self.0).take(P::COUNT) {
            *parameter = V::load(&numbers[index & mask..]);
        }
        P::from_array(parameters)
    }
}

/// Pairs whose beads are gathered into vectors, one pair in each lane.
#[derive(Debug)]
struct Gathered<F, T> {
    ends: Vec<(u32, u32)>,
    /// Padded to whole vectors with pairs at rest.
    parameters: Columns<T>,
    formula: PhantomData<F>,
}

impl<F: PairFormula, T: Normal> Gathered<F, T> {
    /// The pairs with an end among `beads`.
    fn new(term: &Pairs<F>, beads: Range<usize>) -> Self {
        let own = term.iter().filter(|pair| beads.contains(&pair.i) || beads.contains(&pair.j));
        let own: Vec<_> = own.collect();
        let filler = F::In::<T>::from_array([T::from_f64(1.0); MOST_PARAMETERS]);
        let parameters: Vec<F::In<T>> = own
            .iter()
            .map(|pair| convert(pair.potential))
            .chain(std::iter::repeat_n(filler, WIDEST))
            .collect();
        Gathered {
            ends: own.iter().map(|pair| (pair.i as u32, pair.j as u32)).collect(),
            parameters: Columns::new(&parameters, usize::MAX),
            formula: PhantomData,
        }
    }
}

impl<F: PairFormula, T: Normal> BondedInLanes<T> for Gathered<F, T> {
    fn add(
        &self,
        instructions: Instructions,
        positions: &Coordinates<T>,
        sums: &mut TileSums<'_, T>,
    ) -> bool {
        instructions.dispatch(AddGathered { term: self, positions, sums })
    }
}

struct AddGathered<'a, 'b, F, T> {
    term: &'a Gathered<F, T>,
    positions: &'a Coordinates<T>,
    sums: &'a mut TileSums<'b, T>,
}

impl<F: PairFormula, T: Normal> Kernel for AddGathered<'_, '_, F, T> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Family>(self) -> bool {
        add_gathered::<F, T::Vector<A>>(self.term, self.positions, self.sums)
    }
}

#[inline(always)]
fn add_gathered<F: PairFormula, V: Vector>(
    term: &Gathered<F, V::Scalar>,
    positions: &Coordinates<V::Scalar>,
    sums: &mut TileSums<'_, V::Scalar>,
) -> bool {
    let mut sound = true;
    let mut sums = TileSums { beads: sums.beads.clone(), numbers: &mut *sums.numbers };
    let (parameters, [x, y, z]) = (term.parameters.slices(), positions.slices());
    for (number, ends) in term.ends.chunks(V::WIDTH).enumerate() {
        let potential: F::In<V> = parameters.load(number * V::WIDTH);
        let apart =
            Triple([gathered::<V>(ends, x), gathered::<V>(ends, y), gathered::<V>(ends, z)]);
        let r2 = apart.square();
        if F::BREAKS {
            let used = all_lanes::<V>() >> (V::WIDTH - ends.len());
            sound &= V::mask_to_bits(potential.holds(r2)) & used == used;
        }
        let Triple([x, y, z]) = apart * potential.force_over_distance(r2);
        let mut forces = [[V::zero().lane(0); WIDEST]; 3];
        x.store(&mut forces[0]);
        y.store(&mut forces[1]);
        z.store(&mut forces[2]);
        for (lane, &(i, j)) in ends.iter().enumerate() {
            sums.add(i as usize, j as usize, [forces[0][lane], forces[1][lane], forces[2][lane]]);
        }
    }
    sound
}

/// r_i − r_j along an axis, with one pair in each lane; 1 Å in lanes beyond the last pair.
#[inline(always)]
fn gathered<V: Vector>(ends: &[(u32, u32)], axis: &[V::Scalar]) -> V {
    let mut lanes = [V::from_f64(1.0).lane(0); WIDEST];
    for (lane, &(i, j)) in lanes.iter_mut().zip(ends) {
        *lane = axis[i as usize] - axis[j as usize];
    }
    V::load(&lanes)
}

/// Pairs as tiles: each of the sixteen pairs of two blocks of four beads has a lane.
#[derive(Debug)]
struct Tiled<F, T> {
    rows: TileRows,
    parameters: Columns<T>,
    formula: PhantomData<F>,
}

impl<F: PairFormula, T: Normal> Tiled<F, T> {
    fn new(term: &Pairs<F>, beads: Range<usize>) -> Self {
        let range = beads.start / TILE_SIDE..beads.end.div_ceil(TILE_SIDE);
        // Parameters for missing pairs of a tile: any with which nothing overflows.
        let filler: F::In<T> = match term.first() {
            Some(pair) => convert(pair.potential),
            None => F::In::<T>::from_array([T::from_f64(1.0); MOST_PARAMETERS]),
        };
        // For each row and block, the sixteen pairs of the tile.
        let none: Vec<(Tile, [F::In<T>; TILE])> = Vec::new();
        let mut tiles = vec![none; range.len()];
        let mut enter = |i: usize, j: usize, parameters: F::In<T>| {
            let row = &mut tiles[i / TILE_SIDE - range.start];
            let block = (j / TILE_SIDE) as u32;
            let pair = i % TILE_SIDE * TILE_SIDE + j % TILE_SIDE;
            let found = row.iter().position(|(tile, _)| tile.block == block);
            let number = found.unwrap_or_else(|| {
                row.push((Tile { block, pairs: 0 }, [filler; TILE]));
                row.len() - 1
            });
            row[number].0.pairs |= 1 << pair;
            row[number].1[pair] = parameters;
        };
        for pair in term {
            let (i, j, parameters) = (pair.i, pair.j, convert(pair.potential));
            let (of_i, of_j) = (i / TILE_SIDE, j / TILE_SIDE);
            if range.contains(&of_i) {
                enter(i, j, parameters);
            }
            // A tile of two blocks within the range adds to both of them.
            if range.contains(&of_j) && (of_i == of_j || !range.contains(&of_i)) {
                enter(j, i, parameters);
            }
        }
        let mut rows = TileRows::new(range);
        let mut parameters = Vec::new();
        for row in &mut tiles {
            row.sort_unstable_by_key(|(tile, _)| tile.block);
            rows.push_row(row.iter().map(|(tile, _)| *tile));
            parameters.extend(row.iter().flat_map(|(_, parameters)| *parameters));
        }
        Tiled { rows, parameters: Columns::new(&parameters, TILE), formula: PhantomData }
    }
}

impl<F: PairFormula, T: Normal> BondedInLanes<T> for Tiled<F, T> {
    fn add(
        &self,
        instructions: Instructions,
        positions: &Coordinates<T>,
        sums: &mut TileSums<'_, T>,
    ) -> bool {
        instructions.dispatch(AddTiled { term: self, positions, sums });
        true
    }
}

struct AddTiled<'a, 'b, F, T> {
    term: &'a Tiled<F, T>,
    positions: &'a Coordinates<T>,
    sums: &'a mut TileSums<'b, T>,
}

impl<F: PairFormula, T: Normal> Kernel for AddTiled<'_, '_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddTiled { term, positions, sums } = self;
        let factor = OfTiles::<F, T> { parameters: term.parameters.slices(), formula: PhantomData };
        // Two vectors at a time hide each other's latency.
        if const { T::Vector::<A>::WIDTH * 2 == TILE } {
            sums.add_tiles::<Pair<T::Vector<A>>, _>(&term.rows, &factor, positions, None);
        } else {
            sums.add_tiles::<T::Vector<A>, _>(&term.rows, &factor, positions, None);
        }
    }
}

/// The parameters of [`Tiled`].
struct OfTiles<'a, F, T> {
    parameters: Slices<'a, T>,
    formula: PhantomData<F>,
}

impl<F: PairFormula, V: Vector> Factor<V> for OfTiles<'_, F, V::Scalar> {
    #[inline(always)]
    fn of(&self, _: usize, number: usize, part: usize, _: &Tile, r2: V) -> V {
        let potential: F::In<V> = self.parameters.load(number * TILE + part * V::WIDTH);
        potential.force_over_distance(r2)
    }
}
