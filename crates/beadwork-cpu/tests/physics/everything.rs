//! Systems and protocols with all features of dynamics: the tests of all paths and backends use them.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{Ends, External, ForceRamp, Restrain, Spring};
use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, LennardJones, NativeContact, PairFormula,
    SixthPowerRepulsion,
};
use beadwork_model::{
    Dynamics, Generator, Integrator, Interactions, Pair, Pairs, ParticleType, Precision, Protocol,
    Randomness, Single, Stage, StageKind, System,
};

use crate::support::{
    going_on, helix, protocol, shaken, sop_dynamics, stage, tip_and_surface, with_noise,
};

/// The number of beads: no multiple of any vector's width.
pub const BEADS: usize = 31;

pub fn ends() -> Ends {
    Ends { fixed: vec![0], pulled: vec![BEADS - 2, BEADS - 1], direction: None, ..Ends::default() }
}

/// Stages with a minimisation, restraints, two externals with fixed beads, and no externals; lengths and externals depend on
/// `number`.
pub fn stages(number: u64) -> Vec<Stage> {
    let stiffness = 0.05 + 0.01 * number as f64;
    let spring =
        Spring { ends: ends(), stiffness, speed: 1e-4, update_every: 1 + 16 * (number % 2) };
    let ramp = ForceRamp { ends: ends(), rate: 1e-5 };
    let restrain = Restrain { beads: vec![1, 5, BEADS - 1], stiffness: 0.5 };
    vec![
        Stage {
            kind: StageKind::Minimise { tolerance: 0.05, steps: 30, push_off: 0 },
            ..stage(0, vec![])
        },
        stage(90 + 7 * number, vec![External::Restrain(restrain)]),
        Stage {
            fixed: vec![0, 3],
            ..stage(150, vec![External::Spring(spring), External::ForceRamp(ramp)])
        },
        stage(60 + 11 * number, vec![]),
    ]
}

/// Member `number` of an ensemble whose members differ in everything in which they may.
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
    // Members with Hybrid Taus are stepped together only if the same beads are free.
    let seed = 20_101 + number % 3;
    let (randomness, mut stages) = (generator.into(), stages(number));
    // On GPUs others have no tips.
    if case.0 == Integrator::Brownian && Generator::IN_LANES.contains(&randomness.generator()) {
        let externals = with_noise(tip_and_surface(BEADS), 0.2 * (number % 3) as f64);
        stages.insert(3, stage(110 + 3 * number, externals.clone()));
        stages.insert(4, stage(40 + number, going_on(externals)));
    }
    Arc::new(Protocol { randomness, seed, ..protocol(dynamics, stages) })
}

pub fn start_of(system: &System, number: u64) -> Vec<[f64; 3]> {
    shaken(&system.particles.positions, 0.1, 77 + number)
}

/// A helix with every other formula added, so that all paths are tested with each, and with beads of two types.
pub fn everything() -> System {
    let mut system = helix(BEADS);
    let all = &mut system.interactions;
    let spring = |i, j| Pair { i, j, potential: HarmonicBond { stiffness: 0.8, length: 7.0 } };
    *all.bonded_by_mut() = vec![spring(0, 5), spring(2, 9), spring(7, 8), spring(8, 30)];
    let traps: Vec<_> = [3, 17, 30]
        .into_iter()
        .map(|bead| {
            let centre = system.particles.positions[bead];
            Single { bead, potential: HarmonicTrap { stiffness: 0.2, centre } }
        })
        .collect();
    all.singles = vec![traps.into()];
    system
}

/// The same with every formula and three types of beads.
pub fn everything_and_types() -> System {
    with_every_formula(everything())
}

/// Adds a term of every formula and gives the beads three types.
pub fn with_every_formula(mut system: System) -> System {
    let sticky = ParticleType { friction: Some(4.0), ..ParticleType::new("large", 150.0) };
    system.types =
        vec![ParticleType::new("small", 90.0), sticky, ParticleType::new("unseen", 110.0)];
    system.particles.types = (0..system.beads()).map(|bead| [0, 1, 1, 0, 2, 1][bead % 6]).collect();
    system.add_every_formula();
    system
}

