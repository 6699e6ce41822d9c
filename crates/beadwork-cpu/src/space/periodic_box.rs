//! A periodic box: coordinates and sums of forces are whole numbers.
//!
//! Coordinates are whole numbers in the bits of plain ones (`beadwork_arithmetic::fractions`). Sums of whole numbers have no
//! order and add up to exactly zero.

use beadwork_arithmetic::{
    Elementary, Precision, Real, Vector, displaced, nearest_image, parts_of_a_side,
};
use beadwork_model::{Boundary, ForceUnit, System};

use super::for_lanes::Space;
use crate::arrays::lanes::{Triple, WIDEST, spread};

/// The constants of a periodic box in one precision.
#[derive(Clone, Copy, Debug)]
pub struct PeriodicBox<T> {
    /// Å.
    pub lengths: [f64; 3],
    /// A part of each side, 2⁻ⁿ of it, Å.
    pub part: [T; 3],
    /// Parts in 1 Å.
    pub parts: [T; 3],
    /// Parts in a quarter of a side: no move may be as long.
    pub quarter: T,
    /// The unit of forces.
    pub force: ForceUnit,
    /// kcal/(mol Å): forces at or beyond it are errors.
    pub limit: T,
}

/// 1.5 · 2⁵²: a double below 2⁵¹ in magnitude that is added to it is rounded to a whole number, halves to even.
const ROUNDING: f64 = <f64 as Precision>::ROUNDING;

impl<T: Real> PeriodicBox<T> {
    /// A force, kcal/(mol Å), as whole numbers of the unit; `None` if a component is at or beyond the limit.
    #[inline(always)]
    pub fn whole(&self, force: [T; 3]) -> Option<[i64; 3]> {
        let counts = force.iter().all(|component| component.abs() < self.limit);
        counts.then(|| force.map(|component| self.rounded_component(component.to_f64())))
    }

    #[inline(always)]
    fn rounded_component(&self, component: f64) -> i64 {
        let whole = component * (1.0 / self.force.unit) + ROUNDING;
        (whole.to_bits() as i64).wrapping_sub(ROUNDING.to_bits() as i64)
    }

    /// The force, kcal/(mol Å), of a sum.
    #[inline(always)]
    pub fn force(&self, sum: [i64; 3]) -> [T; 3] {
        sum.map(|whole| T::from_f64(whole as f64 * self.force.unit))
    }
}

impl<T: Real + Elementary> PeriodicBox<T> {
    /// The box of a system; `None` in open space.
    pub fn of(system: &System) -> Option<Self> {
        let Boundary::Periodic { lengths } = system.boundary else { return None };
        let all = parts_of_a_side::<<T as Elementary>::Number>();
        let force = ForceUnit::of(system);
        Some(PeriodicBox {
            lengths,
            part: lengths.map(|length| T::from_f64(length / all)),
            parts: lengths.map(|length| T::from_f64(all / length)),
            quarter: T::from_f64(all / 4.0),
            limit: T::from_f64(force.limit),
            force,
        })
    }

    /// The coordinate of a position, Å: a whole number in the bits of each component.
    pub fn coordinate(&self, position: [f64; 3]) -> [T; 3] {
        place(self.lengths, position).0
    }
}

/// A coordinate in a box, and the image of its bead, from a position, Å.
pub(super) fn place<T: Real>(lengths: [f64; 3], position: [f64; 3]) -> ([T; 3], [i32; 3]) {
    let sides = [0, 1, 2].map(|axis| position[axis] / lengths[axis]);
    // A fraction of exactly half a side is the same point as that of minus half a side, one image on.
    let images = sides.map(|sides| (sides + 0.5).floor());
    let fraction = |axis: usize| T::from_fraction(whole_fraction(sides[axis] - images[axis]));
    ([0, 1, 2].map(fraction), images.map(|image| image as i32))
}

/// A number of sides from −½ to ½ as a whole number of 2⁻⁶⁴ sides.
fn whole_fraction(sides: f64) -> i64 {
    // Half a side wraps around to minus half a side.
    (sides * 2.0_f64.powi(64)).round_ties_even() as i128 as i64
}

impl<T: Real> Space<T> for PeriodicBox<T> {
    const WRAPS: bool = true;
    const PARTIAL_SUMS: usize = 1;
    type Sum = i64;
    type Force<V: Vector<Scalar = T>> = [[i64; WIDEST]; 3];

