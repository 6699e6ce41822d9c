//! Tests of `src/tables/terms.rs`.

use super::*;

/// Three beads, bonds (0, 1) and (0, 2): partner 1 is in slot 1 of bead 0, partner 2 in slot 2.
#[test]
fn columns_and_rows_have_the_same_entries() {
    let entry = |k: usize, partner: u32| record::<f32>(&[partner, k as u32], &[0.5]);
    let slots = Slots::new(3, [(0, 1), (0, 2)].into_iter(), 16, entry);
    assert_eq!(slots.counts, [0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    let columns = slots.columns();
    assert_eq!(columns.len(), 12 * 16);
    let partner = |slot: usize| columns[16 * slot];
    assert_eq!((partner(1), partner(2), partner(4), partner(8)), (1, 2, 0, 0));
    let (heads, rows) = slots.rows(160);
    assert_eq!(heads, [[160, 0x01_0100], [192, 1], [208, 1]]);
    assert_eq!((rows.len(), rows[0], rows[16]), (64, 1, 2));
}

#[test]
fn entries_of_a_bead_keep_their_order() {
    let entries = vec![(2, vec![1]), (0, vec![2]), (2, vec![3])];
    let rows = BeadRows::new(3, entries);
    assert_eq!((rows.starts, rows.entries), (vec![0, 1, 1, 3], vec![2, 1, 3]));
}
