//! Systems and protocols of any kind and size, to test a card's programs.

use std::sync::Arc;

use beadwork::cuda::Case;
use beadwork::model::externals::{
    BasePath, Cantilever, Contact, Ends, External, MoveSchedule, Restrain, Spring, Surface,
    SurfacePlace, SurfacePoints, Tip, TipPlace,
};
use beadwork::model::made_systems::{globule, one_stage, sop_gpu_dynamics};
use beadwork::model::potentials::{FeneBond, HarmonicBond, HarmonicTrap, NativeContact};
use beadwork::model::{Dynamics, Pair, ParticleType, Protocol, Single, System};

/// A globule with the beads and interactions of a case.
pub fn system(case: &Case) -> Result<System, String> {
    let beads = case.beads;
    let mut system = globule(beads).map_err(|error| error.to_string())?;
    let all = &mut system.interactions;
    let [fene, harmonic, contacts, traps] = case.terms;
    if !fene {
        all.bonded_by_mut::<FeneBond>().clear();
    }
    if harmonic {
        let spring =
            |i| Pair { i, j: i + 5, potential: HarmonicBond { stiffness: 0.8, length: 7.0 } };
        *all.bonded_by_mut() = (0..beads.saturating_sub(5)).step_by(3).map(spring).collect();
    }
    if !contacts {
        all.bonded_by_mut::<NativeContact>().clear();
    }
    if traps {
        let trap = |bead: usize| {
            let centre = system.particles.positions[bead];
            Single { bead, potential: HarmonicTrap { stiffness: 0.2, centre } }
        };
        let traps: Vec<_> = (0..beads).step_by(4).map(trap).collect();
        all.singles = vec![traps.into()];
    }
    if !case.repels {
        all.pairs.clear();
    }
    if case.typed {
        let named = |name: &str| ParticleType::new(name, 110.0);
        system.types = vec![named("small"), named("large")];
        system.particles.types = (0..beads).map(|bead| (bead % 3 / 2) as u16).collect();
        system.add_every_formula();
    }
    Ok(system)
}

/// The protocol of a case: with a spring, restraints and fixed beads if it is pulled; with surfaces, a tip and an example of each law
/// behind these in the list if it is pressed.
pub fn protocol(case: &Case, steps: u64) -> Arc<Protocol> {
    let last = case.beads - 1;
    let ends =
        Ends { fixed: vec![0], pulled: vec![last / 3, last], direction: None, ..Ends::default() };
    let spring = Spring { ends, stiffness: 0.05, speed: 1e-4, update_every: 1 };
    let restrain = Restrain { beads: vec![1, last / 4, last], stiffness: 0.5 };
    let usual = sop_gpu_dynamics(20.0);
    let usual = match case.integrator.has_velocities() {
        // A friction of about 10/ps for residues of 110 Da.
        true => Dynamics { friction: 2.6, timestep: 0.02, ..usual },
        false => usual,
    };
    let dynamics = Dynamics {
        integrator: case.integrator,
        precision: case.precision,
        // A skin thin enough that neighbour lists are rebuilt.
        skin: 0.7,
        ..usual
    };
    let mut protocol = one_stage(dynamics, case.generator, 20_101, steps, case.beads);
    if case.pulled {
        protocol.stages[0].fixed = vec![0, last / 2];
        protocol.stages[0].externals = vec![External::Spring(spring), External::Restrain(restrain)];
    }
    if case.pressed {
        let surfaces = surfaces(case.beads).map(External::Surface);
        protocol.stages[0].externals.extend(surfaces);
    }
    if case.has_tip() {
        protocol.stages[0].externals.push(External::Tip(tip(case.beads)));
    }
    if case.pressed {
        let further = External::examples(case.beads).into_iter().rev();
        let further = further.take_while(|one| !matches!(one, External::Surface(_)));
        protocol.stages[0].externals.extend(further);
    }
    Arc::new(protocol)
}

/// A plane below all beads, which holds those above σ and repels those below, and points that hold the beads above them.
fn surfaces(beads: usize) -> [Surface; 2] {
    let plane = Surface {
        beads: (0..beads).collect(),
        contact: Contact { epsilon: 0.6, sigma: 6.0, twelfth: 1.0, sixth: -2.0 },
        normal: [0.0, 0.0, 1.0],
        place: SurfacePlace::Below(5.5),
        points: None,
        goes_on: false,
    };
    let points = Some(SurfacePoints { side: 3, spacing: 6.0 });
    let points = Surface { points, place: SurfacePlace::Below(6.5), ..plane.clone() };
    [plane, points]
}

/// A tip with noise above all beads. It pushes the nearest ones from the first step on, by some kcal/(mol Å) in all; its base
/// turns and comes again within 80 steps of 20 ps.
fn tip(beads: usize) -> Tip {
    Tip {
        beads: (0..beads).collect(),
        radius: 12.0,
        contact: Contact { epsilon: 0.6, sigma: 8.0, twelfth: 0.0, sixth: 1.0 },
        cantilever: Cantilever {
            stiffness: 0.5,
            friction: 10_000.0,
            direction: [0.0, 0.0, -1.0],
            path: BasePath { speed: 0.005, out: Some(5), rest: 2, cycles: 4 },
            moves_every: 3,
            schedule: MoveSchedule::Earlier,
            along_only: false,
            contact_force: 0.0,
            temperature: 0.6,
            goes_on: false,
        },
        place: TipPlace::Above(6.0),
    }
}

/// Positions moved by up to `width`, Å, along each axis. Both precisions hold them exactly, so a comparison is of the
/// arithmetic only.
pub fn moved(positions: &[[f64; 3]], width: f64) -> Vec<[f64; 3]> {
    let shift = |place: usize| width * ((place * 7 % 11) as f64 / 5.0 - 1.0);
    let moved = |(bead, position): (usize, &[f64; 3])| {
        [0, 1, 2].map(|axis| f64::from((position[axis] + shift(3 * bead + axis)) as f32))
    };
    positions.iter().enumerate().map(moved).collect()
}
