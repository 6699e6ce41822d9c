//! A run whose outcome is known to the bit.

use std::sync::Arc;

use beadwork::cpu::{CpuPath, Group, Instructions, Member};
use beadwork::cuda::{Ensemble, Error, Job};
use beadwork::model::force_fields::sop::{Beads, Parameters, build};
use beadwork::model::{
    Dynamics, Generator, Integrator, Precision, Protocol, Stage, StageKind, System,
};
use beadwork::simulation::SamplePoint;
use beadwork::structure::{ReadOptions, parse};
use sha2::{Digest, Sha256};

/// An ideal alpha helix of 16 residues: radius 2.3 Å, rise 1.5 Å and 100° a residue.
const HELIX: &str = include_str!("reference_helix.pdb");
const STEPS: u64 = 20_000;

/// The hash of the final positions for each precision; a change of either is value-breaking.
pub const EXPECTED: [(Precision, &str); 2] =
    [(Precision::Single, "424b18416f518da1"), (Precision::Double, "4f743c66832efebe")];

/// The same on GPUs, rounded as runs are; nothing where no card has been asked yet.
pub const ON_GPUS: [(Precision, Option<&str>); 2] =
    [(Precision::Single, Some("74728d351c1cf0a0")), (Precision::Double, Some("a144b044e8db255e"))];

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
        randomness: Generator::Philox4x32x10.into(),
    }
}

/// Runs the reference one way and hashes where its beads end.
pub fn hash(system: System, precision: Precision, way: CpuPath) -> Result<String, String> {
    let start = system.particles.positions.clone();
    let member = Member::new(Arc::new(system), Arc::new(protocol(precision)), 0, &start);
    let mut member = member.with_path(way);
    member.advance(STEPS).map_err(|failure| format!("{:?}", failure.error))?;
    Ok(hash_of(&member))
}

/// Runs the reference in the last lane of a group whose other members have other noise, and hashes
/// where its beads end.
pub fn hash_in_group(
    system: System,
    precision: Precision,
    instructions: Instructions,
) -> Result<String, String> {
    let start = system.particles.positions.clone();
    let (system, protocol) = (Arc::new(system), Arc::new(protocol(precision)));
    let mut group = Group::new(instructions);
    let width = group.width(precision) as u64;
    let mut members: Vec<Member> = (0..width)
        .rev()
        .map(|replica| Member::new(system.clone(), protocol.clone(), replica, &start))
        .collect();
    let mut team: Vec<&mut Member> = members.iter_mut().collect();
    for outcome in group.advance(&mut team, STEPS) {
        outcome.map_err(|failure| format!("{:?}", failure.error))?;
    }
    members.last().map(hash_of).ok_or_else(|| "a group without lanes".to_string())
}

/// Runs the reference on a GPU, the last of so many members of which the others have other noise, and
/// hashes where its beads end.
pub fn hash_on_gpu(
    ensemble: &mut Ensemble,
    system: &Arc<System>,
    precision: Precision,
    members: u64,
) -> Result<String, Error> {
    let protocol = Arc::new(protocol(precision));
    let start = &system.particles.positions;
    let mut members: Vec<Member> = (0..members)
        .rev()
        .map(|replica| Member::new(system.clone(), protocol.clone(), replica, start))
        .collect();
    let points = [SamplePoint { steps: STEPS as u32, row: false }];
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, points: &points }).collect();
    let results = ensemble.advance(&jobs)?;
    let (Some(member), Some(result)) = (members.last_mut(), results.last()) else {
        return Err(Error::Corrupt { what: "nothing".to_string() });
    };
    if result.samples() == 0 {
        return Err(Error::Corrupt { what: "a failure of a sound trajectory".to_string() });
    }
    result.bring(0, member)?;
    Ok(hash_of(member))
}

fn hash_of(member: &Member) -> String {
    let mut hash = Sha256::new();
    for position in member.positions() {
        for component in position {
            hash.update(component.to_le_bytes());
        }
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_run_has_not_changed() {
        for (precision, expected) in EXPECTED {
            let found = hash(system().unwrap(), precision, CpuPath::Reference).unwrap();
            assert_eq!(found, expected, "{precision:?}");
        }
    }
}
