//! Tests that the noise of different axes, beads, steps, replicas, purposes and seeds is independent.
//!
//! The tests measure linear correlations of the numbers and of their squares, over time and over beads. The threshold
//! follows from sample size, significance and number of comparisons. Known-bad schemes must fail the same checks.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

use std::collections::HashSet;

use beadwork_random::micro_streams::published_saru_stream;
use beadwork_random::{
    Generator, Lcg, NoiseKey, Normal, Owner, Purpose, Scheme, Streams, box_muller, lags_for,
    philox4x32, uniform_f64,
};
use beadwork_testing::{assert_mean, correlation, correlation_threshold};

/// Numbers in a series.
const LENGTH: usize = 200_000;
/// The largest shift of one series against another.
const LAGS: usize = 8;
/// Probability that a whole set of checks fails by chance.
const SIGNIFICANCE: f64 = 1e-3;

/// The seed, purpose, replica and bead of a series.
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

/// All checks of a scheme; `scheme` returns the first `count` vectors over time of a stream.
fn check(scheme: impl Fn(Stream, usize) -> Vec<[f64; 3]>) -> Report {
    check_with_beads(&scheme, |stream, beads| {
        let mut steps = [Vec::new(), Vec::new()];
        for bead in 0..beads {
            let vectors = scheme(Stream { bead, ..stream }, 2);
            steps[0].push(vectors[0][0]);
            steps[1].push(vectors[1][0]);
        }
        steps
    })
}

