//! The sums of forces that one thread adds to, and the forces of beads from those of all threads.

use std::ops::Range;

use beadwork_arithmetic::{Family, Kernel};
use beadwork_random::Normal;

use crate::arrays::coordinates::CoordinatesPart;
use crate::space::PeriodicBox;

/// Slots whose sums are set to zero together.
const BLOCK: usize = 64;

/// The sum of a slot along x, y and z, and a fourth number that is not used: a vector of 256 bits holds it.
pub(crate) type Sum = [i64; 4];

/// Sums of whole numbers by slots. A thread sets to zero, and others read, the blocks that it has touched alone: many
/// threads need no more time for that than one.
#[derive(Clone, Debug)]
pub(crate) struct SlotSums {
    sums: Vec<Sum>,
    /// The evaluation that last touched each block, and the present one.
    touched: Vec<u64>,
    now: u64,
}

impl SlotSums {
    pub fn new(beads: usize) -> Self {
        let blocks = beads.div_ceil(BLOCK);
        SlotSums { sums: vec![[0; 4]; blocks * BLOCK], touched: vec![0; blocks], now: 0 }
    }

    /// Begins an evaluation: no slot is touched.
    pub fn begin(&mut self) {
        self.now += 1;
    }

    /// Sets sums to zero that the evaluation has not touched yet.
    pub fn touch(&mut self, slots: Range<usize>) {
        if slots.is_empty() {
            return;
        }
        for block in slots.start / BLOCK..=(slots.end - 1) / BLOCK {
            if self.touched[block] != self.now {
                self.touched[block] = self.now;
                self.sums[block * BLOCK..(block + 1) * BLOCK].fill([0; 4]);
            }
        }
    }

    /// The sums, of which those that were touched may be changed.
    pub fn all(&mut self) -> &mut [Sum] {
        &mut self.sums
    }

    /// The sum of a slot.
    fn of(&self, slot: usize) -> [i64; 3] {
        let [x, y, z, _] = self.sums[slot];
        if self.touched[slot / BLOCK] == self.now { [x, y, z] } else { [0; 3] }
    }
}

/// Writes the forces of some beads from the sums of all threads.
pub(crate) struct Total<'a, T> {
    pub sides: &'a PeriodicBox<T>,
    /// The slot of each bead; empty if no pair acts.
    pub slots: &'a [u32],
    pub parts: &'a [&'a SlotSums],
    /// Other sums, by beads.
    pub others: Option<&'a [[i64; 3]]>,
    pub total: CoordinatesPart<'a, T>,
}

impl<T: Normal> Kernel for Total<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let Total {
            sides,
            slots,
            parts,
            others,
            total: CoordinatesPart { beads, axes: [x, y, z] },
        } = self;
        let axes = x.iter_mut().zip(y).zip(z);
        for (bead, ((x, y), z)) in beads.zip(axes) {
            let mut sum = others.map_or([0; 3], |others| others[bead]);
            if let Some(&slot) = slots.get(bead) {
                for part in parts {
                    let more = part.of(slot as usize);
                    sum = [0, 1, 2].map(|axis| sum[axis].wrapping_add(more[axis]));
                }
            }
            [*x, *y, *z] = sides.force(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_an_evaluation_does_not_touch_are_zero() {
        let mut sums = SlotSums::new(200);
        for evaluation in 1..4 {
            sums.begin();
            sums.touch(0..0);
            sums.touch(64..65);
            sums.touch(70..129);
            for slot in [64, 127, 128] {
                assert_eq!(sums.of(slot), [0; 3]);
                sums.all()[slot][1] += evaluation;
            }
            sums.touch(100..128);
            assert_eq!(
                [63, 64, 128, 199].map(|slot| sums.of(slot)[1]),
                [0, evaluation, evaluation, 0]
            );
        }
    }
}
