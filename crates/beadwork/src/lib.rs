//! Stochastic dynamics of bead models: coarse-grained proteins, polymers, soft matter.
//!
//! Three whole programs show how the library is used: one pulls a protein in memory, one reads the answer of a run, one steps a
//! system that it makes itself.
//!
//! # A hairpin is pulled apart, in memory
//! The input is that of the program `beadwork`, and so are the bits.
//!
//! ```
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! use beadwork::engine::{Control, MemoryRecorder, Progress};
//! use beadwork::model::observables::{MeasuredColumn, Observable};
//! use beadwork::part::Part;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Ubiquitin is built in; the name of any PDB or mmCIF file can stand there.
//!     let input = r#"
//!         [system]
//!         model = "sop"
//!         structure = { file = "built-in:ubiquitin.pdb", select = "residue 1-17" }
//!
//!         [dynamics]
//!         timestep = "80 ps"
//!
//!         [[stage]]
//!         name = "pull"
//!         duration = "40 us"
//!         stop = "extension > 5 nm"
//!         drives = [
//!             { kind = "spring", fixed = "first", pulled = "last", stiffness = "100 pN/nm", speed = "300 um/s" },
//!         ]
//!
//!         [output]
//!         table = { every = "80 ns" }
//!     "#;
//!     let request = beadwork::input::parse(input, "hairpin.toml", Path::new(""), &[])?;
//!     let plan = beadwork::session::plan(&request, &Part::whole(&request));
//!
//!     let interrupted = AtomicBool::new(false);
//!     let control = Control::on_processors(&interrupted, 1);
//!     let memory = MemoryRecorder::default();
//!     let outcome = beadwork::engine::run(&memory, &plan, &control, &Progress::default())?;
//!     if let Some((_, reason)) = outcome.failures().next() {
//!         return Err(reason.into());
//!     }
//!
//!     // Rows have the columns of a table, in its units: nm, pN, a number.
//!     let member = &plan.members[0];
//!     let columns = member.protocol.measured_columns(&member.system);
//!     let column = |observable| {
//!         let place = columns.iter().position(|one| *one == MeasuredColumn::Whole(observable));
//!         place.ok_or("the table lacks a column")
//!     };
//!     let extension = column(Observable::Extension)?;
//!     let force = column(Observable::MeanForce)?;
//!     let contacts = column(Observable::NativeContacts)?;
//!     let rows = memory.member(0).rows;
//!     for row in &rows {
//!         if let (Some(extension), Some(force)) = (row.values[extension], row.values[force]) {
//!             println!("{extension:.3} nm: {force:.1} pN");
//!         }
//!     }
//!     let last = rows.last().ok_or("no rows")?;
//!     assert!(last.values[extension] > Some(5.0));
//!     assert_eq!((rows[0].values[contacts], last.values[contacts]), (Some(27.0), Some(0.0)));
//!     Ok(())
//! }
//! ```
//!
//! # The answer of a run folder
//! `summary.json` has the same, and [`data::Summary::from_json`] reads it.
//!
//! ```
//! use std::path::Path;
//!
//! use beadwork::answer::{Answer, Choices};
//! use beadwork::part::View;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let folder = Path::new("runs/wells");
//!     # let place = tempfile::tempdir()?;
//!     # let folder = &place.path().join("wells");
//!     # run_of_wells(folder)?;
//!     let view = View::open(folder)?;
//!     let summary = Answer::of_view(&view, "", &Choices::default())?.summary();
//!     for group in &summary.groups {
//!         println!("{}: {} replica(s), {} failed", group.name, group.replicas, group.failed);
//!         for value in &group.values {
//!             println!("{} = {:?} ± {:?} {}", value.name, value.value, value.error, value.unit);
//!         }
//!     }
//!     for finding in summary.all_findings() {
//!         println!("{}: {}", finding.code.text(), finding.text);
//!     }
//!     # let variance = summary.groups[0].value("variance").ok_or("no variance")?;
//!     # assert!(variance.law.is_some_and(|law| (law - 414.4).abs() < 0.1) && variance.error.is_some());
//!     # assert!(summary.all_findings().any(|finding| finding.code == beadwork::data::Code::Agreement));
//!     Ok(())
//! }
//! # fn run_of_wells(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
//! #     let input = r#"
//! #         [system]
//! #         model = "oscillators"
//! #         particles = 500
//! #         stiffness = "0.01 pN/nm"
//! #         start = "10 nm"
//! #         [dynamics]
//! #         diffusion = "0.25 nm^2/ns"
//! #         timestep = "2 ns"
//! #         [[stage]]
//! #         duration = "50 us"
//! #     "#;
//! #     let request = beadwork::input::parse(input, "wells.toml", Path::new(""), &[])?;
//! #     let devices = beadwork::engine::Devices::Cpu;
//! #     let session = beadwork::session::Session::create(folder, request, &devices)?;
//! #     let interrupted = std::sync::atomic::AtomicBool::new(false);
//! #     let control = beadwork::engine::Control::on_processors(&interrupted, 1);
//! #     session.run(&control, &Default::default())?;
//! #     Ok(())
//! # }
//! ```
//!
//! # A system made by hand, stepped by hand
//! Lengths are in Å, energies in kcal/mol, times in ps.
//!
//! ```
//! use std::sync::Arc;
//!
//! use beadwork::cpu::Member;
//! use beadwork::engine::describe_failure;
//! use beadwork::model::made_systems::one_stage;
//! use beadwork::model::observables::Observable;
//! use beadwork::model::potentials::{BondedTerm, HarmonicBond};
//! use beadwork::model::units::BOLTZMANN;
//! use beadwork::model::{
//!     Dynamics, Generator, Integrator, Interactions, Model, Pair, ParticleType, Particles, Precision, System,
//! };
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // A Rouse chain: 20 beads, joined by springs whose rest length is 0.
//!     let beads = 20;
//!     let start: Vec<[f64; 3]> = (0..beads).map(|bead| [4.0 * bead as f64, 0.0, 0.0]).collect();
//!     let potential = HarmonicBond { stiffness: 0.1, length: 0.0 };
//!     let springs: Vec<_> = (1..beads).map(|j| Pair { i: j - 1, j, potential }).collect();
//!     let system = System {
//!         particles: Particles::of_one_type(vec![Default::default(); beads], start.clone()),
//!         types: vec![ParticleType::new("bead", 100.0)],
//!         interactions: Interactions { bonded: vec![BondedTerm::HarmonicBond(springs)], ..Interactions::default() },
//!         model: Model::Beads,
//!         ..System::default()
//!     };
//!     let dynamics = Dynamics {
//!         integrator: Integrator::Brownian,
//!         temperature: 300.0 * BOLTZMANN,
//!         friction: 1.0,
//!         timestep: 0.1,
//!         precision: Precision::Double,
//!         skin: 4.0,
//!     };
//!     let (seed, steps) = (20101, 220_000);
//!     let protocol = one_stage(dynamics, Generator::Philox4x32x10, seed, steps, beads);
//!     let mut member = Member::new(Arc::new(system), Arc::new(protocol), 0, &start);
//!
//!     let (mut sum, mut samples) = (0.0, 0);
//!     while member.remaining() > 0 {
//!         let reached = member.advance(100).and_then(|_| member.observe());
//!         let measured = reached.map_err(|failure| describe_failure(&failure.error, member.system()))?;
//!         // By then the straight start is forgotten.
//!         if member.time() > 2000.0 {
//!             sum += measured.get(Observable::BondEnergy).unwrap_or(f64::NAN);
//!             samples += 1;
//!         }
//!     }
//!     // Each of the springs has 3/2 kT by the law of equipartition.
//!     let thermal = sum / f64::from(samples) / (beads - 1) as f64 / (300.0 * BOLTZMANN);
//!     assert!((thermal - 1.5).abs() < 0.05, "{thermal} kT a spring");
//!     Ok(())
//! }
//! ```
//!
//! # Where things are
//! This crate gathers the others. [`input`] reads requests, [`session`] turns one into a run folder and steps it, [`answer`] reads
//! a folder and computes its results; [`extension`] makes a run longer, [`steering`] steps one in pieces, [`part`] runs a part of
//! an ensemble, [`tables`] gathers all rows in one file, [`export`] writes frames for other programs, [`page`] writes reports,
//! [`verification`] compares files with what was written, [`device`] chooses where a run is stepped. [`check`] explains a request,
//! and [`running`] does whole runs, with logs, plots and reports. The program `beadwork` and the Python package are thin layers
//! over them. Systems, potentials and units are in [`model`], generators in [`random`], statistics and plots in [`analysis`].
//!
//! The book, in `docs/src` of the sources, has the theory, all keys of inputs and all codes of errors.

pub mod check;
mod error_codes;
pub mod running;
pub mod times;

pub use beadwork_analysis as analysis;
pub use beadwork_cpu as cpu;
pub use beadwork_cuda as cuda;
pub use beadwork_engine as engine;
pub use beadwork_input as input;
pub use beadwork_io as io;
pub use beadwork_model as model;
#[cfg(feature = "parquet")]
pub use beadwork_parquet as parquet;
pub use beadwork_random as random;
pub use beadwork_report::{answer, data, drawing, page};
pub use beadwork_session::{
    BAD_INPUT, Error, MACHINE, device, export, extension, members_list, part, session, steering,
    tables, verification,
};
pub use beadwork_simulation as simulation;
pub use beadwork_structure as structure;
pub use error_codes::error_codes;

/// The number of cores that this process may use: threads where a person asks for none.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
