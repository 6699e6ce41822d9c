//! A still picture of beads, for paper and for readers without scripts.

use beadwork_analysis::picture::{Ball, Scene, Stick, half_size};
use beadwork_model::{Boundary, System};
use beadwork_session::Error;

use super::seen::Seen;

/// The part of the usual radius that beads have which are molecules of their own among larger ones.
const SMALL: f64 = 0.35;
/// Beads that take less than this part of each side of a box are shown without it.
const LEAST_PART: f64 = 0.5;

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
    let mut parts = vec![1.0; placed.len()];
    seen.small.iter().for_each(|&place| parts[place] = SMALL);
    let ball = |(place, &position): (usize, &[f64; 3])| Ball {
        position,
        radius: parts[place] * seen.radius(radius),
        colour: seen.colour[place],
    };
    let half = |from: usize, to: usize| {
        let middle = [0, 1, 2].map(|axis| 0.5 * (placed[from][axis] + placed[to][axis]));
        let ends = [placed[from], middle];
        Stick { ends, radius: seen.stick(radius), colour: Some(seen.colour[from]) }
    };
    let sides = match system.boundary {
        Boundary::Periodic { lengths } => Some(lengths),
        Boundary::Open => None,
    };
    Scene {
        balls: placed.iter().enumerate().map(ball).collect(),
        sticks: bonds.iter().flat_map(|&(i, j)| [half(i, j), half(j, i)]).collect(),
        sides: sides.filter(|lengths| fill(placed, lengths)),
        colours: seen.colours.iter().map(|(colour, _)| parts_of(colour)).collect(),
        ..Scene::default()
    }
}

/// Whether beads take much of a side of a box.
fn fill(placed: &[[f64; 3]], lengths: &[f64; 3]) -> bool {
    (0..3).any(|axis| {
        let places = || placed.iter().map(move |at| at[axis]);
        let (low, high) =
            (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max));
        high - low > LEAST_PART * lengths[axis]
    })
}

/// Red, green and blue of a colour such as `#0072B2`.
fn parts_of(colour: &str) -> [u8; 3] {
    [1, 3, 5].map(|at| {
        colour.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn a_box_is_drawn_where_beads_fill_it() {
        let placed = [[0.0, 0.0, 0.0], [1.0, 2.0, 6.0]];
        assert!(fill(&placed, &[10.0; 3]));
        assert!(!fill(&placed, &[10.0, 10.0, 20.0]));
    }
}
