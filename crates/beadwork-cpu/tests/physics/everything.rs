//! Systems and protocols with everything that dynamics has in them: what every way of stepping, on
//! any backend, is tried on.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::drives::{Drive, Ends, ForceRamp, Restrain, Spring};
use beadwork_model::potentials::{FeneBond, HarmonicBond, HarmonicTrap};
use beadwork_model::{
    Dynamics, Integrator, Pair, Precision, Protocol, Randomness, Repulsion, Stage, StageKind,
    System, Trap,
};

use crate::support::{helix, protocol, shaken, sop_dynamics, stage};

/// Not a multiple of any vector's width.
pub const BEADS: usize = 31;

pub fn ends() -> Ends {
    Ends { fixed: vec![0], pulled: vec![BEADS - 2, BEADS - 1], direction: None }
}

/// Minimisation, restraints, two drives with fixed beads, nothing; lengths and drives differ with
/// `number`.
pub fn stages(number: u64) -> Vec<Stage> {
    let stiffness = 0.05 + 0.01 * number as f64;
    let spring =
        Spring { ends: ends(), stiffness, speed: 1e-4, update_every: 1 + 16 * (number % 2) };
    let ramp = ForceRamp { ends: ends(), rate: 1e-5 };
    let restrain = Restrain { beads: vec![1, 5, BEADS - 1], stiffness: 0.5 };
    vec![
        Stage { kind: StageKind::Minimise { tolerance: 0.05, steps: 30 }, ..stage(0, vec![]) },
        stage(90 + 7 * number, vec![Drive::Restrain(restrain)]),
        Stage {
            fixed: vec![0, 3],
            ..stage(150, vec![Drive::Spring(spring), Drive::ForceRamp(ramp)])
        },
        stage(60 + 11 * number, vec![]),
    ]
}

/// Member `number` of an ensemble in which everything differs that may.
pub fn protocol_of(
    case: (Integrator, Precision),
    generator: impl Into<Randomness>,
    number: u64,
) -> Arc<Protocol> {
    let cold = sop_dynamics(case);
    let dynamics = Dynamics {
        temperature: cold.temperature * (0.6 + 0.05 * number as f64),
        timestep: cold.timestep * (0.5 + 0.02 * number as f64),
        friction: cold.friction * (1.0 + 0.03 * number as f64),
        skin: 1.0 + number as f64,
        ..cold
    };
    // Hybrid Taus is stepped together where the same beads are free.
    let seed = 20_101 + number % 3;
    Arc::new(Protocol { randomness: generator.into(), seed, ..protocol(dynamics, stages(number)) })
}

pub fn start_of(system: &System, number: u64) -> Vec<[f64; 3]> {
    shaken(&system.particles.positions, 0.1, 77 + number)
}

/// A helix with every other kind of interaction added, so that none is left out of a path.
pub fn everything() -> System {
    let mut system = helix(BEADS);
    let all = &mut system.interactions;
    let spring = |i, j| Pair { i, j, potential: HarmonicBond { stiffness: 0.8, length: 7.0 } };
    all.harmonic_bonds = vec![spring(0, 5), spring(2, 9), spring(7, 8), spring(8, 30)];
    all.harmonic_traps = [3, 17, 30]
        .into_iter()
        .map(|bead| {
            let centre = system.particles.positions[bead];
            Trap { bead, potential: HarmonicTrap { stiffness: 0.2, centre } }
        })
        .collect();
    system
}

/// Goes to the next stage where one is over; false at the end.
pub fn enter(member: &mut Member, protocol: &Protocol) -> bool {
    while member.remaining() == 0 {
        if member.stage_number() + 1 == protocol.stages.len() {
            return false;
        }
        member.begin_stage(member.stage_number() + 1);
    }
    true
}

/// 1,240 beads: forty helices side by side, near enough to touch.
pub fn crowd() -> System {
    let one = everything();
    let mut system = System::default();
    for copy in 0..40 {
        let shift = [7.5 * (copy % 7) as f64, 7.5 * (copy / 7) as f64, 0.0];
        let first = system.particles.positions.len();
        system.chain_starts.push(first);
        system.beads.extend(one.beads.iter().cloned());
        let moved = one.positions.iter().map(|p| [p[0] + shift[0], p[1] + shift[1], p[2]]);
        system.particles.positions.extend(moved);
        let all = &mut system.interactions;
        for bond in &one.interactions.bonded_by::<FeneBond>() {
            all.fene_bonds.push(Pair { i: bond.i + first, j: bond.j + first, ..*bond });
        }
        for bond in &one.interactions.bonded_by::<HarmonicBond>() {
            all.harmonic_bonds.push(Pair { i: bond.i + first, j: bond.j + first, ..*bond });
        }
        for trap in &one.interactions.singles_by::<HarmonicTrap>() {
            let centre = system.particles.positions[trap.bead + first];
            let potential = HarmonicTrap { centre, ..trap.potential };
            all.harmonic_traps.push(Trap { bead: trap.bead + first, potential });
        }
        for contact in &one.interactions.bonded_by::<NativeContact>() {
            all.native_contacts.push(Pair {
                i: contact.i + first,
                j: contact.j + first,
                ..*contact
            });
        }
        // Contacts and bonds that reach into other shares.
        if first > 0 {
            let potential = one.interactions.bonded_by::<NativeContact>()[0].potential;
            all.native_contacts.push(Pair { i: 3, j: first + 3, potential });
            let length = distance(&system.particles.positions, first - 1, first);
            let potential =
                FeneBond { length, ..one.interactions.bonded_by::<FeneBond>()[0].potential };
            all.fene_bonds.push(Pair { i: first - 1, j: first, potential });
        }
    }
    let all = &mut system.interactions;
    all.fene_bonds.sort_by_key(|bond| (bond.i, bond.j));
    all.native_contacts.sort_by_key(|contact| (contact.i, contact.j));
    let pairs = all.fene_bonds.iter().map(|b| (b.i, b.j));
    let mut excluded: Vec<_> =
        pairs.chain(all.native_contacts.iter().map(|c| (c.i, c.j))).collect();
    excluded.sort_unstable();
    excluded.dedup();
    let repulsion = one.interactions.repulsion.unwrap();
    all.repulsion = Some(Repulsion { excluded, ..repulsion });
    system
}

pub fn distance(positions: &[[f64; 3]], i: usize, j: usize) -> f64 {
    let square = |axis: usize| (positions[i][axis] - positions[j][axis]).powi(2);
    (square(0) + square(1) + square(2)).sqrt()
}
