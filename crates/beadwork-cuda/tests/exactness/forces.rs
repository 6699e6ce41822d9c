//! Forces in production arithmetic against the reference path in double precision.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Ensemble, Job};
use beadwork_model::potentials::{FeneBond, HarmonicBond};
use beadwork_model::{Dynamics, Integrator, Pair, Precision, Protocol, System};
use beadwork_simulation::SamplePoint;

use crate::everything::{crowd, everything};
use crate::stepping::{device, new_member};
use crate::support::{helix, protocol, sop_dynamics, stage};

/// Å mol/kcal: with so large a mobility a step at zero temperature equals the force; the position is negligible.
const MOBILITY: f64 = 1_099_511_627_776.0;

/// The largest error of a force component relative to the root mean square force, over a number of thermal
/// `configurations`: on the GPU, and by the CPU's reference path in the same precision.
fn largest_errors(
    system: &Arc<System>,
    precision: Precision,
    configurations: u64,
) -> Option<(f64, f64)> {
    let device = device()?;
    let mut ensemble = Ensemble::new(&device).unwrap();
    let case = (Integrator::Brownian, precision);
    let thermal = Arc::new(protocol(sop_dynamics(case), vec![stage(3_000, vec![])]));
    let mut members: Vec<Member> =
        (0..configurations).map(|number| new_member(system, &thermal, number)).collect();
    let step_once = |ensemble: &mut Ensemble, members: &mut [Member], steps: u32| {
        let points = [SamplePoint { steps, row: false }];
        let jobs: Vec<Job<'_>> =
            members.iter().map(|member| Job { member, points: &points }).collect();
        let results = ensemble.advance(&jobs).unwrap();
        for (member, result) in members.iter_mut().zip(&results) {
            assert_eq!(result.samples(), 1);
            result.bring(0, member).unwrap();
        }
    };
    step_once(&mut ensemble, &mut members, 3_000);
    let dynamics =
        Dynamics { temperature: 0.0, timestep: MOBILITY, friction: 1.0, ..sop_dynamics(case) };
    let thrown: Arc<Protocol> = Arc::new(protocol(dynamics, vec![stage(1, vec![])]));
    let exact: Arc<Protocol> = Arc::new(protocol(
        sop_dynamics((Integrator::Brownian, Precision::Double)),
        vec![stage(1, vec![])],
    ));
    let starts: Vec<_> = members.iter().map(Member::positions).collect();
    let mut members: Vec<Member> =
        starts.iter().map(|start| Member::new(system.clone(), thrown.clone(), 0, start)).collect();
    let points = [SamplePoint { steps: 1, row: false }];
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, points: &points }).collect();
    let results = ensemble.advance(&jobs).unwrap();
    let (mut worst, mut host, mut squares, mut count) = (0.0_f64, 0.0_f64, 0.0, 0.0);
    for ((member, result), start) in members.iter_mut().zip(&results).zip(&starts) {
        result.bring(0, member).unwrap();
        let mut by_reference =
            Member::new(system.clone(), exact.clone(), 0, start).with_path(CpuPath::Reference);
        let forces = by_reference.interaction_forces().unwrap();
        let mut same =
            Member::new(system.clone(), thermal.clone(), 0, start).with_path(CpuPath::Reference);
        let rounded = same.interaction_forces().unwrap();
        let ends = member.positions();
        for (((to, from), force), rounded) in ends.iter().zip(start).zip(&forces).zip(&rounded) {
            for axis in 0..3 {
                host = host.max((rounded[axis] - force[axis]).abs());
                let found = (to[axis] - from[axis]) / MOBILITY;
                worst = worst.max((found - force[axis]).abs());
                squares += force[axis] * force[axis];
                count += 1.0 / 3.0;
            }
        }
    }
    let mean = (squares / count).sqrt();
    Some((worst / mean, host / mean))
}

/// The system with springs instead of FENE bonds, whose limits the large steps would exceed.
fn without_limits(mut system: System) -> Arc<System> {
    let all = &mut system.interactions;
    let springs = std::mem::take(all.bonded_by_mut::<FeneBond>()).into_iter().map(|bond| {
        let FeneBond { stiffness, length, .. } = bond.potential;
        Pair { i: bond.i, j: bond.j, potential: HarmonicBond { stiffness, length } }
    });
    let bonds = all.bonded_by_mut::<HarmonicBond>();
    bonds.extend(springs);
    bonds.sort_by_key(|bond| (bond.i, bond.j));
    Arc::new(system)
}

#[test]
fn forces_are_those_of_the_reference_path_within_rounding() {
    for (system, configurations) in [(everything(), 1_000), (helix(101), 200), (crowd(), 20)] {
        let system = without_limits(system);
        for (precision, bound) in [(Precision::Single, 5e-6), (Precision::Double, 1e-12)] {
            let Some((error, host)) = largest_errors(&system, precision, configurations) else {
                return;
            };
            let what = format!("{} beads, {}", system.beads(), precision.name());
            println!("{what}: {error:.1e} of F_rms, the reference path {host:.1e}");
            // The crowd is far from the origin and strained, so rounding costs more there on any path.
            assert!(error < f64::max(bound, 1.5 * host), "{what}: {error:e}, {host:e}");
        }
    }
}
