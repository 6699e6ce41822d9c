//! Warnings about protocols.

use beadwork_model::advice::{ChainDrag, bond_phase, bond_step, warnings};
use beadwork_model::externals::{
    BasePath, Cantilever, Contact, Ends, External, MoveSchedule, Spring, Surface, SurfacePlace,
    SurfacePoints, Tip, TipPlace,
};
use beadwork_model::observables::{MeasuredColumn, Observable, PullColumn};
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    BondedTerm, DebyeHuckel, DpdConservative, DpdThermostat, FeneBond, HarmonicAngle, HarmonicBond,
    HarmonicTrap, LennardJones, PairNoise, PairTerm, PairThermostat, RepulsiveFeneBond,
};
use beadwork_model::units::{Dimension, PICONEWTONS_PER_FORCE, parse};
use beadwork_model::{
    Angle, Boundary, Dynamics, Generator, Integrator, Interactions, Model, Pair, ParticleType,
    Particles, Precision, Protocol, Single, Stage, StageKind, StopRule, System, Units,
};
use beadwork_structure::Label;

fn system() -> System {
    let potential = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 };
    System {
        interactions: Interactions {
            bonded: vec![vec![Pair { i: 0, j: 1, potential }].into()],
            ..Interactions::default()
        },
        ..System::default()
    }
}

fn protocol(friction: &str, timestep: f64) -> Protocol {
    Protocol {
        dynamics: Dynamics {
            integrator: Integrator::Brownian,
            temperature: 0.6,
            friction: parse(friction, Dimension::Friction).unwrap().value,
            timestep,
            precision: Precision::Double,
            skin: 4.0,
        },
        stages: vec![Stage {
            name: "run".into(),
            kind: StageKind::Dynamics { steps: 10 },
            fixed: vec![],
            externals: vec![],
            stops: vec![],
        }],
        ends: (vec![0], vec![1]),
        columns: Vec::new(),
        seed: 1,
        randomness: Generator::Philox4x32x10.into(),
    }
}

#[test]
fn steps_of_sop_gpu_give_no_warning() {
    // 4 · 20 · 0.0016 = 0.128 at 20 ps, 0.256 at 40 ps.
    let friction = "12500 kcal ps/(mol A^2)";
    assert!((bond_step(&system(), &protocol(friction, 20.0).dynamics) - 0.128).abs() < 1e-12);
    assert!(warnings(&system(), &protocol(friction, 20.0)).is_empty());
    assert!(warnings(&system(), &protocol(friction, 40.0)).is_empty());
}

/// 6 k h/(b² ξ) with k = 3, b = 2 and ξ = 1 is 4.5 h, and h √(6 k/m)/b with a mass of 418.4 Da is h √4.5.
#[test]
fn warns_of_angles_too_stiff_for_the_time_step() {
    let bond = |i| Pair { i, j: i + 1, potential: HarmonicBond { stiffness: 0.0, length: 2.0 } };
    let potential = HarmonicAngle { stiffness: 3.0, angle: 1.9 };
    let interactions = Interactions {
        bonded: vec![vec![bond(0), bond(1)].into()],
        angles: vec![vec![Angle { beads: [0, 1, 2], potential }].into()],
        ..Interactions::default()
    };
    // A light solvent has no angles.
    let types = vec![ParticleType::new("A", 418.4), ParticleType::new("W", 1.0)];
    let mut particles = Particles::of_one_type(vec![Label::default(); 4], vec![[0.0; 3]; 4]);
    particles.types[3] = 1;
    let system = System { particles, interactions, types, ..System::default() };
    let said = |integrator: Integrator, timestep: f64| {
        let mut protocol = protocol("1 kcal ps/(mol A^2)", timestep);
        protocol.dynamics.integrator = integrator;
        let all = warnings(&system, &protocol);
        all.into_iter().find(|said| said.contains("stiffest angle")).unwrap_or_default()
    };
    for (integrator, timestep, part) in [
        (Integrator::Brownian, 0.2, "6 k h/(b^2 friction) is 0.90, and beyond 0.6 angles"),
        (Integrator::Brownian, 0.2, "use at most 0.13 ps, or softer angles"),
        (Integrator::Langevin, 0.4, "h sqrt(6 k/m)/b is 0.85, and beyond 0.63 a period"),
    ] {
        let warned = said(integrator, timestep);
        assert!(warned.contains(part), "{warned}");
        assert_eq!(said(integrator, timestep / 2.0), "");
    }
}

