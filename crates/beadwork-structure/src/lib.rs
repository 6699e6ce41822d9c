//! Protein structure files read into chains, residues and atoms; sequences; selections.
//!
//! This crate reports what a file says. [`read`] takes a PDB or mmCIF file and returns the polymer residues that carry
//! an alpha carbon, in the order of the file, with the disulfide bonds between them; [`read_sop_gpu_topology`] takes a
//! topology of the SOP-GPU program, [`read_fasta`] names and sequences. [`read_assembly`] also reads how the chains are copied to build the whole molecule.
//! [`read_configuration`] takes any beads, not only proteins, from XYZ, CSV, LAMMPS data, GSD, PDB and mmCIF files.
//! Text of files is made [`visible`] first, so no name can steer a terminal. The crate guesses nothing: damaged numbers are errors, and [`Structure::warnings`] lists omissions. [`Selection`] is
//! the grammar with which the whole program selects beads.

mod assembly;
mod axes;
mod configuration;
mod disulfides;
mod elements;
mod error;
mod fasta;
mod interleaved;
mod label;
mod mmcif;
mod mmcif_assemblies;
mod mmcif_table;
mod no_protein;
mod number;
mod pdb;
mod pdb_assemblies;
mod polymer;
mod quasi_axes;
mod residue_columns;
mod residue_names;
mod rotations;
mod selection;
mod sop_gpu_topology;
mod structure;
mod superposition;
mod terminators;
mod vectors;
mod visible_text;

pub use assembly::{Assembly, Generator, parse_assembly, read_assembly};
pub use axes::{Axis, Orientation};
pub use configuration::{
    Configuration, LammpsCoefficientRow, LammpsCoefficientSection, LammpsCoefficients,
    is_file_of_beads, is_lammps_data, parse_configuration, parse_configuration_bytes,
    parse_lammps_coefficients, read_configuration,
};
pub use error::{ERROR_CODES, Error};
pub use fasta::{FastaRecord, parse_fasta, read_fasta};
pub use label::{Label, Name};
pub use no_protein::seems_no_protein;
pub use quasi_axes::QuasiAxis;
pub use residue_names::Protonation;
pub use selection::Selection;
pub use sop_gpu_topology::{SopGpuTopology, parse_sop_gpu_topology, read_sop_gpu_topology};
pub use structure::{
    Atom, Chain, ReadOptions, Residue, Structure, chain_words, parse, parse_positions, read,
    read_positions, text_of,
};
pub use visible_text::{visible, with_line_feeds};

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
