//! Faults that the comparison with the reference path must find.

use super::*;

const CASE: ChainCase =
    ChainCase { precision: Precision::Single, rounding: Rounding::Fused, monomers: 13, lanes: 4 };

/// The reference path's samples of a batch by the schedule of [`CASE`].
fn sampled(mut start: LadderBatch) -> (Vec<Stop>, LadderBatch) {
    let stops = start.sample_plainly(CASE.precision, schedule(CASE.monomers), &[]);
    (stops, start)
}

fn outcome(start: LadderBatch) -> Result<f64, String> {
    let (stops, end) = sampled(start);
    judge(CASE, batch(CASE.monomers, LADDERS), &stops, &end)
}

/// Trials include fits of displacements and exchanges of replicas.
#[test]
fn trials_include_fits_and_exchanges() {
    let begin = batch(CASE.monomers, LADDERS);
    let (stops, end) = sampled(begin.clone());
    assert_eq!(outcome(begin.clone()), Ok(0.0));
    for (before, after) in begin.ladders.iter().zip(&end.ladders) {
        assert_ne!(before.rungs, after.rungs);
    }
    let swaps = stops.windows(2).filter(|pair| pair[0].rungs != pair[1].rungs).count();
    assert!(swaps > 0, "nothing is exchanged");
}

/// The comparison refuses small faults.
#[test]
fn small_faults_are_found() {
    let right = || batch(CASE.monomers, LADDERS);
    let refused = |what: &str, change: &dyn Fn(&mut LadderBatch)| {
        let mut wrong = right();
        change(&mut wrong);
        let outcome = outcome(wrong);
        assert!(outcome.is_err(), "{what} passes: {outcome:?}");
    };
    refused("a stiffer bond", &|wrong| wrong.polymer.bonds.stiffness *= 1.01);
    refused("a shorter cutoff", &|wrong| wrong.polymer.pairs.cutoff *= 0.99);
    refused("another attempt", &|wrong| wrong.attempt = 1);
    refused("another sweep", &|wrong| wrong.sweep = 1);
    refused("a wrong temperature", &|wrong| wrong.ladders[2].rungs[1].temperature *= 1.02);
    refused("a wrong displacement", &|wrong| wrong.ladders[1].rungs[0].displacement *= 1.0 + 1e-6);

    let (stops, end) = sampled(right());
    let refused = |what: &str, change: &dyn Fn(&mut [Stop])| {
        let mut wrong = stops.clone();
        change(&mut wrong);
        let outcome = judge(CASE, right(), &wrong, &end);
        assert!(outcome.is_err(), "{what} passes: {outcome:?}");
    };
    let last = stops.iter().rposition(|stop| stop.energies.is_some()).unwrap();
    refused("a wrong energy", &|wrong| {
        wrong[last].energies.iter_mut().for_each(|all| all[4] *= 1.0 + 1e-4)
    });
    refused("a missing energy", &|wrong| wrong[last].energies = None);
    refused("a replica elsewhere", &|wrong| {
        wrong[0].positions.iter_mut().for_each(|all| all[8][12][2] += 1e-6)
    });
}