/// Light beads count where they have bonds or angles: 2 h √(k/m) with k = 4.184 kcal/(mol Å²) and 1,750.6 Da is 2 h for h in ps.
#[test]
fn masses_of_bonds_are_those_of_their_beads() {
    let mut system = system();
    let bond =
        |i, stiffness| Pair { i, j: i + 1, potential: HarmonicBond { stiffness, length: 2.0 } };
    system.interactions.bonded = vec![vec![bond(0, 4.184), bond(2, 0.5)].into()];
    let masses = [("A", 4.184 * 418.4), ("W", 1.0), ("B", 209.2), ("C", 1e6)];
    system.types = masses.map(|(name, mass)| ParticleType::new(name, mass)).to_vec();
    system.particles = Particles::of_one_type(vec![Label::default(); 5], vec![[0.0; 3]; 5]);
    system.particles.types = vec![0, 3, 3, 2, 1];
    let dynamics = protocol("1 kcal ps/(mol A^2)", 0.1).dynamics;
    assert!((bond_phase(&system, &dynamics) - 0.2).abs() < 1e-12);
    // The soft bond has the light bead.
    system.particles.types[3] = 1;
    assert!((bond_phase(&system, &dynamics) - 0.2 * (0.5_f64 * 418.4).sqrt()).abs() < 1e-12);
}

#[test]
fn warns_of_wells_too_stiff_for_the_time_step() {
    let said = |stiffness: f64| {
        let potential = HarmonicTrap { stiffness, centre: [0.0; 3] };
        let interactions = Interactions {
            singles: vec![vec![Single { bead: 0, potential }].into()],
            ..Interactions::default()
        };
        let system = System { interactions, ..System::default() };
        warnings(&system, &protocol("12500 kcal ps/(mol A^2)", 1000.0)).join("; ")
    };
    assert_eq!(said(7.0), "");
    assert!(said(10.0).contains("0.80, beyond 0.6 beads overshoot them; use at most 750 ps"));
    assert!(said(30.0).contains("2.40, beyond 2 beads leave them for good"), "{}", said(30.0));
}

#[test]
fn warns_of_the_friction_that_the_paper_prints() {
    let warnings = warnings(&system(), &protocol("7.0e5 pN ps/nm", 20.0));
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("8.685e6 pN ps/nm"), "{}", warnings[0]);
    assert!(warnings[0].contains("at most 7.5 ps"), "{}", warnings[0]);
}

/// Two beads 3.8 Å apart, of which the second is pulled by 1 nm in all.
fn pulled(externals: usize, stop: Option<(bool, f64)>, stiffness: f64) -> Vec<String> {
    let mut system = system();
    system.particles.positions = vec![[0.0; 3], [3.8, 0.0, 0.0]];
    let mut protocol = protocol("12500 kcal ps/(mol A^2)", 20.0);
    let ends = Ends { fixed: vec![0], pulled: vec![1], direction: None, ..Ends::default() };
    // Ten steps of 20 ps: 10 Å, slow enough for the drag of two beads.
    protocol.dynamics.friction = 12_500.0;
    let spring = Spring { ends, stiffness, speed: 0.05, update_every: 1 };
    protocol.stages[0].externals = vec![External::Spring(spring); externals];
    protocol.stages[0].stops = stop
        .map(|(above, threshold)| StopRule {
            text: "rule".into(),
            column: Observable::Extension.into(),
            above,
            threshold,
            every: 1,
        })
        .into_iter()
        .collect();
    let all = warnings(&system, &protocol);
    all.into_iter().filter(|warning| !warning.contains("dragging")).collect()
}

