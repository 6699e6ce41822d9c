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

/// Repelling beads of three types, with the largest cutoff between the few beads of the last type; nothing acts between
/// two beads of the second.
fn of_three_types(positions: &[[f64; 3]], excluded: Vec<(usize, usize)>) -> Arc<System> {
    let mut system = Arc::unwrap_or_clone(repelling(positions, 0.0, excluded));
    let kind = |bead: usize| if bead.is_multiple_of(9) { 2 } else { u16::from(bead % 4 == 1) };
    system.particles.types = (0..positions.len()).map(kind).collect();
    let potential = SixthPowerRepulsion { strength: 1.0, diameter: 1.0 };
    let near = |a, b| if (a, b) == (1, 1) { 0.0 } else { 3.0 + 0.5 * (a + b) as f64 };
    let far = |a, b| if (a, b) == (2, 2) { 9.0 } else { 0.0 };
    let near = PairTable::new(3, |a, b| PairEntry { potential, cutoff: near(a, b) });
    let far = PairTable::new(3, |a, b| PairEntry { potential, cutoff: far(a, b) });
    system.interactions.pairs = vec![near.into(), far.into()];
    Arc::new(system)
}

fn listed(list: &NeighbourList<f64>, beads: usize) -> Vec<(usize, usize)> {
    let partners = |i: usize| list.partners(i).iter().map(move |&j| (i, j as usize));
    (0..beads).flat_map(partners).collect()
}

/// Each pair has the largest cutoff of all terms between its types. The list is far shorter than one of all pairs
/// within the largest cutoff.
#[test]
fn holds_exactly_the_pairs_within_the_reach_of_their_types() {
    for (beads, side) in [(40, 4), (600, 8)] {
        let positions = shaken(&lattice(beads, side), 0.3, 1);
        let excluded = vec![(0, 9), (1, 2), (7, 23)];
        let system = of_three_types(&positions, excluded.clone());
        let (types, cutoffs) = (&system.particles.types, system.interactions.pair_cutoffs());
        for skin in [0.0, 1.0] {
            let mut list = NeighbourList::new(&system, skin);
            list.refresh(&positions).unwrap();
            let pairs = (0..beads).flat_map(|i| (i + 1..beads).map(move |j| (i, j)));
            let expected: Vec<_> = pairs
                .filter(|&(i, j)| {
                    let reach = cutoffs.reach(types[i], types[j], skin);
                    let near = square(positions[i], positions[j]) < reach * reach * 1.000_001;
                    near && !excluded.contains(&(i, j))
                })
                .collect();
            assert_eq!(listed(&list, beads), expected, "{beads} {skin}");
            let mut longest =
                NeighbourList::new(&repelling(&positions, 9.0, excluded.clone()), skin);
            longest.refresh(&positions).unwrap();
            assert!(2 * expected.len() < listed(&longest, beads).len(), "{beads} {skin}");
        }
    }
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
