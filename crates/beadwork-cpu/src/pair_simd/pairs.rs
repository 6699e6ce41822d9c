//! Pair terms over the tiles of the neighbour list.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use beadwork_arithmetic::{Family, Instructions, Kernel, Lane, Pair, Vector};
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairVisitor};
use beadwork_model::potentials::{MOST_PARAMETERS, PairPotential, Parameters};
use beadwork_random::Normal;

use crate::arrays::coordinates::{Coordinates, CoordinatesPart};
use crate::noise::pair_thermal::{PairThermal, ThermostatTable};
use crate::pair_simd::rows::{TILE_SIDE, Tile, TileRows};
use crate::pair_simd::sums::TileSums;
use crate::pair_simd::tiles::{Factor, TILE, columns_of, rows_of};
use crate::terms::pair_table::{ParameterTable, ParametersOfPair};

/// A pair term with any formula.
pub(crate) trait PairsInLanes<T>: Debug + Send + Sync {
    /// Adds the forces of a system's only pair term, then adds up the partial sums.
    fn add(
        &self,
        instructions: Instructions,
        rows: &TileRows,
        positions: &Coordinates<T>,
        sums: &mut TileSums<'_, T>,
        total: &mut CoordinatesPart<'_, T>,
    );

    /// Adds force over distance of one of several terms, [`TILE`] numbers for each tile.
    fn add_factors(
        &self,
        instructions: Instructions,
        rows: &TileRows,
        positions: &Coordinates<T>,
        factors: &mut [T],
    );

    /// Adds force over distance of pairs at squared distances `r2`, Å². Both arrays are padded to whole vectors.
    fn add_factors_of(
        &self,
        instructions: Instructions,
        pairs: &[[u32; 2]],
        r2: &[T],
        factors: &mut [T],
    );
}

/// Makes the term of a system whose beads have these types.
pub(crate) struct BuildPairs<'a, T> {
    pub types: &'a Arc<[u16]>,
    pub number: PhantomData<T>,
}

impl<T: Normal> PairVisitor for BuildPairs<'_, T> {
    type Output = Arc<dyn PairsInLanes<T>>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Self::Output {
        Arc::new(ParameterTable::<F, T>::new(term, self.types.clone()))
    }
}

impl<V: Vector, P: PairPotential<V>> Factor<V> for ParametersOfPair<P, V> {
    #[inline(always)]
    fn of(&self, _: usize, _: usize, _: usize, _: &Tile, r2: V) -> V {
        self.factor(r2)
    }
}

impl<F: PairFormula, V: Vector> Factor<V> for &ParameterTable<F, V::Scalar>
where
    V::Scalar: Normal,
{
    #[inline(always)]
    fn of(&self, block: usize, _: usize, part: usize, tile: &Tile, r2: V) -> V {
        let number = |lane: usize| {
            let pair = part * V::WIDTH + lane;
            let i = block * TILE_SIDE + pair / TILE_SIDE;
            let j = tile.block as usize * TILE_SIDE + pair % TILE_SIDE;
            self.number(i, j)
        };
        gathered::<F, V>(self, number).factor(r2)
    }
}

/// The entries of a table with a number for each lane.
#[inline(always)]
fn gathered<F: PairFormula, V: Vector>(
    table: &ParameterTable<F, V::Scalar>,
    number: impl Fn(usize) -> usize,
) -> ParametersOfPair<F::In<V>, V>
where
    V::Scalar: Normal,
{
    let mut lanes = [[V::zero().lane(0); TILE]; MOST_PARAMETERS + 1];
    for lane in 0..V::WIDTH {
        let (potential, square_cutoff) = &table.entries[number(lane)];
        let parameters = potential.to_array();
        for (lanes, parameter) in lanes.iter_mut().zip(parameters).take(F::COUNT) {
            lanes[lane] = parameter;
        }
        lanes[MOST_PARAMETERS][lane] = *square_cutoff;
    }
    let mut numbers = [V::zero(); MOST_PARAMETERS];
    for (number, lanes) in numbers.iter_mut().zip(&lanes) {
        *number = V::load(lanes);
    }
    let potential = F::In::<V>::from_array(numbers);
    ParametersOfPair { potential, square_cutoff: V::load(&lanes[MOST_PARAMETERS]) }
}

