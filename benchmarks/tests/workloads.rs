//! The timed systems.

use beadwork_benchmarks::Workload;

#[test]
fn ubiquitin_has_all_residues() {
    let counts = Workload::named("ubiquitin").unwrap().system.counts;
    assert_eq!((counts.beads, counts.bonds, counts.native_contacts), (76, 75, 177));
    assert!(Workload::named("unknown").unwrap_err().to_string().contains("ubiquitin"));
}
