//! Values of an input that each point of a sweep replaces. No point reads them, but a unit that is wrong is a mistake.

use beadwork_model::units::{self, Dimension};

use crate::document::Node;
use crate::ensemble::Axis;
use crate::error::Error;
use crate::numbers::{Bound, quantity_of};
use crate::paths;

/// Sections and keys whose texts are names, which may look like quantities, such as those of the chains 1A and 2A.
const WITH_NAMES: [&str; 3] = ["system.structure", "system.sequence", "system.start"];
const NAME: &str = ".name";

/// Refuses values that are no quantities where all values of a sweep are some of one dimension. Values are judged by themselves: one
/// may be right only beside others, with which it never stands. `shared` is the input without its sweep.
pub(crate) fn check(shared: &Node, axes: &[Axis]) -> Result<(), Error> {
    for axis in axes {
        let has_names = axis.path.ends_with(NAME)
            || WITH_NAMES.iter().any(|section| axis.path.starts_with(section));
        let base = paths::value(shared, &axis.path).filter(|base| !has_names && is_number(base));
        let Some(base) = base else { continue };
        let name = format!("`{}`", axis.path);
        // A unit may be one of two dimensions, as those of energies are of temperatures.
        let problems: Option<Vec<Error>> = dimensions(&axis.values)
            .map(|dimension| quantity_of(&base, &name, dimension, Bound::Any).err())
            .collect();
        if let Some(error) = problems.into_iter().flatten().next() {
            return Err(error);
        }
    }
    Ok(())
}

/// The dimensions that all of these values have; plain numbers have none.
fn dimensions(values: &[Node]) -> impl Iterator<Item = Dimension> + '_ {
    Dimension::all().filter(|&dimension| {
        let is_one =
            |node: &Node| node.text().is_some_and(|text| units::parse(text, dimension).is_ok());
        dimension != Dimension::Number && values.iter().all(is_one)
    })
}

/// Whether a value is a number, with or without a unit, and no word such as `automatic`.
fn is_number(node: &Node) -> bool {
    let begins = |text: &str| {
        let text = text.trim_start().trim_start_matches(['+', '-', '.']);
        text.starts_with(|first: char| first.is_ascii_digit())
    };
    node.number().is_some() || node.text().is_some_and(begins)
}