/// Gives the beads three types, and pairs a term of short range and one of long range. The latter acts between the few
/// beads of the last type, and nothing acts between two beads of the second.
pub fn with_long_range_between_few(mut system: System) -> System {
    let kind = |name: &str| ParticleType::new(name, 110.0);
    system.types = vec![kind("neutral"), kind("unseen"), kind("charged")];
    let type_of = |bead: usize| if bead % 7 == 3 { 2 } else { u16::from(bead % 3 == 1) };
    system.particles.types = (0..system.beads()).map(type_of).collect();
    let near = |a, b| PairEntry {
        potential: SixthPowerRepulsion::EXAMPLE,
        cutoff: if (a, b) == (1, 1) { 0.0 } else { 6.5 + 0.5 * (a + b) as f64 },
    };
    let potential = LennardJones::shifted(0.5, 3.6, 24.0);
    let far = |a, b| PairEntry { potential, cutoff: if (a, b) == (2, 2) { 24.0 } else { 0.0 } };
    system.interactions.pairs = vec![PairTable::new(3, near).into(), PairTable::new(3, far).into()];
    system
}

/// Enters the next stage if the present one is over; false at the end.
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
    let mut system = System { types: one.types.clone(), ..System::default() };
    let mut traps = Vec::new();
    for copy in 0..40 {
        let shift = [7.5 * f64::from(copy % 7), 7.5 * f64::from(copy / 7), 0.0];
        let first = append_beads(&mut system, &one, shift);
        append_pairs::<FeneBond>(&mut system, &one, first);
        append_pairs::<HarmonicBond>(&mut system, &one, first);
        append_pairs::<NativeContact>(&mut system, &one, first);
        let positions = &system.particles.positions;
        for trap in one.interactions.singles_by::<HarmonicTrap>() {
            let bead = trap.bead + first;
            let potential = HarmonicTrap { centre: positions[bead], ..trap.potential };
            traps.push(Single { bead, potential });
        }
        // Contacts and bonds between beads of different shares.
        if first > 0 {
            let length = distance(positions, first - 1, first);
            let contact = one.interactions.bonded_by::<NativeContact>()[0].potential;
            let bond = one.interactions.bonded_by::<FeneBond>()[0].potential;
            let bond = FeneBond { length, ..bond };
            let all = &mut system.interactions;
            all.bonded_by_mut().push(Pair { i: 3, j: first + 3, potential: contact });
            all.bonded_by_mut().push(Pair { i: first - 1, j: first, potential: bond });
        }
    }
    let all = &mut system.interactions;
    all.bonded_by_mut::<FeneBond>().sort_by_key(|bond| (bond.i, bond.j));
    all.bonded_by_mut::<NativeContact>().sort_by_key(|contact| (contact.i, contact.j));
    let mut excluded = pairs_of::<FeneBond>(all);
    excluded.extend(pairs_of::<NativeContact>(all));
    excluded.sort_unstable();
    excluded.dedup();
    all.excluded = excluded;
    all.singles = vec![traps.into()];
    all.pairs = one.interactions.pairs;
    system
}

/// The same with every formula and three types of beads. Some angles have beads in different helices.
pub fn crowd_and_types() -> System {
    with_every_formula(crowd())
}

/// Adds the beads of a system, moved by `shift`, as a molecule of their own; returns the number of the first.
pub fn append_beads(system: &mut System, one: &System, shift: [f64; 3]) -> usize {
    let (to, from) = (&mut system.particles, &one.particles);
    let first = to.len();
    let molecule = to.molecules.last().map_or(0, |last| last + 1);
    to.molecules.extend(std::iter::repeat_n(molecule, from.len()));
    to.labels.extend(&from.labels);
    to.types.extend(&from.types);
    to.positions.extend(from.positions.iter().map(|p| [0, 1, 2].map(|axis| p[axis] + shift[axis])));
    first
}

/// Adds the pairs of one formula, from bead `first` on.
pub fn append_pairs<F: PairFormula + Copy>(system: &mut System, one: &System, first: usize)
where
    BondedTerm: From<Pairs<F>>,
    for<'a> &'a Pairs<F>: TryFrom<&'a BondedTerm>,
    for<'a> &'a mut Pairs<F>: TryFrom<&'a mut BondedTerm>,
{
    let shifted = |pair: &Pair<F>| Pair { i: pair.i + first, j: pair.j + first, ..*pair };
    let pairs = one.interactions.bonded_by::<F>().iter().map(shifted);
    system.interactions.bonded_by_mut::<F>().extend(pairs);
}

fn pairs_of<F>(interactions: &Interactions) -> Vec<(usize, usize)>
where
    for<'a> &'a Pairs<F>: TryFrom<&'a BondedTerm>,
{
    interactions.bonded_by::<F>().iter().map(|pair| (pair.i, pair.j)).collect()
}

pub fn distance(positions: &[[f64; 3]], i: usize, j: usize) -> f64 {
    let square = |axis: usize| (positions[i][axis] - positions[j][axis]).powi(2);
    (square(0) + square(1) + square(2)).sqrt()
}
