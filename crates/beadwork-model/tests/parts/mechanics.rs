//! The pressure tensor and the configurational temperature, against differences of energies.

use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{CosineAngle, FeneBond, HarmonicTrap, LennardJones};
use beadwork_model::{
    Angle, Boundary, Interactions, Mechanics, MechanicsState, Pair, ParticleType, Particles,
    Single, System, Units,
};

const BEADS: usize = 6;
const VOLUME: f64 = 30.0 * 32.0 * 34.0;

/// A short chain with all shapes of interactions, far from the faces of its box. No pair is near its cutoff.
fn chain() -> System {
    let positions = vec![
        [0.1, -0.2, 0.3],
        [1.0, 0.3, -0.1],
        [1.7, 1.1, 0.4],
        [1.1, 1.9, 0.9],
        [0.2, 1.6, 1.3],
        [-0.3, 0.7, 1.2],
    ];
    let mut particles = Particles::of_one_type(vec![Default::default(); BEADS], positions);
    particles.types = vec![0, 1, 0, 1, 1, 0];
    let bond = FeneBond { stiffness: 30.0, limit: 1.5, length: 0.0 };
    let bond = |i| Pair { i, j: i + 1, potential: bond };
    let angle = CosineAngle { stiffness: 3.0 };
    let angle = |i| Angle { beads: [i, i + 1, i + 2], potential: angle };
    let trap = HarmonicTrap { stiffness: 2.0, centre: [1.0, 0.5, -0.4] };
    let pair = |a: usize, b: usize| {
        let potential = LennardJones::cut(1.0 + 0.3 * (a + b) as f64, 1.0, 9.0);
        PairEntry { potential, cutoff: 9.0 }
    };
    System {
        particles,
        types: vec![ParticleType::new("A", 1.0), ParticleType::new("B", 2.5)],
        boundary: Boundary::Periodic { lengths: [30.0, 32.0, 34.0] },
        interactions: Interactions {
            bonded: vec![(0..BEADS - 1).map(bond).collect::<Vec<_>>().into()],
            pairs: vec![PairTable::new(2, pair).into()],
            excluded: vec![(0, 1), (2, 3)],
            angles: vec![(0..BEADS - 2).map(angle).collect::<Vec<_>>().into()],
            singles: vec![vec![Single { bead: 2, potential: trap }].into()],
            ..Interactions::default()
        },
        units: Units::Reduced,
        ..System::default()
    }
}

fn energy(system: &System, moved: impl Fn(usize, [f64; 3]) -> [f64; 3]) -> f64 {
    let positions = system.particles.positions.iter().enumerate();
    let positions: Vec<[f64; 3]> = positions.map(|(bead, &at)| moved(bead, at)).collect();
    system.energies(&positions).total()
}

/// At rest, with these free beads and no forces.
fn at_rest(system: &System, free: [bool; BEADS]) -> Mechanics {
    system.mechanics(MechanicsState {
        positions: &system.particles.positions,
        velocities: Some(&[[0.0; 3]; BEADS]),
        forces: Some(&[[1.0, 0.0, 0.0]; BEADS]),
        free: &free,
        temperature: 0.0,
    })
}

#[track_caller]
fn assert_near(found: f64, expected: f64, scale: f64) {
    assert!((found - expected).abs() < 1e-6 * scale, "{found} {expected}");
}

/// Σ r F along two axes is minus the change of the energy with a strain.
#[test]
fn the_pressure_tensor_is_the_change_of_the_energy_with_a_strain() {
    let mut system = chain();
    // Fields have no part in it.
    system.interactions.singles.clear();
    let found = at_rest(&system, [true; BEADS]).pressure.unwrap();
    for (component, [k, l]) in
        [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]].into_iter().enumerate()
    {
        let strained = |by: f64| {
            energy(&system, |_, mut at| {
                at[l] += by * at[k];
                at
            })
        };
        let expected = -(strained(1e-5) - strained(-1e-5)) / 2e-5 / VOLUME;
        assert_near(found[component], expected, 1e-2);
    }
    let (_, virial) = system.energies_and_virial(&system.particles.positions);
    let mean = (found[0] + found[1] + found[2]) / 3.0;
    assert_near(mean, virial.unwrap() / (3.0 * VOLUME), 1e-4);
}

/// Σ F²/Σ ∇²V with the second differences of the energy, of all beads or of some.
#[test]
fn the_configurational_temperature_has_the_curvature_of_the_energy() {
    let system = chain();
    for fixed in [BEADS, 2, 4] {
        let mut free = [true; BEADS];
        free.get_mut(fixed).into_iter().for_each(|bead| *bead = false);
        let mut curvature = 0.0;
        for bead in (0..BEADS).filter(|&bead| free[bead]) {
            for axis in 0..3 {
                let moved = |by: f64| {
                    energy(&system, |other, mut at| {
                        at[axis] += if other == bead { by } else { 0.0 };
                        at
                    })
                };
                curvature += (moved(2e-4) - 2.0 * moved(0.0) + moved(-2e-4)) / 4e-8;
            }
        }
        let squares = free.iter().filter(|&&free| free).count() as f64;
        let found = at_rest(&system, free);
        assert_near(found.curvature, curvature, 100.0 * curvature);
        assert_eq!(found.configurational_temperature, Some(squares / found.curvature));
    }
}

#[test]
fn velocities_have_a_part_in_the_pressure() {
    let system = System { interactions: Interactions::default(), ..chain() };
    let velocities = [[1.0, -2.0, 0.5]; BEADS];
    let found = system.mechanics(MechanicsState {
        positions: &system.particles.positions,
        velocities: Some(&velocities),
        forces: Some(&[[0.0; 3]; BEADS]),
        free: &[true; BEADS],
        temperature: 1.0,
    });
    // Three beads of mass 1 and three of mass 2.5.
    let expected = [10.5, 42.0, 2.625, -21.0, 5.25, -10.5];
    for (found, expected) in found.pressure.unwrap().into_iter().zip(expected) {
        assert_near(found, expected / VOLUME, 1e-3);
    }
    assert_eq!((found.configurational_temperature, found.curvature), (Some(0.0), 0.0));
}
