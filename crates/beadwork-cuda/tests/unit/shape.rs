//! Tests of `src/plans/shape.rs`.

use super::*;
use crate::plans::cover::{large_card, size_of};
use crate::tables::TermNames;

/// A member that surfaces and a tip press on, whatever its beads and however many share a card.
#[test]
fn what_presses_fits_into_shared_memory() {
    let card = large_card();
    let overrides = LaunchOverrides::default();
    for (precision, externals, members) in [Precision::Single, Precision::Double]
        .into_iter()
        .flat_map(|precision| [1, 2, 12].map(|externals| (precision, externals)))
        .flat_map(|(precision, externals)| [1, 24, 300].map(|all| (precision, externals, all)))
    {
        for beads in [34, 400, 2_000, 4_000, 28_620, 129_420, 960_000] {
            let listed = beads > 400;
            let search = if listed { Search::List } else { Search::Mask };
            let plain = Steps::brownian(TermNames::every(), precision);
            let steps = Steps { search, pulled: true, pressed: true, ..plain };
            let size = size_of(beads, externals, 1);
            let counts = [members; 2];
            let of_grid = Shape::of_grid(size, members, &steps, &card, overrides);
            let fits_a_block = beads <= most_beads(&card, precision, false);
            let of_block = fits_a_block.then(|| Shape::new(size, counts, &steps, &card, overrides));
            for shape in std::iter::once(of_grid).chain(of_block) {
                let bytes = SharedMemory::of(&shape, size, &steps).bytes + STATIC;
                let what = format!("{beads} x {members}, {externals}, {precision:?}: {shape:?}");
                assert!(bytes <= card.shared_memory_per_block, "{bytes} bytes, {what}");
                assert!(shape.helpers >= helpers(size, 1), "{what}");
                assert!(shape.threads <= MOST_THREADS, "{what}");
                // Small members always have room for the forces, the largest one with many externals never.
                assert!(shape.pressing || beads > 400, "{what}");
                assert!(!shape.pressing || beads < 960_000 || externals < 12, "{what}");
            }
        }
    }
}

/// Lanes share the slots of members that have few beads for each multiprocessor, in open space, where no lane would press twice.
#[test]
fn lanes_share_slots_where_there_are_few_beads() {
    let card = large_card();
    let lanes = |beads: usize, members: usize, steps: &Steps, overrides: LaunchOverrides| {
        let size = size_of(beads, if steps.pressed { 2 } else { 0 }, 1);
        let shape = Shape::of_grid(size, members, steps, &card, overrides);
        let Layout::Card { blocks, slots, slot_lanes, .. } = shape.layout else { panic!() };
        let stepping = shape.threads - shape.helpers;
        assert!(blocks * slots * stepping >= PARTIAL_SUMS * slot_lanes * beads, "{shape:?}");
        slot_lanes
    };
    let usual = LaunchOverrides::default();
    let plain = Steps::brownian(TermNames::every(), Precision::Single);
    let listed = Steps { search: Search::List, ..plain };
    let found = [300, 2_598, 3_464, 6_928, 8_460, 129_420];
    assert_eq!(found.map(|beads| lanes(beads, 1, &listed, usual)), [4, 4, 2, 2, 1, 1]);
    assert_eq!([2, 4, 8].map(|members| lanes(1_913, members, &listed, usual)), [2, 2, 1]);
    let forced = |slot_lanes| LaunchOverrides { slot_lanes: Some(slot_lanes), ..usual };
    let found = [1, 2, 3, 4, 99].map(|wanted| lanes(6_928, 1, &listed, forced(wanted)));
    assert_eq!(found, [1, 2, 2, 4, 4]);
    // Lanes that would have several slots in turn have one slot each.
    assert_eq!([8_460, 28_620].map(|beads| lanes(beads, 1, &listed, forced(4))), [1, 1]);
    let boxed = Steps { boxed: true, ..listed.clone() };
    assert_eq!(lanes(300, 1, &boxed, forced(4)), 1);
    let pressed = Steps { pulled: true, pressed: true, ..listed };
    let without_helpers = LaunchOverrides { helpers: Some(false), ..usual };
    assert_eq!(lanes(300, 1, &pressed, usual), 4);
    assert_eq!(lanes(300, 1, &pressed, without_helpers), 1);
}
