//! The order in which sums over the beads of a system add up, which tables depend on in their last bits.
//!
//! Up to 1,024 beads all values are added one after another. Sums of more beads are sums of *runs*: 256 values each, in
//! ascending order, added one after another; then the runs, in ascending order. So several threads, or warps of a card, add
//! runs side by side, and no bit depends on their number.

use std::ops::Range;

use rayon::prelude::*;

/// The most beads whose sums have no runs.
pub const MOST_WITHOUT_RUNS: usize = 1_024;

/// The number of values in a run; the last one may have fewer.
pub const RUN: usize = 256;

/// Whether sums of a system, or a molecule, of so many beads are sums of runs.
pub fn have_runs(beads: usize) -> bool {
    beads > MOST_WITHOUT_RUNS
}

/// The runs of `count` values.
pub fn runs(count: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    (0..count.div_ceil(RUN)).map(move |run| RUN * run..count.min(RUN * (run + 1)))
}

/// N sums side by side, of `count` things in a system of so many beads; `add` adds what thing k contributes. Sums and runs
/// begin at −0, as those of iterators do, so that a value alone is its sum.
pub fn sums<const N: usize>(
    beads: usize,
    count: usize,
    add: impl Fn(&mut [f64; N], usize) + Sync,
) -> [f64; N] {
    let of_run = |things: Range<usize>| {
        let mut sums = [-0.0; N];
        things.for_each(|thing| add(&mut sums, thing));
        sums
    };
    if !have_runs(beads) {
        return of_run(0..count);
    }
    let of_runs: Vec<[f64; N]> =
        runs(count).collect::<Vec<_>>().into_par_iter().map(of_run).collect();
    let mut sums = [-0.0; N];
    for of_run in of_runs {
        sums.iter_mut().zip(of_run).for_each(|(sum, of_run)| *sum += of_run);
    }
    sums
}

/// The sum of `count` values in a system of so many beads.
pub fn sum(beads: usize, count: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    let [sum] = sums(beads, count, |[sum], thing| *sum += value(thing));
    sum
}
