//! Forces on replicas, one in each lane.

use beadwork_arithmetic::{Family, Instructions, Kernel, Vector};
use beadwork_random::Normal;

use crate::arrays::lanes::all_lanes;
use crate::replica_simd::arrays::Arrays;
use crate::replica_simd::list::ReplicaList;
use crate::replica_simd::terms::{AddStored, AddThermostat, LanesThermal, SquaredDistances, Terms};
use crate::space::{Geometry, Space, in_space};

/// Computes forces at the positions of `arrays`, whose sums are zero before and after. Returns bits of the `lanes` with
/// a broken bond, a coordinate that is not finite or a force beyond the range of the sums, whose forces are invalid.
/// Other lanes are not checked.
pub(crate) fn evaluate<T: Normal>(
    terms: &Terms<T>,
    instructions: Instructions,
    list: &mut ReplicaList<T>,
    lanes: u32,
    thermal: Option<LanesThermal<'_, T>>,
    mut arrays: Arrays<'_, T>,
) -> u32 {
    let arrays = &mut arrays;
    let geometry = arrays.geometry;
    let sound =
        terms.bonded.iter().fold(lanes, |sound, term| sound & term.add(instructions, arrays));
    let (refreshed, positions) = (terms.act_on_pairs(), arrays.positions);
    let prepare = Prepare { list, geometry, positions, sound, lanes, refreshed };
    let sound = sound & instructions.dispatch(prepare);
    if sound != lanes {
        arrays.sums.fill(T::zero());
        arrays.whole.fill(0);
        return lanes & !sound;
    }
    if geometry.is_periodic() {
        add_angles_and_fields(terms, instructions, arrays);
    }
    match (terms.pairs.as_slice(), terms.thermostat.as_ref().zip(thermal)) {
        ([], None) => instructions.dispatch(AddUp { arrays }),
        ([term], None) if !geometry.is_periodic() => term.add(instructions, list, arrays),
        (several, thermostat) => {
            let numbers = list.len() * instructions.width::<T>();
            let (mut squares, mut factors) = (vec![T::zero(); numbers], vec![T::zero(); numbers]);
            let (geometry, positions) = (&geometry, arrays.positions);
            instructions.dispatch(SquaredDistances {
                geometry,
                list,
                positions,
                squares: &mut squares,
            });
            for term in several {
                term.add_factors(instructions, list, &squares, &mut factors);
            }
            if let Some((table, thermal)) = thermostat {
                let factors = factors.as_mut_slice();
                let work = AddThermostat { table, thermal, geometry, list, positions, factors };
                instructions.dispatch(work);
            }
            instructions.dispatch(AddStored { factors: &factors, list, arrays });
        }
    }
    if !geometry.is_periodic() {
        add_angles_and_fields(terms, instructions, arrays);
    }
    lanes & !arrays.counted
}

fn add_angles_and_fields<T: Normal>(
    terms: &Terms<T>,
    instructions: Instructions,
    arrays: &mut Arrays<'_, T>,
) {
    for term in &terms.angles_and_fields {
        term.add_in_lanes(instructions, arrays);
    }
}

/// Checks that coordinates are finite and builds the list, if there is no valid list. The output is the bits of lanes
/// whose coordinates are finite.
struct Prepare<'a, T> {
    list: &'a mut ReplicaList<T>,
    geometry: Geometry<T>,
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
        in_space!(self.geometry, space => prepare::<T::Vector<F>, _>(space, self))
    }
}

#[inline(always)]
fn prepare<V: Vector, G: Space<V::Scalar>>(space: G, work: Prepare<'_, V::Scalar>) -> u32
where
    V::Scalar: Normal,
{
    let Prepare { list, positions, sound, lanes, refreshed, .. } = work;
    if refreshed && !list.is_stale::<V, G>(space, positions) {
        return all_lanes::<V>();
    }
    // Coordinates in a box are always points.
    let finite = if G::WRAPS { all_lanes::<V>() } else { finite_lanes::<V>(positions) };
    if refreshed && sound & finite == lanes {
        list.build::<V, G>(space, positions);
    }
    finite
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
        let arrays = self.arrays;
        let beads = arrays.positions.len() / (3 * T::Vector::<F>::WIDTH);
        in_space!(arrays.geometry, space => {
            for bead in 0..beads {
                arrays.add_up::<T::Vector<F>, _>(space, bead);
            }
        });
    }
}
