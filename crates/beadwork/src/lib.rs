//! Stochastic dynamics of bead models: coarse-grained proteins, polymers, soft matter.
//!
//! This crate gathers the others: [`session`] turns an input into a run folder and steps it, [`answer`] reads a folder
//! and computes its results; [`extension`] makes a run longer, [`part`] runs a part of an ensemble, [`tables`] gathers
//! all rows in one file, [`verification`] compares files with what was written, [`device`] chooses where a run is stepped. The program `beadwork` is a thin layer over them.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! use beadwork::answer::Answer;
//! use beadwork::engine::{Control, Devices, Progress};
//! use beadwork::session::Session;
//!
//! let request = beadwork::input::load(Path::new("ubiquitin.toml"), &[])?;
//! let folder = request.output.folder.clone();
//! let devices = Devices::Cpu;
//! let session = Session::create(&folder, request, &devices)?;
//! let interrupted = AtomicBool::new(false);
//! let control = Control { interrupted: &interrupted, deadline: None, threads: 2, devices, forms: Default::default() };
//! session.run(&control, &Progress::default())?;
//! println!("{}", Answer::of_session(&session, &Default::default())?.summary().in_words());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error_codes;

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
pub use beadwork_report::{answer, data, drawing};
pub use beadwork_session::{Error, device, extension, part, session, tables, verification};
pub use beadwork_simulation as simulation;
pub use beadwork_structure as structure;
pub use error_codes::error_codes;