/// The same checks; `over_beads` returns the x components of the first two steps of beads 0, 1, … of a stream.
fn check_with_beads(
    scheme: impl Fn(Stream, usize) -> Vec<[f64; 3]>,
    over_beads: impl Fn(Stream, u32) -> [Vec<f64>; 2],
) -> Report {
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

    // The same over beads instead of time: the first two steps of many beads.
    let over_beads = |stream| over_beads(stream, LENGTH as u32);
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

/// All checks of a generator of the catalogue, in a system with as many beads as the check needs.
///
/// Streams have no purposes: another purpose is replaced by a distant replica number.
fn check_streams<T: Normal>(generator: Generator, scheme: Scheme) -> Report {
    let streams = |stream: Stream, beads: u32| {
        let replica = stream.replica + u64::from(stream.purpose.value() ^ Purpose::Test.value());
        let owner = Owner { seed: stream.seed, replica };
        Streams::new(generator, scheme, owner, beads, T::WORDS).unwrap()
    };
    // Vectors of all beads at the next step.
    let vectors = |streams: &mut Streams, step: u64| -> Vec<[f64; 3]> {
        let mut words = vec![0; streams.words_a_step()];
        streams.draw(step, |_| true, &mut words);
        let three = |words: &[u32]| {
            let mut words = words.iter().copied();
            T::normals_from(&mut || words.next().unwrap()).map(T::to_f64)
        };
        words.chunks_exact(T::WORDS).map(three).collect()
    };
    check_with_beads(
        |stream, count| {
            let mut streams = streams(stream, 4);
            (0..count as u64)
                .map(|step| vectors(&mut streams, step)[stream.bead as usize])
                .collect()
        },
        |stream, beads| {
            let mut streams = streams(stream, beads);
            [0, 1].map(|step| axis(&vectors(&mut streams, step), 0))
        },
    )
}

macro_rules! independent_streams {
    ($($name:ident: $generator:ident, $scheme:ident;)*) => {
        $(
            #[test]
            fn $name() {
                let (generator, scheme) = (Generator::$generator, Scheme::$scheme);
                assert_independent(&check_streams::<f32>(generator, scheme));
                assert_independent(&check_streams::<f64>(generator, scheme));
            }
        )*

        const CHECKED: &[(Generator, Scheme)] =
            &[$((Generator::$generator, Scheme::$scheme)),*];
    };
}

independent_streams! {
    philox_of_ten_rounds: Philox4x32x10, Counter;
    philox_of_seven_rounds: Philox4x32x7, Counter;
    saru_by_tea: SaruTea, OnePerCall;
    saru: Saru, OnePerCall;
    saru_for_each_bead: Saru, OnePerThread;
    hybrid_taus: HybridTaus, OnePerThread;
    ran2: Ran2, OnePerThread;
    xorwow: Xorwow, OnePerThread;
    lagged_fibonacci: LaggedFibonacci, OneForAllThreads;
    mersenne_twister: Mt19937, OneForAllThreads;
}

#[test]
fn all_generators_are_checked_but_known_bad_ones() {
    for generator in Generator::ALL {
        for scheme in generator.schemes() {
            let bad = generator == Generator::Lcg || *scheme == Scheme::OnePerCallPublished;
            assert_eq!(CHECKED.contains(&(generator, *scheme)), !bad, "{generator:?} {scheme:?}");
        }
    }
}

#[test]
fn published_micro_streams_repeat_the_noise_of_other_seeds() {
    // The published seeding adds seed and step: scrambled seeds that differ by 3 give equal noise 3 steps apart.
    let of_scrambled = |seed: u32| -> Vec<f64> {
        let uniform = |step| {
            let mut stream = published_saru_stream(seed, step, 0, 0);
            uniform_f64(stream.next_u32(), stream.next_u32()) - 0.5
        };
        (0..LENGTH as u32).map(uniform).collect()
    };
    let mut report = Report::default();
    report.compare_shifted("seeds", &of_scrambled(1000), &of_scrambled(1003));
    assert_fails_in(&report, "seeds, 3 earlier: +1.0000");
}

#[test]
fn numbers_of_lagged_fibonacci_are_sums_of_earlier_ones() {
    let (short, long) = lags_for(4);
    let owner = Owner { seed: 20101, replica: 0 };
    let scheme = Scheme::OneForAllThreads;
    let mut streams = Streams::new(Generator::LaggedFibonacci, scheme, owner, 1, 4).unwrap();
    let mut words = vec![0; LENGTH];
    words.chunks_exact_mut(4).for_each(|four| streams.draw(0, |_| true, four));
    let uniform = |words: &[u32]| words.iter().map(|word| f64::from(*word)).collect::<Vec<_>>();
    let sums: Vec<u32> =
        (long..LENGTH).map(|n| words[n - short].wrapping_add(words[n - long])).collect();
    assert_eq!(correlation(&uniform(&words[long..]), &uniform(&sums)), 1.0);
}

#[test]
fn noise_of_pairs() {
    // Compares pairs that share a bead, and the single beads themselves, at the same steps.
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

/// Normal vectors from blocks of four words.
fn vector(words: [u32; 4]) -> [f64; 3] {
    let mut words = words.into_iter();
    f32::normals_from(&mut || words.next().unwrap()).map(f64::from)
}

#[test]
fn a_key_that_adds_seed_and_replica_fails() {
    let report = check(|stream, count| {
        let key = [(stream.seed + stream.replica) as u32, stream.purpose.value()];
        (0..count as u32)
            .map(|step| vector(philox4x32::<10>([step, 0, stream.bead, 0], key)))
            .collect()
    });
    assert_fails_in(&report, "replica up, seed down, 0 later: +1.0000");
}

#[test]
fn a_seed_added_to_the_step_fails() {
    let report = check(|stream, count| {
        let key = [stream.replica as u32, stream.purpose.value()];
        let counter = |step: u32| [step + stream.seed as u32, 0, stream.bead, 0];
        (0..count as u32).map(|step| vector(philox4x32::<10>(counter(step), key))).collect()
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
        let seed = (stream.seed + 1000 * stream.replica) as u32 + stream.bead;
        let mut generator = Lcg::from_state(seed + stream.purpose.value());
        let mut draw = || generator.next_u32();
        (0..count).map(|_| f32::normals_from(&mut draw).map(f64::from)).collect()
    });
    assert_fails_in(&report, "beads at one step");
}

#[test]
fn a_weak_common_part_fails() {
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
fn purposes_seeds_and_replicas_share_no_keys() {
    // 8 × 300 × 300 keys; random keys of 64 bits would collide with probability 1.4·10⁻⁸.
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
        // A binomial count of 64 000 bits, within 5 standard errors because there are 128 comparisons.
        let error = (64.0 * CASES as f64).sqrt() / 2.0;
        for count in [by_seed, by_replica] {
            assert_mean((f64::from(count), error), 32.0 * CASES as f64, 5.0);
        }
    }
}
