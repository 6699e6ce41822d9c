//! Forces on replicas, one in each lane.

use beadwork_arithmetic::{Family, Instructions, Kernel, Vector};
use beadwork_random::Normal;

use crate::lanes::all_lanes;
use crate::replica_simd::arrays::Arrays;
use crate::replica_simd::list::ReplicaList;
use crate::replica_simd::terms::{AddStored, Terms, add_up};

/// Computes forces at the positions of `arrays`, whose sums are zero before and after. Returns bits of the `lanes` with
/// a broken bond or a coordinate that is not finite, whose forces are invalid. Other lanes are not checked.
pub(crate) fn evaluate<T: Normal>(
    terms: &Terms<T>,
    instructions: Instructions,
    list: &mut ReplicaList<T>,
    lanes: u32,
    mut arrays: Arrays<'_, T>,
) -> u32 {
    let arrays = &mut arrays;
    let sound =
        terms.bonded.iter().fold(lanes, |sound, term| sound & term.add(instructions, arrays));
    let (refreshed, positions) = (!terms.pairs.is_empty(), arrays.positions);
    let sound = sound & instructions.dispatch(Prepare { list, positions, sound, lanes, refreshed });
    if sound != lanes {
        arrays.sums.fill(T::zero());
        return lanes & !sound;
    }
    match terms.pairs.as_slice() {
        [] => instructions.dispatch(AddUp { arrays }),
        [term] => term.add(instructions, list, arrays),
        several => {
            let mut factors = vec![T::zero(); list.len() * instructions.width::<T>()];
            for term in several {
                term.add_factors(instructions, list, arrays.positions, &mut factors);
            }
            instructions.dispatch(AddStored { factors: &factors, list, arrays });
        }
    }
    for term in &terms.angles_and_fields {
        term.add_in_lanes(instructions, arrays);
    }
    0
}

/// Checks that coordinates are finite and builds the list, if there is no valid list. The output is the bits of lanes
/// whose coordinates are finite.
struct Prepare<'a, T> {
    list: &'a mut ReplicaList<T>,
    positions: &'a [T],
    /// Bits of the lanes with a replica that has no error.
    sound: u32,
    /// Bits of the lanes with a replica.
    lanes: u32,
    /// Whether the list is needed.
    refreshed: bool,
}

impl<T: Normal> Kernel for Prepare<'_, T> {
    type Output = u32;

    #[inline(always)]
    fn run<F: Family>(self) -> u32 {
        let Prepare { list, positions, sound, lanes, refreshed } = self;
        if refreshed && !list.is_stale::<T::Vector<F>>(positions) {
            return all_lanes::<T::Vector<F>>();
        }
        let finite = finite_lanes::<T::Vector<F>>(positions);
        if refreshed && sound & finite == lanes {
            list.build::<T::Vector<F>>(positions);
        }
        finite
    }
}

/// Bits of the lanes in which all coordinates are finite.
#[inline(always)]
fn finite_lanes<V: Vector>(positions: &[V::Scalar]) -> u32 {
    let infinity = V::from_f64(f64::INFINITY);
    let mut finite = V::mask_from_bits(u32::MAX);
    for components in positions.chunks_exact(V::WIDTH) {
        finite = V::both(finite, V::load(components).abs().less_than(infinity));
    }
    V::mask_to_bits(finite)
}

struct AddUp<'a, 'b, T> {
    arrays: &'a mut Arrays<'b, T>,
}

impl<T: Normal> Kernel for AddUp<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let Arrays { positions, sums, total } = self.arrays;
        for bead in 0..positions.len() / (3 * T::Vector::<F>::WIDTH) {
            add_up::<T::Vector<F>>(sums, total, bead);
        }
    }
}