#[test]
fn drag_counts_only_the_pulled_chain() {
    // Beads 0 to 2 are a chain, 3 and 4 another, 5 is alone. N ξ ν/2 · 69.48 pN is
    // 12 500 · 0.0002 · 69.48/2 = 87 pN for each bead.
    let bond = |i, j| Pair { i, j, ..system().interactions.bonded_by::<FeneBond>()[0] };
    let mut system = system();
    system.particles.positions = vec![[0.0; 3]; 6];
    *system.interactions.bonded_by_mut() = vec![bond(0, 1), bond(1, 2), bond(3, 4)];
    // Nothing joins the chain of bead 3 to bead 0.
    for (pulled, drag, is_joined) in
        [(vec![2], "261 pN", true), (vec![3], "174 pN", false), (vec![2, 0, 5], "347 pN", true)]
    {
        let ends = Ends { fixed: vec![0], pulled, direction: None, ..Ends::default() };
        let mut protocol = protocol("12500 kcal ps/(mol A^2)", 20.0);
        let spring = Spring { ends, stiffness: 0.05, speed: 2e-4, update_every: 1 };
        let found = ChainDrag::of(&system, &protocol.dynamics, &spring);
        assert_eq!(format!("{:.0} pN", found.force * PICONEWTONS_PER_FORCE), drag);
        protocol.stages[0].externals = vec![External::Spring(spring)];
        let mut all = warnings(&system, &protocol);
        assert_eq!(all.len(), if is_joined { 1 } else { 2 }, "{all:?}");
        if !is_joined {
            assert!(all.pop().unwrap().contains("neither bonds nor contacts join"), "{all:?}");
        }
        assert_only(&all, &format!("takes up to {drag}"));
        assert!(all[0].contains("dragging the unfolded chain through"), "{all:?}");
        // Beads that an input lists have no fold.
        let listed = System { model: Model::Beads, ..system.clone() };
        let all = warnings(&listed, &protocol).concat();
        assert!(all.contains("dragging the chain through"), "{all}");
    }
}

fn assert_only(warnings: &[String], part: &str) {
    assert!(warnings.len() == 1 && warnings[0].contains(part), "{warnings:?}");
}

/// A rule on the extension of a named drive is judged by the ends and the way of that drive alone.
#[test]
fn warns_of_rules_on_a_named_drive() {
    let mut system = system();
    system.particles.positions = vec![[0.0; 3], [3.8, 0.0, 0.0], [7.6, 0.0, 0.0]];
    let mut protocol = protocol("12500 kcal ps/(mol A^2)", 20.0);
    let spring = |name: &str, pulled: usize, speed: f64| {
        let ends =
            Ends { fixed: vec![0], pulled: vec![pulled], name: name.into(), ..Ends::default() };
        External::Spring(Spring { ends, stiffness: 0.05, speed, update_every: 1 })
    };
    // Ten steps of 20 ps: the base of "slow" goes 0.1 Å, that of "fast" 100 Å.
    protocol.stages[0].externals = vec![spring("slow", 1, 5e-4), spring("fast", 2, 0.5)];
    let mut warned = |pull: &str, threshold: f64| -> usize {
        let column = PullColumn { pull: pull.into(), quantity: Observable::Extension };
        protocol.stages[0].stops = vec![StopRule {
            text: format!("extension_{pull}"),
            column: MeasuredColumn::OfPull(column),
            above: true,
            threshold,
            every: 1,
        }];
        let all = warnings(&system, &protocol);
        assert!(all.iter().all(|warning| !warning.contains("drives pull")), "{all:?}");
        all.iter().filter(|warning| warning.contains("extension_")).count()
    };
    assert_eq!([warned("slow", 0.3), warned("slow", 0.385), warned("slow", 0.5)], [1, 0, 1]);
    assert_eq!([warned("fast", 0.7), warned("fast", 0.78)], [1, 0]);
}

#[test]
fn warns_of_stop_rules_that_hold_at_once_or_never() {
    // 0.38 nm at the start, 1.38 nm at most.
    assert_only(&pulled(1, Some((true, 0.3)), 0.05), "holds already");
    assert_only(&pulled(1, Some((true, 1.5)), 0.05), "will hardly be reached");
    // Two beads 0.38 nm apart, bonded: 1.2 times as long at most.
    assert_only(&pulled(1, Some((true, 0.46)), 0.05), "the chain is 0.38 nm long");
    assert!(pulled(1, Some((true, 0.45)), 0.05).is_empty());
    assert_only(&pulled(1, Some((false, 0.5)), 0.05), "holds already");
}

#[test]
fn warns_of_several_drives_and_of_stiff_drives() {
    assert!(pulled(1, None, 0.05).is_empty());
    assert_only(&pulled(2, None, 0.05), "2 drives pull");
    // k h/ξ = 500 · 20/12500.
    assert_only(&pulled(1, None, 500.0), "k h/friction is 0.80");
}

