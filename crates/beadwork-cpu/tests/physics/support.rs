//! Systems and protocols that the tests share.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{Ends, External};
use beadwork_model::force_fields::sop::{Beads, Parameters, build};
use beadwork_model::potentials::HarmonicTrap;
use beadwork_model::{
    Distribution, Dynamics, Generator, Integrator, Interactions, ParticleType, Particles,
    Precision, Protocol, Randomness, Scheme, Single, Stage, StageKind, System,
};
use beadwork_random::{NoiseKey, Normal, Purpose};
use beadwork_structure::{Atom, Chain, Label, Residue, Structure};

/// Each integrator without velocities in each precision.
pub const CASES: [(Integrator, Precision); 4] = [
    (Integrator::Brownian, Precision::Single),
    (Integrator::Brownian, Precision::Double),
    (Integrator::BrownianSecondOrder, Precision::Single),
    (Integrator::BrownianSecondOrder, Precision::Double),
];

/// Each integrator with velocities in each precision.
pub const WITH_VELOCITIES: [(Integrator, Precision); 6] = [
    (Integrator::Langevin, Precision::Single),
    (Integrator::Langevin, Precision::Double),
    (Integrator::LangevinMiddle, Precision::Single),
    (Integrator::LangevinMiddle, Precision::Double),
    (Integrator::VelocityVerlet, Precision::Single),
    (Integrator::VelocityVerlet, Precision::Double),
];

/// SOP-GPU's friction, kcal ps/(mol Å²), step, ps, and temperature, kcal/mol.
pub const SOP_FRICTION: f64 = 12_500.0;
pub const SOP_TIMESTEP: f64 = 20.0;
pub const SOP_TEMPERATURE: f64 = 0.6;

pub fn system(positions: Vec<[f64; 3]>, interactions: Interactions) -> Arc<System> {
    let label = |number: usize| Label { residue_number: number as i32, ..Label::default() };
    let labels = (0..positions.len()).map(label).collect();
    let particles = Particles::of_one_type(labels, positions);
    let types = vec![ParticleType::new("bead", 1.0)];
    Arc::new(System { particles, types, interactions, ..System::default() })
}

/// `count` beads in traps of `stiffness` around the origin, where they start.
pub fn trapped(count: usize, stiffness: f64) -> Arc<System> {
    let potential = HarmonicTrap { stiffness, centre: [0.0; 3] };
    let traps: Vec<_> = (0..count).map(|bead| Single { bead, potential }).collect();
    let singles = vec![traps.into()];
    system(vec![[0.0; 3]; count], Interactions { singles, ..Interactions::default() })
}

/// k_B T = 1 and friction 1.
pub fn dynamics((integrator, precision): (Integrator, Precision), timestep: f64) -> Dynamics {
    Dynamics { integrator, temperature: 1.0, friction: 1.0, timestep, precision, skin: 2.0 }
}

pub fn sop_dynamics((integrator, precision): (Integrator, Precision)) -> Dynamics {
    // With velocities: a friction of about 10/ps for residues of 110 Da.
    let (friction, timestep) =
        if integrator.has_velocities() { (2.6, 0.02) } else { (SOP_FRICTION, SOP_TIMESTEP) };
    let temperature = SOP_TEMPERATURE;
    Dynamics { integrator, temperature, friction, timestep, precision, skin: 2.0 }
}

/// Every integrator and precision with kinds of noise: all kinds without velocities, some with them.
pub fn cases_with_noise() -> impl Iterator<Item = ((Integrator, Precision), Randomness)> {
    let few = [Generator::Philox4x32x10, Generator::HybridTaus, Generator::LaggedFibonacci];
    let with_velocities = WITH_VELOCITIES
        .into_iter()
        .flat_map(move |case| few.into_iter().map(move |generator| (case, generator.into())));
    let others = CASES.into_iter().flat_map(|case| every_randomness().map(move |one| (case, one)));
    others.chain(with_velocities)
}

/// Every kind of noise.
pub fn every_randomness() -> impl Iterator<Item = Randomness> {
    Generator::ALL.into_iter().flat_map(|generator| {
        generator.schemes().iter().flat_map(move |&scheme| {
            Distribution::ALL.into_iter().filter_map(move |distribution| {
                Randomness::new(generator, scheme, distribution).ok()
            })
        })
    })
}

/// Every generator in its usual form, and every other scheme and distribution of some generators.
pub fn some_randomness() -> impl Iterator<Item = Randomness> {
    let unusual = [
        (Generator::Philox4x32x10, Scheme::Counter, Distribution::Polar),
        (Generator::HybridTaus, Scheme::OnePerThread, Distribution::Ziggurat),
        (Generator::LaggedFibonacci, Scheme::OneForAllThreads, Distribution::Uniform),
        (Generator::Saru, Scheme::OnePerThread, Distribution::BoxMuller),
        (Generator::SaruTea, Scheme::OnePerCallPublished, Distribution::BoxMuller),
    ];
    let unusual = unusual.into_iter().filter_map(|(generator, scheme, distribution)| {
        Randomness::new(generator, scheme, distribution).ok()
    });
    Generator::ALL.into_iter().map(Randomness::from).chain(unusual)
}

