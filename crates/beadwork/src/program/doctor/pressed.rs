//! A globule between a tip and surfaces on the processor.

use std::sync::Arc;
use std::time::Instant;

use beadwork::cpu::{CpuPath, Group, Instructions, Member};
use beadwork::cuda::{Case, Plan, Rounding};
use beadwork::model::{Generator, Integrator, Precision};
use beadwork::simulation::MemberState;

use super::members::agreement::compare_bits;
use super::members::generated::{self, moved};
use crate::program::reference::{advance_alone, advance_in_group};

const STEPS: u64 = 1_000;

/// The SOP model of a small protein, pressed.
const GLOBULE: Case = Case {
    precision: Precision::Single,
    rounding: Rounding::AsWritten,
    terms: [true, false, true, false],
    repels: true,
    typed: false,
    pulled: false,
    pressed: true,
    generator: Generator::Philox4x32x10,
    integrator: Integrator::Brownian,
    beads: 34,
    members: 1,
    plan: Plan::Block,
};

/// Vectors must give the bits of the reference path, the tip's included, with pairs in the lanes and with members in the lanes.
pub fn on_the_processor() -> Result<String, String> {
    let began = Instant::now();
    for precision in Precision::ALL {
        let expected = on_path(precision, CpuPath::Reference)?;
        for instructions in Instructions::ALL.into_iter().filter(|i| i.is_available()) {
            let alone = on_path(precision, CpuPath::PairSimd(instructions))?;
            let together = in_a_group(precision, instructions)?;
            for (found, how) in [(alone, "one member"), (together, "a group of members")] {
                compare_bits(&found, &expected).map_err(|what| {
                    let (instructions, precision) = (instructions.name(), precision.name());
                    format!("{how} with {instructions} in {precision} precision: {what}")
                })?;
            }
        }
    }
    let time = began.elapsed().as_secs_f64() * 1e3;
    Ok(format!(
        "the bits of the reference path with all instructions, alone and in groups, after {time:.0} ms"
    ))
}

/// Members at the start, replica 0 last.
fn members(precision: Precision, count: u64) -> Result<Vec<Member>, String> {
    let case = Case { precision, ..GLOBULE };
    let system = Arc::new(generated::system(&case)?);
    let protocol = generated::protocol(&case, STEPS);
    let start = moved(&system.particles.positions, 0.15);
    let member = |replica| Member::new(system.clone(), protocol.clone(), replica, &start);
    Ok((0..count).rev().map(member).collect())
}

fn last_state(members: &[Member]) -> Result<MemberState, String> {
    members.last().map(Member::state).ok_or_else(|| "no member was stepped".to_string())
}

fn on_path(precision: Precision, path: CpuPath) -> Result<MemberState, String> {
    last_state(&advance_alone(members(precision, 1)?, path, STEPS)?)
}

fn in_a_group(precision: Precision, instructions: Instructions) -> Result<MemberState, String> {
    let lanes = Group::new(instructions).width(precision) as u64;
    let mut members = members(precision, lanes)?;
    advance_in_group(&mut members, instructions, STEPS)?;
    last_state(&members)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tip has moved, and beads push it, so that its bits depend on theirs.
    #[test]
    fn the_globule_is_pressed() {
        let state = on_path(Precision::Double, CpuPath::Reference).unwrap();
        let tip = &state.externals[2];
        let moving = tip.moving.unwrap();
        assert_ne!(moving.position, tip.origin);
        assert!(moving.contact.is_some() && moving.reaction != [0; 3]);
        assert!(on_the_processor().is_ok());
    }
}