/// A fluid of DPD without its beads: advice looks at parameters alone.
fn fluid(cutoff: f64, mass: f64) -> System {
    let soft = DpdConservative { strength: 25.0, cutoff };
    let thermostat = DpdThermostat { friction: 4.5, cutoff };
    System {
        types: vec![ParticleType::new("A", mass)],
        interactions: Interactions {
            pairs: vec![PairTable::of_one_type(soft, cutoff).into()],
            thermostat: Some(PairThermostat {
                table: PairTable::of_one_type(thermostat, cutoff),
                noise: PairNoise::Uniform,
            }),
            ..Interactions::default()
        },
        units: Units::Reduced,
        ..System::default()
    }
}

#[test]
fn warns_of_pair_drag_that_is_too_strong_for_the_step() {
    let said = |friction: f64, timestep: f64| {
        let mut system = fluid(1.0, 1.0);
        // Density 3.
        system.boundary = Boundary::Periodic { lengths: [2.0; 3] };
        system.particles = Particles::of_one_type(vec![Label::default(); 24], vec![[0.0; 3]; 24]);
        let thermostat = DpdThermostat { friction, cutoff: 1.0 };
        system.interactions.thermostat = Some(PairThermostat {
            table: PairTable::of_one_type(thermostat, 1.0),
            noise: PairNoise::Uniform,
        });
        let mut protocol = protocol("0 kcal ps/(mol A^2)", timestep);
        protocol.dynamics.integrator = Integrator::VelocityVerlet;
        protocol.dynamics.temperature = 1.0;
        warnings(&system, &protocol).concat()
    };
    // γ n 4π/90 = 0.419 γ: drag takes 0.075 and 0.151 of a velocity.
    assert_eq!([said(4.5, 0.04), said(9.0, 0.04)], ["", ""]);
    let warned = said(40.0, 0.04);
    assert!(warned.contains("takes 0.67 of a velocity"), "{warned}");
    assert!(warned.contains("use at most 0.011, or less friction"), "{warned}");
    assert_eq!(said(40.0, 0.011), "");
}

#[test]
fn warns_of_steps_at_which_dpd_is_too_warm() {
    let said = |system: System, timestep: f64| {
        let mut protocol = protocol("0 kcal ps/(mol A^2)", timestep);
        protocol.dynamics.integrator = Integrator::VelocityVerlet;
        protocol.dynamics.temperature = 1.0;
        warnings(&system, &protocol)
    };
    assert!(said(fluid(1.0, 1.0), 0.04).is_empty());
    // Half of the way from 2.8 to 4.2 %.
    let warned = said(fluid(1.0, 1.0), 0.045).concat();
    assert!(warned.contains("3.5 % warmer") && warned.ends_with("use at most 0.04"), "{warned}");
    assert!(said(fluid(1.0, 1.0), 0.07).concat().contains("more than 6 %"));
    // Four times the mass and half of the cutoff leave the step as it is, in its unit.
    assert!(said(fluid(0.5, 4.0), 0.04).is_empty());
    assert!(said(fluid(0.5, 4.0), 0.05).concat().contains("4.2 % warmer"));
    let mut conservative = fluid(1.0, 1.0);
    conservative.interactions.thermostat = None;
    assert!(said(conservative, 0.07).is_empty());
}

#[test]
fn beads_on_which_nothing_acts_are_warned_of() {
    let beads = |count: usize| System {
        particles: Particles {
            labels: vec![Label::default(); count],
            positions: vec![[0.0; 3]; count],
            ..Particles::default()
        },
        ..System::default()
    };
    let about = |system: &System| {
        let all = warnings(system, &protocol("12500 kcal ps/(mol A^2)", 20.0));
        all.iter().filter(|text| text.contains("nothing acts between the beads")).count()
    };
    assert_eq!((about(&beads(1)), about(&beads(2))), (0, 1));
    let fields =
        vec![Single { bead: 0, potential: HarmonicTrap { stiffness: 1e-3, centre: [0.0; 3] } }];
    let mut trapped = beads(2);
    trapped.interactions.singles = vec![fields.into()];
    assert_eq!(about(&trapped), 0);
    assert_eq!(about(&system()), 0);
}

fn of_two_beads(
    bonds: BondedTerm,
    pairs: Vec<PairTerm>,
    excluded: Vec<(usize, usize)>,
) -> Vec<String> {
    of_beads(
        &[0, 0],
        Interactions { bonded: vec![bonds], pairs, excluded, ..Interactions::default() },
    )
}

