//! The choice of bricks.

use super::*;

const CONTENTS: Contents =
    Contents { cells: [17, 20, 22], per_cell: 3.2, list_capacity: 20, crowding: 0 };

#[test]
fn a_brick_has_room_for_its_beads_and_fits_into_shared_memory() {
    for bytes in [30_000, 60_000, 200_000] {
        let brick = Brick::best(&CONTENTS, 132, 256, 4, bytes, None).unwrap();
        assert!(brick.shared_memory(&CONTENTS, 256, 4) <= bytes, "{brick:?}");
        let around: u32 = brick.sides.iter().map(|side| side + 2).product();
        assert!(brick.room as f64 > CONTENTS.per_cell * f64::from(around), "{brick:?}");
        let crowded = Contents { crowding: 7, ..CONTENTS };
        let brick = Brick::best(&crowded, 132, 256, 4, bytes, Some(brick.sides));
        assert!(brick.is_none_or(|brick| brick.room as f64 > 7.0 * f64::from(around)), "{brick:?}");
    }
}

#[test]
fn full_cells_have_numbers_of_sixteen_bits() {
    let dilute = Contents { cells: [40; 3], per_cell: 0.1, list_capacity: 64, crowding: 0 };
    let brick = Brick::best(&dilute, 1, 256, 4, 200_000, None).unwrap();
    let around: u32 = brick.sides.iter().map(|side| side + 2).product();
    assert!(around as usize * dilute.list_capacity < 1 << 16, "{brick:?}");
}

#[test]
fn blocks_have_one_brick_each_if_there_are_enough() {
    let brick = Brick::best(&CONTENTS, 132, 896, 4, 200_000, None).unwrap();
    assert_eq!(brick.turns(&CONTENTS, 132), 1, "{brick:?}");
    // Bricks cover all cells.
    let counts = brick.counts(CONTENTS.cells);
    assert!((0..3).all(|k| counts[k] * brick.sides[k] >= CONTENTS.cells[k]), "{brick:?}");
}

#[test]
fn sides_can_be_fixed_and_crowded_cells_have_no_brick() {
    let forced = Brick::best(&CONTENTS, 132, 256, 4, 200_000, Some([4, 4, 40])).unwrap();
    assert_eq!(forced.sides, [4, 4, 12]);
    let crowded = Contents { per_cell: 2_000.0, ..CONTENTS };
    assert_eq!(Brick::best(&crowded, 132, 256, 4, 200_000, None), None);
}
