//! Systems in periodic boxes: the tests of all paths and backends use them.

use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    CosineAngle, DebyeHuckel, DpdConservative, HarmonicBond, HarmonicTrap, PairThermostat,
};
use beadwork_model::{
    Angle, Boundary, Dynamics, Integrator, Interactions, Pair, ParticleType, Particles, Precision,
    Single, System, Units,
};
use beadwork_random::{NoiseKey, Purpose};
use beadwork_structure::Label;

use crate::support::dynamics;

/// Sides whose halves and quarters are exact, and different.
pub const SIDES: [f64; 3] = [8.0, 10.0, 9.0];

/// Numbers in (0, 1).
pub fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let key = NoiseKey::new(seed, Purpose::Test, 2);
    let mut step = 0;
    move || {
        step += 1;
        (f64::from(key.words(step, 0, 0, 0)[0]) + 0.5) / 2.0_f64.powi(32)
    }
}

/// Beads of two types at random in a box, every pair at least `apart` away by nearest images; the first ones lie on a
/// face, an edge and a corner.
pub fn at_random(beads: usize, apart: f64, seed: u64) -> System {
    at_random_in(SIDES, beads, apart, seed)
}

/// The same in a box with these sides, of which no one is shorter.
pub fn at_random_in(sides: [f64; 3], beads: usize, apart: f64, seed: u64) -> System {
    let boundary = Boundary::Periodic { lengths: sides };
    let mut next = uniform(seed);
    let mut positions: Vec<[f64; 3]> =
        vec![[4.0, 1.0, 2.0], [-4.0, 5.0, -1.2], [4.0, -5.0, 4.5], [0.0, 5.0, 4.5]];
    for tries in 0.. {
        if positions.len() >= beads {
            break;
        }
        assert!(tries < 1_000_000, "{beads} beads have no room in a box of {sides:?}");
        let at = sides.map(|side| (next() - 0.5) * side);
        if positions.iter().all(|&other| boundary.squared_distance(at, other) > apart * apart) {
            positions.push(at);
        }
    }
    let label = |number: usize| Label { residue_number: number as i32, ..Label::default() };
    let mut particles = Particles::of_one_type((0..beads).map(label).collect(), positions);
    particles.types = (0..beads).map(|bead| u16::from(bead % 3 == 0)).collect();
    let types = vec![ParticleType::new("a", 1.0), ParticleType::new("b", 2.0)];
    System { particles, types, boundary, units: Units::Reduced, ..System::default() }
}

/// Beads with two pair terms of different cutoffs, bonds and angles that may cross faces, fields, and exclusions.
pub fn mixture(beads: usize) -> System {
    mixture_of_range(beads, 1.0)
}

/// The same with all cutoffs of pair terms multiplied by a factor.
pub fn mixture_of_range(beads: usize, range: f64) -> System {
    mixture_in(SIDES, beads, range)
}

/// The same in a box with these sides.
pub fn mixture_in(sides: [f64; 3], beads: usize, range: f64) -> System {
    let mut system = at_random_in(sides, beads, 0.75, 3);
    let soft = |a, b| {
        let cutoff = range * (1.5 + 0.25 * (a + b) as f64);
        let potential = DpdConservative { strength: 20.0 + (a + 2 * b) as f64, cutoff };
        PairEntry { potential, cutoff }
    };
    let charged = |a: usize, b: usize| {
        let sign = if a == b { 1.0 } else { -1.0 };
        let potential = DebyeHuckel::shifted(2.0 * sign, 0.8, 3.5 * range);
        PairEntry { potential, cutoff: 3.5 * range }
    };
    let positions = &system.particles.positions;
    let bond = |i: usize| {
        let r2 = system.boundary.squared_distance(positions[i], positions[i + 1]);
        let potential = HarmonicBond { stiffness: 3.0, length: r2.sqrt() * 0.9 };
        (r2 < 9.0).then_some(Pair { i, j: i + 1, potential })
    };
    let bonds: Vec<_> = (0..beads - 1).filter_map(bond).collect();
    let angles: Vec<_> = (0..beads - 2)
        .step_by(3)
        .map(|i| Angle { beads: [i, i + 1, i + 2], potential: CosineAngle { stiffness: 2.0 } })
        .collect();
    let trap = |bead| {
        let potential = HarmonicTrap { stiffness: 0.5, centre: [3.5, -4.8, 20.0] };
        Single { bead, potential }
    };
    system.interactions = Interactions {
        excluded: bonds.iter().map(|pair| (pair.i, pair.j)).collect(),
        bonded: vec![bonds.into()],
        pairs: vec![PairTable::new(2, charged).into(), PairTable::new(2, soft).into()],
        angles: vec![angles.into()],
        singles: vec![(0..beads).step_by(5).map(trap).collect::<Vec<_>>().into()],
        ..Interactions::default()
    };
    system
}

/// The same with drag and noise between pairs.
pub fn with_thermostat(mut system: System) -> System {
    system.interactions.thermostat = Some(PairThermostat::of_one_type(4.5, 1.75));
    if let Some(thermostat) = &mut system.interactions.thermostat {
        let entry = thermostat.table.entries()[0];
        thermostat.table = PairTable::new(2, |_, _| entry);
    }
    system
}

pub fn calm(case: (Integrator, Precision)) -> Dynamics {
    // Overdamped: a displacement of a few hundredths.
    let timestep = if case.0.has_velocities() { 0.005 } else { 2e-4 };
    Dynamics { skin: 0.3, ..dynamics(case, timestep) }
}
