//! Is the noise of different axes, beads, steps, replicas, purposes and seeds independent?
//!
//! Linear correlation of the numbers and of their squares, over time and over beads, with a threshold from sample size,
//! significance and the number of comparisons. Known-bad schemes go through the same checks and must fail them.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

use std::collections::HashSet;

use beadwork_random::{
    HybridTaus, NoiseKey, Normal, Purpose, StatefulNoise, box_muller, philox4x32_10, uniform_f64,
};
use beadwork_testing::{assert_mean, correlation, correlation_threshold};

/// Numbers in a series.
const LENGTH: usize = 200_000;
/// Shifts of one series against another.
const LAGS: usize = 8;
/// Probability that chance fails one whole set of checks.
const SIGNIFICANCE: f64 = 1e-3;

/// Whose noise a series is.
#[derive(Clone, Copy)]
struct Stream {
    seed: u64,
    purpose: Purpose,
    replica: u64,
    bead: u32,
}

const STREAM: Stream = Stream { seed: 20101, purpose: Purpose::Test, replica: 0, bead: 0 };

/// A pair of series that should be independent.
struct Comparison {
    what: String,
    coefficient: f64,
}

#[derive(Default)]
struct Report(Vec<Comparison>);

impl Report {
    /// Compares two series and their squares.
    fn compare(&mut self, what: &str, first: &[f64], second: &[f64]) {
        let squares =
            |series: &[f64]| series.iter().map(|number| number * number).collect::<Vec<_>>();
        let coefficient = correlation(first, second);
        self.0.push(Comparison { what: what.to_owned(), coefficient });
        let coefficient = correlation(&squares(first), &squares(second));
        self.0.push(Comparison { what: format!("{what}, squares"), coefficient });
    }

    /// Compares a series with another one at shifts from −LAGS to LAGS.
    fn compare_shifted(&mut self, what: &str, first: &[f64], second: &[f64]) {
        let part = LENGTH - LAGS;
        for lag in 0..=LAGS {
            self.compare(&format!("{what}, {lag} later"), &first[..part], &second[lag..lag + part]);
            if lag > 0 {
                self.compare(
                    &format!("{what}, {lag} earlier"),
                    &first[lag..lag + part],
                    &second[..part],
                );
            }
        }
    }

    fn compare_with_itself(&mut self, what: &str, series: &[f64]) {
        let part = LENGTH - LAGS;
        for lag in 1..=LAGS {
            self.compare(
                &format!("{what}, {lag} later"),
                &series[..part],
                &series[lag..lag + part],
            );
        }
    }

    /// The comparisons that exceed the threshold.
    fn suspicious(&self) -> Vec<String> {
        let threshold = correlation_threshold(LENGTH - LAGS, SIGNIFICANCE, self.0.len());
        let beyond = self.0.iter().filter(|comparison| comparison.coefficient.abs() > threshold);
        beyond
            .map(|comparison| format!("{}: {:+.4}", comparison.what, comparison.coefficient))
            .collect()
    }
}

fn axis(vectors: &[[f64; 3]], axis: usize) -> Vec<f64> {
    vectors.iter().map(|vector| vector[axis]).collect()
}

