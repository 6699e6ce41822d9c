//! The beads of a topology file.

/// One bead as PSF and PDB files describe it.
#[derive(Debug, Clone, PartialEq)]
pub struct TopologyBead {
    /// Name, such as `CA`.
    pub name: String,
    /// Name of its residue, such as `ALA`.
    pub residue_name: String,
    /// Number of its residue.
    pub residue_number: i32,
    /// Insertion code of its residue.
    pub insertion: Option<char>,
    /// Identifier of its chain.
    pub chain: String,
    /// Identifier of its segment; if empty, the chain's is used.
    pub segment: String,
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
        [self.segment.as_str(), self.chain.as_str()]
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or("MAIN")
    }
}
