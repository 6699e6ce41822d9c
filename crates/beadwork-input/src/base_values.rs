//! Values of an input that each point of a sweep replaces. No point reads them, but a mistake in one is a mistake.

use crate::document::{Node, inline};
use crate::ensemble::{Axis, Ensemble};
use crate::error::{BAD_VALUE, Error, WRONG_TYPE};
use crate::paths;
use crate::point::Reader;

/// Errors of a value by itself. Others follow from values of the sweep beside which it never stands.
const OF_VALUES: [&str; 3] = ["model/quantity", BAD_VALUE, WRONG_TYPE];

/// Refuses values that no point could have in their place. `shared` is the input without its sweep.
pub(crate) fn check(
    shared: &Node,
    ensemble: &Ensemble,
    reader: &mut Reader<'_>,
) -> Result<(), Error> {
    for axis in &ensemble.axes {
        let Some(base) = paths::value(shared, &axis.path) else { continue };
        let is_swept = |value: &Node| inline(&value.value) == inline(&base.value);
        if axis.values.iter().any(is_swept) {
            continue;
        }
        let mut mistake = |keeps: &dyn Fn(&Axis) -> bool| -> Option<Error> {
            let tree = with_first_values(shared, ensemble, keeps).ok()?;
            let is_own = |error: &Error| {
                OF_VALUES.contains(&error.code())
                    && error.location().is_some_and(|at| at.lies_within(&base.place))
            };
            reader.point(&tree).err().filter(is_own)
        };
        // It may be right only beside the other values of the input, or only beside those of the sweep.
        if let Some(error) = mistake(&|other: &Axis| other.path == axis.path)
            && mistake(&|_: &Axis| true).is_some()
        {
            return Err(error);
        }
    }
    Ok(())
}

/// The input with the first values of a sweep, but for axes whose own values it keeps, if it has them.
fn with_first_values(
    shared: &Node,
    ensemble: &Ensemble,
    keeps: &dyn Fn(&Axis) -> bool,
) -> Result<Node, Error> {
    let mut tree = shared.clone();
    for axis in &ensemble.axes {
        if keeps(axis) && paths::value(shared, &axis.path).is_some() {
            continue;
        }
        if let Some(first) = axis.values.first() {
            paths::set(&mut tree, &axis.path, &axis.place, first.clone())?;
        }
    }
    Ok(tree)
}
