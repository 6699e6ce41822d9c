//! A run whose outcome is known to the bit.

use std::sync::Arc;

use beadwork::cpu::Member;
use beadwork::model::force_fields::sop::{Beads, Parameters, build};
use beadwork::model::{
    Dynamics, Generator, Integrator, Precision, Protocol, Stage, StageKind, System,
};
use beadwork::structure::{ReadOptions, parse};
use sha2::{Digest, Sha256};

/// An ideal alpha helix of 16 residues: radius 2.3 Å, rise 1.5 Å and 100° a residue.
const HELIX: &str = include_str!("reference_helix.pdb");
const STEPS: u64 = 20_000;

/// The hash of the final positions for each precision; a change of either is value-breaking.
pub const EXPECTED: [(Precision, &str); 2] =
    [(Precision::Single, "804e3dd52f6e3bc3"), (Precision::Double, "8dfcf18815f861a0")];

/// The reference system.
pub fn system() -> Result<System, String> {
    let structure =
        parse(HELIX, "reference helix", &ReadOptions::default()).map_err(|e| e.to_string())?;
    let beads = Beads::from_structure(&structure);
    let (system, _) =
        build(&structure, beads, &Parameters::default()).map_err(|e| e.to_string())?;
    Ok(system)
}

fn protocol(precision: Precision) -> Protocol {
    Protocol {
        dynamics: Dynamics {
            integrator: Integrator::Brownian,
            temperature: 0.6,
            friction: 12_500.0,
            timestep: 20.0,
            precision,
            skin: 4.0,
        },
        stages: vec![Stage {
            name: "reference".to_string(),
            kind: StageKind::Dynamics { steps: STEPS },
            fixed: Vec::new(),
            drives: Vec::new(),
            stops: Vec::new(),
        }],
        ends: (vec![0], vec![15]),
        seed: 20_101,
        generator: Generator::Philox4x32x10,
    }
}

/// Runs the reference and hashes where its beads end.
pub fn hash(system: System, precision: Precision) -> Result<String, String> {
    let start = system.positions.clone();
    let mut member = Member::new(Arc::new(system), Arc::new(protocol(precision)), 0, &start);
    member.advance(STEPS).map_err(|failure| format!("{:?}", failure.trouble))?;
    let mut hash = Sha256::new();
    for position in member.positions() {
        for component in position {
            hash.update(component.to_le_bytes());
        }
    }
    Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_run_has_not_changed() {
        for (precision, expected) in EXPECTED {
            assert_eq!(hash(system().unwrap(), precision).unwrap(), expected, "{precision:?}");
        }
    }
}
