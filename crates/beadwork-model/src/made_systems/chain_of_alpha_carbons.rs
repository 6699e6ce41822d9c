//! Chains of C-alphas: their structure from positions, and their SOP system.

use beadwork_structure::{Atom, Chain, Residue, Structure};

use crate::force_fields::sop::{Beads, ContactRule, Parameters, build};
use crate::{Error, System};

/// The SOP system of a structure: contacts of C-alphas within 8 Å and, if a cutoff is given, of side chains.
///
/// # Errors
/// A structure of fewer than two beads, or one that is no chain of residues.
pub fn sop_system(structure: &Structure, side_chain_cutoff: Option<f64>) -> Result<System, Error> {
    let parameters = Parameters {
        contacts: ContactRule::Distance {
            cutoff: 8.0,
            side_chain_cutoff,
            side_chain_hydrogens: true,
        },
        ..Parameters::default()
    };
    let (system, _) = build(structure, Beads::from_structure(structure), &parameters)?;
    Ok(system)
}

/// A structure of C-alphas in one chain.
pub fn trace(source: &str, positions: Vec<[f64; 3]>) -> Structure {
    let count = positions.len();
    let atom = |position| Atom {
        name: "CA".into(),
        element: "C".into(),
        position,
        occupancy: 1.0,
        beta: 0.0,
    };
    let residue = |number: usize| Residue {
        name: "ALA".into(),
        number: number as i32 + 1,
        insertion: None,
        chain: 0,
        atoms: number..number + 1,
    };
    Structure {
        source: source.into(),
        atoms: positions.into_iter().map(atom).collect(),
        residues: (0..count).map(residue).collect(),
        chains: vec![Chain {
            id: "A".into(),
            id_in_file: "A".into(),
            segment: String::new(),
            residues: 0..count,
            caps: [false; 2],
        }],
        nucleic_chains: Vec::new(),
        disulfides: Vec::new(),
        warnings: Vec::new(),
        models: 1,
    }
}
