//! Tests of `src/tables/system.rs`.

use beadwork_model::potentials::SixthPowerRepulsion;
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::{Interactions, Particles};

use super::*;

/// 36 beads in a line, 1 Å apart, of types 0, 1, 2 in turn: a far term acts between those of type 2, and no term
/// between those of type 1.
fn line() -> System {
    let potential = SixthPowerRepulsion { strength: 1.0, diameter: 1.0 };
    let near = |a, b| if (a, b) == (1, 1) { 0.0 } else { 1.5 };
    let far = |a, b| if (a, b) == (2, 2) { 20.0 } else { 0.0 };
    let near = PairTable::new(3, |a, b| PairEntry { potential, cutoff: near(a, b) });
    let far = PairTable::new(3, |a, b| PairEntry { potential, cutoff: far(a, b) });
    let pairs = vec![near.into(), far.into()];
    let positions = (0..36).map(|bead| [f64::from(bead), 0.0, 0.0]).collect();
    let one_type = Particles::of_one_type(vec![Default::default(); 36], positions);
    let particles = Particles { types: (0..36).map(|bead| bead % 3).collect(), ..one_type };
    let excluded = vec![(0, 1)];
    let interactions = Interactions { pairs, excluded, ..Interactions::default() };
    System { particles, interactions, ..System::default() }
}

#[test]
fn masks_have_the_pairs_on_which_a_term_may_act() {
    let system = line();
    let masks = masks(&system, &system.interactions.pair_cutoffs());
    for (i, j) in (0..36).flat_map(|i| (0..36).map(move |j| (i, j))) {
        let hidden = i == j || (i % 3, j % 3) == (1, 1) || i.max(j) == 1;
        assert_eq!(masks[4 * i + j % 4] >> (j / 4) & 1 == 0, hidden, "{i} {j}");
    }
}

/// The longest slot has four partners: three of type 2, and one beside the bead. Within the largest cutoff there are
/// nine.
#[test]
fn lists_have_room_for_pairs_within_the_reach_of_their_types() {
    let system = line();
    let cutoffs = system.interactions.pair_cutoffs();
    assert_eq!(capacity(&system, &cutoffs, 0.2), 12);
    let all = PairCutoffs::new(1, |_, _| cutoffs.largest());
    assert_eq!(capacity(&system, &all, 0.2), 20);
}

#[test]
fn squares_of_radii_are_those_of_the_types() {
    let squares = square_lists::<f64>(&line().interactions.pair_cutoffs(), 3, 0.5);
    assert_eq!(squares, [4.0, 4.0, 4.0, 4.0, 0.0, 4.0, 4.0, 4.0, 20.5 * 20.5]);
}
