//! Tests the distributions of the uniform and normal numbers.
//!
//! The stated probability of failing by chance applied once, when the seeds were fixed.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

use beadwork_random::{
    Distribution, Generator, NoiseKey, Normal, Owner, Purpose, Streams, uniform_f32, uniform_f64,
};
use beadwork_testing::{assert_mean, chi_square_p_value, ks_statistic, ks_threshold, normal_cdf};

const SAMPLES: usize = 1_000_000;
/// Significance of one Kolmogorov–Smirnov test.
const SIGNIFICANCE: f64 = 1e-4;
/// Allowed deviation of a moment in standard errors; chance exceeds it with probability 6·10⁻⁵.
const SIGMAS: f64 = 4.0;

const KEY: NoiseKey = NoiseKey::new(20101, Purpose::Test, 0);

/// The moments 1 to 4 of standard normal and of centred uniform numbers, each with the variance of one sample. The even
/// moments of normal numbers are 1, 3, 15, 105; the moment 2m of uniform numbers minus ½ is 1/(4ᵐ(2m + 1)).
const NORMAL_MOMENTS: [(f64, f64); 4] = [(0.0, 1.0), (1.0, 2.0), (0.0, 15.0), (3.0, 96.0)];
const UNIFORM_MOMENTS: [(f64, f64); 4] = [
    (0.0, 1.0 / 12.0),
    (1.0 / 12.0, 1.0 / 80.0 - 1.0 / 144.0),
    (0.0, 1.0 / 448.0),
    (1.0 / 80.0, 1.0 / 2304.0 - 1.0 / 6400.0),
];

fn moment(samples: &[f64], order: i32) -> f64 {
    samples.iter().map(|sample| sample.powi(order)).sum::<f64>() / samples.len() as f64
}

#[track_caller]
fn assert_moments(samples: &[f64], moments: [(f64, f64); 4]) {
    for (order, (expected, variance)) in (1..).zip(moments) {
        let error = (variance / samples.len() as f64).sqrt();
        assert_mean((moment(samples, order), error), expected, SIGMAS);
    }
}

#[track_caller]
fn assert_distribution(mut samples: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    let threshold = ks_threshold(samples.len(), SIGNIFICANCE);
    let distance = ks_statistic(&mut samples, cdf);
    assert!(
        distance < threshold,
        "the distributions are {distance} apart, allowed are {threshold}"
    );
}

#[track_caller]
fn assert_uniform(samples: Vec<f64>) {
    let centred: Vec<f64> = samples.iter().map(|sample| sample - 0.5).collect();
    assert_moments(&centred, UNIFORM_MOMENTS);
    assert_distribution(samples, |x| x);
}

#[track_caller]
fn assert_normal(samples: Vec<f64>) {
    assert_moments(&samples, NORMAL_MOMENTS);
    assert_distribution(samples, normal_cdf);
}

/// Normal numbers of 100 beads at successive steps.
fn keyed<T: Normal>(key: NoiseKey) -> impl Iterator<Item = [f64; 3]> {
    (0..SAMPLES as u64).map(move |n| T::normals(key, n / 100, (n % 100) as u32).map(T::to_f64))
}

/// Noise of 100 beads at successive steps from a generator of the catalogue, in its first scheme.
fn streams<T: Normal>(generator: Generator, distribution: Distribution) -> Vec<[f64; 3]> {
    // Rejection sometimes needs more words; these are enough for every bead.
    let words = if distribution == Distribution::BoxMuller { T::WORDS } else { 64 };
    let owner = Owner { seed: 20101, replica: 0 };
    let mut streams = Streams::new(generator, generator.schemes()[0], owner, 100, words).unwrap();
    let mut drawn = vec![0; streams.words_a_step()];
    let mut vectors = Vec::with_capacity(SAMPLES / 3);
    for step in 0..SAMPLES as u64 / 300 {
        streams.draw(step, |_| true, &mut drawn);
        for words in drawn.chunks_exact(words) {
            let mut words = words.iter().copied();
            let three = distribution.three::<T>(&mut || words.next().unwrap());
            vectors.push(three.map(T::to_f64));
        }
    }
    vectors
}

fn components(vectors: impl IntoIterator<Item = [f64; 3]>) -> Vec<f64> {
    vectors.into_iter().take(SAMPLES / 3).flatten().collect()
}

#[test]
fn uniforms_in_single_precision() {
    let words = (0..SAMPLES as u64 / 4).flat_map(|step| KEY.words(step, 0, 0, 0));
    assert_uniform(words.map(|word| f64::from(uniform_f32(word))).collect());
}

