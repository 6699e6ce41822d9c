//! SOP-GPU's own output at temperature zero: relaxations without noise, step by step.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests too")]

use std::path::Path;
use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{Ends, External, Spring};
use beadwork_model::force_fields::sop::{Beads, Parameters, build_from_topology};
use beadwork_model::observables::Observable;
use beadwork_model::{
    Dynamics, Generator, Integrator, Precision, Protocol, Stage, StageKind, System,
};
use beadwork_structure::{ReadOptions, read, read_sop_gpu_topology};
use beadwork_testing::shared_data;

/// Friction for which h/ζ is 0.08/50 at 20 ps.
const FRICTION: f64 = 12_500.0;

fn system(topology: &Path, start: &Path) -> System {
    let topology = read_sop_gpu_topology(topology).unwrap();
    let structure = read(start, &ReadOptions::default()).unwrap();
    let positions = Beads::from_structure(&structure).positions;
    build_from_topology(&topology, positions, &Parameters::default()).unwrap()
}

fn protocol(externals: Vec<External>, fixed: Vec<usize>, last: usize) -> Protocol {
    Protocol {
        dynamics: Dynamics {
            integrator: Integrator::Brownian,
            temperature: 0.0,
            friction: FRICTION,
            timestep: 20.0,
            precision: Precision::Double,
            skin: 4.0,
        },
        stages: vec![Stage {
            name: "relax".into(),
            kind: StageKind::Dynamics { steps: 20_000 },
            fixed,
            externals,
            stops: vec![],
        }],
        ends: (vec![0], vec![last]),
        columns: Vec::new(),
        seed: 1,
        randomness: Generator::Philox4x32x10.into(),
    }
}

/// Follows a table of SOP-GPU (step, T, bond, native, repulsive, total, …) within `bound`.
fn follow(system: System, protocol: Protocol, table: &Path, bound: f64) {
    let start = system.particles.positions.clone();
    let mut member = Member::new(Arc::new(system), Arc::new(protocol), 0, &start);
    let text = std::fs::read_to_string(table).unwrap();
    let mut rows = 0;
    let mut worst = 0.0_f64;
    for line in text.lines() {
        let row: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        member.advance(row[0] as u64 - member.step_number()).unwrap();
        let measured = member.measure().unwrap();
        for (observable, column) in [
            (Observable::BondEnergy, 2),
            (Observable::ContactEnergy, 3),
            (Observable::RepulsionEnergy, 4),
        ] {
            // The table's first row has no repulsion, since the program had not made a list yet.
            if column == 4 && row[0] == 0.0 && row[4] == 0.0 {
                continue;
            }
            let difference = measured.get(observable).unwrap() - row[column];
            worst = worst.max(difference.abs());
            assert!(
                difference.abs() < bound,
                "step {}: {observable:?} differs by {difference}",
                row[0]
            );
        }
        let contacts = measured.get(Observable::NativeContacts).unwrap();
        assert!(
            (contacts - row[6]).abs() <= 1.0,
            "step {}: {contacts} contacts, not {}",
            row[0],
            row[6]
        );
        rows += 1;
    }
    assert_eq!(rows, 21);
    eprintln!("largest difference {worst:.2e} kcal/mol over {rows} rows");
}

#[test]
fn ww_domain_relaxes_as_in_sop_gpu() {
    let (Some(topology), Some(start), Some(table)) = (
        shared_data("sop-gpu/ww/ww.top"),
        shared_data("sop-gpu/reference/ww_start.pdb"),
        shared_data("sop-gpu/reference/ww_1_T0.dat"),
    ) else {
        return;
    };
    follow(system(&topology, &start), protocol(vec![], vec![], 33), &table, 3e-3);
}

#[test]
fn titin_relaxes_as_in_sop_gpu() {
    let (Some(topology), Some(start), Some(table)) = (
        shared_data("sop-gpu/titin/1TIT_ca.top"),
        shared_data("sop-gpu/reference/1TIT_start.pdb"),
        shared_data("sop-gpu/reference/1TIT_1_T0t.dat"),
    ) else {
        return;
    };
    follow(system(&topology, &start), protocol(vec![], vec![], 88), &table, 3e-3);
}

fn pulled(update_every: u64) -> (Vec<External>, Vec<usize>) {
    // 0.0005 Å a thousand steps of 20 ps, 0.05 kcal/(mol Å²).
    let ends = Ends { fixed: vec![0], pulled: vec![33], direction: None, ..Ends::default() };
    let spring = Spring { ends, stiffness: 0.05, speed: 0.0005 / 20_000.0, update_every };
    (vec![External::Spring(spring)], vec![0])
}

#[test]
fn ww_domain_is_pulled_as_in_sop_gpu() {
    let (Some(topology), Some(start), Some(table)) = (
        shared_data("sop-gpu/ww/ww.top"),
        shared_data("sop-gpu/reference/ww_start.pdb"),
        shared_data("sop-gpu/reference/ww_1_T0pull.dat"),
    ) else {
        return;
    };
    let (externals, fixed) = pulled(1000);
    follow(system(&topology, &start), protocol(externals, fixed, 33), &table, 3e-3);
}
