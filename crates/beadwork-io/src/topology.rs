//! The beads of a topology file.

use std::borrow::Cow;

/// One bead as PSF and PDB files describe it.
#[derive(Debug, Clone, PartialEq)]
pub struct TopologyBead {
    /// Name, such as `CA`.
    pub name: Cow<'static, str>,
    /// Name of its residue, such as `ALA`.
    pub residue_name: Cow<'static, str>,
    /// Number of its residue.
    pub residue_number: i32,
    /// Insertion code of its residue.
    pub insertion: Option<char>,
    /// Identifier of its chain.
    pub chain: Cow<'static, str>,
    /// Identifier of its segment; if empty, the chain's is used.
    pub segment: Cow<'static, str>,
    /// Mass, Da.
    pub mass: f64,
    /// Charge, elementary charges.
    pub charge: f64,
    /// Occupancy, or a number to colour beads by.
    pub occupancy: f64,
    /// Temperature factor, Å², or a number to colour beads by.
    pub beta: f64,
}

impl TopologyBead {
    /// The segment; if empty, the chain; if both are empty, the name that psfgen uses.
    pub(crate) fn segment_or_chain(&self) -> &str {
        [&*self.segment, &*self.chain].into_iter().find(|name| !name.is_empty()).unwrap_or("MAIN")
    }
}
