//! Numbers in memory that begins at a cache line, and vectors of space.

use std::ops::{Deref, DerefMut};

use beadwork_arithmetic::{Lane, Real, Vector};

/// No vector has more lanes.
pub const WIDEST: usize = 16;

/// Sixteen numbers: one cache line in single precision, two in double precision.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line<T>([T; WIDEST]);

/// Numbers from the beginning of a cache line on, filled up to whole lines with zeros.
#[derive(Clone, Debug)]
pub struct Numbers<T>(Vec<Line<T>>);

impl<T: Real> Numbers<T> {
    /// At least as many zeros.
    pub fn zeros(count: usize) -> Self {
        Numbers(vec![Line([T::zero(); WIDEST]); count.div_ceil(WIDEST)])
    }
}

impl<T> Deref for Numbers<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: lines are arrays of numbers without gaps between them.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * WIDEST) }
    }
}

impl<T> DerefMut for Numbers<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        let count = self.0.len() * WIDEST;
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), count) }
    }
}

/// Positions or forces of the beads of one system, an array for each axis.
#[derive(Clone, Debug)]
pub struct Axes<T>(pub [Numbers<T>; 3]);

impl<T: Real> Axes<T> {
    /// Zeros.
    pub fn zeros(beads: usize) -> Self {
        Axes([(); 3].map(|()| Numbers::zeros(beads)))
    }

    /// From one triple a bead.
    pub fn from_triples(triples: &[[f64; 3]]) -> Self {
        let mut axes = Self::zeros(triples.len());
        for (bead, triple) in triples.iter().enumerate() {
            for axis in 0..3 {
                axes.0[axis][bead] = T::from_f64(triple[axis]);
            }
        }
        axes
    }

    /// The triples of the first beads.
    pub fn to_triples(&self, beads: usize) -> Vec<[f64; 3]> {
        (0..beads).map(|bead| [0, 1, 2].map(|axis| self.0[axis][bead].to_f64())).collect()
    }
}

/// The same number in every lane.
#[inline(always)]
pub fn spread<V: Vector>(number: V::Scalar) -> V {
    V::from_f64(number.to_f64())
}

/// A bit for each lane.
#[inline(always)]
pub const fn all_lanes(width: usize) -> u32 {
    ((1_u64 << width) - 1) as u32
}

/// x, y, z.
#[derive(Clone, Copy, Debug)]
pub struct Triple<V>(pub [V; 3]);

impl<V: Lane> Triple<V> {
    /// Zeros.
    #[inline(always)]
    pub fn zero() -> Self {
        Triple([V::zero(); 3])
    }

    /// Sum.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let (Triple([a, b, c]), Triple([d, e, f])) = (self, other);
        Triple([a + d, b + e, c + f])
    }

    /// Difference.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        let (Triple([a, b, c]), Triple([d, e, f])) = (self, other);
        Triple([a - d, b - e, c - f])
    }

    /// Product with a number.
    #[inline(always)]
    pub fn times(self, factor: V) -> Self {
        let Triple([x, y, z]) = self;
        Triple([factor * x, factor * y, factor * z])
    }

    /// x² + y² + z².
    #[inline(always)]
    pub fn square(self) -> V {
        let Triple([x, y, z]) = self;
        x * x + y * y + z * z
    }
}

impl<V: Vector> Triple<V> {
    /// Three vectors in a row, from vector number `place` on.
    ///
    /// # Safety
    /// The array has them.
    #[inline(always)]
    pub unsafe fn load(array: *const V::Scalar, place: usize) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let first = array.add(place * V::WIDTH);
            Triple([
                V::load_unchecked(first),
                V::load_unchecked(first.add(V::WIDTH)),
                V::load_unchecked(first.add(2 * V::WIDTH)),
            ])
        }
    }

    /// The opposite of [`Triple::load`].
    ///
    /// # Safety
    /// The array has room for them.
    #[inline(always)]
    pub unsafe fn store(self, array: *mut V::Scalar, place: usize) {
        let Triple([x, y, z]) = self;
        // SAFETY: the caller's.
        unsafe {
            let first = array.add(place * V::WIDTH);
            x.store_unchecked(first);
            y.store_unchecked(first.add(V::WIDTH));
            z.store_unchecked(first.add(2 * V::WIDTH));
        }
    }
}