#[test]
fn uniforms_in_double_precision() {
    let words = (0..SAMPLES as u64 / 2).flat_map(|step| {
        let [a, b, c, d] = KEY.words(step, 0, 0, 0);
        [uniform_f64(a, b), uniform_f64(c, d)]
    });
    assert_uniform(words.collect());
}

#[test]
fn normals_in_single_precision() {
    assert_normal(components(keyed::<f32>(KEY)));
}

#[test]
fn normals_in_double_precision() {
    assert_normal(components(keyed::<f64>(KEY)));
}

#[test]
fn normals_of_every_generator() {
    for generator in Generator::ALL {
        assert_normal(components(streams::<f32>(generator, Distribution::BoxMuller)));
        assert_normal(components(streams::<f64>(generator, Distribution::BoxMuller)));
    }
}

#[test]
fn normals_by_rejection() {
    for distribution in [Distribution::Polar, Distribution::Ziggurat] {
        for generator in [Generator::Philox4x32x10, Generator::HybridTaus] {
            assert_normal(components(streams::<f32>(generator, distribution)));
            assert_normal(components(streams::<f64>(generator, distribution)));
        }
    }
}

#[test]
fn symmetric_uniform_numbers() {
    let from_cells = |three: [f64; 3]| three.map(|number| 0.5 + number / 12.0_f64.sqrt());
    let single = streams::<f32>(Generator::Philox4x32x10, Distribution::Uniform);
    assert_uniform(components(single.into_iter().map(from_cells)));
    let double = streams::<f64>(Generator::Philox4x32x10, Distribution::Uniform);
    assert_uniform(components(double.into_iter().map(from_cells)));
}

#[test]
fn each_axis_is_normal() {
    let vectors: Vec<[f64; 3]> = keyed::<f32>(KEY).collect();
    for axis in 0..3 {
        assert_normal(vectors.iter().map(|vector| vector[axis]).collect());
    }
}

#[test]
fn the_three_axes_together_are_isotropic() {
    // The squared length is χ² with three degrees of freedom; the z component of the direction is uniform.
    let vectors: Vec<[f64; 3]> = keyed::<f32>(KEY).collect();
    let square = |[x, y, z]: &[f64; 3]| x * x + y * y + z * z;
    assert_distribution(vectors.iter().map(square).collect(), |s| 1.0 - chi_square_p_value(s, 3.0));
    let direction = |vector: &[f64; 3]| 0.5 + 0.5 * vector[2] / square(vector).sqrt();
    assert_distribution(vectors.iter().map(direction).collect(), |x| x);
}

#[test]
fn the_tail_has_the_right_weight() {
    // Beyond 4 standard deviations lie 6.334·10⁻⁵ of all numbers: 190 of 3·10⁶, 63 of 10⁶, with Poisson errors √N.
    let weight = 2.0 * normal_cdf(-4.0);
    let generator = Generator::Philox4x32x10;
    let of = |distribution| streams::<f64>(generator, distribution);
    for vectors in [
        keyed::<f32>(KEY).collect::<Vec<_>>(),
        keyed::<f64>(KEY).collect(),
        of(Distribution::Polar),
        of(Distribution::Ziggurat),
        streams::<f32>(generator, Distribution::Ziggurat),
    ] {
        let count = vectors.iter().flatten().filter(|number| number.abs() > 4.0).count() as f64;
        let expected = weight * 3.0 * vectors.len() as f64;
        assert_mean((count, expected.sqrt()), expected, SIGMAS);
    }
}

/// Shows that the checks can fail: uniform noise of unit variance has the first three moments of normal noise.
#[test]
fn uniform_noise_fails_the_tests_of_normal_noise() {
    let words = (0..SAMPLES as u64 / 4).flat_map(|step| KEY.words(step, 0, 0, 0));
    let mut samples: Vec<f64> =
        words.map(|word| (2.0 * f64::from(uniform_f32(word)) - 1.0) * 3.0_f64.sqrt()).collect();
    assert!((moment(&samples, 2) - 1.0).abs() < 0.005);
    assert!((moment(&samples, 4) - 3.0).abs() > SIGMAS * (96.0 / SAMPLES as f64).sqrt());
    assert!(ks_statistic(&mut samples, normal_cdf) > ks_threshold(SAMPLES, SIGNIFICANCE));
}

/// Shows that the checks can fail: numbers 1 % too large, as a friction 2 % off would cause.
#[test]
fn one_percent_of_excess_is_noticed() {
    let mut samples: Vec<f64> =
        components(keyed::<f32>(KEY)).iter().map(|number| 1.01 * number).collect();
    assert!(moment(&samples, 2) - 1.0 > SIGMAS * (2.0 / SAMPLES as f64).sqrt());
    assert!(ks_statistic(&mut samples, normal_cdf) > ks_threshold(SAMPLES, SIGNIFICANCE));
}
