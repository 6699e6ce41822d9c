//! Space: where the nearest image of a bead is, and how forces on a bead add up.
//!
//! In a box, coordinates are whole numbers in the bits of plain ones (`beadwork_arithmetic::fractions`), and forces are sums
//! of whole numbers, which have no order and add up to exactly zero.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

use beadwork_arithmetic::{
    Elementary, Precision, Real, Vector, displaced, nearest_image, parts_of_a_side,
};
use beadwork_model::{Boundary, ForceUnit, System};
use beadwork_simulation::StepError;

use crate::lanes::{Triple, spread};
use crate::reference::PARTIAL_SUMS;

/// The space of a system in one precision.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Geometry<T> {
    Open,
    Periodic(PeriodicBox<T>),
}

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

impl<T: Real + Elementary> Geometry<T> {
    pub fn new(system: &System) -> Self {
        PeriodicBox::of(system).map_or(Geometry::Open, Geometry::Periodic)
    }

    pub fn is_periodic(&self) -> bool {
        matches!(self, Geometry::Periodic(_))
    }

    /// A coordinate as paths hold it, and the image of its bead, from a position, Å.
    pub fn place(&self, position: [f64; 3]) -> ([T; 3], [i32; 3]) {
        let Geometry::Periodic(PeriodicBox { lengths, .. }) = self else {
            return (position.map(T::from_f64), [0; 3]);
        };
        place(*lengths, position)
    }

    /// The position, Å, of an image of a bead.
    pub fn position(&self, coordinate: [T; 3], image: [i32; 3]) -> [f64; 3] {
        match self {
            Geometry::Open => coordinate.map(Real::to_f64),
            Geometry::Periodic(PeriodicBox { lengths, .. }) => [0, 1, 2].map(|axis| {
                let fraction = coordinate[axis].to_fraction() as f64 / 2.0_f64.powi(64);
                (f64::from(image[axis]) + fraction) * lengths[axis]
            }),
        }
    }

    /// Whether a coordinate is a point: those of a box always are.
    pub fn is_point(&self, coordinate: [T; 3]) -> bool {
        self.is_periodic() || coordinate.iter().all(|component| component.is_finite())
    }

    /// The whole sides that a bead crosses in a move shorter than half a side, along an axis.
    pub fn crossed(from: T, to: T) -> i32 {
        let (from, to) = (from.to_fraction(), to.to_fraction());
        let shift = to.wrapping_sub(from);
        match from.overflowing_add(shift) {
            (_, false) => 0,
            (_, true) => {
                if shift > 0 {
                    1
                } else {
                    -1
                }
            }
        }
    }
}

impl<T: Real + Elementary + Vector<Scalar = T>> Geometry<T> {
    /// a − b, Å.
    #[inline(always)]
    pub fn separation(&self, a: [T; 3], b: [T; 3]) -> [T; 3] {
        let (a, b) = (Triple(a), Triple(b));
        let Triple(apart) = match self {
            Geometry::Open => OpenSpace.separation::<T>(a, b),
            Geometry::Periodic(sides) => sides.separation::<T>(a, b),
        };
        apart
    }

    /// Squared distance, Å².
    #[inline(always)]
    pub fn square(&self, a: [T; 3], b: [T; 3]) -> T {
        Triple(self.separation(a, b)).square()
    }

    /// A coordinate after a displacement, Å.
    pub fn advance(&self, from: [T; 3], shift: [T; 3]) -> [T; 3] {
        let (from, shift) = (Triple(from), Triple(shift));
        let Triple(to) = match self {
            Geometry::Open => OpenSpace.advance::<T>(from, shift),
            Geometry::Periodic(sides) => sides.advance::<T>(from, shift),
        };
        to
    }