/// All checks of a scheme, which gives the first `count` vectors over time of a stream.
fn check(scheme: impl Fn(Stream, usize) -> Vec<[f64; 3]>) -> Report {
    let mut report = Report::default();
    let reference = scheme(STREAM, LENGTH);
    let x = axis(&reference, 0);
    for (name, first, second) in [("x and y", 0, 1), ("x and z", 0, 2), ("y and z", 1, 2)] {
        report.compare_shifted(name, &axis(&reference, first), &axis(&reference, second));
    }
    for component in 0..3 {
        report.compare_with_itself("one bead over time", &axis(&reference, component));
    }
    for distance in [1, 2, 3] {
        let near = distance as u32;
        let others = [
            ("neighbouring beads", Stream { bead: near, ..STREAM }),
            ("neighbouring replicas", Stream { replica: distance, ..STREAM }),
            ("neighbouring seeds", Stream { seed: STREAM.seed + distance, ..STREAM }),
            (
                "replica up, seed down",
                Stream { replica: distance, seed: STREAM.seed - distance, ..STREAM },
            ),
            ("replica up, bead down", Stream { replica: distance, bead: 3 - near, ..STREAM }),
        ];
        for (name, other) in others {
            report.compare_shifted(name, &x, &axis(&scheme(other, LENGTH), 0));
        }
    }
    for purpose in [Purpose::ThermalForce, Purpose::InitialVelocity] {
        report.compare_shifted(
            "purposes",
            &x,
            &axis(&scheme(Stream { purpose, ..STREAM }, LENGTH), 0),
        );
    }

    // The same over beads: the first two steps of many beads.
    let over_beads = |stream: Stream| {
        let mut steps = [Vec::new(), Vec::new()];
        for bead in 0..LENGTH as u32 {
            let vectors = scheme(Stream { bead, ..stream }, 2);
            steps[0].push(vectors[0][0]);
            steps[1].push(vectors[1][0]);
        }
        steps
    };
    let [first, second] = over_beads(STREAM);
    report.compare_with_itself("beads at one step", &first);
    report.compare_shifted("beads at successive steps", &first, &second);
    let [other, _] = over_beads(Stream { replica: 1, ..STREAM });
    report.compare_shifted("beads of neighbouring replicas", &first, &other);
    let [other, _] = over_beads(Stream { seed: STREAM.seed + 1, ..STREAM });
    report.compare_shifted("beads of neighbouring seeds", &first, &other);
    report
}

#[track_caller]
fn assert_independent(report: &Report) {
    let suspicious = report.suspicious();
    assert!(suspicious.is_empty(), "of {} comparisons: {suspicious:#?}", report.0.len());
}

fn keyed<T: Normal>(stream: Stream, count: usize) -> Vec<[f64; 3]> {
    let key = NoiseKey::new(stream.seed, stream.purpose, stream.replica);
    (0..count as u64).map(|step| T::normals(key, step, stream.bead).map(T::to_f64)).collect()
}

#[test]
fn keyed_noise_in_single_precision() {
    assert_independent(&check(keyed::<f32>));
}

#[test]
fn keyed_noise_in_double_precision() {
    assert_independent(&check(keyed::<f64>));
}

#[test]
fn generators_with_a_state() {
    // Purposes do not apply here: a different one stands for another replica far away.
    let report = check(|stream, count| {
        let replica = stream.replica + u64::from(stream.purpose.value());
        let key = NoiseKey::new(stream.seed, Purpose::GeneratorState, replica);
        let mut state = HybridTaus::from_random_words(key.words(0, 0, stream.bead, 0));
        (0..count).map(|_| f64::normals_from(&mut || state.next_u32())).collect()
    });
    assert_independent(&report);
    // These are the states that StatefulNoise starts with.
    let noise = StatefulNoise::new(20101, 0, 1);
    let key = NoiseKey::new(20101, Purpose::GeneratorState, 0);
    let words = key.words(0, 0, 0, 0);
    assert_eq!(noise.states()[0], HybridTaus::from_random_words(words));
}

#[test]
fn noise_of_pairs() {
    // Pairs that share a bead, and the single beads themselves, at the same steps.
    let key = NoiseKey::new(20101, Purpose::PairThermostat, 0);
    let series = |i: u32, j: u32, draw: u16| -> Vec<f64> {
        (0..LENGTH as u64)
            .map(|step| {
                let [a, b, c, d] = key.words(step, draw, i, j);
                box_muller(uniform_f64(a, b), uniform_f64(c, d))[0]
            })
            .collect()
    };
    let streams = [(0, 1, 0), (0, 1, 1), (0, 2, 0), (1, 2, 0), (0, 0, 0), (1, 0, 0), (2, 0, 0)];
    let all = streams.map(|(i, j, draw)| series(i, j, draw));
    let mut report = Report::default();
    for (n, first) in all.iter().enumerate() {
        report.compare_with_itself("one pair over time", first);
        for second in &all[..n] {
            report.compare_shifted("pairs", first, second);
        }
    }
    assert_independent(&report);
}

#[track_caller]
fn assert_fails_in(report: &Report, what: &str) {
    let suspicious = report.suspicious();
    let found = suspicious.iter().any(|comparison| comparison.starts_with(what));
    assert!(found, "nothing found under {what}, only {suspicious:#?}");
}

