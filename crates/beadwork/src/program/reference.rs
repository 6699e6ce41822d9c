//! A reference run whose result is known to the bit.

use std::sync::Arc;

use beadwork::cpu::{CpuPath, Group, Instructions, Member};
use beadwork::cuda::{Ensemble, Error, Job};
use beadwork::model::made_systems::{self, one_stage, sop_gpu_dynamics};
use beadwork::model::{Dynamics, Generator, Precision, System};
use beadwork::simulation::SamplePoint;
use sha2::{Digest, Sha256};

const STEPS: u64 = 20_000;

/// The hash of the final positions in each precision; a change is value-breaking.
pub const EXPECTED: [(Precision, &str); 2] =
    [(Precision::Single, "424b18416f518da1"), (Precision::Double, "4f743c66832efebe")];

/// The same on GPUs with the rounding of runs; `None` where no hash is recorded.
pub const ON_GPUS: [(Precision, Option<&str>); 2] =
    [(Precision::Single, Some("74728d351c1cf0a0")), (Precision::Double, Some("a144b044e8db255e"))];

/// The system of the reference run, an ideal alpha helix of 16 residues.
pub fn helix() -> Result<Arc<System>, String> {
    made_systems::helix().map(Arc::new).map_err(|error| error.to_string())
}

/// Members at the start of the reference run, replica 0 last.
fn members(precision: Precision, count: u64) -> Result<Vec<Member>, String> {
    let system = helix()?;
    let dynamics = Dynamics { precision, ..sop_gpu_dynamics(20.0) };
    let start = &system.particles.positions;
    let protocol = one_stage(dynamics, Generator::Philox4x32x10, 20_101, STEPS, start.len());
    let protocol = Arc::new(protocol);
    let member = |replica| Member::new(system.clone(), protocol.clone(), replica, start);
    Ok((0..count).rev().map(member).collect())
}

fn last_hash(members: &[Member]) -> Result<String, String> {
    members.last().map(hash_of).ok_or_else(|| "no member was stepped".to_string())
}

/// Makes the reference run on one path of the processor, and hashes the final positions.
pub fn hash(precision: Precision, path: CpuPath) -> Result<String, String> {
    last_hash(&advance_alone(members(precision, 1)?, path, STEPS)?)
}

/// Makes the reference run in a group's last lane, beside members with other noise, and hashes the final positions.
pub fn hash_in_group(precision: Precision, instructions: Instructions) -> Result<String, String> {
    let lanes = Group::new(instructions).width(precision) as u64;
    let mut members = members(precision, lanes)?;
    advance_in_group(&mut members, instructions, STEPS)?;
    last_hash(&members)
}

/// Steps members one after another on one path of the processor.
pub fn advance_alone(
    members: Vec<Member>,
    path: CpuPath,
    steps: u64,
) -> Result<Vec<Member>, String> {
    let advance = |member: Member| -> Result<Member, String> {
        let mut member = member.with_path(path);
        member.advance(steps).map_err(|failure| format!("{:?}", failure.error))?;
        Ok(member)
    };
    members.into_iter().map(advance).collect()
}

/// Steps members together, a vector lane each.
pub fn advance_in_group(
    members: &mut [Member],
    instructions: Instructions,
    steps: u64,
) -> Result<(), String> {
    let mut group = Group::new(instructions);
    for outcome in group.advance(&mut members.iter_mut().collect::<Vec<_>>(), steps) {
        outcome.map_err(|failure| format!("{:?}", failure.error))?;
    }
    Ok(())
}

/// Makes the reference run on a GPU as the last of `count` members, whose noise differs, and hashes the final
/// positions.
pub fn hash_on_gpu(
    ensemble: &mut Ensemble,
    precision: Precision,
    count: u64,
) -> Result<String, String> {
    let mut members = members(precision, count)?;
    let advanced = advance_on_gpu(ensemble, &mut members, &[STEPS as u32]);
    advanced.map_err(|error| error.to_string())?;
    last_hash(&members)
}

/// Steps members on a GPU from sample to sample, and refuses members that failed.
pub fn advance_on_gpu(
    ensemble: &mut Ensemble,
    members: &mut [Member],
    samples: &[u32],
) -> Result<(), Error> {
    let point = |&steps: &u32| SamplePoint { steps, row: false };
    let points: Vec<SamplePoint> = samples.iter().map(point).collect();
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, points: &points }).collect();
    let results = ensemble.advance(&jobs)?;
    for (member, result) in members.iter_mut().zip(&results) {
        if result.samples() < points.len() {
            return Err(Error::Corrupt { what: "a failure of a sound trajectory".to_string() });
        }
        (0..points.len()).try_for_each(|sample| result.bring(sample, member).map(drop))?;
    }
    Ok(())
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
            let found = hash(precision, CpuPath::Reference).unwrap();
            assert_eq!(found, expected, "{precision:?}");
        }
    }
}