/// What is said of collapses of beads of these types: A, and B if a bead has it.
fn of_beads(types: &[u16], interactions: Interactions) -> Vec<String> {
    let positions = (0..types.len()).map(|bead| [0.97 * bead as f64, 0.0, 0.0]).collect();
    let labels = vec![Label::default(); types.len()];
    let names = if types.contains(&1) { vec!["A", "B"] } else { vec!["A"] };
    let system = System {
        particles: Particles { types: types.to_vec(), ..Particles::of_one_type(labels, positions) },
        types: names.into_iter().map(|name| ParticleType::new(name, 1.0)).collect(),
        interactions,
        units: Units::Reduced,
        model: Model::Beads,
        ..System::default()
    };
    let mut all = warnings(&system, &protocol("12500 kcal ps/(mol A^2)", 1e-3));
    all.retain(|text| text.contains("into one place"));
    all
}

#[test]
fn fene_bonds_whose_beads_nothing_repels_are_warned_of() {
    let wca = LennardJones::weeks_chandler_andersen(1.0, 1.0);
    let wca = || -> Vec<PairTerm> { vec![PairTable::of_one_type(wca, wca.cutoff).into()] };
    let fene = |length: f64| -> BondedTerm {
        let potential = FeneBond { stiffness: 30.0, limit: 1.5, length };
        vec![Pair { i: 0, j: 1, potential }].into()
    };
    let own = |depth: f64| -> BondedTerm {
        let potential = RepulsiveFeneBond { stiffness: 30.0, limit: 1.5, depth, diameter: 1.0 };
        vec![Pair { i: 0, j: 1, potential }].into()
    };
    assert_eq!(of_two_beads(fene(0.0), wca(), vec![]), [] as [&str; 0]);
    let hidden = of_two_beads(fene(0.0), wca(), vec![(0, 1)]);
    assert_only(&hidden, "`exclude` keeps from them the pair terms that repel");
    assert_only(&hidden, "1 of 1 bond(s) of the kind \"fene\"");
    assert_only(&hidden, "or write exclude = 0, or a `list` in `exclude` without such pairs");
    let alone = of_two_beads(fene(0.0), vec![], vec![]);
    assert_only(&alone, "no term of `pairs` repels them; give the bond a repulsion of its own");
    let soft = of_two_beads(own(0.0), vec![], vec![]);
    assert_only(&soft, "give the bond a `depth` above 0, since a depth of 0 repels nothing");
    assert_eq!(of_two_beads(own(1.0), wca(), vec![(0, 1)]), [] as [&str; 0]);
    // A bond around a length, and the spring of a Rouse chain.
    assert_eq!(of_two_beads(fene(0.9), vec![], vec![]), [] as [&str; 0]);
    let spring = HarmonicBond { stiffness: 3.0, length: 0.0 };
    let sprung = |length: f64| -> BondedTerm {
        let potential = HarmonicBond { length, ..spring };
        vec![Pair { i: 0, j: 1, potential }].into()
    };
    assert_eq!(of_two_beads(sprung(0.0), vec![], vec![]), [] as [&str; 0]);
    // A second bond of the same beads holds them apart if it has a length.
    let twice = |length: f64| {
        let bonded = vec![fene(0.0), sprung(length)];
        of_beads(&[0, 0], Interactions { bonded, ..Interactions::default() })
    };
    assert_eq!((twice(0.0).len(), twice(0.9).len()), (1, 0));
}

#[test]
fn attractions_without_bounds_are_warned_of() {
    let spring = || -> BondedTerm {
        let potential = HarmonicBond { stiffness: 3.0, length: 1.0 };
        vec![Pair { i: 0, j: 1, potential }].into()
    };
    let charges = |strength: f64| -> PairTerm {
        PairTable::of_one_type(DebyeHuckel::shifted(strength, 1.0, 3.0), 3.0).into()
    };
    let core = LennardJones::weeks_chandler_andersen(1.0, 1.0);
    let core = || -> PairTerm { PairTable::of_one_type(core, core.cutoff).into() };
    let soft: PairTerm =
        PairTable::of_one_type(DpdConservative { strength: 25.0, cutoff: 1.0 }, 1.0).into();
    let attracting = of_two_beads(spring(), vec![charges(-2.0)], vec![]);
    assert_only(&attracting, "beads of the types A and A attract each other without bounds");
    // A repulsion with bounds does not help, one without does.
    assert_eq!(of_two_beads(spring(), vec![charges(-2.0), soft], vec![]).len(), 1);
    assert_eq!(of_two_beads(spring(), vec![core(), charges(-2.0)], vec![]), [] as [&str; 0]);
    assert_eq!(of_two_beads(spring(), vec![charges(2.0)], vec![]), [] as [&str; 0]);
}

