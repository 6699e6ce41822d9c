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
