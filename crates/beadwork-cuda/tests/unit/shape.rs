//! Tests of `src/plans/shape.rs`.

use super::*;
use crate::plans::bricks::Contents;
use crate::tables::TermNames;

/// A member that surfaces and a tip press on, whatever its beads and however many share a card.
#[test]
fn what_presses_fits_into_shared_memory() {
    let card = Properties {
        name: String::new(),
        compute_capability: (9, 0),
        multiprocessors: 132,
        blocks_per_cluster: 16,
        shared_memory_per_block: 232_448,
        memory: 0,
        driver: (13, 0),
    };
    let contents =
        Contents { cells: [8; 3], per_cell: 3.0, list_capacity: 16, ..Contents::default() };
    let overrides = LaunchOverrides::default();
    let mut with_helpers = 0;
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
            let size = Size {
                beads,
                externals,
                is_pushed: false,
                contacts: 4,
                lane_bytes: 0,
                types: 1,
                table_bytes: 0,
                contents,
            };
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
                with_helpers += usize::from(shape.pressing);
            }
        }
    }
    // Most shapes have room for the forces; some have not.
    assert!((60..230).contains(&with_helpers), "{with_helpers}");
}