#[test]
fn attractions_of_types_of_which_all_pairs_are_excluded_are_not_warned_of() {
    let said = |types: &[u16], excluded: &[(usize, usize)]| {
        let charges = PairTable::new(2, |a, b| {
            let strength = if a == b { 2.0 } else { -2.0 };
            PairEntry { potential: DebyeHuckel::shifted(strength, 1.0, 3.0), cutoff: 3.0 }
        });
        let (pairs, excluded) = (vec![charges.into()], excluded.to_vec());
        of_beads(types, Interactions { pairs, excluded, ..Interactions::default() })
    };
    let attract = "beads of the types A and B attract each other without bounds";
    assert_only(&said(&[0, 1], &[]), attract);
    assert_eq!(said(&[0, 1], &[(0, 1)]), [] as [&str; 0]);
    assert_eq!(said(&[1, 0], &[(0, 1)]), [] as [&str; 0]);
    // Of two molecules, beads of different ones meet.
    assert_only(&said(&[0, 1, 0, 1], &[(0, 1), (2, 3)]), attract);
    // An excluded pair of one type is none of the two types.
    assert_only(&said(&[0, 0, 1], &[(0, 1), (0, 2)]), attract);
    assert_eq!(said(&[0, 0, 1], &[(0, 2), (1, 2)]), [] as [&str; 0]);
}

#[test]
fn starts_over_many_sides_of_a_box_and_wrong_images_are_warned_of() {
    let spread = |apart: f64| System {
        boundary: Boundary::Periodic { lengths: [10.0, 20.0, 10.0] },
        particles: Particles {
            positions: vec![[0.0; 3], [0.0, apart, 0.0]],
            ..Particles::default()
        },
        ..system()
    };
    let about = |apart: f64| {
        let all = warnings(&spread(apart), &protocol("12500 kcal ps/(mol A^2)", 20.0));
        all.into_iter().find(|text| text.contains("sides of the box"))
    };
    let images = |apart: f64| {
        warnings(&spread(apart), &protocol("12500 kcal ps/(mol A^2)", 20.0))
            .iter()
            .any(|text| text.starts_with("1 of 1 bonds reach over more than half a side"))
    };
    assert!(!images(9.9) && images(10.1));
    assert_eq!(about(79.0), None);
    let warning = about(-250.0).unwrap();
    assert!(warning.contains("up to 12.5 sides of the box apart along y"), "{warning}");
}

/// A repulsive tip above so many beads, whose base goes 35 nm in 20 us on 50 pN/nm.
fn tip_on(beads: usize) -> Tip {
    Tip {
        beads: (0..beads).collect(),
        radius: 100.0,
        contact: Contact { epsilon: 1.0, sigma: 2.0, twelfth: 0.0, sixth: 1.0 },
        cantilever: Cantilever {
            stiffness: 5.0 / PICONEWTONS_PER_FORCE,
            friction: 1e5,
            direction: [0.0, 0.0, -1.0],
            path: BasePath { speed: 350.0 / 2e7, out: None, rest: 0, cycles: 1 },
            moves_every: 1,
            schedule: MoveSchedule::Earlier,
            along_only: false,
            contact_force: 0.1,
            temperature: 0.0,
            goes_on: false,
        },
        place: TipPlace::Above(4.0),
    }
}

