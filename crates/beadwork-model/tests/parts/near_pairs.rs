//! The search for near pairs.

use std::collections::HashMap;

use beadwork_model::{Boundary, NearPairs, near_pairs};

/// More than this many beads are searched by cells.
const FEWEST_FOR_CELLS: usize = 400;

/// Pseudo-random points in a cube of 30 Å, some on the faces of cells.
fn points(count: usize) -> Vec<[f64; 3]> {
    let number = |n: usize| (n * n * 2654435761 % 3001) as f64 / 100.0 - 15.0;
    (0..count).map(|n| [3 * n, 3 * n + 1, 3 * n + 2].map(number)).collect()
}

#[test]
fn no_pair_within_the_radius_is_missed() {
    for count in [5, FEWEST_FOR_CELLS + 101] {
        let mut points = points(count);
        // No cell number can express these coordinates.
        points[1] = [1e300, -1e300, 0.0];
        points[3] = points[1];
        for radius in [0.5, 3.0, 7.5] {
            let mut found = Vec::new();
            near_pairs(
                Boundary::Open,
                count,
                |bead| points[bead],
                radius,
                |i, partners| {
                    assert!(partners.is_sorted() && partners.iter().all(|&j| j as usize > i));
                    found.extend(partners.iter().map(|&j| (i, j as usize)));
                },
            );
            for i in 0..count {
                for j in i + 1..count {
                    let square: f64 =
                        (0..3).map(|axis| (points[i][axis] - points[j][axis]).powi(2)).sum();
                    if square <= radius * radius {
                        assert!(found.binary_search(&(i, j)).is_ok(), "{i} {j}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_beads_around_one_are_its_partners_in_all_pairs() {
    for count in [5, FEWEST_FOR_CELLS + 101] {
        let points = points(count);
        let boundary = Boundary::Periodic { lengths: [30.0, 24.0, 21.5] };
        let near = NearPairs::new(boundary, count, |bead| points[bead], 3.0);
        let mut expected = vec![Vec::new(); count];
        near.rows(0..count, |i, partners| {
            for &j in partners {
                expected[i].push(j as usize);
                expected[j as usize].push(i);
            }
        });
        for (i, expected) in expected.iter_mut().enumerate() {
            let mut found = Vec::new();
            near.around(i, |j| found.push(j));
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, *expected, "bead {i} of {count}");
        }
    }
}

/// Boxes with many, three, two and one cells along a side; beads lie on faces and corners and outside. No pair comes twice.
#[test]
fn no_nearest_image_within_the_radius_is_missed() {
    let lengths = [30.0, 24.0, 21.5];
    let boundary = Boundary::Periodic { lengths };
    let mut points = points(FEWEST_FOR_CELLS + 101);
    points[0] = [15.0, 12.0, 10.75];
    points[1] = [-15.0, -12.0, -10.75];
    points[2] = [45.0, 0.0, -64.5];
    points[3] = [-1e-18, -1e-18, 0.0];
    for radius in [0.5, 3.0, 7.1, 7.5, 10.0, 13.0, 16.0] {
        let mut found = Vec::new();
        near_pairs(
            boundary,
            points.len(),
            |bead| points[bead],
            radius,
            |i, partners| {
                assert!(partners.is_sorted_by(|a, b| a < b));
                assert!(partners.iter().all(|&j| j as usize > i));
                found.extend(partners.iter().map(|&j| (i, j as usize)));
            },
        );
        let mut squares = HashMap::new();
        let search = NearPairs::new(boundary, points.len(), |bead| points[bead], radius);
        for share in search.shares() {
            search.pairs(share, |i, j, square| assert_eq!(squares.insert((i, j), square), None));
        }
        // Some of them from the first one on.
        for least in [0, 50, 200] {
            let holds = |i: usize, j: usize, _| i >= least && (i + j).is_multiple_of(3);
            let expected = squares.iter().filter(|&(&(i, j), &square)| holds(i, j, square));
            let expected = expected.map(|(&(i, j), _)| [i, j]).min();
            assert_eq!(search.first(holds), expected);
        }
        let mut near = 0;
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                // Every image in turn.
                let square: f64 = (0..3)
                    .map(|axis| {
                        let apart = points[i][axis] - points[j][axis];
                        let images = (-6..=6).map(|sides| apart + f64::from(sides) * lengths[axis]);
                        images.map(|image| image * image).fold(f64::INFINITY, f64::min)
                    })
                    .sum();
                if square <= radius * radius {
                    near += 1;
                    // Coordinates of up to 64.5 are rounded when they are moved into the box.
                    assert!((squares[&(i, j)] - square).abs() < 1e-11, "{i} {j}");
                    assert!(found.binary_search(&(i, j)).is_ok(), "{i} {j}");
                }
            }
        }
        assert!(near > 0);
    }
}