/// Factors that were stored before.
struct Stored<'a, T>(&'a [T]);

impl<V: Vector> Factor<V> for Stored<'_, V::Scalar> {
    #[inline(always)]
    fn of(&self, _: usize, number: usize, part: usize, _: &Tile, _: V) -> V {
        V::load(&self.0[number * TILE + part * V::WIDTH..])
    }
}

impl<F: PairFormula, T: Normal> PairsInLanes<T> for ParameterTable<F, T> {
    fn add(
        &self,
        instructions: Instructions,
        rows: &TileRows,
        positions: &Coordinates<T>,
        sums: &mut TileSums<'_, T>,
        total: &mut CoordinatesPart<'_, T>,
    ) {
        instructions.dispatch(Add { term: self, rows, positions, sums, total });
    }

    fn add_factors(
        &self,
        instructions: Instructions,
        rows: &TileRows,
        positions: &Coordinates<T>,
        factors: &mut [T],
    ) {
        instructions.dispatch(AddFactors { term: self, rows, positions, factors });
    }

    fn add_factors_of(
        &self,
        instructions: Instructions,
        pairs: &[[u32; 2]],
        r2: &[T],
        factors: &mut [T],
    ) {
        instructions.dispatch(AddFactorsOf { term: self, pairs, r2, factors });
    }
}

/// [`PairsInLanes::add_factors_of`], compiled for each set of instructions.
struct AddFactorsOf<'a, F: PairFormula, T: Normal> {
    term: &'a ParameterTable<F, T>,
    pairs: &'a [[u32; 2]],
    r2: &'a [T],
    factors: &'a mut [T],
}

impl<F: PairFormula, T: Normal> Kernel for AddFactorsOf<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddFactorsOf { term, pairs, r2, factors } = self;
        let same = term.entry::<T::Vector<A>>(0);
        let one_entry = term.entries.len() == 1;
        for first in (0..pairs.len()).step_by(T::Vector::<A>::WIDTH) {
            let square = T::Vector::<A>::load(&r2[first..]);
            let over_distance = if one_entry {
                same.factor(square)
            } else {
                let number = |lane: usize| {
                    let [i, j] = pairs[(first + lane).min(pairs.len() - 1)];
                    term.number(i as usize, j as usize)
                };
                gathered::<F, T::Vector<A>>(term, number).factor(square)
            };
            let stored = &mut factors[first..];
            (T::Vector::<A>::load(stored) + over_distance).store(stored);
        }
    }
}

/// [`PairsInLanes::add`], compiled for each set of instructions.
struct Add<'a, 's, 't, F: PairFormula, T: Normal> {
    term: &'a ParameterTable<F, T>,
    rows: &'a TileRows,
    positions: &'a Coordinates<T>,
    sums: &'a mut TileSums<'s, T>,
    total: &'a mut CoordinatesPart<'t, T>,
}

impl<F: PairFormula, T: Normal> Add<'_, '_, '_, F, T> {
    #[inline(always)]
    fn with<V: Vector<Scalar = T>>(self) {
        let Add { term, rows, positions, sums, total } = self;
        match term.entries.as_slice() {
            [_] => sums.add_tiles(rows, &term.entry::<V>(0), positions, Some(total)),
            _ => sums.add_tiles::<V, _>(rows, &term, positions, Some(total)),
        }
    }
}

impl<F: PairFormula, T: Normal> Kernel for Add<'_, '_, '_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        // Two vectors at a time hide each other's latency.
        if const { T::Vector::<A>::WIDTH * 2 == TILE } {
            self.with::<Pair<T::Vector<A>>>();
        } else {
            self.with::<T::Vector<A>>();
        }
    }
}

