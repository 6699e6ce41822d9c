//! `noise` of `[random]`: which noise a run gets.

use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, Error, Location};
use crate::section::Section;
use crate::words::quoted;

/// The key in `[random]`.
pub(crate) const KEY: &str = "noise";
/// The word for noise that no other run has.
const FRESH: &str = "fresh";
/// The word for the noise of the seed as it stands.
pub(crate) const OF_SEED: &str = "seed";
/// Which noise a run gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Noise {
    /// That of the seed, unless the start is the output of a run.
    #[default]
    Automatic,
    /// Another one for other start positions.
    Fresh,
    /// That of the seed as it stands.
    OfSeed,
}

/// Reads `noise` of `[random]`. The resolved form has it only where it says something, so other runs keep theirs.
pub(crate) fn read(section: &mut Section<'_>) -> Result<(Noise, Location), Error> {
    let place = section.value_place(KEY).clone();
    let noise = match section.node(KEY).map(Node::text) {
        None => Noise::Automatic,
        Some(Some(FRESH)) => Noise::Fresh,
        Some(Some(OF_SEED)) => Noise::OfSeed,
        Some(_) => {
            let problem = format!(
                "must be one of {}: noise that no other run has, or that of the seed as it stands",
                quoted(&[FRESH, OF_SEED])
            );
            return Err(section.fault(BAD_VALUE, KEY, &problem));
        }
    };
    if noise == Noise::OfSeed {
        section.keep(KEY, Value::Text(OF_SEED.to_string()));
    }
    Ok((noise, place))
}
