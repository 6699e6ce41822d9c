//! Positions, forces or displacements of the beads of one system, an array for each axis.

use std::ops::Range;

use beadwork_arithmetic::{Real, Vector};

use crate::arrays::aligned::Aligned;
use crate::arrays::lanes::Triple;

/// The arrays are padded to a multiple of this, the lanes of the widest vector.
pub(crate) const PADDING: usize = 32;

/// The arrays of a range of beads, which one thread writes.
#[derive(Debug)]
pub(crate) struct CoordinatesPart<'a, T> {
    /// The range; it begins at a multiple of [`PADDING`].
    pub beads: Range<usize>,
    /// The coordinates along each axis, beginning with the first bead of the range.
    pub axes: [&'a mut [T]; 3],
}

/// Consecutive parts of a slice with the given lengths; parts beyond its end are shorter or empty.
pub(crate) fn split<T>(mut rest: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let mut next = |length: usize| {
        let all = std::mem::take(&mut rest);
        let (part, others) = all.split_at_mut(length.min(all.len()));
        rest = others;
        part
    };
    lengths.map(&mut next).collect()
}

/// A vector of space in double precision.
pub(crate) fn to_f64<T: Real>(vector: [T; 3]) -> [f64; 3] {
    vector.map(|component| component.to_f64())
}

/// One vector of space for each bead.
#[derive(Clone, Debug)]
pub struct Coordinates<T> {
    pub(crate) axes: [Aligned<T>; 3],
    beads: usize,
}

impl<T: Real> Coordinates<T> {
    /// Coordinates of zero.
    pub fn zero(beads: usize) -> Self {
        let padded = beads.next_multiple_of(PADDING);
        Coordinates { axes: [(); 3].map(|()| Aligned::new(T::zero(), padded)), beads }
    }

    /// Coordinates from one triple for each bead.
    pub fn from_triples(triples: &[[T; 3]]) -> Self {
        let mut coordinates = Self::zero(triples.len());
        for (bead, &triple) in triples.iter().enumerate() {
            coordinates.set(bead, triple);
        }
        coordinates
    }

    /// The number of beads.
    pub fn len(&self) -> usize {
        self.beads
    }

    /// Whether there is no bead.
    pub fn is_empty(&self) -> bool {
        self.beads == 0
    }

    /// The number of blocks of `size` beads; the last block is padded.
    pub(crate) fn blocks(&self, size: usize) -> usize {
        self.beads.div_ceil(size)
    }

    /// The triple of a bead.
    #[inline(always)]
    pub fn get(&self, bead: usize) -> [T; 3] {
        [self.axes[0][bead], self.axes[1][bead], self.axes[2][bead]]
    }

    /// Replaces the triple of a bead.
    #[inline(always)]
    pub fn set(&mut self, bead: usize, triple: [T; 3]) {
        for (axis, component) in self.axes.iter_mut().zip(triple) {
            axis[bead] = component;
        }
    }

    /// The triples of as many beads as a vector has lanes, from `first` on.
    #[inline(always)]
    pub(crate) fn load<V: Vector<Scalar = T>>(&self, first: usize) -> Triple<V> {
        let [x, y, z] = &self.axes;
        Triple([V::load(&x[first..]), V::load(&y[first..]), V::load(&z[first..])])
    }

    /// The arrays; a loop over tiles takes them once, because the compiler does not move their addresses out of it.
    #[inline(always)]
    pub(crate) fn slices(&self) -> [&[T]; 3] {
        self.axes.each_ref().map(|axis| &**axis)
    }

    /// All triples.
    pub fn iter(&self) -> impl Iterator<Item = [T; 3]> + '_ {
        (0..self.beads).map(|bead| self.get(bead))
    }

    /// The arrays, cut at consecutive ranges of beads; the last part also has the rest.
    pub(crate) fn parts(&mut self, ranges: &[Range<usize>]) -> Vec<CoordinatesPart<'_, T>> {
        let last = ranges.len().saturating_sub(1);
        let lengths = ranges.iter().enumerate();
        let lengths = lengths.map(|(n, range)| if n == last { usize::MAX } else { range.len() });
        let [x, y, z] = self.axes.each_mut().map(|axis| split(axis, lengths.clone()));
        let parts = ranges.iter().zip(x.into_iter().zip(y).zip(z));
        parts
            .map(|(range, ((x, y), z))| CoordinatesPart { beads: range.clone(), axes: [x, y, z] })
            .collect()
    }

    /// All beads as one part.
    pub(crate) fn whole(&mut self) -> CoordinatesPart<'_, T> {
        CoordinatesPart { beads: 0..self.beads, axes: self.axes.each_mut().map(|axis| &mut **axis) }
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        for (to, from) in self.axes.iter_mut().zip(&other.axes) {
            to.copy_from_slice(from);
        }
    }

    /// The first bead with a coordinate that is infinite or not a number.
    pub fn first_not_finite(&self) -> Option<usize> {
        self.iter().position(|triple| !triple.iter().all(|component| component.is_finite()))
    }
}