/// [`PairsInLanes::add_factors`], compiled for each set of instructions.
struct AddFactors<'a, F: PairFormula, T: Normal> {
    term: &'a ParameterTable<F, T>,
    rows: &'a TileRows,
    positions: &'a Coordinates<T>,
    factors: &'a mut [T],
}

impl<F: PairFormula, T: Normal> Kernel for AddFactors<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddFactors { term, rows, positions, factors } = self;
        let positions = positions.slices();
        for block in rows.range.clone() {
            for part in 0..TILE / T::Vector::<A>::WIDTH {
                let here = rows_of::<T::Vector<A>>(positions, block, part);
                for number in rows.all(block) {
                    let tile = &rows.tiles[number];
                    let there = columns_of(positions, tile.block as usize, part);
                    let over_distance = term.of(block, number, part, tile, (here - there).square());
                    let stored = &mut factors[number * TILE + part * T::Vector::<A>::WIDTH..];
                    (T::Vector::<A>::load(stored) + over_distance).store(stored);
                }
            }
        }
    }
}

/// Adds force over distance of the pair thermostat, [`TILE`] numbers for each tile.
pub(crate) struct AddThermostat<'a, T> {
    pub table: &'a ThermostatTable<T>,
    pub thermal: &'a PairThermal<'a, T>,
    pub rows: &'a TileRows,
    pub positions: &'a Coordinates<T>,
    pub factors: &'a mut [T],
}

impl<T: Normal> Kernel for AddThermostat<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddThermostat { table, thermal, rows, positions, factors } = self;
        let last = (positions.len() - 1) as u32;
        let (positions, velocities) = (positions.slices(), thermal.velocities.slices());
        for block in rows.range.clone() {
            for part in 0..TILE / T::Vector::<A>::WIDTH {
                let here = rows_of::<T::Vector<A>>(positions, block, part);
                let moving = rows_of::<T::Vector<A>>(velocities, block, part);
                for number in rows.all(block) {
                    let other = rows.tiles[number].block as usize;
                    // The smaller number first; padding beads, whose forces do not count, repeat the last bead.
                    let pair = |lane: usize| {
                        let pair = part * T::Vector::<A>::WIDTH + lane;
                        let i = (block * TILE_SIDE + pair / TILE_SIDE) as u32;
                        let j = (other * TILE_SIDE + pair % TILE_SIDE) as u32;
                        [i.min(j).min(last), i.max(j).min(last)]
                    };
                    let entry = table.gathered::<T::Vector<A>>(pair);
                    let apart = here - columns_of(positions, other, part);
                    let r2 = apart.square();
                    let acts = r2.less_than(entry.square_cutoff);
                    if !T::Vector::<A>::any(acts) {
                        continue;
                    }
                    let relative = moving - columns_of(velocities, other, part);
                    let factor = thermal.factors(table.normal, entry, pair, apart, relative, r2);
                    let factor = T::Vector::<A>::select(acts, factor, T::Vector::<A>::zero());
                    let stored = &mut factors[number * TILE + part * T::Vector::<A>::WIDTH..];
                    (T::Vector::<A>::load(stored) + factor).store(stored);
                }
            }
        }
    }
}

/// Adds the forces of tiles whose factors were stored before.
pub(crate) struct AddStored<'a, 's, 't, T> {
    pub factors: &'a [T],
    pub rows: &'a TileRows,
    pub positions: &'a Coordinates<T>,
    pub sums: &'a mut TileSums<'s, T>,
    pub total: &'a mut CoordinatesPart<'t, T>,
}

impl<T: Normal> Kernel for AddStored<'_, '_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddStored { factors, rows, positions, sums, total } = self;
        sums.add_tiles::<T::Vector<A>, _>(rows, &Stored(factors), positions, Some(total));
    }
}