/// Normal vectors of a scheme that makes blocks of four words.
fn vector(words: [u32; 4]) -> [f64; 3] {
    let mut words = words.into_iter();
    f32::normals_from(&mut || words.next().unwrap()).map(f64::from)
}

#[test]
fn a_key_that_adds_seed_and_replica_fails() {
    let report = check(|stream, count| {
        let key = [(stream.seed + stream.replica) as u32, stream.purpose.value()];
        (0..count as u32)
            .map(|step| vector(philox4x32_10([step, 0, stream.bead, 0], key)))
            .collect()
    });
    assert_fails_in(&report, "replica up, seed down, 0 later: +1.0000");
}

#[test]
fn a_seed_added_to_the_step_fails() {
    let report = check(|stream, count| {
        let key = [stream.replica as u32, stream.purpose.value()];
        let counter = |step: u32| [step + stream.seed as u32, 0, stream.bead, 0];
        (0..count as u32).map(|step| vector(philox4x32_10(counter(step), key))).collect()
    });
    assert_fails_in(&report, "neighbouring seeds, 1 earlier: +1.0000");
}

#[test]
fn a_noise_without_purpose_fails() {
    let report =
        check(|stream, count| keyed::<f32>(Stream { purpose: Purpose::Test, ..stream }, count));
    assert_fails_in(&report, "purposes, 0 later: +1.0000");
}

#[test]
fn congruential_generators_with_successive_seeds_fail() {
    let report = check(|stream, count| {
        let mut state =
            (stream.seed + 1000 * stream.replica) as u32 + stream.bead + stream.purpose.value();
        let mut draw = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state
        };
        (0..count).map(|_| f32::normals_from(&mut draw).map(f64::from)).collect()
    });
    assert_fails_in(&report, "beads at one step");
}

#[test]
fn a_weak_common_part_is_noticed() {
    // 5 % of each bead's variance comes from noise that all beads share: a correlation of 0.05.
    let report = check(|stream, count| {
        let common = keyed::<f64>(Stream { bead: u32::MAX, ..stream }, count);
        let own = keyed::<f64>(stream, count);
        let mix = |(a, b): (&[f64; 3], &[f64; 3])| {
            [0, 1, 2].map(|n| 0.95_f64.sqrt() * a[n] + 0.05_f64.sqrt() * b[n])
        };
        own.iter().zip(&common).map(mix).collect()
    });
    assert_fails_in(&report, "neighbouring beads, 0 later: +0.0");
}

#[test]
fn no_two_replicas_share_a_key() {
    for purpose in Purpose::ALL {
        let keys: HashSet<[u32; 2]> = (0..100_000)
            .map(|replica| NoiseKey::new(20101, *purpose, replica).key_words())
            .collect();
        assert_eq!(keys.len(), 100_000);
    }
}

#[test]
fn purposes_seeds_and_replicas_do_not_meet() {
    // 8 × 300 × 300 keys; among random ones of 64 bits a pair would meet with probability 1.4·10⁻⁸.
    let mut keys = HashSet::new();
    for purpose in Purpose::ALL {
        for seed in 0..300 {
            keys.extend((0..300).map(|replica| NoiseKey::new(seed, *purpose, replica).key_words()));
        }
    }
    assert_eq!(keys.len(), Purpose::ALL.len() * 300 * 300);
}

#[test]
fn every_bit_of_seed_and_replica_moves_half_of_the_key() {
    let number =
        |key: NoiseKey| u64::from(key.key_words()[0]) | u64::from(key.key_words()[1]) << 32;
    const CASES: u64 = 1000;
    for bit in 0..64 {
        let (mut by_seed, mut by_replica) = (0, 0);
        for case in 0..CASES {
            let key = number(NoiseKey::new(case, Purpose::ThermalForce, case * 3));
            let other = number(NoiseKey::new(case ^ 1 << bit, Purpose::ThermalForce, case * 3));
            by_seed += (key ^ other).count_ones();
            let other = number(NoiseKey::new(case, Purpose::ThermalForce, (case * 3) ^ 1 << bit));
            by_replica += (key ^ other).count_ones();
        }
        // A binomial count of 64 000 bits; 5 standard errors for 128 comparisons.
        let error = (64.0 * CASES as f64).sqrt() / 2.0;
        for count in [by_seed, by_replica] {
            assert_mean((f64::from(count), error), 32.0 * CASES as f64, 5.0);
        }
    }
}
