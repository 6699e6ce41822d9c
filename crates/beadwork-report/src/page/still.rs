//! A still picture of beads, for paper and for readers without scripts.

use beadwork_analysis::picture::{Scene, half_size};
use beadwork_model::System;
use beadwork_session::Error;

use super::seen::Seen;
use crate::drawn_beads::DrawnBeads;
use crate::in_boxes::together;

/// The beads of a frame where they are drawn, as PNG of some 500 pixels; `radius` is that of beads that nearly touch.
///
/// # Errors
/// `analysis/figure-not-rasterised`.
pub(super) fn png(
    system: &System,
    seen: &Seen,
    placed: &[[f64; 3]],
    bonds: &[(usize, usize)],
    radius: f64,
) -> Result<Vec<u8>, Error> {
    Ok(half_size(&scene(system, seen, placed, bonds, radius).to_png()?)?)
}

fn scene(
    system: &System,
    seen: &Seen,
    placed: &[[f64; 3]],
    bonds: &[(usize, usize)],
    radius: f64,
) -> Scene {
    let mut are_small = vec![false; placed.len()];
    seen.small.iter().for_each(|&place| are_small[place] = true);
    let together = together(system.boundary, placed);
    let drawn = DrawnBeads {
        boundary: system.boundary,
        positions: together.as_deref().unwrap_or(placed),
        colours: &seen.colour,
        are_small: &are_small,
        radius: seen.radius(radius),
        radius_of_bonds: seen.stick(radius),
    };
    Scene {
        balls: drawn.balls(),
        sticks: drawn.halves(bonds),
        sides: system.boundary.sides().filter(|_| together.is_none()),
        colours: seen.colours.iter().map(|(colour, _)| parts_of(colour)).collect(),
        ..Scene::default()
    }
}

/// Red, green and blue of a colour such as `#0072B2`.
fn parts_of(colour: &str) -> [u8; 3] {
    [1, 3, 5].map(|at| {
        colour.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use beadwork_model::Boundary;

    use super::*;

    #[test]
    fn beads_have_the_colours_of_the_page() {
        let system = beadwork_model::made_systems::helix().unwrap();
        let seen = Seen::of(&system);
        let placed = &system.particles.positions;
        let scene = scene(&system, &seen, placed, &system.bonds(), 1.9);
        assert_eq!(scene.colours[0], [0x21, 0x66, 0xAC]);
        assert_eq!((scene.balls.len(), scene.sticks.len()), (16, 30));
        assert_eq!(scene.balls[15].colour, seen.colour[15]);
        let png = png(&system, &seen, placed, &system.bonds(), 1.9).unwrap();
        assert!(png.starts_with(b"\x89PNG"));
    }

    /// A still and the picture of an answer decide alike: a helix along more than half of a side has its box, one that drifted
    /// across a face of a large box has none, and is whole.
    #[test]
    fn a_box_is_drawn_where_beads_take_half_of_a_side() {
        let mut system = beadwork_model::made_systems::helix().unwrap();
        let placed = system.particles.positions.clone();
        let extent = |at: &dyn Fn(usize) -> f64| {
            let values = || (0..placed.len()).map(at);
            values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
        };
        let largest = (0..3).map(|axis| extent(&|bead| placed[bead][axis])).fold(0.0, f64::max);
        let bonds = system.bonds();
        let mut drawn = |side: f64, placed: &[[f64; 3]]| {
            system.boundary = Boundary::Periodic { lengths: [side; 3] };
            scene(&system, &Seen::of(&system), placed, &bonds, 1.9)
        };
        assert_eq!(drawn(largest / 0.6, &placed).sides, Some([largest / 0.6; 3]));
        // Half of the beads lie behind the opposite face.
        let side = 8.0 * largest;
        let across: Vec<[f64; 3]> =
            placed.iter().map(|at| at.map(|x| (x - placed[8][0]).rem_euclid(side))).collect();
        let found = drawn(side, &across);
        assert_eq!(found.sides, None);
        let is_whole = |axis: usize| {
            let drawn = extent(&|bead| found.balls[bead].position[axis]);
            (drawn - extent(&|bead| placed[bead][axis])).abs() < 1e-9
        };
        assert!((0..3).all(is_whole));
    }
}
