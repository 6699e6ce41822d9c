//! Stochastic dynamics of bead models: coarse-grained proteins, polymers, soft matter.
//!
//! This crate gathers the others: [`session`] turns an input into a run folder and steps it, [`answer`] reads a folder
//! and computes its results; [`extension`] makes a run longer, [`part`] runs a part of an ensemble, [`tables`] gathers
//! all rows in one file, [`verification`] compares files with what was written, [`device`] chooses where a run is stepped.
//! [`check`] explains a request, and [`running`] does whole runs. The program `beadwork` and the Python package are thin layers
//! over them.
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
//! let control = Control { interrupted: &interrupted, deadline: None, until: None, threads: 2, devices, forms: Default::default() };
//! session.run(&control, &Progress::default())?;
//! println!("{}", Answer::of_session(&session, &Default::default())?.summary().in_words());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
