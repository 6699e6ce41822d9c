//! The text of programs of other crates that include files of this crate's `kernels/`.

use beadwork_random::{Generator, Scheme};

use crate::compile::program::definitions_of;
use crate::random::generators::definitions;

/// The text of `kernels`, which includes what it needs, in single precision with fused sums of products.
/// `own_definitions` become macros besides those of the generator.
pub fn program_text(
    generator: Generator,
    scheme: Scheme,
    own_definitions: &[(&str, u32)],
    kernels: &str,
) -> String {
    let mut all = vec![("DOUBLE", 0), ("FUSED", 1)];
    all.extend(own_definitions);
    all.extend(definitions(generator, scheme));
    definitions_of(&all) + kernels
}
