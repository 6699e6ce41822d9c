//! Starts so far from the origin that single precision is too coarse for them.

use beadwork_model::advice::plain;
use beadwork_model::{Boundary, Dynamics, Precision, System};

use crate::error::{Error, Location, START};

/// The distance between neighbouring numbers at the farthest coordinate, as a share of the shortest bond: above the first one
/// energies are wrong in their last digits, above the second one they mean nothing.
const COARSE: f64 = 1.0 / 4096.0;
const TOO_COARSE: f64 = 1.0 / 32.0;

/// The warning about a start in open space that is far from the origin for single precision.
///
/// # Errors
/// `input/start` if it is too far.
pub(crate) fn warning(
    place: &Location,
    system: &System,
    dynamics: &Dynamics,
    starts: Option<&[Vec<[f64; 3]>]>,
) -> Result<Option<String>, Error> {
    if system.boundary != Boundary::Open || dynamics.precision != Precision::Single {
        return Ok(None);
    }
    let own = std::slice::from_ref(&system.particles.positions);
    let of_starts = starts.unwrap_or(own).iter().filter_map(|start| farthest(start));
    let largest = of_starts.max_by(|a, b| a.coordinate.abs().total_cmp(&b.coordinate.abs()));
    let Some(Farthest { bead, axis, coordinate, middle }) = largest else { return Ok(None) };
    let length = system.units.of_length();
    let found = format!(
        "the start has {} at {} = {}{length}",
        system.bead_label(bead),
        ["x", "y", "z"][axis],
        plain(coordinate)
    );
    let spacing = spacing(coordinate);
    let section = if system.is_sampled() { "sampling" } else { "dynamics" };
    // A structure around the origin is too large, wherever it stands.
    let is_large = middle.abs() < 0.5 * coordinate.abs();
    let moved = if is_large { "" } else { "move the structure to the origin, or " };
    let advice = format!("{moved}write precision = \"double\" in [{section}]");
    if !spacing.is_finite() {
        let problem = format!("[system]: {found}, which single precision cannot hold: {advice}");
        return Err(place.error(START, problem));
    }
    let Some(scale) = scale(system) else { return Ok(None) };
    let problem =
        format!("{found}, where numbers of single precision are {spacing:.1e}{length} apart");
    if spacing > TOO_COARSE * scale {
        let problem = format!("[system]: {problem}, too coarse for its forces: {advice}");
        return Err(place.error(START, problem));
    }
    let is_coarse = spacing > COARSE * scale;
    Ok(is_coarse.then(|| format!("{problem}, so that energies and forces are coarse: {advice}")))
}

/// The bead of a start with the largest coordinate.
struct Farthest {
    bead: usize,
    axis: usize,
    coordinate: f64,
    /// Of the start's extent along this axis.
    middle: f64,
}

fn farthest(start: &[[f64; 3]]) -> Option<Farthest> {
    let coordinates = start.iter().enumerate().flat_map(|(bead, at)| {
        at.iter().enumerate().map(move |(axis, &value)| (bead, axis, value))
    });
    let (bead, axis, coordinate) = coordinates.max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()))?;
    let along = start.iter().map(|at| at[axis]);
    let (low, high) = along
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    Some(Farthest { bead, axis, coordinate, middle: 0.5 * low + 0.5 * high })
}

/// From a coordinate to the next number of single precision; not a number beyond its range.
fn spacing(coordinate: f64) -> f64 {
    let rounded = coordinate.abs() as f32;
    f64::from(f32::from_bits(rounded.to_bits() + 1) - rounded)
}

/// The length of the shortest bond, or without bonds the largest cutoff.
fn scale(system: &System) -> Option<f64> {
    let lengths = system.bonds_at_rest().into_iter().map(|(_, _, length)| length);
    let shortest = lengths.filter(|&length| length > 0.0).min_by(f64::total_cmp);
    shortest.or(Some(system.interactions.pair_cutoff()).filter(|&cutoff| cutoff > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_farther_apart_far_away() {
        assert_eq!(spacing(-5_000.0), 2_f64.powi(-11));
        assert_eq!(spacing(8_192.0), 2_f64.powi(-10));
        assert_eq!(spacing(1e6), 2_f64.powi(-4));
        assert_eq!(spacing(-1e7), 1.0);
        for beyond in [1e39, -1e300, f64::NAN] {
            assert!(!spacing(beyond).is_finite(), "{beyond}");
        }
    }
}
