//! Vectors of space whose components are vectors of lanes.
//!
//! All functions here are inlined, and kernels have no closures that return lanes: the compiler does not use the
//! kernel's vector instructions in a function that is not inlined into it.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use beadwork_arithmetic::{Lane, Real, Vector};
use beadwork_model::potentials::{MOST_PARAMETERS, Parameters};

/// The number of lanes of the widest vector.
pub(crate) const WIDEST: usize = 16;

/// The same number in every lane.
#[inline(always)]
pub(crate) fn spread<V: Vector>(number: V::Scalar) -> V {
    V::from_f64(number.to_f64())
}

/// The square of the distance of two points.
#[inline(always)]
pub(crate) fn square_distance<T: Real>(a: [T; 3], b: [T; 3]) -> T {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}

/// The same parameters in every lane.
#[inline(always)]
pub(crate) fn in_lanes<V: Vector, P: Parameters<V::Scalar>, Q: Parameters<V>>(parameters: P) -> Q {
    let mut numbers = [V::zero(); MOST_PARAMETERS];
    let of = parameters.to_array();
    for k in 0..P::COUNT {
        numbers[k] = spread(of[k]);
    }
    Q::from_array(numbers)
}

/// A bit for each lane.
#[inline(always)]
pub(crate) const fn all_lanes<V: Vector>() -> u32 {
    u32::MAX >> (32 - V::WIDTH)
}

/// x, y, z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triple<V>(pub [V; 3]);

impl<V: Lane> Triple<V> {
    #[inline(always)]
    pub fn zero() -> Self {
        Triple([V::zero(); 3])
    }

    /// x² + y² + z².
    #[inline(always)]
    pub fn square(self) -> V {
        let Triple([x, y, z]) = self;
        x * x + y * y + z * z
    }

    #[inline(always)]
    pub fn select(mask: V::Mask, if_true: Self, if_false: Self) -> Self {
        let (Triple([a, b, c]), Triple([d, e, f])) = (if_true, if_false);
        Triple([V::select(mask, a, d), V::select(mask, b, e), V::select(mask, c, f)])
    }
}

impl<V: Vector> Triple<V> {
    /// The same triple in every lane.
    #[inline(always)]
    pub fn spread([x, y, z]: [V::Scalar; 3]) -> Self {
        Triple([spread(x), spread(y), spread(z)])
    }

    /// The same coordinates in every lane; those in a box keep their bits.
    #[inline(always)]
    pub fn coordinates(at: [V::Scalar; 3]) -> Self {
        Triple([V::from_lanes(|_| at[0]), V::from_lanes(|_| at[1]), V::from_lanes(|_| at[2])])
    }

    /// Loads three consecutive vectors, of which the first has the number `place`.
    #[inline(always)]
    pub fn load(array: &[V::Scalar], place: usize) -> Self {
        debug_assert!((place + 3) * V::WIDTH <= array.len());
        // SAFETY: the array was made for these beads; tables and lists contain no other beads.
        unsafe {
            let first = array.as_ptr().add(place * V::WIDTH);
            Triple([
                V::load_unchecked(first),
                V::load_unchecked(first.add(V::WIDTH)),
                V::load_unchecked(first.add(2 * V::WIDTH)),
            ])
        }
    }

    /// The inverse of [`Triple::load`].
    #[inline(always)]
    pub fn store(self, array: &mut [V::Scalar], place: usize) {
        debug_assert!((place + 3) * V::WIDTH <= array.len());
        let Triple([x, y, z]) = self;
        // SAFETY: as for `load`.
        unsafe {
            let first = array.as_mut_ptr().add(place * V::WIDTH);
            x.store_unchecked(first);
            y.store_unchecked(first.add(V::WIDTH));
            z.store_unchecked(first.add(2 * V::WIDTH));
        }
    }
}

impl<V: Lane> Add for Triple<V> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (Triple([a, b, c]), Triple([d, e, f])) = (self, other);
        Triple([a + d, b + e, c + f])
    }
}

impl<V: Lane> Sub for Triple<V> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (Triple([a, b, c]), Triple([d, e, f])) = (self, other);
        Triple([a - d, b - e, c - f])
    }
}

impl<V: Lane> Neg for Triple<V> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let Triple([a, b, c]) = self;
        Triple([-a, -b, -c])
    }
}

impl<V: Lane> AddAssign for Triple<V> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<V: Lane> Mul<V> for Triple<V> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: V) -> Self {
        let Triple([x, y, z]) = self;
        // The factor comes first, as in the reference path; the product is the same in either order.
        Triple([factor * x, factor * y, factor * z])
    }
}
