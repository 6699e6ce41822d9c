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
    /// Occupancy, or what a program shows in its place.
    pub occupancy: f64,
    /// Temperature factor, Å², or what a program shows in its place.
    pub beta: f64,
}

impl TopologyBead {
    /// The segment, or the chain, or the name that psfgen gives where there is neither.
    pub(crate) fn segment_or_chain(&self) -> &str {
        [self.segment.as_str(), self.chain.as_str()]
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or("MAIN")
    }
}
