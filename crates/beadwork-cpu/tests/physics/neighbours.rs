//! Neighbour lists of the reference path: their pairs, and when they are rebuilt.

use std::sync::Arc;

use beadwork_cpu::reference::NeighbourList;
use beadwork_model::potentials::SixthPowerRepulsion;
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::{Interactions, System};
use beadwork_simulation::StepError;

use crate::support::{shaken, system};

/// Beads at the given positions that repel each other within the cutoff, except the excluded pairs.
fn repelling(positions: &[[f64; 3]], cutoff: f64, excluded: Vec<(usize, usize)>) -> Arc<System> {
    let potential = SixthPowerRepulsion { strength: 1.0, diameter: 1.0 };
    let pairs = vec![PairTable::of_one_type(potential, cutoff).into()];
    system(positions.to_vec(), Interactions { pairs, excluded, ..Interactions::default() })
}

fn line(count: usize, spacing: f64) -> Vec<[f64; 3]> {
    (0..count).map(|i| [i as f64 * spacing, 0.0, 0.0]).collect()
}

/// Beads on a cubic lattice with an edge of `side` beads.
fn lattice(beads: usize, side: usize) -> Vec<[f64; 3]> {
    let at = |i: usize| [i % side, i / side % side, i / side / side].map(|n| 2.5 * n as f64);
    (0..beads).map(at).collect()
}

fn square(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[test]
fn holds_pairs_within_reach_except_excluded_ones() {
    let positions = line(5, 1.0);
    let system = repelling(&positions, 2.0, vec![(0, 1), (1, 3)]);
    let mut list = NeighbourList::new(&system, 0.5);
    list.refresh(&positions).unwrap();
    assert_eq!(list.partners(0), [2]);
    assert_eq!(list.partners(1), [2]);
    assert_eq!(list.partners(2), [3, 4]);
    assert_eq!(list.partners(3), [4]);
    assert_eq!(list.partners(4), []);
}

/// The list contains all pairs on which a term acts, for any pair of types.
#[test]
fn uses_the_largest_cutoff_of_all_terms_and_types() {
    let positions = line(5, 1.0);
    let mut system = Arc::unwrap_or_clone(repelling(&positions, 1.5, vec![]));
    let potential = SixthPowerRepulsion { strength: 1.0, diameter: 1.0 };
    let table =
        PairTable::new(2, |a, b| PairEntry { potential, cutoff: if a == b { 0.5 } else { 3.2 } });
    system.interactions.pairs.push(table.into());
    let mut list = NeighbourList::new(&Arc::new(system), 0.0);
    list.refresh(&positions).unwrap();
    assert_eq!(list.partners(0), [1, 2, 3]);
    assert_eq!(list.partners(1), [2, 3, 4]);
}

#[test]
fn is_rebuilt_when_a_bead_has_moved_by_half_the_skin() {
    let mut positions = line(3, 1.0);
    let mut list = NeighbourList::new(&repelling(&positions, 2.0, vec![]), 1.0);
    list.refresh(&positions).unwrap();
    positions[1][1] = 0.49;
    list.refresh(&positions).unwrap();
    assert_eq!(list.rebuilds(), 1);
    positions[1][1] = 0.51;
    list.refresh(&positions).unwrap();
    assert_eq!(list.rebuilds(), 2);
}

#[test]
fn reports_a_bead_that_is_not_finite() {
    let mut positions = line(3, 1.0);
    let mut list = NeighbourList::new(&repelling(&positions, 2.0, vec![]), 1.0);
    list.refresh(&positions).unwrap();
    positions[2][0] = f64::NAN;
    assert_eq!(list.refresh(&positions), Err(StepError::NotFinite { bead: 2 }));
}

/// Beads move by steps of random size; all pairs within the cutoff must be in the list once. Few beads are compared one
/// by one, many are sorted into cells.
#[test]
fn no_pair_within_the_cutoff_is_ever_missed() {
    for (beads, side, steps) in [(40, 4, 200), (600, 8, 40)] {
        let start = lattice(beads, side);
        let excluded = vec![(0, 1), (1, 2), (7, 23)];
        let system = repelling(&start, 3.0, excluded.clone());
        for skin in [0.0, 0.3, 2.0] {
            let mut list = NeighbourList::new(&system, skin);
            let mut positions = start.clone();
            for step in 0..steps {
                positions = shaken(&positions, 0.1, step);
                list.refresh(&positions).unwrap();
                for i in 0..beads {
                    let partners = list.partners(i);
                    assert!(partners.is_sorted_by(|a, b| a < b), "{skin} {step} {i}");
                    for j in i + 1..beads {
                        let near = square(positions[i], positions[j]) < 9.0;
                        let listed = partners.binary_search(&(j as u32)).is_ok();
                        let out = excluded.contains(&(i, j));
                        assert!(
                            if out { !listed } else { listed || !near },
                            "{skin} {step} {i} {j}"
                        );
                    }
                }
            }
        }
    }
}

/// No cell number can express these coordinates; the list still contains all near pairs.
#[test]
fn beads_beyond_all_cells_have_neighbours_too() {
    for far in [1e25, -1e25] {
        let mut positions = lattice(600, 8);
        for bead in [17, 400, 401] {
            positions[bead][1] = far;
        }
        positions[17][0] = positions[400][0];
        positions[17][2] = positions[400][2];
        let mut list = NeighbourList::new(&repelling(&positions, 3.0, vec![]), 1.0);
        list.refresh(&positions).unwrap();
        assert_eq!(list.partners(17), [400, 401]);
        assert_eq!(list.partners(400), [401]);
        assert_eq!(list.partners(401), []);
    }
}
