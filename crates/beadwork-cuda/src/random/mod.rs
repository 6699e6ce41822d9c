//! Random words on a GPU.

pub(crate) mod fill;
pub(crate) mod generators;
mod rounds;
mod words;

use beadwork_random::Generator;

use crate::Program;

pub use words::{Origin, Words};

/// The programs that make random words: every generator in every scheme; and those that fill the words of launches.
pub fn random_programs() -> Vec<Program> {
    let schemes =
        |generator: Generator| generator.schemes().iter().map(move |scheme| (generator, *scheme));
    let all = Generator::ALL.into_iter().flat_map(schemes);
    let words = all.map(|(generator, scheme)| words::program(generator, scheme));
    words.chain(fill::fill_programs()).collect()
}
