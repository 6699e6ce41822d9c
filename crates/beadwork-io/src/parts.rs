//! Long texts that all threads of the current `rayon` pool write together.

use rayon::prelude::*;

use crate::Error;

/// Items of a part.
const ITEMS: usize = 8_192;

/// The text of items one after another: `add` appends that of item `index`. An error is that of the first item that fails.
pub(crate) fn in_parts(
    items: usize,
    add: impl Fn(&mut String, usize) -> Result<(), Error> + Sync,
) -> Result<String, Error> {
    let part = |number: usize| {
        let mut text = String::new();
        let first = number * ITEMS;
        (first..items.min(first + ITEMS)).try_for_each(|index| add(&mut text, index))?;
        Ok(text)
    };
    let parts: Vec<Result<String, Error>> =
        (0..items.div_ceil(ITEMS)).into_par_iter().map(part).collect();
    parts.into_iter().collect()
}
