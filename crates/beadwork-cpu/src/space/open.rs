//! Space without a boundary, where sums of forces have an order.

use beadwork_arithmetic::{Real, Vector};

use super::for_lanes::{PARTIAL_SUMS, Space};
use crate::arrays::lanes::Triple;

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
