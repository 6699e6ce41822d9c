//! The files of a run: run folders, trajectories, tables, topologies, checkpoints.
//!
//! The principle of this crate: *a run that was killed at any byte can resume, and every output file then equals that
//! of an uninterrupted run, byte for byte*. Every output file of a member grows only at its end. A checkpoint stores
//! the lengths and checksums of these files and is written after they were synced; [`AppendFile::reopen`],
//! [`TrajectoryWriter::reopen`] and [`TableWriter::reopen`] cut the files back to these lengths. Files that are written
//! at once ([`atomic`], [`checkpoint`], [`psf`], [`pdb`]) appear complete or not at all.

pub mod append;
pub mod atomic;
pub mod checkpoint;
pub mod error;
pub mod extended_xyz;
pub mod frames;
pub mod gsd;
pub mod lammps_data;
pub mod links;
pub mod pdb;
pub mod psf;
pub mod run_folder;
pub mod table;
pub mod topology;
pub mod trajectory;
pub mod words;
pub mod written;

mod dcd;
mod filling;
mod free_space;
mod gsd_frames;
mod gsd_layout;
mod host;
mod open_files;
mod parts;
mod xtc;

use parts::in_parts;

pub use append::AppendFile;
pub use error::{ERROR_CODES, Error};
pub use filling::{AbandonedFolders, abandon_folders};
pub use free_space::free_space;
pub use gsd::{GsdBeads, GsdTerms, GsdWriter};
pub use host::{host_name, processor_name};
pub use lammps_data::{LammpsAtom, LammpsData, LammpsTerms};
pub use open_files::room_for_files;
pub use run_folder::{RunFolder, RunLock, create_folder, refuse_tilde};
pub use table::{TableValue, TableWriter};
pub use topology::TopologyBead;
pub use trajectory::{
    FrameFormat, TrajectoryFormat, TrajectoryHeader, TrajectoryPosition, TrajectoryWriter,
};
pub use written::{FileEnd, Rewritten};

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
