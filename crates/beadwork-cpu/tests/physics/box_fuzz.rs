//! Random boxes: every path has the bits of the reference path, or fails as it does, with any number of threads.

use beadwork_cpu::{CpuPath, Instructions};
use beadwork_testing::few_or_many;

use crate::random_boxes::RandomBox;

/// Boxes of two and three cells a side, and between; huge ones with few beads; all beads in one place or around a corner;
/// types without beads; forces beyond all limits.
#[test]
fn random_boxes_have_the_bits_of_the_reference_path() {
    let (cases, most) = few_or_many((150_u64, 2_000.0), (300, 100_000.0));
    let mut failures = 0;
    for number in 0..cases {
        // A few boxes may be large: they take most of the time.
        let most = if number.is_multiple_of(12) { most } else { 2_000.0 };
        let case = RandomBox::new(number, most);
        let start = case.member();
        let result = |path: CpuPath, threads: usize| {
            let mut member = start.clone().with_path(path);
            member.set_threads(threads);
            let forces = member.interaction_forces();
            let steps = [1, 4, 1].map(|count| member.advance(count).map_err(|one| one.error));
            (forces, steps, member.state())
        };
        let expected = result(CpuPath::Reference, 1);
        failures += usize::from(expected.0.is_err());
        let available = Instructions::ALL.into_iter().filter(|one| one.is_available());
        let others = available.map(|one| (one, 1));
        for (instructions, threads) in others.chain([(Instructions::best(), case.threads)]) {
            assert!(
                result(CpuPath::PairSimd(instructions), threads) == expected,
                "{case}, {instructions:?}, {threads} threads",
            );
        }
    }
    assert!((1..cases as usize / 4).contains(&failures), "{failures} of {cases} boxes fail");
}
