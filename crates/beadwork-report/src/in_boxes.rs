//! Beads in a periodic box: how much of it they leave free, and their images.

use beadwork_model::Boundary;

/// Slices of a box along each side, in which beads are looked for.
const SLICES: usize = 64;
/// The part of each side that beads leave free which are shown without the box: in a picture of the whole box they would be small.
const FREE_AROUND: f64 = 0.5;
/// The part of one side that beads leave free which do not fill the box.
const FREE_BESIDE: f64 = 0.25;

/// The longest parts of the sides in which no bead lies. They may go on across a face.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FreeParts {
    /// Each over its side.
    parts: [f64; 3],
    /// The lowest corner of an image of the box whose faces lie in the middle of these parts.
    corner: [f64; 3],
}

impl FreeParts {
    fn of(lengths: [f64; 3], positions: &[[f64; 3]]) -> FreeParts {
        let (mut parts, mut corner) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let mut is_taken = [false; SLICES];
            for position in positions {
                let part = position[axis].rem_euclid(lengths[axis]) / lengths[axis];
                is_taken[((part * SLICES as f64) as usize).min(SLICES - 1)] = true;
            }
            // The longest run of free slices, and the slice behind it.
            let (mut free, mut end, mut run) = (0, 0, 0);
            for slice in 0..2 * SLICES {
                run = if is_taken[slice % SLICES] { 0 } else { run + 1 };
                if run > free {
                    (free, end) = (run, slice + 1);
                }
            }
            parts[axis] = free as f64 / SLICES as f64;
            corner[axis] = (end as f64 - 0.5 * free as f64) / SLICES as f64 * lengths[axis];
        }
        FreeParts { parts, corner }
    }
}

/// The images of beads that lie together and far from the faces of an image of the box, if they leave half of each side free;
/// `None` in open space too.
pub(crate) fn together(boundary: Boundary, positions: &[[f64; 3]]) -> Option<Vec<[f64; 3]>> {
    let lengths = boundary.sides()?;
    let FreeParts { parts, corner } = FreeParts::of(lengths, positions);
    let are_together = parts.iter().all(|part| *part >= FREE_AROUND);
    are_together.then(|| images(lengths, corner, positions))
}

/// The images of beads in the box from 0; in open space the positions themselves.
pub(crate) fn wrapped(boundary: Boundary, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    match boundary.sides() {
        Some(lengths) => images(lengths, [0.0; 3], positions),
        None => positions.to_vec(),
    }
}

/// Whether beads leave less than a quarter of each side of a box free. In open space nothing is filled.
pub(crate) fn fill_box(boundary: Boundary, positions: &[[f64; 3]]) -> bool {
    boundary.sides().is_some_and(|lengths| {
        FreeParts::of(lengths, positions).parts.iter().all(|part| *part < FREE_BESIDE)
    })
}

/// The images in the box with this lowest corner.
fn images(lengths: [f64; 3], corner: [f64; 3], positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let image = |at: &[f64; 3]| {
        [0, 1, 2].map(|axis| corner[axis] + (at[axis] - corner[axis]).rem_euclid(lengths[axis]))
    };
    positions.iter().map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Boundary = Boundary::Periodic { lengths: [10.0; 3] };

    /// Beads 0.1 apart along x from a place on.
    fn rod(from: f64, length: f64) -> Vec<[f64; 3]> {
        (0..=(10.0 * length) as usize).map(|bead| [from + 0.1 * bead as f64, 5.0, 5.0]).collect()
    }

    #[test]
    fn a_molecule_that_drifted_across_faces_lies_together() {
        for from in [1.0, 8.0, -33.0, 107.0] {
            let found = together(BOX, &rod(from, 4.0)).unwrap();
            let ends = (found[0], found[found.len() - 1]);
            assert!((ends.1[0] - ends.0[0] - 4.0).abs() < 1e-9, "{from}: {ends:?}");
            assert!(!fill_box(BOX, &rod(from, 4.0)));
        }
        assert_eq!(together(Boundary::Open, &rod(0.0, 4.0)), None);
        assert!(!fill_box(Boundary::Open, &rod(0.0, 4.0)));
    }

    /// The box of a long rod is drawn, and still its beads are far from even in it.
    #[test]
    fn a_rod_takes_a_side_and_does_not_fill_the_box() {
        let positions = rod(8.0, 6.0);
        assert_eq!(together(BOX, &positions), None);
        assert!(!fill_box(BOX, &positions));
        let lowest = wrapped(BOX, &positions).iter().map(|at| at[0]).fold(f64::INFINITY, f64::min);
        assert!((0.0..0.1).contains(&lowest), "{lowest}");
    }

    #[test]
    fn beads_on_a_lattice_fill_a_box() {
        let along = |bead: usize, stride: usize| 0.5 + (bead / stride % 10) as f64;
        let lattice: Vec<[f64; 3]> =
            (0..1000).map(|bead| [along(bead, 1), along(bead, 10), along(bead, 100)]).collect();
        assert!(fill_box(BOX, &lattice));
        assert_eq!(together(BOX, &lattice), None);
        // Half of it does not.
        assert!(!fill_box(BOX, &lattice[..500]));
    }
}
