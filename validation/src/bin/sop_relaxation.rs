//! Compares relaxation without noise with tables of SOP-GPU, row by row: energies and contacts of
//! the WW domain, free and pulled, and of titin I27, at temperature zero.
//!
//! `sop_relaxation [--device cpu|cuda] [--keep FOLDER]`

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use beadwork_benchmarks::largest;
use beadwork_cpu::Member;
use beadwork_model::externals::{Ends, External, Spring};
use beadwork_model::force_fields::sop::{Beads, Parameters, build_from_topology};
use beadwork_model::made_systems::{one_stage, sop_gpu_dynamics};
use beadwork_model::observables::Observable;
use beadwork_model::{Dynamics, Generator, Precision, Protocol, System};
use beadwork_structure::{ReadOptions, read, read_sop_gpu_topology};
use beadwork_testing::shared_data;
use beadwork_validation::Failure;
use beadwork_validation::backend::{Backend, Options};
use beadwork_validation::report::{Report, Table};
use clap::Parser;

/// Tolerance in kcal/mol: SOP-GPU computes in single precision and prints six digits.
const BOUND: f64 = 3e-3;
const ROWS: usize = 21;

struct Case {
    title: &'static str,
    topology: &'static str,
    start: &'static str,
    table: &'static str,
    pulled: bool,
}

const CASES: [Case; 3] = [
    Case {
        title: "WW domain",
        topology: "sop-gpu/ww/ww.top",
        start: "sop-gpu/reference/ww_start.pdb",
        table: "sop-gpu/reference/ww_1_T0.dat",
        pulled: false,
    },
    Case {
        title: "WW domain, pulled",
        topology: "sop-gpu/ww/ww.top",
        start: "sop-gpu/reference/ww_start.pdb",
        table: "sop-gpu/reference/ww_1_T0pull.dat",
        pulled: true,
    },
    Case {
        title: "titin I27",
        topology: "sop-gpu/titin/1TIT_ca.top",
        start: "sop-gpu/reference/1TIT_start.pdb",
        table: "sop-gpu/reference/1TIT_1_T0t.dat",
        pulled: false,
    },
];

fn main() -> Result<(), Failure> {
    let Options { backend, keep, words } = Options::parse();
    if let Some(word) = words.first() {
        return Err(format!("{word}: there is nothing to choose").into());
    }
    let began = Instant::now();
    let mut tables = Vec::new();
    for case in &CASES {
        for precision in Precision::ALL {
            tables.push(follow(case, precision, &backend)?);
        }
    }
    let question = "Do energies relax as in SOP-GPU where there is no noise?";
    Report::new(&backend, "sop_relaxation", question, began, tables).finish(keep.as_deref(), false)
}

fn data(relative: &str) -> Result<PathBuf, Failure> {
    shared_data(relative).ok_or_else(|| {
        format!("{relative} is not here; BEADWORK_DATA names the folder that has it").into()
    })
}

fn system(case: &Case) -> Result<System, Failure> {
    let topology = read_sop_gpu_topology(&data(case.topology)?)?;
    let structure = read(&data(case.start)?, &ReadOptions::default())?;
    let positions = Beads::from_structure(&structure).positions;
    Ok(build_from_topology(&topology, positions, &Parameters::default())?)
}

fn protocol(case: &Case, precision: Precision, beads: usize) -> Protocol {
    let dynamics = Dynamics { temperature: 0.0, precision, ..sop_gpu_dynamics(20.0) };
    let mut protocol = one_stage(dynamics, Generator::Philox4x32x10, 1, 20_000, beads);
    // 0.0005 Å in a thousand steps, at 0.05 kcal/(mol Å²), updated every thousand steps.
    let ends = Ends { fixed: vec![0], pulled: vec![beads - 1], direction: None, ..Ends::default() };
    let spring = Spring { ends, stiffness: 0.05, speed: 0.0005 / 20_000.0, update_every: 1_000 };
    if case.pulled {
        protocol.stages[0].fixed = vec![0];
        protocol.stages[0].externals = vec![External::Spring(spring)];
    }
    protocol
}

/// Follows the table of SOP-GPU: step, T, bond, native and repulsive energy, total, contacts, …
fn follow(case: &Case, precision: Precision, backend: &Backend) -> Result<Table, Failure> {
    let text = std::fs::read_to_string(data(case.table)?)?;
    let rows: Vec<Vec<f64>> = text
        .lines()
        .map(|line| line.split_whitespace().map(str::parse).collect())
        .collect::<Result<_, _>>()?;
    if rows.len() != ROWS || rows.iter().any(|row| row.len() < 7) {
        return Err(format!("{} is not the table expected", case.table).into());
    }
    let system = Arc::new(system(case)?);
    let protocol = Arc::new(protocol(case, precision, system.particles.positions.len()));
    let worst = backend.map(1, |_, steps| {
        let start = &system.particles.positions;
        let mut members = [Member::new(system.clone(), protocol.clone(), 0, start)];
        let (mut energy, mut contacts) = (0.0_f64, 0.0_f64);
        for row in &rows {
            let ahead = row[0] as u64 - members[0].step_number();
            steps.advance(&mut members, ahead)?;
            let measured = members[0].measure().map_err(|failure| format!("{failure:?}"))?;
            let off = |observable, column: usize| {
                let value = measured.get(observable).unwrap_or(f64::NAN);
                (value - row[column]).abs()
            };
            // The first row lacks repulsion if SOP-GPU had not built its pair list yet.
            let unlisted = row[0] == 0.0 && row[4] == 0.0;
            let repulsion = if unlisted { 0.0 } else { off(Observable::RepulsionEnergy, 4) };
            let differences =
                [off(Observable::BondEnergy, 2), off(Observable::ContactEnergy, 3), repulsion];
            energy = largest(differences.into_iter().chain([energy]));
            contacts = contacts.max(off(Observable::NativeContacts, 6));
        }
        Ok(vec![(energy, contacts)])
    })?;
    let (energy, contacts) = worst.first().copied().unwrap_or((f64::NAN, f64::NAN));
    let energies = format!(
        "An energy of {ROWS} rows differs by {energy:.1e} kcal/mol at most, less than {BOUND:e}."
    );
    let statements = vec![
        (energies, energy < BOUND),
        (format!("Contacts differ by {contacts} at most, no more than 1."), contacts <= 1.0),
    ];
    Ok(Table::of_statements(
        format!("{}, {} precision", case.title, precision.name()),
        "From the native structure at T = 0, steps of 20 ps, a row every 1,000 steps.",
        statements,
    ))
}
