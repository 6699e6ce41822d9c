//! [`CpuPath`]: how the forces of a member that is stepped alone are computed.

use beadwork_arithmetic::Instructions;

/// The path of a member that is stepped alone. All paths give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuPath {
    /// The definition: pair by pair, bead by bead.
    Reference,
    /// With lanes over pairs and beads.
    PairSimd(Instructions),
}

impl CpuPath {
    /// The fastest path of this machine.
    pub fn best() -> CpuPath {
        CpuPath::PairSimd(Instructions::best())
    }

    pub(crate) fn instructions(self) -> Instructions {
        match self {
            CpuPath::Reference => Instructions::Scalar,
            CpuPath::PairSimd(instructions) => instructions,
        }
    }
}
