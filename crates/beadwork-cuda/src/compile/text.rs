//! The text of programs of other crates that use parts of this crate's kernels.

use beadwork_random::{Generator, Scheme};

use crate::compile::program::{ARITHMETIC_TEXT, GEOMETRY_TEXT, NOISE_TEXT, text_of};
use crate::monte_carlo::chain_program::CHAIN_FILES;
use crate::random::generators::{GENERATOR_TEXT, SEQUENCES_TEXT, definitions};

/// A part of the kernels' text that follows arithmetic and noise, with which every text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `generators.cuh`: `Generator`, of which each thread has its own.
    Generators,
    /// `sequences.cuh`: generators whose one sequence all threads share.
    Sequences,
    /// `chain.cuh` and `trial_move.cuh`: energies and Monte Carlo moves of elastic chains.
    Chains,
    /// `geometry.cuh` and the formulas between the beads of a protein in the SOP model.
    Proteins,
}

const PROTEIN_FILES: [&str; 4] = [
    GEOMETRY_TEXT,
    include_str!("../../kernels/potentials/bonded/fene_bond.cuh"),
    include_str!("../../kernels/potentials/bonded/native_contact.cuh"),
    include_str!("../../kernels/potentials/pair/sixth_power_repulsion.cuh"),
];

impl Part {
    fn files(self) -> &'static [&'static str] {
        match self {
            Part::Generators => &[GENERATOR_TEXT],
            Part::Sequences => &[SEQUENCES_TEXT],
            Part::Chains => &CHAIN_FILES,
            Part::Proteins => &PROTEIN_FILES,
        }
    }
}

/// The text of `kernels` in single precision with fused sums of products, after the `parts` that they need.
/// `own_definitions` become macros besides those of the generator.
pub fn program_text(
    generator: Generator,
    scheme: Scheme,
    own_definitions: &[(&str, u32)],
    parts: &[Part],
    kernels: &str,
) -> String {
    let mut all = vec![("DOUBLE", 0), ("FUSED", 1)];
    all.extend(own_definitions);
    all.extend(definitions(generator, scheme));
    let mut files = vec![ARITHMETIC_TEXT, NOISE_TEXT];
    files.extend(parts.iter().flat_map(|part| part.files()));
    files.push(kernels);
    text_of(&all, &files)
}
