//! Specialisation of the kernels of Monte Carlo, and the choice of lanes for a replica.

use beadwork_model::Precision;
use beadwork_random::Generator;

use crate::compile::program::{Program, Rounding, definitions_of, including};
use crate::error::OLDEST_CARD;
use crate::random::generators::definitions;

/// Numbers of lanes that a replica may have, ascending.
pub const LANES: [u32; 4] = [4, 8, 16, 32];

/// The most monomers of a lane: the text of a move has a line for each.
const MOST_SLOTS: u32 = 32;

/// The most monomers of a chain.
pub const MOST_MONOMERS: usize = 32 * MOST_SLOTS as usize;

/// The most threads of a block.
pub const MOST_THREADS: u32 = 128;

/// For each number of lanes, the warps on a multiprocessor from which on it is about as fast as more lanes (H200, 300
/// to 8,000 replicas of 13 and of 55 monomers): with fewer, a warp waits for its own results.
const BUSY: [u64; 4] = [4, 3, 2, 0];

pub const KERNEL: &str = "beadwork_monte_carlo";

/// The properties on which a kernel is specialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChainShape {
    /// The number type.
    pub precision: Precision,
    /// How sums of products are rounded.
    pub rounding: Rounding,
    /// Lanes of a replica.
    pub lanes: u32,
    /// Monomers of a lane.
    pub slots: u32,
}

/// The fewest lanes with which replicas keep a card busy, otherwise the most possible.
pub fn lanes_of(monomers: usize, replicas: usize, multiprocessors: u32) -> u32 {
    let is_busy = |lanes: u32, warps: u64| {
        replicas as u64 * u64::from(lanes) >= 32 * warps * u64::from(multiprocessors)
    };
    let fits = |lanes: u32| slots_of(monomers, lanes) <= MOST_SLOTS;
    let forms = LANES.into_iter().zip(BUSY);
    let fastest = forms.into_iter().find(|&(lanes, warps)| fits(lanes) && is_busy(lanes, warps));
    fastest.map_or(32, |(lanes, _)| lanes)
}

/// The number of monomers of a lane.
pub fn slots_of(monomers: usize, lanes: u32) -> u32 {
    monomers.div_ceil(lanes as usize) as u32
}

impl ChainShape {
    /// The form for chains of this length; `None` if a lane would have too many monomers.
    pub fn new(
        precision: Precision,
        rounding: Rounding,
        monomers: usize,
        lanes: u32,
    ) -> Option<ChainShape> {
        let slots = slots_of(monomers, lanes);
        let is_one = LANES.contains(&lanes) && slots <= MOST_SLOTS && monomers >= 2;
        is_one.then_some(ChainShape { precision, rounding, lanes, slots })
    }

    /// Bytes of shared memory of a replica.
    pub fn replica_bytes(&self) -> usize {
        let number = match self.precision {
            Precision::Single => 4,
            Precision::Double => 8,
        };
        // As `ROW` in the kernel.
        let slots = if self.lanes == 4 { self.slots | 1 } else { self.slots };
        let row = self.lanes * slots;
        (row + self.lanes) as usize * 4 * number + 4 * self.lanes as usize
    }

    /// Blocks of the largest size that must fit on a multiprocessor.
    fn blocks(&self) -> u32 {
        match self.precision {
            Precision::Single => 8,
            Precision::Double => 4,
        }
    }

    /// The text.
    pub fn program(&self) -> Program {
        let mut all = vec![
            ("DOUBLE", u32::from(self.precision == Precision::Double)),
            ("FUSED", u32::from(self.rounding == Rounding::Fused)),
            ("LANES", self.lanes),
            ("SLOTS", self.slots),
            ("THREADS", MOST_THREADS),
            ("BLOCKS", self.blocks()),
        ];
        let generator = Generator::Philox4x32x10;
        all.extend(definitions(generator, generator.schemes()[0]));
        let rounding = if self.rounding == Rounding::AsWritten { " as-written" } else { "" };
        Program {
            name: format!(
                "monte-carlo {}{rounding}, {} lanes, {} monomers a lane",
                self.precision.name(),
                self.lanes,
                self.slots
            ),
            source: definitions_of(&all) + &including(&["monte_carlo/sweep.cuh"]),
            functions: vec![KERNEL.into()],
            oldest: OLDEST_CARD,
            registers: 65_536 / (MOST_THREADS * self.blocks()) / 8 * 8,
            // Rounding as written needs more divisions, hence local memory.
            local_bytes: if self.rounding == Rounding::AsWritten { 16 } else { 0 },
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/chain_program.rs"]
mod tests;
