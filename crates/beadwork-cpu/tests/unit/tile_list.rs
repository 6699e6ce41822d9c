//! Tests of `src/pair_simd/list.rs`.

use super::*;

/// Positions of a random walk, with a few beads far away.
fn walk(beads: usize, seed: u64) -> Coordinates<f64> {
    let mut state = seed;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut at = [0.0; 3];
    let mut triples = Vec::new();
    for bead in 0..beads {
        for component in &mut at {
            *component += 7.6 * (uniform() - 0.5);
        }
        // Chains of 50 beads, far from each other: some blocks hold beads of two chains.
        let shift = 60.0 * (bead / 50) as f64;
        triples.push([at[0] + shift, at[1], at[2]]);
    }
    Coordinates::from_triples(&triples)
}

/// An empty list for beads of one type.
fn of_one_type(
    beads: usize,
    range: Range<usize>,
    [cutoff, skin]: [f64; 2],
    excluded: &[(usize, usize)],
) -> TileList<f64> {
    let types = vec![0; beads.next_multiple_of(TILE_SIDE)].into();
    TileList::new(beads, &types, range, &PairCutoffs::new(1, |_, _| cutoff), skin, excluded)
}

fn square(positions: &Coordinates<f64>, i: usize, j: usize) -> f64 {
    positions.get(i).iter().zip(positions.get(j)).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn listed(rows: &TileRows) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for block in rows.range.clone() {
        for tile in &rows.tiles[rows.all(block)] {
            for pair in 0..16 {
                if tile.pairs & (1 << pair) != 0 {
                    let (a, b) = (pair / TILE_SIDE, pair % TILE_SIDE);
                    pairs.push((TILE_SIDE * block + a, TILE_SIDE * tile.block as usize + b));
                }
            }
        }
    }
    pairs
}

#[test]
fn holds_pairs_within_reach_except_excluded_ones() {
    for (beads, seed) in [(1, 1), (3, 2), (34, 3), (237, 4), (1003, 5)] {
        let positions = walk(beads, seed);
        let excluded: Vec<_> = (1..beads).map(|j| (j - 1, j)).collect();
        let blocks = positions.blocks(TILE_SIDE);
        for range in [0..blocks, 0..blocks / 2, blocks / 2..blocks, blocks / 3..2 * blocks / 3] {
            let mut list = of_one_type(beads, range.clone(), [10.0, 2.0], &excluded);
            list.build::<f64>(&positions);
            let found: std::collections::HashSet<_> = listed(&list.rows).into_iter().collect();
            for i in range.start * TILE_SIDE..(range.end * TILE_SIDE).min(beads) {
                for j in 0..beads {
                    let inside = range.contains(&(j / TILE_SIDE));
                    // In the range only the upper half is listed, including each block with itself.
                    let wanted = !inside || j / TILE_SIDE >= i / TILE_SIDE;
                    let bonded = i.abs_diff(j) <= 1;
                    if wanted && !bonded && square(&positions, i, j) < 144.0 {
                        assert!(found.contains(&(i, j)), "{beads} {range:?} {i} {j}");
                    }
                    if bonded || !wanted {
                        assert!(!found.contains(&(i, j)), "{beads} {range:?} {i} {j}");
                    }
                }
            }
        }
    }
}

/// Three types: a cutoff between most, a larger one between the few beads of type 2, and none between those of type 1.
#[test]
fn with_types_it_holds_exactly_the_pairs_within_their_own_reach() {
    for (beads, seed) in [(34, 3), (237, 4), (1003, 5)] {
        let positions = walk(beads, seed);
        let excluded: Vec<_> = (1..beads).map(|j| (j - 1, j)).collect();
        let kind = |bead: usize| if bead % 17 == 5 { 2 } else { u16::from(bead % 3 == 1) };
        let blocks = positions.blocks(TILE_SIDE);
        let mut types: Vec<u16> = (0..beads).map(kind).collect();
        types.resize(blocks * TILE_SIDE, 0);
        let types = types.into();
        let cutoffs = PairCutoffs::new(3, |a, b| match (a, b) {
            (2, 2) => 40.0,
            (1, 1) => 0.0,
            _ => 10.0,
        });
        for range in [0..blocks, blocks / 3..2 * blocks / 3] {
            let mut list = TileList::new(beads, &types, range.clone(), &cutoffs, 2.0, &excluded);
            list.build::<f64>(&positions);
            let mut expected = Vec::new();
            let ends = range.start * TILE_SIDE..(range.end * TILE_SIDE).min(beads);
            for (i, j) in ends.flat_map(|i| (0..beads).map(move |j| (i, j))) {
                let lower = range.contains(&(j / TILE_SIDE)) && j / TILE_SIDE < i / TILE_SIDE;
                let reach = cutoffs.reach(kind(i), kind(j), 2.0);
                let near = square(&positions, i, j) < reach * reach * 1.000_001;
                if !lower && i.abs_diff(j) > 1 && near {
                    expected.push((i, j));
                }
            }
            let mut found = listed(&list.rows);
            found.sort_unstable();
            assert_eq!(found, expected, "{beads} {range:?}");
            let mut longest = of_one_type(beads, range.clone(), [40.0, 2.0], &excluded);
            longest.build::<f64>(&positions);
            let few = 3 * found.len() < listed(&longest.rows).len();
            assert!(few || beads < 100, "{beads} {range:?}");
        }
    }
}

#[test]
fn rows_ascend_and_are_split_at_the_range() {
    let positions = walk(400, 9);
    let mut list = of_one_type(400, 30..70, [20.0, 4.0], &[]);
    list.build::<f64>(&positions);
    for block in 30..70 {
        let blocks = |range: Range<usize>| -> Vec<usize> {
            list.rows.tiles[range].iter().map(|tile| tile.block as usize).collect()
        };
        assert!(blocks(list.rows.below(block)).iter().all(|&other| other < 30));
        let upper = blocks(list.rows.upper(block));
        assert_eq!(upper[0], block);
        let all = blocks(list.rows.all(block));
        assert!(all.is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn is_stale_if_a_bead_moves_by_half_the_skin_or_is_not_finite() {
    let mut positions = walk(100, 11);
    let mut list = of_one_type(100, 0..25, [10.0, 1.0], &[]);
    assert!(list.is_stale::<f64>(&positions));
    list.build::<f64>(&positions);
    assert!(!list.is_stale::<f64>(&positions));
    let [x, y, z] = positions.get(77);
    positions.set(77, [x, y + 0.49, z]);
    assert!(!list.is_stale::<f64>(&positions));
    positions.set(77, [x, y + 0.51, z]);
    assert!(list.is_stale::<f64>(&positions));
    positions.set(77, [x, f64::NAN, z]);
    assert!(list.is_stale::<f64>(&positions));
}