    #[inline(always)]
    fn of<'a>(_: &'a mut [T], whole: &'a mut [i64]) -> &'a mut [i64] {
        whole
    }

    #[inline(always)]
    fn counts<V: Vector<Scalar = T>>(self, Triple([x, y, z]): Triple<V>) -> V::Mask {
        let limit = spread::<V>(self.limit);
        let both = V::both(x.abs().less_than(limit), y.abs().less_than(limit));
        V::both(both, z.abs().less_than(limit))
    }

    #[inline(always)]
    fn rounded<V: Vector<Scalar = T>>(self, Triple(force): Triple<V>) -> [[i64; WIDEST]; 3] {
        let mut whole = [[0; WIDEST]; 3];
        for axis in 0..3 {
            let mut lanes = [0.0; WIDEST];
            force[axis].to_f64_lanes(&mut lanes);
            for lane in 0..V::WIDTH {
                whole[axis][lane] = self.rounded_component(lanes[lane]);
            }
        }
        whole
    }

    #[inline(always)]
    fn load<V: Vector<Scalar = T>>(sums: &[i64], place: usize) -> [[i64; WIDEST]; 3] {
        let mut sum = [[0; WIDEST]; 3];
        for axis in 0..3 {
            let from = &sums[(place + axis) * V::WIDTH..][..V::WIDTH];
            sum[axis][..V::WIDTH].copy_from_slice(from);
        }
        sum
    }

    #[inline(always)]
    fn store<V: Vector<Scalar = T>>(sum: [[i64; WIDEST]; 3], sums: &mut [i64], place: usize) {
        for axis in 0..3 {
            let to = &mut sums[(place + axis) * V::WIDTH..][..V::WIDTH];
            to.copy_from_slice(&sum[axis][..V::WIDTH]);
        }
    }

    #[inline(always)]
    fn plus<V: Vector<Scalar = T>>(
        mut a: [[i64; WIDEST]; 3],
        b: [[i64; WIDEST]; 3],
    ) -> [[i64; WIDEST]; 3] {
        for axis in 0..3 {
            for lane in 0..V::WIDTH {
                a[axis][lane] = a[axis][lane].wrapping_add(b[axis][lane]);
            }
        }
        a
    }

    #[inline(always)]
    fn minus<V: Vector<Scalar = T>>(
        mut a: [[i64; WIDEST]; 3],
        b: [[i64; WIDEST]; 3],
    ) -> [[i64; WIDEST]; 3] {
        for axis in 0..3 {
            for lane in 0..V::WIDTH {
                a[axis][lane] = a[axis][lane].wrapping_sub(b[axis][lane]);
            }
        }
        a
    }

    #[inline(always)]
    fn total<V: Vector<Scalar = T>>(self, sum: [[i64; WIDEST]; 3]) -> Triple<V> {
        let mut force = [V::zero(); 3];
        for axis in 0..3 {
            let mut lanes = [V::zero().lane(0); WIDEST];
            for lane in 0..V::WIDTH {
                lanes[lane] = T::from_f64(sum[axis][lane] as f64 * self.force.unit);
            }
            force[axis] = V::load(&lanes);
        }
        Triple(force)
    }

    #[inline(always)]
    fn separation<V: Vector<Scalar = T>>(self, a: Triple<V>, b: Triple<V>) -> Triple<V> {
        let (Triple([a, b, c]), Triple([d, e, f])) = (a, b);
        let [x, y, z] = self.part;
        Triple([
            nearest_image(a, d) * spread(x),
            nearest_image(b, e) * spread(y),
            nearest_image(c, f) * spread(z),
        ])
    }

    #[inline(always)]
    fn advance<V: Vector<Scalar = T>>(self, from: Triple<V>, shift: Triple<V>) -> Triple<V> {
        let (Triple([a, b, c]), Triple([u, v, w])) = (from, shift);
        let [x, y, z] = self.parts;
        Triple([
            displaced(a, u * spread(x)),
            displaced(b, v * spread(y)),
            displaced(c, w * spread(z)),
        ])
    }

    #[inline(always)]
    fn fits<V: Vector<Scalar = T>>(self, Triple([u, v, w]): Triple<V>) -> V::Mask {
        let ([x, y, z], quarter) = (self.parts, spread::<V>(self.quarter));
        let x = (u * spread(x)).abs().less_than(quarter);
        let y = (v * spread(y)).abs().less_than(quarter);
        let z = (w * spread(z)).abs().less_than(quarter);
        V::both(V::both(x, y), z)
    }
}