    /// The image of a bead that is nearest to an anchor, Å.
    pub fn near(&self, coordinate: [T; 3], anchor: [f64; 3]) -> [T; 3] {
        match self {
            Geometry::Open => coordinate,
            Geometry::Periodic(_) => {
                let Triple(near) = Triple(anchor.map(T::from_f64))
                    + Triple(self.separation(coordinate, self.place(anchor).0));
                near
            }
        }
    }
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
fn place<T: Real>(lengths: [f64; 3], position: [f64; 3]) -> ([T; 3], [i32; 3]) {
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

/// The number of lanes of the widest vector.
const WIDEST: usize = 16;

/// Space as loops over lanes see it.
pub(crate) trait Space<T: Real>: Copy + Send + Sync {
    /// Whether moves may be too long for it, and forces too large.
    const WRAPS: bool;
    /// The sums of a bead, of which partner j adds to number j mod this.
    const PARTIAL_SUMS: usize;
    /// A component of a sum.
    type Sum: Copy + Default + Debug + Send + Sync;
    /// The force on beads in lanes, as it is added to sums.
    type Force<V: Vector<Scalar = T>>: Copy;

    /// The array of sums that this space uses.
    fn of<'a>(ordered: &'a mut [T], whole: &'a mut [i64]) -> &'a mut [Self::Sum];

    /// The lanes in which a force, kcal/(mol Å), is within the range of the sums.
    fn counts<V: Vector<Scalar = T>>(self, force: Triple<V>) -> V::Mask;

    /// A force as it is added.
    fn rounded<V: Vector<Scalar = T>>(self, force: Triple<V>) -> Self::Force<V>;

    /// A sum in lanes: three vectors of an array, of which the first has the number `place`.
    fn load<V: Vector<Scalar = T>>(sums: &[Self::Sum], place: usize) -> Self::Force<V>;

    /// The inverse of [`Space::load`].
    fn store<V: Vector<Scalar = T>>(force: Self::Force<V>, sums: &mut [Self::Sum], place: usize);

    /// The sum of two forces.
    fn plus<V: Vector<Scalar = T>>(a: Self::Force<V>, b: Self::Force<V>) -> Self::Force<V>;

    /// The difference of two forces.
    fn minus<V: Vector<Scalar = T>>(a: Self::Force<V>, b: Self::Force<V>) -> Self::Force<V>;

    /// The force, kcal/(mol Å), of a sum.
    fn total<V: Vector<Scalar = T>>(self, sum: Self::Force<V>) -> Triple<V>;

    /// a − b, Å.
    fn separation<V: Vector<Scalar = T>>(self, a: Triple<V>, b: Triple<V>) -> Triple<V>;

    /// A coordinate after a displacement, Å.
    fn advance<V: Vector<Scalar = T>>(self, from: Triple<V>, shift: Triple<V>) -> Triple<V>;

    /// The lanes whose displacement, Å, is short enough to be told from its images.
    fn fits<V: Vector<Scalar = T>>(self, shift: Triple<V>) -> V::Mask;
}

/// Space without a boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenSpace;

impl<T: Real> Space<T> for OpenSpace {
    const WRAPS: bool = false;
    const PARTIAL_SUMS: usize = PARTIAL_SUMS;
    type Sum = T;
    type Force<V: Vector<Scalar = T>> = Triple<V>;

    #[inline(always)]
    fn of<'a>(ordered: &'a mut [T], _: &'a mut [i64]) -> &'a mut [T] {
        ordered
    }

    #[inline(always)]
    fn counts<V: Vector<Scalar = T>>(self, _: Triple<V>) -> V::Mask {
        V::mask_from_bits(u32::MAX)
    }

    #[inline(always)]
    fn rounded<V: Vector<Scalar = T>>(self, force: Triple<V>) -> Triple<V> {
        force
    }

    #[inline(always)]
    fn load<V: Vector<Scalar = T>>(sums: &[T], place: usize) -> Triple<V> {
        Triple::load(sums, place)
    }

    #[inline(always)]
    fn store<V: Vector<Scalar = T>>(force: Triple<V>, sums: &mut [T], place: usize) {
        force.store(sums, place);
    }

    #[inline(always)]
    fn plus<V: Vector<Scalar = T>>(a: Triple<V>, b: Triple<V>) -> Triple<V> {
        a + b
    }

    #[inline(always)]
    fn minus<V: Vector<Scalar = T>>(a: Triple<V>, b: Triple<V>) -> Triple<V> {
        a - b
    }

    #[inline(always)]
    fn total<V: Vector<Scalar = T>>(self, sum: Triple<V>) -> Triple<V> {
        sum
    }

    #[inline(always)]
    fn separation<V: Vector<Scalar = T>>(self, a: Triple<V>, b: Triple<V>) -> Triple<V> {
        a - b
    }

    #[inline(always)]
    fn advance<V: Vector<Scalar = T>>(self, from: Triple<V>, shift: Triple<V>) -> Triple<V> {
        from + shift
    }

    #[inline(always)]
    fn fits<V: Vector<Scalar = T>>(self, _: Triple<V>) -> V::Mask {
        V::mask_from_bits(u32::MAX)
    }
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

/// Runs an expression with the space of a geometry: once with each type of space.
macro_rules! in_space {
    ($geometry:expr, $space:ident => $expression:expr) => {
        match $geometry {
            $crate::space::Geometry::Open => {
                let $space = $crate::space::OpenSpace;
                $expression
            }
            $crate::space::Geometry::Periodic($space) => $expression,
        }
    };
}

pub(crate) use in_space;

/// The first bead that would move too far in a part of a step; threads share it.
#[derive(Debug)]
pub(crate) struct TooFar(AtomicUsize);

impl TooFar {
    pub fn new() -> TooFar {
        TooFar(AtomicUsize::new(usize::MAX))
    }

    /// Notes the free beads from `first` on whose moves do not fit.
    #[inline(always)]
    pub fn note<V: Vector>(&self, fits: V::Mask, free: u32, first: usize) {
        let lost = free & !V::mask_to_bits(fits);
        if lost != 0 {
            self.0.fetch_min(first + lost.trailing_zeros() as usize, Ordering::Relaxed);
        }
    }

    pub fn error(&self) -> Result<(), StepError> {
        match self.0.load(Ordering::Relaxed) {
            usize::MAX => Ok(()),
            bead => Err(StepError::MovedTooFar { bead }),
        }
    }
}
