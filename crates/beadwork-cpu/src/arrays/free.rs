//! Beads that move.

use beadwork_arithmetic::Vector;

use crate::arrays::lanes::all_lanes;

/// Beads that are not fixed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Free {
    /// Their numbers, ascending.
    pub beads: Vec<u32>,
    /// One bit for each bead.
    bits: Vec<u32>,
}

impl Free {
    /// All of `beads` beads but the `fixed` ones, which ascend.
    pub fn new(beads: usize, fixed: &[usize]) -> Free {
        let mut fixed = fixed.iter().copied().peekable();
        let mut free = Free { beads: Vec::new(), bits: vec![0; beads.div_ceil(32)] };
        for bead in (0..beads).filter(|&bead| fixed.next_if_eq(&bead).is_none()) {
            free.beads.push(bead as u32);
            free.bits[bead / 32] |= 1 << (bead % 32);
        }
        free
    }

    /// Whether a bead moves.
    pub fn is_free(&self, bead: usize) -> bool {
        self.bits[bead / 32] >> (bead % 32) & 1 == 1
    }

    /// One bit for each lane of a vector that begins at bead `first`, a multiple of its width.
    #[inline(always)]
    pub fn lanes<V: Vector>(&self, first: usize) -> u32 {
        (self.bits[first / 32] >> (first % 32)) & all_lanes::<V>()
    }
}
