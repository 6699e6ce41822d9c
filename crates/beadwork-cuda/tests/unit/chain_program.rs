//! Tests of `src/monte_carlo/chain_program.rs`.

use super::*;

#[test]
fn more_replicas_have_fewer_lanes_each() {
    let lanes = |replicas| lanes_of(55, replicas, 132);
    assert_eq!([1, 300, 600, 1_000, 2_000, 4_000, 8_000].map(lanes), [32, 32, 16, 16, 8, 8, 4]);
    // A lane has at most 32 monomers.
    assert_eq!(lanes_of(129, 100_000, 132), 8);
    assert_eq!(lanes_of(MOST_MONOMERS, 100_000, 132), 32);
}

#[test]
fn lengths_of_chains_are_limited() {
    let form =
        |monomers, lanes| ChainShape::new(Precision::Single, Rounding::Fused, monomers, lanes);
    assert_eq!(form(55, 8).map(|form| form.slots), Some(7));
    assert_eq!(form(55, 8).map(|form| form.replica_bytes()), Some((56 + 8) * 16 + 32));
    assert_eq!(form(13, 4).map(|form| form.replica_bytes()), Some((20 + 4) * 16 + 16));
    assert!(form(1, 32).is_none() && form(129, 4).is_none() && form(55, 7).is_none());
    assert!(form(MOST_MONOMERS, 32).is_some() && form(MOST_MONOMERS + 1, 32).is_none());
}
