//! The input language of beadwork: TOML to systems and protocols, importers.
//!
//! This crate answers one question: how is a request written down? [`load`] reads a TOML file, the
//! files it names, overrides and sweeps, and returns a [`Request`]: systems, protocols, output,
//! and the resolved text in which every default is spelled out. Whatever is wrong is an [`Error`]
//! that says what, where ([`Error::location`]) and what to do.
//!
//! ```
//! # let folder = tempfile::tempdir().unwrap();
//! # let mut pdb = String::new();
//! # for i in 1..=4 {
//! #     pdb += &format!("ATOM  {i:5}  CA  GLY A{i:4}    {:8.3}{:8.3}{:8.3}  1.00  0.00           C\n", 3.8 * i as f64, 0.0, 0.0);
//! # }
//! # std::fs::write(folder.path().join("chain.pdb"), pdb).unwrap();
//! let text = r#"
//! [system]
//! structure = "chain.pdb"
//!
//! [[stage]]
//! name = "pull"
//! duration = "20 us"
//! drives = [ { kind = "spring", fixed = "first", pulled = "last", stiffness = "35 pN/nm", speed = "2.5 um/s" } ]
//! "#;
//! let request = beadwork_input::parse(text, "chain.toml", folder.path(), &[]).unwrap();
//! assert_eq!(request.points[0].protocol.steps(), 1_000_000);
//! assert_eq!(request.output.folder.to_str(), Some("runs/chain"));
//! ```

mod averaged;
mod base_values;
mod beads;
mod built;
mod built_in;
mod contact_list;
mod contact_rules;
mod derived_seed;
mod differences;
mod document;
mod ensemble;
mod equal_points;
mod error;
mod exchange;
mod extension;
mod far_starts;
mod files;
mod foreign_words;
mod import;
mod impossible_rules;
mod input_text;
mod kinds_of_files;
mod lammps;
mod load;
mod models;
mod motion;
mod noise;
mod numbers;
mod off_axis;
mod oscillators;
mod pair_list;
mod paths;
mod plausible;
mod point;
mod point_checks;
mod polymers;
mod request;
mod residues;
mod run_outputs;
mod sampling;
mod section;
mod sections;
mod segment;
mod selection;
mod settings;
mod shared_form;
mod sop;
mod sop_gpu;
mod stages;
mod starts;
mod steps;
mod structure_source;
mod system;
mod without_effect;
mod words;

pub use beads::{estimated_list, free_memory, refuse_long_lists};
pub use built::StartFile;
pub use built_in::UBIQUITIN;
pub use contact_list::contact_list;
pub use differences::{Difference, differences};
pub use error::{ERROR_CODES, Error, Location};
pub use extension::{Addition, Extended, extend};
pub use files::InputFile;
pub use import::import;
pub use lammps::import_lammps;
pub use load::{load, load_begun, parse, parse_begun, reads_again};
pub use request::{Point, Request};
pub use segment::{Next, cut, next_segment, steps_in};
pub use selection::SelectedBeads;
pub use settings::{Analysis, OnFailure, Output, RunSettings, TrajectoryKind};
pub use sop_gpu::{Imported, import_sop_gpu};
pub use structure_source::{AssemblyUsed, GeneratorUsed, Turned};

/// A commented input for the Self-Organized Polymer model; it names a structure that is built in.
pub const TEMPLATE_SOP: &str = include_str!("template_sop.toml");

/// A commented input for a shell under a tip; it names a structure that is built in.
pub const TEMPLATE_INDENTATION: &str = include_str!("template_indentation.toml");

/// A commented input for proteins with a bead for each residue; it needs no other file.
pub const TEMPLATE_RESIDUES: &str = include_str!("template_residues.toml");

/// An input of a polymer solution in reduced units that runs as it stands.
pub const TEMPLATE_BEADS: &str = include_str!("template_beads.toml");

/// An input of block copolymers by dissipative particle dynamics that runs as it stands.
pub const TEMPLATE_DPD: &str = include_str!("template_dpd.toml");

/// An input of a melt of Kremer-Grest chains that runs as it stands.
pub const TEMPLATE_MELT: &str = include_str!("template_melt.toml");

/// An input of one polymer chain in open space that runs as it stands.
pub const TEMPLATE_CHAIN: &str = include_str!("template_chain.toml");

/// An input of a Lennard-Jones fluid that runs as it stands.
pub const TEMPLATE_FLUID: &str = include_str!("template_fluid.toml");

/// A commented input for an elastic polymer; it needs no other file.
pub const TEMPLATE_ELASTIC_POLYMER: &str = include_str!("template_elastic_polymer.toml");

/// A commented input for independent oscillators; it needs no other file.
pub const TEMPLATE_OSCILLATORS: &str = include_str!("template_oscillators.toml");

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