/// A bead has climbed by 2 kT = 1.2 kcal/mol at u = (σ/x)⁶ = 1 + √(1.2/ε), where the curvature of a sticky contact is
/// ε/σ² u^(1/3) (156 u² − 84 u), and that of a repulsive one 42 ε/σ² u^(4/3) at u = 1.2/ε.
#[test]
fn warns_of_surfaces_and_tips_too_stiff_for_the_time_step() {
    let sticky = |epsilon: f64, sigma: f64| Contact { epsilon, sigma, twelfth: 1.0, sixth: -2.0 };
    let surface = |epsilon: f64, sigma: f64, points: Option<SurfacePoints>| {
        External::Surface(Surface {
            beads: vec![0, 1],
            contact: sticky(epsilon, sigma),
            normal: [0.0, 0.0, 1.0],
            place: SurfacePlace::Below(20.0),
            points,
            goes_on: false,
        })
    };
    let tip = |contact: Contact| External::Tip(Tip { contact, ..tip_on(2) });
    let said = |external: External, timestep: f64| {
        let positions = vec![[0.0; 3], [3.8, 0.0, 0.0]];
        let system = System {
            particles: Particles::of_one_type(vec![Label::default(); 2], positions),
            types: vec![ParticleType::new("bead", 110.0)],
            ..system()
        };
        let mut protocol = protocol("12500 kcal ps/(mol A^2)", timestep);
        protocol.stages[0].externals = vec![external];
        let mut all = warnings(&system, &protocol);
        all.retain(|text| text.contains("too stiff"));
        all.join("; ")
    };
    let of_surface = "drive 1, a surface, is too stiff for the time step of 80 ps: its curvature is 651 kcal/(mol A^2) where a bead has climbed by 2 kT, so that k h/friction is 4.17; beyond 2 it throws beads and breaks bonds, and at most 1.5 is advised: use at most 28 ps, or give it a larger `sigma` or a smaller `depth`";
    for points in [None, Some(SurfacePoints { side: 3, spacing: 4.0 })] {
        let found = said(surface(1.0, 1.0, points), 80.0);
        assert!(found.contains(of_surface), "{found}");
    }
    assert_eq!(said(surface(1.0, 1.0, None), 20.0), "");
    assert_eq!(said(surface(1.0, 5.0, None), 80.0), "");
    let found = said(tip(sticky(30.0, 2.0)), 20.0);
    let of_tip = "drive 1, a tip, is too stiff for the time step of 20 ps: its curvature is 987 kcal/(mol A^2)";
    assert!(found.contains(of_tip), "{found}");
    let overshot =
        "is 1.58; beyond 1 beads overshoot it, and at most 1.5 is advised: use at most 18 ps";
    assert!(found.contains(overshot), "{found}");
    // 53.6 kcal/(mol Å²) of the repulsion that tips have by default.
    let repulsive = Contact { epsilon: 1.0, sigma: 1.0, twelfth: 0.0, sixth: 1.0 };
    assert_eq!(said(tip(repulsive), 320.0), "");
    assert!(said(tip(repulsive), 400.0).contains("k h/friction is 1.7"));
}

/// A protein of so many beads that its force to expect is that of a shell, 680 pN, by which a cantilever of 50 pN/nm bends by
/// 13.6 nm. It is 20 nm thick, and the base goes 35 nm.
#[test]
fn tips_on_shells_are_judged_with_the_bend_of_the_cantilever() {
    let beads = 10_000;
    let positions: Vec<[f64; 3]> =
        (0..beads).map(|bead| [0.0, 0.0, 200.0 * bead as f64 / (beads - 1) as f64]).collect();
    let shell = |model| System {
        model,
        particles: Particles::of_one_type(vec![Label::default(); beads], positions.clone()),
        types: vec![ParticleType::new("bead", 110.0)],
        ..System::default()
    };
    let tip = tip_on(beads);
    let found = |model: Model, deformation: Option<f64>| {
        let mut protocol = protocol("12500 kcal ps/(mol A^2)", 20.0);
        let stage = &mut protocol.stages[0];
        stage.kind = StageKind::Dynamics { steps: 1_000_000 };
        stage.externals = vec![External::Tip(tip.clone())];
        stage.stops.extend(deformation.map(|threshold| StopRule {
            text: "the rule".into(),
            column: Observable::Deformation.into(),
            above: true,
            threshold,
            every: 1,
        }));
        let mut found = warnings(&shell(model), &protocol);
        found.retain(|warning| warning.contains("the base goes") || warning.contains("the rule"));
        found.join("\n")
    };
    let through = found(Model::Sop, None);
    assert!(through.contains("the cantilever bends by some 13.6 nm"), "{through}");
    assert_eq!(found(Model::Sop, Some(12.0)), "");
    let unreached = found(Model::Sop, Some(25.0));
    assert!(unreached.contains("bends by some 13.6 nm at 680 pN"), "{unreached}");
    // Of other models the force is not known, so the rule may be reached, behind the structure.
    let late = found(Model::Beads, Some(25.0));
    assert!(late.contains("lies beyond the structure") && late.contains("20.0 nm"), "{late}");
    let through = found(Model::Beads, None);
    assert!(through.contains("unless the cantilever bends by"), "{through}");
}