/// A tip on all beads from above, which turns, rests and comes again, a plane and points below them; and an example of each law
/// behind these in the list.
pub fn tip_and_surface(beads: usize) -> Vec<External> {
    let of_list = External::examples(beads).into_iter();
    of_list.skip_while(|external| !matches!(external, External::Tip(_))).collect()
}

/// The externals of [`tip_and_surface`] in the stage behind one with these: they go on, and the base comes back.
pub fn going_on(mut externals: Vec<External>) -> Vec<External> {
    for external in &mut externals {
        match external {
            External::Surface(surface) => surface.goes_on = true,
            other => {
                if let Some(own) = other.cantilever_mut() {
                    (own.goes_on, own.path.out, own.path.speed) = (true, None, -7e-4);
                }
            }
        }
    }
    externals
}

/// Gives what cantilevers press noise of its own, of this kB T.
pub fn with_noise(mut externals: Vec<External>, temperature: f64) -> Vec<External> {
    for external in &mut externals {
        if let Some(own) = external.cantilever_mut() {
            own.temperature = temperature;
        }
    }
    externals
}

pub fn stage(steps: u64, externals: Vec<External>) -> Stage {
    let kind = StageKind::Dynamics { steps };
    Stage { name: "run".into(), kind, fixed: vec![], externals, stops: vec![] }
}

pub fn protocol(dynamics: Dynamics, stages: Vec<Stage>) -> Protocol {
    let generator = Generator::Philox4x32x10;
    Protocol {
        dynamics,
        stages,
        ends: (vec![0], vec![1]),
        columns: Vec::new(),
        seed: 20_101,
        randomness: generator.into(),
    }
}

/// A member with one very long stage.
pub fn member(
    system: &Arc<System>,
    dynamics: Dynamics,
    externals: Vec<External>,
    seed: u64,
) -> Member {
    let protocol = Protocol { seed, ..protocol(dynamics, vec![stage(u64::MAX, externals)]) };
    Member::new(system.clone(), Arc::new(protocol), 0, &system.particles.positions)
}

/// Ends that pull `pulled` along x.
pub fn along_x(pulled: Vec<usize>) -> Ends {
    Ends { fixed: vec![], pulled, direction: Some([1.0, 0.0, 0.0]), ..Ends::default() }
}

/// An α helix of C-alphas (radius 2.3 Å, 100° and 1.5 Å a residue) with the SOP model.
pub fn helix(residues: usize) -> System {
    let position = |residue: usize| {
        let angle = (100.0 * residue as f64).to_radians();
        [2.3 * angle.cos(), 2.3 * angle.sin(), 1.5 * residue as f64]
    };
    let atom = |residue| Atom {
        name: "CA".into(),
        element: "C".into(),
        position: position(residue),
        occupancy: 1.0,
        beta: 0.0,
    };
    let residue = |index: usize| Residue {
        name: "ALA".into(),
        number: index as i32 + 1,
        insertion: None,
        chain: 0,
        atoms: index..index + 1,
    };
    let structure = Structure {
        source: "helix".into(),
        atoms: (0..residues).map(atom).collect(),
        residues: (0..residues).map(residue).collect(),
        chains: vec![Chain {
            id: "A".into(),
            id_in_file: "A".into(),
            segment: String::new(),
            residues: 0..residues,
            caps: [false; 2],
        }],
        disulfides: vec![],
        nucleic_chains: vec![],
        warnings: vec![],
        models: 1,
    };
    // A short cutoff, so that pairs often cross it.
    let parameters = Parameters { repulsion_cutoff: 11.0, ..Parameters::default() };
    build(&structure, Beads::from_structure(&structure), &parameters).unwrap().0
}

/// Positions displaced by normal numbers of standard deviation `width`, Å.
pub fn shaken(positions: &[[f64; 3]], width: f64, seed: u64) -> Vec<[f64; 3]> {
    let key = NoiseKey::new(seed, Purpose::Test, 0);
    let moved = |(bead, position): (usize, &[f64; 3])| {
        let push: [f64; 3] = f64::normals(key, 0, bead as u32);
        [0, 1, 2].map(|axis| position[axis] + width * push[axis])
    };
    positions.iter().enumerate().map(moved).collect()
}

/// Pseudo-random numbers from 0 to `below` − 1 of modest quality.
pub fn choices(seed: u64, below: u64) -> impl Iterator<Item = u64> {
    let key = NoiseKey::new(seed, Purpose::Test, 1);
    (0..).map(move |step| u64::from(key.words(step, 0, 0, 0)[0]) % below)
}

/// All coordinates, one after another.
pub fn coordinates(member: &Member) -> Vec<f64> {
    member.positions().into_iter().flatten().collect()
}

/// Asserts that independent deviations, in standard errors, are jointly credible.
#[track_caller]
pub fn assert_joint(deviations: &[f64]) {
    let statistic = deviations.iter().map(|deviation| deviation * deviation).sum();
    let probability = beadwork_testing::chi_square_p_value(statistic, deviations.len() as f64);
    assert!(probability > 1e-4, "χ² of {deviations:?} has probability {probability:e}");
}

/// Asserts that independent samples have the mean `expected` within 4 standard errors; returns
/// the deviation in standard errors.
#[track_caller]
pub fn deviation(samples: &[f64], expected: f64) -> f64 {
    let (mean, error) = beadwork_testing::mean_and_standard_error(samples);
    beadwork_testing::assert_mean((mean, error), expected, 4.0);
    (mean - expected) / error
}
