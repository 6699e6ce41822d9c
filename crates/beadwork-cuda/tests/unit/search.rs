//! Cells and memory of measurements.

use beadwork_model::potentials::DpdConservative;
use beadwork_model::potentials::pair::PairTable;
use beadwork_model::{Boundary, ParticleType, Particles, System};

use super::{Counts, Search};
use crate::observables::are_observed;

fn fluid(beads: usize, boundary: Boundary, cutoff: f64) -> System {
    let soft = DpdConservative { strength: 25.0, cutoff };
    let mut system = System {
        particles: Particles::of_one_type(vec![Default::default(); beads], vec![[0.0; 3]; beads]),
        boundary,
        ..System::default()
    };
    system.interactions.pairs = vec![PairTable::of_one_type(soft, cutoff).into()];
    system
}

/// A system whose beads lack types is measured by the host, as it is on CPUs.
#[test]
fn a_card_measures_systems_with_all_types() {
    let mut system = fluid(20, Boundary::Open, 1.0);
    assert!(!are_observed(&system));
    system.types.push(ParticleType::new("bead", 1.0));
    assert!(are_observed(&system));
    system.particles.types[3] = 1;
    assert!(!are_observed(&system));
}

/// Cells are no shorter than the cutoff, and at most as many as beads.
#[test]
fn cells_are_long_and_few() {
    for beads in [1_025, 24_000] {
        for cutoff in [0.1, 1.0, 3.9] {
            let lengths = [8.0, 20.0, 50.0];
            let system = fluid(beads, Boundary::Periodic { lengths }, cutoff);
            let counts = Counts::of(&system);
            let Search { cells, square_edge, .. } = Search::new(&system, counts);
            assert!(square_edge > cutoff * cutoff);
            for (length, count) in lengths.into_iter().zip(cells) {
                assert!(length / f64::from(count) > cutoff, "{cells:?}");
            }
            assert!((1..=beads).contains(&counts.cells), "{cells:?}");
            let open = fluid(beads, Boundary::Open, cutoff);
            let counts = Counts::of(&open);
            let Search { cells, .. } = Search::new(&open, counts);
            assert!(cells.into_iter().all(u32::is_power_of_two));
            assert!(counts.cells <= beads && 2 * counts.cells > beads, "{cells:?}");
        }
    }
}

/// Arrays of a sample lie one after another.
#[test]
fn arrays_have_room() {
    let lengths = [20.0; 3];
    let system = fluid(24_000, Boundary::Periodic { lengths }, 1.0);
    let counts = Counts::of(&system);
    // Rows, one molecule and velocities.
    assert_eq!(counts.runs, 2 * 24_000_usize.div_ceil(256) + 1);
    let search = Search::new(&system, counts);
    let [heads, nexts, rows] = [search.heads, search.nexts, search.rows];
    assert_eq!(nexts - heads, 4 * 19_u64.pow(3) + 4);
    assert_eq!(rows - nexts, 4 * 24_000);
    assert_eq!(search.molecules - rows, 24 * 24_000);
    assert_eq!(search.sums - search.molecules, 24);
    assert_eq!(search.bytes - search.sums, 24 * counts.runs as u64);
    assert_eq!(Search::new(&fluid(1_024, Boundary::Open, 1.0), Counts::default()).bytes(), 0);
}
